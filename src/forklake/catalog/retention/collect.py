"""Garbage collection: deletes rows that no snapshot or fork can see, and schedules their files for deletion."""

from collections.abc import Iterator
from dataclasses import dataclass

from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.retry import with_retries
from forklake.model.ids import CatalogId
from forklake.model.names import is_own_folder
from forklake.store import garbage
from forklake.store.clock import clock_statement
from forklake.store.connection import RowsToInsert, Statement, WriteConnection
from forklake.store.garbage import GarbageFile, NeededPoints, Reason

BATCH_FILES = 10_000
"""Maximum number of files released per transaction, during which commits to the catalog are blocked."""

_LIVE: tuple[Reason, ...] = ("ended", "table dropped")
_DROPPED: tuple[Reason, ...] = ("table dropped", "catalog dropped")


@dataclass(frozen=True, slots=True)
class CollectedFiles:
    """Files newly scheduled for deletion."""

    files: int = 0
    size: int = 0

    def __add__(self, other: "CollectedFiles") -> "CollectedFiles":
        return CollectedFiles(self.files + other.files, self.size + other.size)


def collect_garbage(lake: Lake, catalog_id: CatalogId, folder: str) -> CollectedFiles:
    """Delete all rows of a catalog, live or dropped, that none of its kept snapshots and no fork can see.

    Files below the folder of the catalog are scheduled for deletion; other files are not its own. Runs several
    transactions, each of which leaves the catalog consistent, so it can be interrupted at any point and repeated.
    """
    total = CollectedFiles()
    while True:
        collected, is_all = with_retries(lake, lambda: _collect_some(lake, catalog_id, folder), landed=lambda: None)
        total += collected
        if is_all:
            return total


def _collect_some(lake: Lake, catalog_id: CatalogId, folder: str) -> tuple[CollectedFiles, bool]:
    store, needed = lake.store, NeededPoints(catalog_id)
    first = [
        garbage.lock_catalog(store.dialect, catalog_id),
        garbage.delete_snapshots_of_dropped(catalog_id),
        clock_statement(store.dialect),
    ]
    with store.writing(first) as (transaction, (locked, _, [[now]])):
        if not locked:
            return CollectedFiles(), True
        is_dropped = locked[0][0] is not None
        reasons = _DROPPED if is_dropped else _LIVE
        found, is_all = _garbage_files(transaction, needed, reasons)
        steps: list[Statement | RowsToInsert] = []
        owned: list[GarbageFile] = []
        for table, files in found.items():
            if files:
                owned += [file for file in files if file.path_is_relative and is_owned(file.path, folder)]
                steps += garbage.delete_files(store.dialect, catalog_id, table, files)
        if owned:
            steps.append(garbage.schedule_files(catalog_id, owned, now))
        if is_all:
            steps += _delete_other_rows(needed, reasons)
        transaction.commit(steps)
    return CollectedFiles(len(owned), sum(file.file_size_bytes for file in owned)), is_all


def _garbage_files(
    transaction: WriteConnection, needed: NeededPoints, reasons: tuple[Reason, ...]
) -> tuple[dict[str, list[GarbageFile]], bool]:
    """The files to release, by the table of their rows, and whether these are all."""
    asked = [(table, reason) for table in garbage.FILE_TABLES for reason in reasons]
    answers = transaction.fetch_all([garbage.garbage_files(needed, *each, BATCH_FILES) for each in asked])
    found: dict[str, dict[int, GarbageFile]] = {}
    for (table, _), rows in zip(asked, answers, strict=True):
        # A file of a dropped table may have ended before.
        found.setdefault(table, {}).update({file.file_id: file for file in garbage.read_files(rows)})
    is_all = all(len(rows) < BATCH_FILES for rows in answers)
    return {table: list(files.values()) for table, files in found.items()}, is_all


def _delete_other_rows(needed: NeededPoints, reasons: tuple[Reason, ...]) -> Iterator[Statement]:
    """Delete everything except files; object versions only after the files written with them."""
    whole: Reason = "catalog dropped" if "catalog dropped" in reasons else "ended"
    for reason in reasons:
        yield from garbage.delete_batches(needed, reason)
    yield garbage.delete_stats(needed)
    yield garbage.delete_objects(needed, whole)
    yield from garbage.delete_options(needed, whole)
    yield garbage.delete_mappings(needed)
    yield garbage.delete_markers(needed, whole)


def is_owned(path: str, folder: str) -> bool:
    """Whether a file is in the catalog's own folder, and so was written by it or handed over to it.

    False for folders that no catalog can have, such as one inside the folder of another.
    """
    return is_own_folder(folder) and path.startswith(f"{folder}/") and ".." not in path.split("/")
