"""Moves rows of groups of files to new files, one per group, with several groups in parallel.

Most are copied by PyArrow: in order, and up to a certain size without Spark. Rows are read by a scan if they have to be
converted, because types or nested fields of the table have changed, or sorted. In both cases rows are streamed from
file to file, and keep their row ids and snapshot ids.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import DataFrame

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.maintenance.compaction.compaction_choice import CompactionGroup
from forklake.maintenance.compaction.move_plan import Move, plan_move
from forklake.model.entities import Table
from forklake.model.files import NewDataFile
from forklake.spark.reading.scan import scan
from forklake.spark.session.failures import translate_read_errors, translate_write_errors
from forklake.spark.storage.remove_files import remove_files
from forklake.spark.tasks.files.copy_rows import copy_rows
from forklake.spark.tasks.files.write_file import WrittenFile, from_table, to_batch, write_rows
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from forklake.spark.values.quoting import column_named, rename_by_position
from forklake.spark.work import Work
from forklake.spark.writing.ordering import sort_order
from forklake.spark.writing.write_files import finish_job, job_order, new_data_files

DRIVER_BYTES = 512 * 2**20
"""Up to this size, files are copied on the driver, which is faster than starting workers; larger ones by workers."""
_JOBS = 16
"""Spark runs as many of them concurrently as it has cores."""

Write = Callable[[], list[WrittenFile]]


def move_rows(
    work: Work, table: Table, groups: Sequence[CompactionGroup], moved: Callable[[CompactionGroup], None]
) -> list[list[NewDataFile]]:
    """The new files with the rows of each group; calls `moved` for each. On failure, they are all deleted."""
    moves = [plan_move(work, table, group) for group in groups]
    on_driver = sum(move.group.size for move in moves if move.sources is not None) <= DRIVER_BYTES
    needs_spark = not on_driver or any(move.sources is None for move in moves)
    with translate_read_errors(table, work.tx.base), translate_write_errors(table):
        writes = [_plan_write(work, table, move, on_driver=on_driver) for move in moves]
        threads = _JOBS if needs_spark else os.cpu_count() or 1
        written = _run_writes(work, writes, threads, lambda at: moved(groups[at]))
    return [_new_files(work, table, *each) for each in zip(moves, written, strict=True)]


def _run_writes(
    work: Work, writes: Sequence[Write], threads: int, done: Callable[[int], None]
) -> list[list[WrittenFile]]:
    """Run all writes; calls `done` for each in the caller's thread."""
    written: dict[int, list[WrittenFile]] = {}

    def write(at: int) -> int:
        written[at] = writes[at]()
        return at

    pool = ThreadPoolExecutor(threads)
    try:
        for finished in as_completed([pool.submit(write, at) for at in range(len(writes))]):
            done(finished.result())
    except BaseException:
        # Waits for running writes: their files must be known in order to be removed.
        pool.shutdown(cancel_futures=True)
        remove_files(work.storage, [file.path for files in written.values() for file in files])
        raise
    pool.shutdown()
    return [written[at] for at in range(len(writes))]


def _plan_write(work: Work, table: Table, move: Move, *, on_driver: bool) -> Write:
    sources, snapshot_id = move.sources, work.tx.base
    if sources is not None and on_driver:
        return lambda: copy_rows(move.order, sources, snapshot_id)
    order = job_order(work, move.order)

    def convert(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield to_batch(write_rows(order, batches))

    def copy(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield to_batch(copy_rows(order, sources or (), snapshot_id))

    if sources is None:
        rows = _converted_rows(work, table, move).mapInArrow(convert, "file string")
    else:
        # A single row, so that there is a single task.
        rows = work.spark.range(0, 1, 1, 1).mapInArrow(copy, "file string")
    return lambda: finish_job(work, order, from_table(rows.toArrow()))


def _converted_rows(work: Work, table: Table, move: Move) -> DataFrame:
    """The rows in the current form of the table, in its sort order or else in insertion order, in one partition."""
    live = tuple(file for file in move.group.files if file.live_rows)
    rows = scan(work, ScanPlan(table, work.tx.base, live, ()), [ROW_ID, SNAPSHOT_ID])
    order = [*sort_order(table), column_named(SNAPSHOT_ID), column_named(ROW_ID)]
    return rename_by_position(rows.coalesce(1).sortWithinPartitions(*order), len(table.definition.columns))


def _new_files(work: Work, table: Table, move: Move, written: Sequence[WrittenFile]) -> list[NewDataFile]:
    new, row_id = [], move.row_id_start
    for made in new_data_files(work, table, written, embeds_row_ids=row_id is None):
        file = made.file._replace(partition_id=move.group.partition_id, row_id_start=row_id)
        new.append(replace(made, file=file, partition_values=move.group.partition_values))
        if row_id is not None:
            row_id += file.record_count
    return new
