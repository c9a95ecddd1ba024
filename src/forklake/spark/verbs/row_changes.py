"""Changes of rows: ends the old ones and writes the new ones, in one pass over the changes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.spark.session.failures import translate_read_errors, translate_write_errors
from forklake.spark.storage.remove_files import remove_files
from forklake.spark.tasks.files.write_changes import (
    ADDRESS,
    CHANGE,
    DELETE,
    INSERT,
    OUTCOME,
    SOURCE_ROW,
    UPDATE,
    write_changes,
)
from forklake.spark.tasks.files.write_file import WriteOrder, from_table
from forklake.spark.tasks.types.reserved_columns import ROW_ID
from forklake.spark.values.collect import collect
from forklake.spark.values.quoting import rename_by_position
from forklake.spark.verbs.delete import delete_addresses
from forklake.spark.work import Work
from forklake.spark.writing.stage_files import stage_files
from forklake.spark.writing.write_files import finish_job, job_order, write_order

CHANGE_OF_UPDATE = f"if({ROW_ID} IS NULL, '{INSERT}', '{UPDATE}')"
"""The change of an updated row: one added by this transaction has no row id yet, and counts as inserted."""
DRIVER_BYTES = 32 * 2**20
"""If the files of a plan are not larger, their changes are written on the driver."""


@dataclass(frozen=True, slots=True)
class ChangeOutcome:
    """The outcome of a change: the number of ended rows, and the matched rows of a source."""

    ended: int
    matched: pa.ChunkedArray


def change_rows(work: Work, plan: ScanPlan, changes: DataFrame | pa.Table) -> ChangeOutcome:
    """Apply changes to rows of a plan.

    The changes have the table's columns in fitting types, followed by row id, change, address and source row.
    """
    table = plan.table
    order, on_driver = write_order(work, table), isinstance(changes, pa.Table) or fits_driver(plan)
    if not on_driver:
        order = job_order(work, order)
    work.tx.note_delete(table)
    with translate_write_errors(table), translate_read_errors(table, plan.snapshot_id):
        outcome = _write_outcome(order, changes, on_driver=on_driver)
    files = finish_job(work, order, from_table(outcome.filter(pc.is_valid(outcome["file"]))))
    rows = outcome.filter(pc.is_valid(outcome["change"]))
    ended = rows["address"].drop_null().to_numpy().astype(np.int64)
    try:
        delete_addresses(work, plan, ended)
    except BaseException:
        remove_files(work.storage, [file.path for file in files])
        raise
    stage_files(work, table, [file for file in files if file.label == UPDATE], embeds_row_ids=True)
    stage_files(work, table, [file for file in files if file.label == INSERT])
    return ChangeOutcome(len(ended), outcome["source"].drop_null())


def change_known_rows(work: Work, plan: ScanPlan, updated: pa.Table, deleted: pa.ChunkedArray | None = None) -> int:
    """Replace rows of a plan by new versions, and delete others at these addresses; returns the number of rows.

    New versions have the table's columns in fitting types, followed by row id and address.
    """
    change = pc.if_else(pc.is_null(updated[ROW_ID]), INSERT, UPDATE)
    changes = updated.append_column(CHANGE, change)
    if deleted is not None:
        removed = pa.table({ADDRESS: deleted, CHANGE: pa.repeat(DELETE, len(deleted))})
        changes = pa.concat_tables([changes, removed], promote_options="default")
    return change_rows(work, plan, changes.append_column(SOURCE_ROW, pa.nulls(len(changes), pa.int64()))).ended


def fits_driver(plan: ScanPlan) -> bool:
    """Whether all rows of a plan may be on the driver at once."""
    return sum(file.data.file_size_bytes for file in plan.files) <= DRIVER_BYTES


def _write_outcome(order: WriteOrder, changes: DataFrame | pa.Table, *, on_driver: bool) -> pa.Table:
    if on_driver:
        rows = changes if isinstance(changes, pa.Table) else collect(changes)
        return pa.Table.from_batches(write_changes(order, rows.to_batches()))
    return rename_by_position(changes, len(order.columns)).mapInArrow(_change_writer(order), OUTCOME).toArrow()


def _change_writer(order: WriteOrder) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return write_changes(order, batches)

    return write
