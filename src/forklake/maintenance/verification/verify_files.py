"""Checks existence and size of the files of a table and, from their footers, their content.

Lists whole folders instead of single files, several of them concurrently.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from posixpath import dirname
from typing import TypeVar

from pyarrow import ArrowException, fs

from forklake.catalog.checks.checked_catalog import CheckContext
from forklake.catalog.checks.visible_table import CheckedTable
from forklake.maintenance.footers.footer_canary import DEADLY, deadly_footers
from forklake.maintenance.progress import Progress
from forklake.maintenance.verification.verify_footers import StoredFile, footer_problems
from forklake.model.checked_rows import DeleteRow, FileRow
from forklake.model.findings import Finding, Problem
from forklake.model.ids import SnapshotId
from forklake.model.periods import KeptSnapshots
from forklake.spark.storage.storage import Storage
from forklake.spark.tasks.files.file_systems import file_system_at

_READERS = 16
_AT_ONCE = 1000
"""Maximum number of folders or files queued for threads."""

T = TypeVar("T")
R = TypeVar("R")
Wrong = tuple[StoredFile, Problem, str]


def check_files(
    look: CheckContext, storage: Storage, table: CheckedTable, *, deep: bool, progress: Progress
) -> list[Finding]:
    """The problems with files of a table that are visible in kept snapshots."""
    files = [file for file in _stored_files(storage, table) if look.kept.newest_in(file.period) is not None]
    with _reported_progress(progress, f"Listing the files of {table.name}", files):
        wrong = list(_wrong_by_listing(files, progress))
    if deep:
        missing = {file.path for file, problem, _ in wrong if problem == "missing_file"}
        there = [file for file in files if file.path not in missing and file.row.encryption_key is None]
        with _reported_progress(progress, f"Reading the footers of {table.name}", there):
            wrong += _wrong_by_footers(table, there, progress)
    # Files deleted in the meantime, because their snapshots have expired, are not missed.
    kept = look.kept_now() if wrong else look.kept
    return list(_findings(look, table, wrong, kept))


def _stored_files(storage: Storage, table: CheckedTable) -> Iterator[StoredFile]:
    for period, row in table.files:
        yield StoredFile(*_file_location(storage, row), period, row)
    rows_of_data = {row.file_id: row.entries for _, row in table.files}
    for period, delete in table.deletes:
        yield StoredFile(*_file_location(storage, delete), period, delete, rows_of_data.get(delete.data_file_id))


def _file_location(storage: Storage, row: FileRow | DeleteRow) -> tuple[fs.FileSystem, str]:
    """Below the data path, or elsewhere."""
    if row.path_is_relative:
        return storage.files, storage.prefix + row.path
    try:
        return file_system_at(row.path)
    except (ValueError, NotImplementedError, OSError, ArrowException):
        # Of no storage that can be reached from here: not there.
        return storage.files, row.path.partition("://")[2]


def _findings(
    look: CheckContext, table: CheckedTable, wrong: Iterable[Wrong], kept: KeptSnapshots
) -> Iterator[Finding]:
    for file, problem, detail in wrong:
        shown: SnapshotId | None = kept.newest_in(file.period)
        # The next row id refers to the head.
        if shown is not None and (problem != "low_row_id" or look.scope.snapshot_id in kept):
            path = look.shown(file.row.path, bool(file.row.path_is_relative))
            yield Finding(problem, table.name, path, shown, detail)


def _wrong_by_listing(files: Sequence[StoredFile], progress: Progress) -> Iterator[Wrong]:
    folders: dict[tuple[str, str], list[StoredFile]] = defaultdict(list)
    for file in files:
        folders[file.files.type_name, dirname(file.path)].append(file)
    for of_folder, (sizes, reason) in _map_on_threads(_sizes_in_folder, list(folders.values())):
        for file in of_folder:
            size = sizes.get(file.path)
            if size is None:
                yield file, "missing_file", reason
            elif size != file.row.size:
                yield file, "wrong_size", f"The file has {size} bytes, and should have {file.row.size}."
        progress.advance(len(of_folder), sum(file.row.size for file in of_folder))


def _sizes_in_folder(files: Sequence[StoredFile]) -> tuple[Mapping[str, int], str]:
    """The sizes of existing files of one folder, by path, and what is to be said of the others."""
    wanted = {file.path for file in files}
    try:
        found = files[0].files.get_file_info(fs.FileSelector(dirname(files[0].path), allow_not_found=True))
    except (OSError, ArrowException) as error:
        if files[0].row.path_is_relative:
            raise
        return {}, f"The storage of the file cannot be read: {error}"
    return {info.path: info.size for info in found if info.is_file and info.path in wanted}, "The file is not there."


def _wrong_by_footers(table: CheckedTable, files: Sequence[StoredFile], progress: Progress) -> Iterator[Wrong]:
    deadly = deadly_footers([(file.files, file.path) for file in files])
    for file in (file for file in files if file.path in deadly):
        yield file, "damaged_file", f"{DEADLY}."
    alive = [file for file in files if file.path not in deadly]
    for file, wrong in _map_on_threads(lambda file: list(footer_problems(table, file)), alive):
        yield from ((file, problem, detail) for problem, detail in wrong)
        progress.advance(1, file.row.size)


def _map_on_threads(work: Callable[[T], R], entries: Sequence[T]) -> Iterator[tuple[T, R]]:
    """The entries with their results, in order; processed concurrently."""
    with ThreadPoolExecutor(max_workers=_READERS) as threads:
        for at in range(0, len(entries), _AT_ONCE):
            some = entries[at : at + _AT_ONCE]
            yield from zip(some, threads.map(work, some), strict=True)


@contextmanager
def _reported_progress(progress: Progress, what: str, files: Sequence[StoredFile]) -> Iterator[None]:
    if not files:
        yield
        return
    progress.begin(what, len(files), sum(file.row.size for file in files))
    try:
        yield
    finally:
        progress.end()
