"""Updates in which Spark writes the new rows, and the replaced rows are ended afterwards.

Spark's writer does not return the rows it has written, but the files contain their row ids, which locate the old rows.
So a single pass over the table suffices, and no rows leave Spark. This requires that each row id belongs to exactly one
live row, which is verified as far as the found rows allow: otherwise nothing is changed.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.errors import CorruptMetadata
from forklake.model.entities import UNCOMMITTED
from forklake.model.threads import map_in_threads
from forklake.spark.reading.deleted_rows import deleted_positions
from forklake.spark.reading.file_groups import numbered_files
from forklake.spark.reading.inlined import inlined_rows
from forklake.spark.reading.scan import scan
from forklake.spark.reading.virtual_columns import ADDRESS, POSITION_BITS, broadcast_if_small
from forklake.spark.session.failures import translate_read_errors
from forklake.spark.storage.remove_files import remove_files
from forklake.spark.tasks.files.delete_files import Positions
from forklake.spark.tasks.files.write_file import WrittenFile
from forklake.spark.tasks.types.reserved_columns import ROW_ID
from forklake.spark.values.quoting import column_named
from forklake.spark.verbs.delete import check_no_row_twice, delete_addresses
from forklake.spark.work import Work
from forklake.spark.writing.stage_files import stage_files
from forklake.spark.writing.write_files import spark_can_write_rows, write_frame

_READERS = 16


def can_rewrite(plan: ScanPlan) -> bool:
    """Whether Spark itself can write rows of the plan, and all of them already have row ids."""
    begins = [file.data.begin_snapshot for file in plan.files] + [batch.begin_snapshot for batch in plan.batches]
    return spark_can_write_rows(plan.table) and UNCOMMITTED not in begins


def rewrite_rows(work: Work, plan: ScanPlan, rows: DataFrame) -> int:
    """Write new versions of rows of a plan, with row ids after the table's columns; returns their number."""
    table = plan.table
    work.tx.note_delete(table)
    with translate_read_errors(table, plan.snapshot_id):
        files = write_frame(work, table, rows, [ROW_ID])
    try:
        with translate_read_errors(table, plan.snapshot_id):
            ended = _end_rows(work, plan, _row_ids(work, files))
    except BaseException:
        remove_files(work.storage, [file.path for file in files])
        raise
    stage_files(work, table, files, embeds_row_ids=True)
    return ended


def _row_ids(work: Work, files: Sequence[WrittenFile]) -> Positions:
    storage = work.storage

    def read(file: WrittenFile) -> pa.ChunkedArray:
        path = storage.path(file.path)
        return pq.read_table(path, filesystem=storage.files, columns=[ROW_ID], partitioning=None)[ROW_ID]

    found = map_in_threads(read, files, _READERS)
    if any(ids.null_count for ids in found):
        raise CorruptMetadata("A committed row has no row id.")
    return np.sort(np.concatenate([np.zeros(0, np.int64), *(ids.to_numpy() for ids in found)]))


def _end_rows(work: Work, plan: ScanPlan, row_ids: Positions) -> int:
    """End the rows with these sorted ids."""
    check_no_row_twice(row_ids)
    counted, rest = _find_in_numbered_files(work, plan, row_ids)
    inlined, rest = _find_in_batches(plan, rest)
    embedding = tuple(file for file in plan.files if file.data.row_id_start is None)
    others = ScanPlan(plan.table, plan.snapshot_id, embedding, ())
    embedded, found = _find_embedded(work, others, rest)
    if not np.array_equal(np.sort(found), rest):
        raise CorruptMetadata(f"Table '{plan.table.name}' has row ids that belong to several rows.")
    return delete_addresses(work, plan, np.concatenate([counted, inlined])) + delete_addresses(work, others, embedded)


def _find_in_numbered_files(work: Work, plan: ScanPlan, row_ids: Positions) -> tuple[Positions, Positions]:
    """The addresses of rows in the files where their ids were assigned, and the ids of the others."""
    numbered = [(number, file) for number, file in numbered_files(plan) if file.data.row_id_start is not None]
    if not numbered:
        return np.zeros(0, np.int64), row_ids
    numbered.sort(key=lambda each: each[1].data.row_id_start or 0)
    numbers = np.array([number for number, _ in numbered])
    starts = np.array([file.data.row_id_start for _, file in numbered])
    counts = np.array([file.data.record_count for _, file in numbered])
    if (starts[1:] < (starts + counts)[:-1]).any():
        raise CorruptMetadata(f"Two files of table '{plan.table.name}' have the same row ids.")
    at = np.searchsorted(starts, row_ids, side="right") - 1
    positions = row_ids - starts[at]
    is_here = (at >= 0) & (positions < counts[at])
    changed = [k for k in np.unique(at[is_here]).tolist() if numbered[k][1].delete is not None]
    gone = deleted_positions(work, plan.table, [numbered[k][1] for k in changed])
    for k, deleted in zip(changed, gone, strict=True):
        of_file = slice(*np.searchsorted(at, [k, k + 1]))
        is_here[of_file] &= ~np.isin(positions[of_file], deleted)
    return ((numbers[at] << POSITION_BITS) | positions)[is_here], row_ids[~is_here]


def _find_in_batches(plan: ScanPlan, row_ids: Positions) -> tuple[Positions, Positions]:
    """The addresses of inlined rows, and the ids of the others."""
    if not plan.batches or not len(row_ids):
        return np.zeros(0, np.int64), row_ids
    rows = inlined_rows(plan, [ROW_ID, ADDRESS], first_number=len(plan.files))
    known, addresses = (column.to_numpy() for column in rows.columns[-2:])
    return addresses[np.isin(known, row_ids)], row_ids[~np.isin(row_ids, known)]


def _find_embedded(work: Work, plan: ScanPlan, row_ids: Positions) -> tuple[Positions, Positions]:
    """The addresses of rows in files with embedded ids, and their ids; searched by Spark."""
    if not plan.files or not len(row_ids):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    ids = work.spark.createDataFrame(pa.table({"id": row_ids}))
    rows = scan(work, plan, [ROW_ID, ADDRESS]).select(ROW_ID, ADDRESS)
    found = rows.join(
        broadcast_if_small(ids, len(row_ids)), column_named(ROW_ID) == column_named("id"), "left_semi"
    ).toArrow()
    return found[ADDRESS].to_numpy(), found[ROW_ID].to_numpy()
