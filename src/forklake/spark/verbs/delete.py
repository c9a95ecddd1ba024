"""Delete rows: positions are written to delete files; whole files are ended in the metadata only."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.errors import InvalidRows
from forklake.model.entities import Table
from forklake.model.files import DeleteFile, ScanFile
from forklake.model.ids import BatchId, DeleteFileId
from forklake.model.predicates import Predicate, is_understood
from forklake.spark.reading.deleted_rows import deleted_positions
from forklake.spark.reading.scan import numbered_files, scan
from forklake.spark.reading.virtual_columns import ADDRESS, POSITION_BITS
from forklake.spark.session.expression_text import user_expression
from forklake.spark.session.failures import translate_read_errors
from forklake.spark.tasks.files.delete_files import Positions, write_positions
from forklake.spark.tasks.files.file_names import uuid7
from forklake.spark.tasks.files.write_errors import write_in_folder
from forklake.spark.work import Work

_WRITERS = 8


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on rows, and the predicate for pruning files.

    `row_test` is decisive: SQL text, an expression, or a function that takes all rows and returns the matching ones,
    possibly with additional columns after theirs.
    """

    row_test: str | Expression | Callable[[DataFrame], DataFrame]
    predicate: Predicate | None = None
    virtual: Sequence[str] = ()
    """The virtual columns it refers to."""

    def matching_rows(self, frame: DataFrame) -> DataFrame:
        """The rows for which the condition is TRUE."""
        if isinstance(self.row_test, str):
            return frame.where(user_expression(self.row_test))
        if isinstance(self.row_test, Expression):
            return frame.where(self.row_test)
        return self.row_test(frame)


def delete(work: Work, table: Table, where: Condition | None = None, plan: ScanPlan | None = None) -> int:
    """Delete the rows for which the condition is TRUE, or all; returns their number.

    With a plan, only its rows: rows added by the transaction since then are kept.
    """
    if where is None:
        return end_all_rows(work, plan or work.plan_scan(table))
    work.tx.note_delete(table)
    if plan is not None:
        return delete_addresses(work, plan, _matching_addresses(work, plan, where))
    found = work.plan_delete(table, where.predicate)
    partial = ScanPlan(table, work.tx.base, found.partial, found.batches)
    addresses = _matching_addresses(work, partial, where)
    work.tx.end_files(table, found.whole)
    return sum(file.live_rows for file in found.whole) + delete_addresses(work, partial, addresses)


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


def _matching_addresses(work: Work, plan: ScanPlan, where: Condition) -> Positions:
    # An invalid condition is an error even if there is nothing to find.
    if not plan.files and not plan.batches and is_understood(where.predicate):
        return np.zeros(0, np.int64)
    with translate_read_errors(plan.table, plan.snapshot_id):
        found = where.matching_rows(scan(work, plan, [ADDRESS, *where.virtual])).select(ADDRESS).toArrow()
    addresses: Positions = found[ADDRESS].to_numpy().astype(np.int64)
    return addresses


def _delete_from_files(work: Work, table: Table, files: Sequence[tuple[ScanFile, Positions]]) -> None:
    before = deleted_positions(work, table, [file for file, _ in files])
    after = [np.union1d(old, new) for old, (_, new) in zip(before, files, strict=True)]
    whole = [file for (file, _), gone in zip(files, after, strict=True) if len(gone) == file.data.record_count]
    rest = [(file, gone) for (file, _), gone in zip(files, after, strict=True) if len(gone) < file.data.record_count]
    work.tx.end_files(table, whole)
    ids = work.tx.new_ids("file", len(rest)) if rest else []
    with ThreadPoolExecutor(_WRITERS) as pool:
        written = list(pool.map(lambda each: _delete_file(work, table, *each), zip(ids, rest, strict=True)))
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
