"""Deletes invisible files after a waiting period."""

from collections.abc import Collection
from datetime import datetime
from functools import partial

from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.retention.collect import collect_garbage, is_owned
from forklake.catalog.retention.dropped import collect_dropped, dropped_catalogs, forget_dropped, lock_dropped_catalog
from forklake.catalog.retention.due_files import delete_due, list_due
from forklake.catalog.retention.expiry import Age
from forklake.maintenance.cleanup.ages import cleanup_age
from forklake.maintenance.cleanup.orphans import delete_orphans_below, paths_unknown_in_full
from forklake.maintenance.progress import QUIET, Progress
from forklake.model.files import ScheduledFile
from forklake.model.ids import CatalogId
from forklake.spark.storage.data_path_mark import check_data_path
from forklake.spark.storage.remove_files import remove_files
from forklake.spark.storage.storage import Storage


def cleanup_old_files(
    catalog: Catalog,
    storage: Storage,
    *,
    older_than: Age | None = None,
    cleanup_all: bool = False,
    dry_run: bool = False,
    progress: Progress = QUIET,
) -> list[str]:
    """Delete files of a catalog that were scheduled before a certain time; returns their full paths.

    The default waiting period is the option `delete_older_than`, so that queries that still read them can finish. A dry
    run only lists scheduled files.
    """
    before = cleanup_age(catalog, "ducklake_cleanup_old_files", older_than, cleanup_all)
    if not dry_run:
        catalog.check_writable()
        collect_garbage(catalog.lake, catalog.catalog_id, catalog.path)
    return _delete_due_files(
        catalog.lake, catalog.catalog_id, catalog.path, storage, before, dry_run=dry_run, progress=progress
    )


def cleanup_dropped_catalogs(
    catalog: Catalog,
    storage: Storage,
    *,
    older_than: Age | None = None,
    cleanup_all: bool = False,
    dry_run: bool = False,
    progress: Progress = QUIET,
) -> list[tuple[str, str]]:
    """Delete the remains of dropped catalogs that no fork can see; returns catalogs and paths.

    The options of `catalog` apply. What forks can see is kept, together with the dropped catalog. When its folder is
    empty, including files left by jobs, the row of the dropped catalog is deleted.
    """
    before = cleanup_age(catalog, "ducklake_cleanup_dropped_catalogs", older_than, cleanup_all)
    if not dry_run:
        catalog.check_writable()
    lake, deleted = catalog.lake, []
    for dropped in dropped_catalogs(lake):
        if not dry_run:
            collect_dropped(lake, dropped)
        paths = _delete_due_files(
            lake, dropped.catalog_id, dropped.path, storage, before, dry_run=dry_run, progress=progress
        )
        paths += delete_orphans_below(
            lake,
            storage,
            dropped.path,
            before,
            dry_run=dry_run,
            progress=progress,
            is_ours=partial(lock_dropped_catalog, lake, dropped),
        )
        deleted += [(dropped.name, path) for path in paths]
        is_empty = next(storage.walk(dropped.path), None) is None
        if is_empty and not dry_run:
            with lock_dropped_catalog(lake, dropped) as is_ours:
                # While it is locked: a new catalog may get the folder once the row of this one is deleted.
                if is_ours:
                    storage.remove_empty(dropped.path)
            forget_dropped(lake, dropped)
    return deleted


def _delete_due_files(
    lake: Lake,
    catalog_id: CatalogId,
    folder: str,
    storage: Storage,
    before: datetime | None,
    *,
    dry_run: bool,
    progress: Progress,
) -> list[str]:
    due = list_due(lake, catalog_id, before)
    if dry_run or not due:
        return [storage.path(file.path) for file in due]
    check_data_path(lake, storage)

    def remove(files: Collection[ScheduledFile]) -> list[ScheduledFile]:
        # The database has compared each path as stored; other rows may refer to the file by its full path. Rows may
        # also contain arbitrary paths, if written by others: only those of the catalog may be deleted.
        own = [file.path for file in files if is_owned(file.path, folder)]
        unknown = paths_unknown_in_full(lake, storage, own)
        gone = set(remove_files(storage, unknown))
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
