"""Commands about metadata and files: what each gives, as rows. None of them moves a row of a table."""

from collections.abc import Callable, Sequence
from typing import Any

from forklake.catalog import expiry
from forklake.catalog.holders import CatalogStorage, FileHolder
from forklake.catalog.holders import catalog_storage as storage_report
from forklake.catalog.holders import file_holders as holders_of
from forklake.catalog.lake import Lake
from forklake.cli.opening import opened_catalog, opened_lake
from forklake.cli.output import Rows, rows_of
from forklake.cli.target import Target
from forklake.errors import InvalidInput
from forklake.maintenance import cleanup, orphans
from forklake.maintenance import verify as checks
from forklake.maintenance.progress import Progress
from forklake.model.changes import format_changes
from forklake.model.findings import Finding
from forklake.spark.storage import Storage, storage_at

_SNAPSHOT = ("snapshot_id", "snapshot_time", "schema_version", "changes", "author", "commit_message")


def expire_snapshots(
    target: Target,
    progress: Progress,
    *,
    versions: Sequence[int] | None,
    older_than: expiry.Age | None,
    dry_run: bool,
) -> Rows:
    with opened_catalog(target) as catalog:
        found = expiry.expire_snapshots(catalog, versions=versions, older_than=older_than, dry_run=dry_run)
    rows = [
        (s.snapshot_id, s.snapshot_time, s.schema_version, format_changes(s.changes), s.author, s.commit_message)
        for s in found
    ]
    return Rows(_SNAPSHOT, rows, "No snapshot is to expire.")


def cleanup_old_files(target: Target, progress: Progress, **ages: Any) -> Rows:
    return Rows(("path",), [(path,) for path in _by_age(target, progress, cleanup.cleanup_old_files, ages)])


def delete_orphaned_files(target: Target, progress: Progress, **ages: Any) -> Rows:
    return Rows(("path",), [(path,) for path in _by_age(target, progress, orphans.delete_orphaned_files, ages)])


def cleanup_dropped_catalogs(target: Target, progress: Progress, **ages: Any) -> Rows:
    return Rows(("catalog_name", "path"), _by_age(target, progress, cleanup.cleanup_dropped_catalogs, ages))


def file_holders(target: Target, progress: Progress, *, path: str, limit: int) -> Rows:
    with opened_lake(target) as lake:
        found = holders_of(lake, _storage(lake).stored_path(path), limit=limit)
    return rows_of(FileHolder, found, "No catalog knows this file.")


def catalog_storage(target: Target, progress: Progress) -> Rows:
    with opened_catalog(target) as catalog:
        return rows_of(CatalogStorage, [storage_report(catalog)])


def verify(target: Target, progress: Progress, *, deep: bool) -> Rows:
    with opened_catalog(target, read_only=True) as catalog:
        found = checks.verify(catalog, _storage(catalog.lake), deep=deep, progress=progress)
    return rows_of(Finding, found, "No problem was found.")


def _by_age(target: Target, progress: Progress, verb: Callable[..., list[Any]], ages: dict[str, Any]) -> list[Any]:
    with opened_catalog(target) as catalog:
        return verb(catalog, _storage(catalog.lake), progress=progress, **ages)


def _storage(lake: Lake) -> Storage:
    if lake.data_path is None:
        raise InvalidInput("The lake has no data path yet; give --data-path.")
    return storage_at(lake.data_path)
