"""Delete files that no catalog has ever known: what failed and killed jobs have left behind."""

from collections.abc import Iterator
from datetime import datetime
from posixpath import basename, dirname

from pyarrow import fs

from forklake.catalog.known_paths import known_paths
from forklake.catalog.lake import Catalog, Lake
from forklake.maintenance.ages import cleanup_age
from forklake.maintenance.progress import QUIET, Progress
from forklake.maintenance.remove_files import remove_files
from forklake.spark.storage import Storage

_BATCH = 1000


def delete_orphaned_files(
    catalog: Catalog,
    storage: Storage,
    *,
    older_than: datetime | None = None,
    cleanup_all: bool = False,
    dry_run: bool = False,
    progress: Progress = QUIET,
) -> list[str]:
    """Delete Parquet files below the catalog's own folder that no catalog knows; returns them, with their full paths.

    Files that a transaction has written and not yet committed are not known either: only their age tells them apart.
    By default orphans must be as old as the option `delete_older_than` says; `cleanup_all` takes them at any age, and
    is for when nobody writes to the catalog.
    """
    before = cleanup_age(catalog, "ducklake_delete_orphaned_files", older_than, cleanup_all)
    if not dry_run:
        catalog.check_writable()
    return delete_orphans_below(catalog.lake, storage, catalog.path, before, dry_run=dry_run, progress=progress)


def delete_orphans_below(
    lake: Lake, storage: Storage, folder: str, before: datetime | None, *, dry_run: bool, progress: Progress
) -> list[str]:
    """Delete the orphans in the folder of a catalog, live or dropped."""
    deleted: list[str] = []
    for batch in _batches(_candidates(storage, folder, before)):
        orphans = _unknown(lake, storage, batch)
        if not dry_run and orphans:
            sizes = {_relative(storage, info): info.size for info in batch}
            progress.begin("Deleting orphaned files", len(orphans), sum(sizes[path] for path in orphans))
            try:
                orphans = remove_files(storage, orphans)
                progress.advance(len(orphans), sum(sizes[path] for path in orphans))
            finally:
                progress.end()
        deleted += [storage.path(path) for path in orphans]
    return deleted


def _candidates(storage: Storage, folder: str, before: datetime | None) -> Iterator[fs.FileInfo]:
    for info in storage.walk(folder):
        if _subject(info.path).endswith(".parquet") and (before is None or info.mtime < before):
            yield info


def _batches(found: Iterator[fs.FileInfo]) -> Iterator[list[fs.FileInfo]]:
    batch: list[fs.FileInfo] = []
    for info in found:
        batch.append(info)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _unknown(lake: Lake, storage: Storage, batch: list[fs.FileInfo]) -> list[str]:
    """Those that no catalog names; asked after they were listed, so that what is committed meanwhile is known."""
    subjects = {_relative(storage, info): _subject(_relative(storage, info)) for info in batch}
    named = [*subjects.values(), *(storage.root + path for path in subjects.values())]
    known = known_paths(lake, named)
    return [path for path, subject in subjects.items() if not known & {subject, storage.root + subject}]


def _relative(storage: Storage, info: fs.FileInfo) -> str:
    path: str = info.path
    return path.removeprefix(storage.prefix)


def _subject(path: str) -> str:
    """The file that a file is about: itself, or the one whose checksums it holds."""
    name = basename(path)
    if name.startswith(".") and name.endswith(".crc"):
        return f"{dirname(path)}/{name[1:-4]}"
    return path
