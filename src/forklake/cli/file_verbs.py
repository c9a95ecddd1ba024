"""Implementation of commands on metadata and files. None of them moves rows."""

from collections.abc import Callable, Sequence
from typing import Any

from forklake.catalog.lakes.lake import Lake
from forklake.catalog.retention import expiry
from forklake.catalog.retention.file_holders import CatalogStorage, FileHolder
from forklake.catalog.retention.file_holders import catalog_storage as storage_report
from forklake.catalog.retention.file_holders import file_holders as holders_of
from forklake.cli.opening import opened_catalog, opened_lake
from forklake.cli.output import OutputRows, rows_from_dataclasses
from forklake.cli.target import LakeTarget
from forklake.errors import InvalidInput
from forklake.maintenance.cleanup import old_files as cleanup
from forklake.maintenance.cleanup import orphans
from forklake.maintenance.progress import Progress
from forklake.maintenance.verification import verify as checks
from forklake.model.changes import format_changes
from forklake.model.findings import Finding
from forklake.spark.storage.storage import Storage, storage_at

_SNAPSHOT = ("snapshot_id", "snapshot_time", "schema_version", "changes", "author", "commit_message")


def expire_snapshots(
    target: LakeTarget,
    progress: Progress,
    *,
    versions: Sequence[int] | None,
    older_than: expiry.Age | None,
    dry_run: bool,
) -> OutputRows:
    with opened_catalog(target) as catalog:
        found = expiry.expire_snapshots(catalog, versions=versions, older_than=older_than, dry_run=dry_run)
    rows = [
        (s.snapshot_id, s.snapshot_time, s.schema_version, format_changes(s.changes), s.author, s.commit_message)
        for s in found
    ]
    return OutputRows(_SNAPSHOT, rows, "No snapshot is to expire.")


def cleanup_old_files(target: LakeTarget, progress: Progress, **ages: Any) -> OutputRows:
    return OutputRows(("path",), [(path,) for path in _run_cleanup(target, progress, cleanup.cleanup_old_files, ages)])


def delete_orphaned_files(target: LakeTarget, progress: Progress, **ages: Any) -> OutputRows:
    return OutputRows(
        ("path",), [(path,) for path in _run_cleanup(target, progress, orphans.delete_orphaned_files, ages)]
    )


def cleanup_dropped_catalogs(target: LakeTarget, progress: Progress, **ages: Any) -> OutputRows:
    return OutputRows(("catalog_name", "path"), _run_cleanup(target, progress, cleanup.cleanup_dropped_catalogs, ages))


def file_holders(target: LakeTarget, progress: Progress, *, path: str, limit: int) -> OutputRows:
    with opened_lake(target) as lake:
        found = holders_of(lake, _storage(lake).stored_path(path), limit=limit)
    return rows_from_dataclasses(FileHolder, found, "No catalog knows this file.")


def catalog_storage(target: LakeTarget, progress: Progress) -> OutputRows:
    with opened_catalog(target) as catalog:
        return rows_from_dataclasses(CatalogStorage, [storage_report(catalog)])


def verify(target: LakeTarget, progress: Progress, *, deep: bool) -> OutputRows:
    with opened_catalog(target, read_only=True) as catalog:
        found = checks.verify(catalog, _storage(catalog.lake), deep=deep, progress=progress)
    return rows_from_dataclasses(Finding, found, "No problem was found.")


def _run_cleanup(
    target: LakeTarget, progress: Progress, verb: Callable[..., list[Any]], ages: dict[str, Any]
) -> list[Any]:
    with opened_catalog(target) as catalog:
        return verb(catalog, _storage(catalog.lake), progress=progress, **ages)


def _storage(lake: Lake) -> Storage:
    if lake.data_path is None:
        raise InvalidInput("The lake has no data path yet; give --data-path.")
    return storage_at(lake.data_path)
