"""Delete rows: positions are written to delete files; whole files are ended in the metadata only."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pyspark.sql import DataFrame

from forklake.catalog.planning.scan_planning import DeletePlan, ScanPlan
from forklake.errors import InvalidRows
from forklake.model.entities import Table
from forklake.model.files import DeleteFile, ScanFile
from forklake.model.ids import BatchId, DeleteFileId
from forklake.model.predicates import Predicate, is_understood
from forklake.model.threads import map_in_threads
from forklake.spark.reading.deleted_rows import deleted_positions
from forklake.spark.reading.file_groups import numbered_files
from forklake.spark.reading.scan import scan
from forklake.spark.reading.virtual_columns import ADDRESS, POSITION_BITS
from forklake.spark.session.failures import translate_read_errors
from forklake.spark.tasks.files.delete_files import Positions, write_positions
from forklake.spark.tasks.files.file_names import uuid7
from forklake.spark.tasks.files.write_errors import write_in_folder
from forklake.spark.work import Work

_WRITERS = 8


@dataclass(frozen=True, slots=True)
class RowsToDelete:
    """The rows selected by a delete: all rows of some files, and rows of other files in a DataFrame."""

    plan: DeletePlan
    frame: DataFrame | None
    """Distinct rows with their addresses; None if there is nothing to read."""


def candidates_to_delete(
    work: Work, table: Table, predicate: Predicate | None, virtual: Sequence[str] = ()
) -> RowsToDelete:
    """All rows for which the predicate may be TRUE; the caller keeps those of the frame that satisfy its condition.

    The frame has the requested virtual columns too.
    """
    plan = work.plan_delete(table, predicate)
    # An invalid condition is an error even if there is nothing to find.
    if not plan.partial.files and not plan.partial.batches and is_understood(predicate):
        return RowsToDelete(plan, None)
    return RowsToDelete(plan, scan(work, plan.partial, [ADDRESS, *virtual]))


def delete(work: Work, chosen: RowsToDelete) -> int:
    """Delete the chosen rows; returns their number. Rows added by the transaction since they were chosen are kept."""
    return delete_planned(work, chosen.plan, _addresses(chosen))


def delete_planned(work: Work, plan: DeletePlan, addresses: Positions) -> int:
    """Delete the whole files of a plan, and the rows of the others at these addresses; returns their number."""
    table = plan.partial.table
    work.tx.note_delete(table)
    work.tx.end_files(table, plan.whole)
    return sum(file.live_rows for file in plan.whole) + delete_addresses(work, plan.partial, addresses)


def delete_all(work: Work, table: Table) -> int:
    """Delete all rows of a table without reading them; returns their number."""
    return end_all_rows(work, work.plan_scan(table))


def end_all_rows(work: Work, plan: ScanPlan) -> int:
    """Delete all rows of a plan without reading them."""
    work.tx.note_delete(plan.table)
    work.tx.end_files(plan.table, plan.files)
    work.tx.end_batches(plan.table, plan.batches)
    return plan.row_count


def delete_addresses(work: Work, plan: ScanPlan, addresses: Positions) -> int:
    """Delete the rows of a plan at these distinct addresses; returns their number."""
    if not len(addresses):
        return 0
    ordered = np.sort(addresses)
    check_no_row_twice(ordered)
    numbers, positions = ordered >> POSITION_BITS, ordered & ((1 << POSITION_BITS) - 1)
    starts = np.flatnonzero(np.r_[True, np.diff(numbers) > 0])
    by_number = dict(zip(numbers[starts].tolist(), np.split(positions, starts[1:]), strict=True))
    files = [(file, by_number.pop(number)) for number, file in numbered_files(plan) if number in by_number]
    _delete_from_files(work, plan.table, files)
    _delete_inlined(work, plan, by_number)
    return len(addresses)


def check_no_row_twice(ordered: Positions) -> None:
    """Reject multiple changes of a row, given sorted row identifiers."""
    if (np.diff(ordered) == 0).any():
        raise InvalidRows("A row would be changed twice, because it matches several rows of the source.")


def _addresses(chosen: RowsToDelete) -> Positions:
    if chosen.frame is None:
        return np.zeros(0, np.int64)
    with translate_read_errors(chosen.plan.partial.table, chosen.plan.partial.snapshot_id):
        found = chosen.frame.select(ADDRESS).toArrow()
    addresses: Positions = found[ADDRESS].to_numpy().astype(np.int64)
    return addresses


def _delete_from_files(work: Work, table: Table, files: Sequence[tuple[ScanFile, Positions]]) -> None:
    before = deleted_positions(work, table, [file for file, _ in files])
    after = [np.union1d(old, new) for old, (_, new) in zip(before, files, strict=True)]
    whole = [file for (file, _), gone in zip(files, after, strict=True) if len(gone) == file.data.record_count]
    rest = [(file, gone) for (file, _), gone in zip(files, after, strict=True) if len(gone) < file.data.record_count]
    work.tx.end_files(table, whole)
    ids = work.tx.new_ids("file", len(rest)) if rest else []
    numbered = list(zip(ids, rest, strict=True))
    written = map_in_threads(lambda each: _delete_file(work, table, *each), numbered, _WRITERS)
    work.tx.delete_from_files(table, [(file, delete) for (file, _), delete in zip(rest, written, strict=True)])


def _delete_file(work: Work, table: Table, file_id: int, deleted: tuple[ScanFile, Positions]) -> DeleteFile:
    file, positions = deleted
    storage, folder = work.storage, work.folder(table)
    path = f"{folder}ducklake-{uuid7()}-delete.parquet"
    work.tx.written.paths.add(path)
    data_path = storage.path(file.data.path, is_relative=file.data.path_is_relative)
    size, footer = write_in_folder(
        storage.files,
        storage.path(folder),
        lambda: write_positions(storage.files, storage.path(path), data_path, positions),
    )
    return DeleteFile(DeleteFileId(file_id), file.data.data_file_id, path, len(positions), size, footer)


def _delete_inlined(work: Work, plan: ScanPlan, by_number: dict[int, Positions]) -> None:
    rows: list[tuple[BatchId, int]] = []
    for number, positions in by_number.items():
        batch = plan.batches[number - len(plan.files)]
        rows += [(batch.batch_id, position) for position in positions.tolist()]
    if rows:
        work.tx.delete_inlined(plan.table, rows)
