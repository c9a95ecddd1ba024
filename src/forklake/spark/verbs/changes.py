"""The change feed: rows inserted, deleted and updated between two snapshots.

An update is a delete and an insert of the same row id in one snapshot. Rows moved by compaction are not changes.
"""

from collections import Counter
from collections.abc import Sequence
from functools import reduce

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.catalog.reading.table_history import InsertedBatch, InsertedFile, TableHistory
from forklake.model.entities import Table
from forklake.model.ids import SnapshotId
from forklake.spark.reading.deleted_rows import build_bitmaps
from forklake.spark.reading.path_values import number_per_file
from forklake.spark.reading.scan import scan
from forklake.spark.reading.virtual_columns import ADDRESS, POSITION_BITS, broadcast_if_small
from forklake.spark.tasks.files.delete_files import Positions
from forklake.spark.tasks.files.write_changes import CHANGE
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from forklake.spark.values.quoting import quoted_name, select_columns
from forklake.spark.values.type_mapping import shown_schema
from forklake.spark.verbs.change_plan import CHANGE_TYPE, ROW, SNAPSHOT, ChangePlan, Kind, positions_deleted
from forklake.spark.work import Work

_NUMBER, _POSITION = f"shiftright({ADDRESS}, {POSITION_BITS})", f"{ADDRESS} & {(1 << POSITION_BITS) - 1}"
_GONE, _ENDED = "__forklake_gone", "__forklake_ended"
_BACK_ROW, _BACK_SNAPSHOT = "__forklake_back_row", "__forklake_back_snapshot"


def table_changes(work: Work, plan: ChangePlan) -> DataFrame:
    """The changes between two snapshots, with the columns that the table has at the last one.

    They are preceded by the snapshot, the row id and, for changes of all kinds, the type of the change.
    """
    history, table, kind = plan.history, plan.table, plan.kind
    match kind:
        case "insertions":
            found = _inserted_rows(work, plan, history.inserted, history.inserted_batches)
        case "deletions":
            found = _deleted_rows(work, plan)
        case "changes":
            found = _all_changes(work, plan)
    if not found:
        return work.spark.createDataFrame([], _schema(table, kind))
    own = [quoted_name(column.name) for column in table.definition.columns]
    parts = []
    for rows, change in found:
        leading = [
            f"{quoted_name(SNAPSHOT_ID)} AS {SNAPSHOT}",
            f"{quoted_name(ROW_ID)} AS {ROW}",
            f"{change} AS {CHANGE_TYPE}",
        ]
        parts.append(select_columns(rows, [*(leading if kind == "changes" else leading[:2]), *own]))
    return reduce(DataFrame.unionAll, parts)


def _schema(table: Table, kind: Kind) -> st.StructType:
    schema = st.StructType().add(SNAPSHOT, "long").add(ROW, "long")
    if kind == "changes":
        schema = schema.add(CHANGE_TYPE, "string")
    return st.StructType([*schema.fields, *shown_schema(table.definition.columns).fields])


_Told = tuple[DataFrame, str]
"""Rows, with snapshot and row id after the table's columns, and the type of their change as SQL."""


def _all_changes(work: Work, plan: ChangePlan) -> list[_Told]:
    history, deleted = plan.history, _deleted_rows(work, plan)
    # The start is 0 for batches with their own row ids, but also for the first batch of a table.
    unclear = any(entry.batch.row_id_start in (None, 0) for entry in history.inserted_batches)
    if not deleted or unclear:
        inserted = _inserted_rows(work, plan, history.inserted, history.inserted_batches)
        return _classify_by_row_id(plan.table, [*inserted, *deleted]) if deleted else inserted
    back = [entry for entry in history.inserted if entry.file.row_id_start is None]
    new = [entry for entry in history.inserted if entry.file.row_id_start is not None]
    inserted = _inserted_rows(work, plan, new, history.inserted_batches)
    if not back:
        return [*inserted, *deleted]
    # Files with row ids contain updated rows: each of them was deleted in the same snapshot.
    [(rows, _)] = _inserted_rows(work, plan, back, ())
    if _are_all_updates(history, back):
        return [*inserted, (rows, "'update_postimage'"), *((each, "'update_preimage'") for each, _ in deleted)]
    ids = rows.selectExpr(f"{quoted_name(SNAPSHOT_ID)} AS {_BACK_SNAPSHOT}", f"{quoted_name(ROW_ID)} AS {_BACK_ROW}")
    ids = broadcast_if_small(ids, sum(entry.file.record_count for entry in back))
    same = F.expr(f"{quoted_name(SNAPSHOT_ID)} = {_BACK_SNAPSHOT} AND {quoted_name(ROW_ID)} = {_BACK_ROW}")
    change = f"if({_BACK_ROW} IS NULL, 'delete', 'update_preimage')"
    return [*inserted, (rows, "'update_postimage'"), *((each.join(ids, same, "left"), change) for each, _ in deleted)]


def _are_all_updates(history: TableHistory, back: Sequence[InsertedFile]) -> bool:
    """Whether as many rows were reinserted as deleted in each snapshot: then all are updates, without plain deletes."""
    deletes = [file for entry in history.deleted for file in (entry.before, entry.after) if file is not None]
    if any(entry.never_seen is not None or entry.file.partial_max is not None for entry in back) or any(
        file.partial_max is not None for file in deletes
    ):
        return False
    ended, returned = Counter[int](), Counter[int]()
    for entry in history.deleted:
        before = entry.before.delete_count if entry.before else 0
        ended[entry.snapshot_id] += (entry.after.delete_count if entry.after else entry.file.record_count) - before
    for gone in history.deleted_inlined:
        ended[gone.snapshot_id] += len(gone.positions)
    for new in back:
        returned[new.snapshot_id] += new.file.record_count
    return ended == returned


def _classify_by_row_id(table: Table, found: Sequence[_Told]) -> list[_Told]:
    """A row id that was deleted and inserted in one snapshot was updated: determined by sorting all changes."""
    columns = [
        quoted_name(name) for name in (*(column.name for column in table.definition.columns), SNAPSHOT_ID, ROW_ID)
    ]
    parts = [select_columns(rows, [*columns, f"{change} AS {quoted_name(CHANGE)}"]) for rows, change in found]
    kinds = f"size(collect_set({CHANGE}) OVER (PARTITION BY {SNAPSHOT_ID}, {ROW_ID}))"
    image = f"if({CHANGE} = 'delete', 'update_preimage', 'update_postimage')"
    return [(reduce(DataFrame.unionAll, parts), f"if({kinds} = 2, {image}, {CHANGE})")]


def _inserted_rows(
    work: Work, plan: ChangePlan, files: Sequence[InsertedFile], batches: Sequence[InsertedBatch]
) -> list[_Told]:
    if not files and not batches:
        return []
    return [(scan(work, plan.inserted(files, batches), [SNAPSHOT_ID, ROW_ID]), "'insert'")]


def _deleted_rows(work: Work, plan: ChangePlan) -> list[_Told]:
    parts = []
    if plan.history.deleted:
        parts.append(_deleted_from_files(work, plan))
    if plan.history.deleted_inlined:
        parts.append(scan(work, plan.deleted_from_batches(), [SNAPSHOT_ID, ROW_ID]))
    return [(rows, "'delete'") for rows in parts]


def _deleted_from_files(work: Work, plan: ChangePlan) -> DataFrame:
    """The rows at the positions added by each version of a delete file."""
    read, gone = plan.with_deletes(), positions_deleted(work, plan.table, plan.history.deleted)
    files = list(enumerate(read.files))
    rows = scan(work, read, [ADDRESS, ROW_ID])
    positions = [np.concatenate([found for found, _ in of_file]) for of_file in gone]
    chosen = build_bitmaps([file for _, file in files], positions)
    rows = rows.where(chosen.has(work, number_per_file(files, _NUMBER, chosen.starts), _POSITION))
    if all(len(of_file) == 1 for of_file in gone):
        ended = number_per_file(files, _NUMBER, [snapshot for [(_, snapshot)] in gone])
    else:
        rows, ended = _join_end_snapshots(work, rows, gone), _ENDED
    own = [quoted_name(column.name) for column in plan.table.definition.columns]
    return select_columns(rows, [*own, f"{ended} AS {quoted_name(SNAPSHOT_ID)}", quoted_name(ROW_ID)])


def _join_end_snapshots(
    work: Work, rows: DataFrame, gone: Sequence[Sequence[tuple[Positions, SnapshotId]]]
) -> DataFrame:
    """The rows with the snapshots that deleted them, for files with deletes in several snapshots."""
    addresses, ends = [], []
    for number, of_file in enumerate(gone):
        for found, snapshot_id in of_file:
            addresses.append((number << POSITION_BITS) + found)
            ends.append(np.full(len(found), snapshot_id))
    known = work.spark.createDataFrame(pa.table({_GONE: np.concatenate(addresses), _ENDED: np.concatenate(ends)}))
    return rows.join(broadcast_if_small(known, sum(map(len, addresses))), F.col(ADDRESS) == F.col(_GONE))
