"""The change feed: rows that were inserted, deleted and updated between two snapshots.

An update is a delete and an insert of one row id in one snapshot. Rows that compaction has moved are no changes.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.catalog.scan_planning import ScanPlan
from forklake.catalog.table_history import DeletedFromFile, TableHistory, table_history
from forklake.model.entities import Table
from forklake.model.files import InlinedBatch, ScanFile
from forklake.model.ids import SnapshotId, TableId
from forklake.spark.deleted_rows import deleted_positions
from forklake.spark.quoting import named
from forklake.spark.scan import scan
from forklake.spark.tasks.reserved import ROW_ID, SNAPSHOT_ID
from forklake.spark.type_mapping import shown_schema
from forklake.spark.virtual import ADDRESS, POSITION_BITS
from forklake.spark.work import Work

Kind = Literal["insertions", "deletions", "changes"]
SNAPSHOT, ROW, CHANGE_TYPE = "snapshot_id", "rowid", "change_type"


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
    if kind == "changes":
        changes = _with_updates(changes)
    leading = [SNAPSHOT, ROW, CHANGE_TYPE] if kind == "changes" else [SNAPSHOT, ROW]
    # The table may have columns of these names too: it is told apart by position.
    renamed = changes.toDF(*_internal_names(table))
    own = [named(f"c{at}").alias(column.name) for at, column in enumerate(table.definition.columns)]
    return renamed.select(*(named(f"_{name}").alias(name) for name in leading), *own)


def _schema(table: Table, kind: Kind) -> st.StructType:
    schema = st.StructType().add(SNAPSHOT, "long").add(ROW, "long")
    if kind == "changes":
        schema = schema.add(CHANGE_TYPE, "string")
    return st.StructType([*schema.fields, *shown_schema(table.definition.columns).fields])


def _internal_names(table: Table) -> list[str]:
    own = [f"c{at}" for at in range(len(table.definition.columns))]
    return [*own, f"_{SNAPSHOT}", f"_{ROW}", f"_{CHANGE_TYPE}"]


def _inserted(work: Work, table: Table, history: TableHistory, last: SnapshotId) -> list[DataFrame]:
    """Whole files and batches, less the rows that nobody has ever seen."""
    files = tuple(ScanFile(entry.file, entry.never_seen) for entry in history.inserted)
    batches = tuple(entry.batch for entry in history.inserted_batches)
    if not files and not batches:
        return []
    plan = ScanPlan(table, last, files, batches)
    rows = scan(work, plan, [SNAPSHOT_ID, ROW_ID])
    return [_told(rows, table, F.lit("insert"))]


def _deleted(work: Work, table: Table, history: TableHistory, last: SnapshotId) -> list[DataFrame]:
    parts = []
    if history.deleted:
        parts.append(_deleted_from_files(work, table, history.deleted, last))
    if history.deleted_inlined:
        parts.append(_deleted_from_batches(work, table, history, last))
    return parts


def _deleted_from_files(work: Work, table: Table, deleted: Sequence[DeletedFromFile], last: SnapshotId) -> DataFrame:
    """The rows at the positions that each version of a delete file has more than the one before."""
    files = {entry.file.data_file_id: ScanFile(entry.file) for entry in deleted}
    numbers = {file_id: number for number, file_id in enumerate(files)}
    before = deleted_positions(work, table, [ScanFile(entry.file, entry.before) for entry in deleted])
    after = deleted_positions(work, table, [ScanFile(entry.file, entry.after) for entry in deleted])
    addresses, snapshots = [], []
    for entry, old, new in zip(deleted, before, after, strict=True):
        now = np.arange(entry.file.record_count) if entry.after is None else new
        gone = np.setdiff1d(now, old, assume_unique=True)
        addresses.append((numbers[entry.file.data_file_id] << POSITION_BITS) + gone)
        snapshots.append(np.full(len(gone), entry.snapshot_id))
    ends = pa.table({"address": np.concatenate(addresses), "ended": np.concatenate(snapshots)})
    rows = scan(work, ScanPlan(table, last, tuple(files.values()), ()), [ADDRESS, ROW_ID])
    found = rows.join(work.spark.createDataFrame(ends), F.col(ADDRESS) == F.col("address"))
    shown = [named(column.name) for column in table.definition.columns]
    return _told(found.select(*shown, F.col("ended").alias(SNAPSHOT), ROW_ID), table, F.lit("delete"))


def _deleted_from_batches(work: Work, table: Table, history: TableHistory, last: SnapshotId) -> DataFrame:
    """The rows of batches that are gone; all others of a batch count as deleted here."""
    batches: list[InlinedBatch] = []
    for entry in history.deleted_inlined:
        others = frozenset(range(entry.batch.row_count)) - entry.positions
        batches.append(replace(entry.batch, deleted=others, begin_snapshot=entry.snapshot_id))
    rows = scan(work, ScanPlan(table, last, (), tuple(batches)), [SNAPSHOT_ID, ROW_ID])
    return _told(rows, table, F.lit("delete"))


def _told(rows: DataFrame, table: Table, change: Expression) -> DataFrame:
    """Rows with snapshot and row id behind the table's columns, and what happened to them."""
    width = len(table.definition.columns)
    named_rows = rows.toDF(*_internal_names(table)[: width + 2])
    return named_rows.withColumn(f"_{CHANGE_TYPE}", change)


def _with_updates(changes: DataFrame) -> DataFrame:
    """A row id that was deleted and inserted in one snapshot was updated."""
    same_row = Window.partitionBy(f"_{SNAPSHOT}", f"_{ROW}")
    kinds = F.size(F.collect_set(f"_{CHANGE_TYPE}").over(same_row))
    change = F.col(f"_{CHANGE_TYPE}")
    image = F.when(change == "delete", "update_preimage").otherwise("update_postimage")
    return changes.withColumn(f"_{CHANGE_TYPE}", F.when(kinds == 2, image).otherwise(change))
