"""The change feed: rows that were inserted, deleted and updated between two snapshots.

An update is a delete and an insert of one row id in one snapshot. Rows that compaction has moved are no changes.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.catalog.scan_planning import ScanPlan
from forklake.catalog.table_history import DeletedFromFile, TableHistory, table_history
from forklake.model.entities import Table
from forklake.model.files import InlinedBatch, ScanFile
from forklake.model.ids import SnapshotId, TableId
from forklake.spark.deleted_rows import deleted_positions, is_among
from forklake.spark.path_values import number_per_file
from forklake.spark.quoting import projected, quoted
from forklake.spark.scan import scan
from forklake.spark.tasks.delete_files import Positions
from forklake.spark.tasks.reserved import ROW_ID, SNAPSHOT_ID
from forklake.spark.tasks.write_changes import CHANGE
from forklake.spark.type_mapping import shown_schema
from forklake.spark.virtual import ADDRESS, POSITION_BITS
from forklake.spark.work import Work

Kind = Literal["insertions", "deletions", "changes"]
SNAPSHOT, ROW, CHANGE_TYPE = "snapshot_id", "rowid", "change_type"
_NUMBER, _POSITION = f"shiftright({ADDRESS}, {POSITION_BITS})", f"{ADDRESS} & {(1 << POSITION_BITS) - 1}"
_GONE, _ENDED = "__forklake_gone", "__forklake_ended"
_BROADCAST = 1_000_000
"""Up to this many deleted rows are sent to where the rows are, sixteen bytes for each."""


def table_changes(work: Work, table: Table, first: SnapshotId, last: SnapshotId, kind: Kind = "changes") -> DataFrame:
    """The changes of the snapshots from `first` to `last`, both included, in the columns the table has at `last`.

    Before the columns stand the snapshot, the row id and, for changes of all kinds, the type of the change.
    """
    after, with_deletes = SnapshotId(first - 1), kind != "insertions"
    history = table_history(work.tx.view, TableId(table.object_id), after, last, with_deletes=with_deletes)
    parts = []
    if kind != "deletions":
        parts += _inserted(work, table, history, last)
    if kind != "insertions":
        parts += _deleted(work, table, history, last)
    if not parts:
        return work.spark.createDataFrame([], _schema(table, kind))
    changes = reduce(DataFrame.unionAll, parts)
    if kind == "changes" and len(parts) > 1:
        changes = _with_updates(changes)
    leading = {SNAPSHOT: SNAPSHOT_ID, ROW: ROW_ID, CHANGE_TYPE: CHANGE}
    if kind != "changes":
        del leading[CHANGE_TYPE]
    own = [quoted(column.name) for column in table.definition.columns]
    return projected(changes, [*(f"{quoted(inside)} AS {name}" for name, inside in leading.items()), *own])


def _schema(table: Table, kind: Kind) -> st.StructType:
    schema = st.StructType().add(SNAPSHOT, "long").add(ROW, "long")
    if kind == "changes":
        schema = schema.add(CHANGE_TYPE, "string")
    return st.StructType([*schema.fields, *shown_schema(table.definition.columns).fields])


def _inserted(work: Work, table: Table, history: TableHistory, last: SnapshotId) -> list[DataFrame]:
    """Whole files and batches, less the rows that nobody has ever seen."""
    files = tuple(ScanFile(entry.file, entry.never_seen) for entry in history.inserted)
    batches = tuple(entry.batch for entry in history.inserted_batches)
    if not files and not batches:
        return []
    plan = ScanPlan(table, last, files, batches)
    rows = scan(work, plan, [SNAPSHOT_ID, ROW_ID])
    return [_told(rows, "insert")]


def _deleted(work: Work, table: Table, history: TableHistory, last: SnapshotId) -> list[DataFrame]:
    parts = []
    if history.deleted:
        parts.append(_deleted_from_files(work, table, history.deleted, last))
    if history.deleted_inlined:
        parts.append(_deleted_from_batches(work, table, history, last))
    return parts


def _deleted_from_files(work: Work, table: Table, deleted: Sequence[DeletedFromFile], last: SnapshotId) -> DataFrame:
    """The rows at the positions that each version of a delete file has more than the one before."""
    files = list(enumerate({entry.file.data_file_id: ScanFile(entry.file) for entry in deleted}.values()))
    numbers = {file.data.data_file_id: number for number, file in files}
    before = deleted_positions(work, table, [ScanFile(entry.file, entry.before) for entry in deleted])
    after = deleted_positions(work, table, [ScanFile(entry.file, entry.after) for entry in deleted])
    gone: list[list[tuple[Positions, int]]] = [[] for _ in files]
    for entry, old, new in zip(deleted, before, after, strict=True):
        now = np.arange(entry.file.record_count) if entry.after is None else new
        found = np.setdiff1d(now, old, assume_unique=True)
        gone[numbers[entry.file.data_file_id]].append((found, entry.snapshot_id))
    rows = scan(work, ScanPlan(table, last, tuple(file for _, file in files), ()), [ADDRESS, ROW_ID])
    positions = [np.concatenate([found for found, _ in of_file]) for of_file in gone]
    rows = rows.where(is_among(work, files, positions, _NUMBER, _POSITION))
    if all(len(of_file) == 1 for of_file in gone):
        ended = number_per_file(files, _NUMBER, [snapshot for [(_, snapshot)] in gone])
    else:
        rows, ended = _with_ends(work, rows, gone), _ENDED
    own = [quoted(column.name) for column in table.definition.columns]
    return _told(projected(rows, [*own, f"{ended} AS {quoted(SNAPSHOT_ID)}", quoted(ROW_ID)]), "delete")


def _with_ends(work: Work, rows: DataFrame, gone: Sequence[Sequence[tuple[Positions, int]]]) -> DataFrame:
    """The rows with the snapshots that they ended with, of files that lost some in several snapshots."""
    addresses, ends = [], []
    for number, of_file in enumerate(gone):
        for found, snapshot_id in of_file:
            addresses.append((number << POSITION_BITS) + found)
            ends.append(np.full(len(found), snapshot_id))
    known = work.spark.createDataFrame(pa.table({_GONE: np.concatenate(addresses), _ENDED: np.concatenate(ends)}))
    if sum(map(len, addresses)) <= _BROADCAST:
        # Spark does not know how few they are.
        known = known.hint("broadcast")
    return rows.join(known, F.col(ADDRESS) == F.col(_GONE))


def _deleted_from_batches(work: Work, table: Table, history: TableHistory, last: SnapshotId) -> DataFrame:
    """The rows of batches that are gone; all others of a batch count as deleted here."""
    batches: list[InlinedBatch] = []
    for entry in history.deleted_inlined:
        others = frozenset(range(entry.batch.row_count)) - entry.positions
        batches.append(replace(entry.batch, deleted=others, begin_snapshot=entry.snapshot_id))
    rows = scan(work, ScanPlan(table, last, (), tuple(batches)), [SNAPSHOT_ID, ROW_ID])
    return _told(rows, "delete")


def _told(rows: DataFrame, change: str) -> DataFrame:
    """Rows with snapshot and row id behind the table's columns, and what happened to them."""
    return rows.selectExpr("*", f"'{change}' AS {quoted(CHANGE)}")


def _with_updates(changes: DataFrame) -> DataFrame:
    """A row id that was deleted and inserted in one snapshot was updated."""
    kinds = f"size(collect_set({CHANGE}) OVER (PARTITION BY {SNAPSHOT_ID}, {ROW_ID}))"
    image = f"if({CHANGE} = 'delete', 'update_preimage', 'update_postimage')"
    return changes.selectExpr(f"* EXCEPT ({CHANGE})", f"if({kinds} = 2, {image}, {CHANGE}) AS {CHANGE}")
