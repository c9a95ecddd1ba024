"""Deletes orphans: files unknown to all catalogs, left behind by failed and killed jobs."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from posixpath import basename, dirname

from pyarrow import fs

from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.retention.expiry import Age
from forklake.catalog.retention.file_holders import known_paths
from forklake.maintenance.cleanup.ages import cleanup_age
from forklake.maintenance.progress import QUIET, Progress
from forklake.model.names import is_own_folder
from forklake.spark.reading.connect_manifests import is_stored_file_list
from forklake.spark.storage.data_path_mark import check_data_path
from forklake.spark.storage.remove_files import remove_files
from forklake.spark.storage.storage import Storage

_BATCH = 1000


def delete_orphaned_files(
    catalog: Catalog,
    storage: Storage,
    *,
    older_than: Age | None = None,
    cleanup_all: bool = False,
    dry_run: bool = False,
    progress: Progress = QUIET,
) -> list[str]:
    """Delete Parquet files in the folder of the catalog that no catalog knows; returns their full paths.

    Also deletes file lists left there by clients of Spark Connect. Files written by transactions that are not committed
    yet are unknown too, and only distinguished by age. The default minimum age is the option `delete_older_than`;
    `cleanup_all` deletes orphans of any age, and must only be used when nothing else works with the catalog.
    """
    before = cleanup_age(catalog, "ducklake_delete_orphaned_files", older_than, cleanup_all)
    if not dry_run:
        catalog.check_writable()
    return delete_orphans_below(catalog.lake, storage, catalog.path, before, dry_run=dry_run, progress=progress)


def delete_orphans_below(
    lake: Lake,
    storage: Storage,
    folder: str,
    before: datetime | None,
    *,
    dry_run: bool,
    progress: Progress,
    is_ours: Callable[[], AbstractContextManager[bool]] = lambda: nullcontext(True),
) -> list[str]:
    """Delete the orphans in the folder of a live or dropped catalog; `is_ours` locks and checks its ownership."""
    deleted: list[str] = []
    if not is_own_folder(folder):
        # Catalogs never have folders inside another one's: the row was modified by others.
        return deleted
    for batch in _batches(_candidates(storage, folder, before)):
        orphans = _unknown_in_batch(lake, storage, batch)
        if orphans:
            check_data_path(lake, storage)
        if not dry_run and orphans:
            with is_ours() as may_delete:
                if not may_delete:
                    return deleted
                orphans = _delete_orphans(
                    storage, orphans, {_relative(storage, info): info.size for info in batch}, progress
                )
        deleted += [storage.path(path) for path in orphans]
    return deleted


def _delete_orphans(storage: Storage, orphans: list[str], sizes: Mapping[str, int], progress: Progress) -> list[str]:
    progress.begin("Deleting orphaned files", len(orphans), sum(sizes[path] for path in orphans))
    try:
        gone = remove_files(storage, orphans)
        progress.advance(len(gone), sum(sizes[path] for path in gone))
    finally:
        progress.end()
    return gone


def _candidates(storage: Storage, folder: str, before: datetime | None) -> Iterator[fs.FileInfo]:
    for info in storage.walk(folder):
        is_ours = _checksummed_file(info.path).endswith(".parquet") or is_stored_file_list(info.path)
        if is_ours and (before is None or info.mtime < before):
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


def _unknown_in_batch(lake: Lake, storage: Storage, batch: list[fs.FileInfo]) -> list[str]:
    """Files that no catalog refers to; queried after listing, so that concurrent commits are seen."""
    subjects = {_relative(storage, info): _checksummed_file(_relative(storage, info)) for info in batch}
    return unknown_paths(lake, storage, subjects)


def unknown_paths(lake: Lake, storage: Storage, subjects: Mapping[str, str]) -> list[str]:
    """Those whose subject no catalog refers to in any spelling."""
    ignore_case = storage.ignores_case
    spelled = {
        path: {name.casefold() if ignore_case else name for name in storage.spellings(subject)}
        for path, subject in subjects.items()
    }
    known = known_paths(lake, [name for names in spelled.values() for name in names], ignore_case=ignore_case)
    return [path for path, names in spelled.items() if known.isdisjoint(names)]


def paths_unknown_in_full(lake: Lake, storage: Storage, paths: Collection[str]) -> list[str]:
    """Those of the paths below the root that no catalog refers to by full path."""
    spelled = {path: storage.spellings(path)[1:] for path in paths}
    known = known_paths(lake, [name for names in spelled.values() for name in names])
    return [path for path, names in spelled.items() if known.isdisjoint(names)]


def _relative(storage: Storage, info: fs.FileInfo) -> str:
    path: str = info.path
    return path.removeprefix(storage.prefix)


def _checksummed_file(path: str) -> str:
    """The file itself, or the file for which it contains checksums."""
    name = basename(path)
    if name.startswith(".") and name.endswith(".crc"):
        return f"{dirname(path)}/{name[1:-4]}"
    return path
