"""Delete files that nobody can see any more, when they have waited long enough."""

import re
from collections.abc import Collection
from datetime import datetime
from posixpath import basename, dirname

from forklake.catalog.collect import collect
from forklake.catalog.dropped import collect_dropped, dropped_catalogs, forget_dropped
from forklake.catalog.due_files import delete_due, list_due
from forklake.catalog.lake import Catalog, Lake
from forklake.maintenance.ages import cleanup_age
from forklake.maintenance.progress import QUIET, Progress
from forklake.model.files import ScheduledFile
from forklake.model.ids import CatalogId
from forklake.spark.storage import Storage

_OF_ONE_JOB = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The name of a folder that one job of Spark has made for its files alone."""


def cleanup_old_files(
    catalog: Catalog,
    storage: Storage,
    *,
    older_than: datetime | None = None,
    cleanup_all: bool = False,
    dry_run: bool = False,
    progress: Progress = QUIET,
) -> list[str]:
    """Delete the files of a catalog that wait for it since a time; returns them, with their full paths.

    By default they must have waited as long as the option `delete_older_than` says, so that queries which still read
    them can end. A dry run only says which files wait.
    """
    before = cleanup_age(catalog, "ducklake_cleanup_old_files", older_than, cleanup_all)
    if not dry_run:
        catalog.check_writable()
        collect(catalog.lake, catalog.catalog_id, catalog.path)
    return _delete(catalog.lake, catalog.catalog_id, storage, before, dry_run=dry_run, progress=progress)


def cleanup_dropped_catalogs(
    catalog: Catalog,
    storage: Storage,
    *,
    older_than: datetime | None = None,
    cleanup_all: bool = False,
    dry_run: bool = False,
    progress: Progress = QUIET,
) -> list[tuple[str, str]]:
    """Delete what dropped catalogs of the lake have left and no fork sees; returns catalogs and paths.

    `catalog` is the one whose options count. What forks see stays, and with it the dropped catalog.
    """
    before = cleanup_age(catalog, "ducklake_cleanup_dropped_catalogs", older_than, cleanup_all)
    if not dry_run:
        catalog.check_writable()
    lake, deleted = catalog.lake, []
    for dropped in dropped_catalogs(lake):
        if not dry_run:
            collect_dropped(lake, dropped)
        paths = _delete(lake, dropped.catalog_id, storage, before, dry_run=dry_run, progress=progress)
        deleted += [(dropped.name, path) for path in paths]
        if not dry_run and forget_dropped(lake, dropped):
            storage.remove_empty(dropped.path)
    return deleted


def remove_files(storage: Storage, paths: Collection[str]) -> list[str]:
    """Delete files that nobody can see, with what Spark has put beside them; returns those that are gone."""
    gone = [path for path in paths if storage.delete(path)]
    if storage.is_local:
        for path in gone:
            storage.delete(sidecar(path))
        for folder in {dirname(path) for path in gone}:
            if _OF_ONE_JOB.fullmatch(basename(folder)):
                storage.remove_empty(folder)
    return gone


def sidecar(path: str) -> str:
    """Where Hadoop keeps the checksums of a local file."""
    return f"{dirname(path)}/.{basename(path)}.crc"


def _delete(
    lake: Lake,
    catalog_id: CatalogId,
    storage: Storage,
    before: datetime | None,
    *,
    dry_run: bool,
    progress: Progress,
) -> list[str]:
    due = list_due(lake, catalog_id, before)
    if dry_run or not due:
        return [storage.path(file.path) for file in due]

    def remove(files: Collection[ScheduledFile]) -> list[ScheduledFile]:
        gone = set(remove_files(storage, [file.path for file in files]))
        return [file for file in files if file.path in gone]

    deleted: list[str] = []
    progress.begin("Deleting files", len(due), sum(file.file_size_bytes or 0 for file in due))
    try:
        for batch in delete_due(lake, catalog_id, before, remove):
            progress.advance(len(batch), sum(file.file_size_bytes or 0 for file in batch))
            deleted += [storage.path(file.path) for file in batch]
    finally:
        progress.end()
    return deleted
