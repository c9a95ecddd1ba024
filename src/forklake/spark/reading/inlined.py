"""Inlined rows, stored in the metadata database: read and written without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.errors import CorruptMetadata
from forklake.model.entities import UNCOMMITTED, Column, Table
from forklake.model.files import InlinedBatch
from forklake.model.ids import BatchId
from forklake.model.module_on_use import module_on_use
from forklake.spark.reading.virtual_columns import ADDRESS, POSITION_BITS, ROW_IDS, SNAPSHOT_IDS, VIRTUAL
from forklake.spark.tasks.files.inlined_payload import STORED_ROW_IDS, as_columns, read_payload, to_payload
from forklake.spark.tasks.statistics.array_stats import array_stats
from forklake.spark.tasks.types.python_array import mask
from forklake.spark.work import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from forklake.spark.values import from_arrow, type_mapping
else:
    from_arrow = module_on_use("forklake.spark.values.from_arrow")
    type_mapping = module_on_use("forklake.spark.values.type_mapping")

_NEVER = frozenset({"variant", "geometry"})


def should_inline(work: Work, table: Table, rows: int) -> bool:
    """Whether this many rows of one statement are stored in the metadata database."""
    limit = int(work.option("data_inlining_row_limit", table) or 0)
    return 0 < rows <= limit and not any(field.type.name in _NEVER for field in table.definition.fields())


def inline_rows(work: Work, table: Table, rows: pa.Table, row_ids: pa.ChunkedArray | None = None) -> None:
    """Store rows, in the table's shown form, in the metadata database."""
    columns = table.definition.columns
    [batch_id] = work.tx.new_ids("file")
    batch = InlinedBatch(
        BatchId(batch_id),
        work.tx.version_of(table),
        rows.num_rows,
        to_payload(rows, columns, row_ids),
        # Rows with their own ids take none from the counter of the table.
        row_id_start=None if row_ids is None else 0,
    )
    work.tx.insert_inlined(table, batch, array_stats(rows, columns))


def inlined_frame(work: Work, plan: ScanPlan, virtual: Sequence[str], first_number: int) -> DataFrame:
    """The live inlined rows of a plan as a DataFrame."""
    schema = type_mapping.shown_schema(plan.table.definition.columns)
    for name in virtual:
        schema = schema.add(name, VIRTUAL[name])
    rows = inlined_rows(plan, virtual, first_number)
    if not rows.num_rows:
        # PySpark fails for timestamp columns without chunks.
        return work.spark.createDataFrame([], schema)
    return from_arrow.local_frame(work.spark, rows, schema).select("*")


def inlined_rows(plan: ScanPlan, virtual: Sequence[str] = (), first_number: int = 0) -> pa.Table:
    """The live inlined rows of a plan in shown form; batches are numbered from `first_number`."""
    columns = plan.table.definition.columns
    # Batches with the same schema are converted together: there may be a thousand with a single row each.
    shapes: dict[pa.Schema, list[tuple[int, InlinedBatch, pa.Table]]] = {}
    for number, batch in enumerate(plan.batches, first_number):
        rows = read_payload(batch.payload)
        if rows.num_rows != batch.row_count:
            raise CorruptMetadata(f"Inlined batch {batch.batch_id} has {rows.num_rows} rows, not {batch.row_count}.")
        shapes.setdefault(rows.schema, []).append((number, batch, rows))
    return pa.concat_tables([_rows_of_shape(members, columns, virtual) for members in shapes.values()])


def _rows_of_shape(
    members: Sequence[tuple[int, InlinedBatch, pa.Table]], columns: Sequence[Column], virtual: Sequence[str]
) -> pa.Table:
    stored = pa.concat_tables([rows for _, _, rows in members])
    arrays = as_columns(stored, columns)
    names = [column.name for column in columns]
    for name in virtual:
        arrays.append(_virtual_array(name, members, stored))
        names.append(name)
    kept = np.concatenate([_live_mask(batch) for _, batch, _ in members])
    # By position, because a virtual column may have the same name as one of the table.
    shown = pa.table(arrays, names=names)
    return shown if kept.all() else shown.filter(mask(kept))


def _live_mask(batch: InlinedBatch) -> np.ndarray:
    live = np.ones(batch.row_count, bool)
    live[list(batch.deleted)] = False
    return live


def _virtual_array(name: str, members: Sequence[tuple[int, InlinedBatch, pa.Table]], stored: pa.Table) -> pa.Array:
    match name:
        case name if name in ROW_IDS and STORED_ROW_IDS in stored.column_names:
            return stored[STORED_ROW_IDS]
        case name if name in ROW_IDS:
            return pa.concat_arrays([_batch_row_ids(batch) for _, batch, _ in members])
        case name if name in SNAPSHOT_IDS:
            begins = [None if b.begin_snapshot == UNCOMMITTED else b.begin_snapshot for _, b, _ in members]
            return pa.concat_arrays(
                [pa.repeat(pa.scalar(s, pa.int64()), b.row_count) for s, (_, b, _) in zip(begins, members, strict=True)]
            )
        case name if name == ADDRESS:
            return pa.concat_arrays(
                [pa.array((number << POSITION_BITS) + np.arange(batch.row_count)) for number, batch, _ in members]
            )
    return pa.nulls(stored.num_rows, pa.string() if name == "filename" else pa.int64())


def _batch_row_ids(batch: InlinedBatch) -> pa.Array:
    if batch.row_id_start is None:
        return pa.nulls(batch.row_count, pa.int64())
    return pa.array(np.arange(batch.row_id_start, batch.row_id_start + batch.row_count, dtype=np.int64))
