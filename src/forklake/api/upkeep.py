"""Maintenance operations of a catalog in Python: same names and arguments as in SQL."""

from collections.abc import Collection
from typing import Any

from forklake.api.naming import split_name
from forklake.api.one_statement import one_statement
from forklake.catalog.retention.expiry import Age, expire_snapshots
from forklake.catalog.retention.file_holders import (
    MOST_HOLDERS,
    CatalogStorage,
    DropReport,
    FileHolder,
    catalog_storage,
    drop_report,
    file_holders,
)
from forklake.maintenance.checkpoint import Step, checkpoint
from forklake.maintenance.cleanup.old_files import cleanup_dropped_catalogs, cleanup_old_files
from forklake.maintenance.cleanup.orphans import delete_orphaned_files
from forklake.maintenance.compaction.chosen_tables import Place
from forklake.maintenance.compaction.commits import Commits
from forklake.maintenance.compaction.compact import Compacted
from forklake.maintenance.compaction.flush_tables import Flushed, flush_inlined_in_tables
from forklake.maintenance.compaction.merge_adjacent import merge_adjacent_in_tables
from forklake.maintenance.compaction.rewrite_files import rewrite_in_tables
from forklake.maintenance.progress import QUIET, Progress
from forklake.maintenance.verification.verify import verify
from forklake.model.arguments import checked_methods
from forklake.model.findings import Finding
from forklake.model.snapshots import Snapshot
from forklake.spark.storage.storage import Storage
from forklake.spark.work import storage_of
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.catalog_changes import drop_and_detach, refuse_in_transaction
from forklake.sql.session.maintenance_commits import commits_to
from forklake.sql.session.state import SessionState


@checked_methods
class Upkeep:
    """Maintenance operations. Only compaction can be rolled back, as it is an ordinary commit."""

    def __init__(self, state: SessionState, attachment: Attachment) -> None:
        self._state = state
        self._attachment = attachment
        self._transactions = state.transactions

    @one_statement
    def merge_adjacent_files(
        self,
        table: str | None = None,
        *,
        schema: str | None = None,
        min_file_size: int | None = None,
        max_file_size: int | None = None,
        max_compacted_files: int | None = None,
        progress: Progress = QUIET,
    ) -> list[Compacted]:
        """Merge small files of a table, a schema or the whole catalog; sizes are in bytes."""
        return merge_adjacent_in_tables(
            self._commits,
            _parse_place(schema, table),
            min_file_size=min_file_size,
            max_file_size=max_file_size,
            max_compacted_files=max_compacted_files,
            progress=progress,
        )

    @one_statement
    def rewrite_data_files(
        self,
        table: str | None = None,
        *,
        schema: str | None = None,
        delete_threshold: float | None = None,
        progress: Progress = QUIET,
    ) -> list[Compacted]:
        """Rewrite files whose share of deleted rows reaches the threshold, or `rewrite_delete_threshold`."""
        return rewrite_in_tables(
            self._commits, _parse_place(schema, table), delete_threshold=delete_threshold, progress=progress
        )

    @one_statement
    def flush_inlined_data(self, table: str | None = None, *, schema: str | None = None) -> list[Flushed]:
        """Move inlined rows of a table, a schema or the whole catalog to files."""
        return flush_inlined_in_tables(self._commits, _parse_place(schema, table))

    @one_statement
    def checkpoint(self, *, progress: Progress = QUIET) -> list[Step]:
        """Run all maintenance steps: flush, expire, merge, rewrite, clean up, delete orphans."""
        self._check_no_transaction(False)
        return checkpoint(self._attachment.catalog, self._storage, self._commits, progress=progress)

    def expire_snapshots(
        self, *, versions: Collection[int] | None = None, older_than: Age | None = None, dry_run: bool = False
    ) -> list[Snapshot]:
        """Expire snapshots by id or age, or by the option `expire_older_than`; never the newest. Returns them."""
        self._check_no_transaction(dry_run)
        return expire_snapshots(self._attachment.catalog, versions=versions, older_than=older_than, dry_run=dry_run)

    def cleanup_old_files(
        self,
        *,
        older_than: Age | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
        progress: Progress = QUIET,
    ) -> list[str]:
        """Delete files scheduled for deletion before a time, by default longer ago than `delete_older_than`."""
        return cleanup_old_files(
            *self._place(dry_run), **_cleanup_arguments(older_than, cleanup_all, dry_run, progress)
        )

    def delete_orphaned_files(
        self,
        *,
        older_than: Age | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
        progress: Progress = QUIET,
    ) -> list[str]:
        """Delete files below the catalog's folder that no catalog references and that are older than a time."""
        return delete_orphaned_files(
            *self._place(dry_run), **_cleanup_arguments(older_than, cleanup_all, dry_run, progress)
        )

    def cleanup_dropped_catalogs(
        self,
        *,
        older_than: Age | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
        progress: Progress = QUIET,
    ) -> list[tuple[str, str]]:
        """Delete what dropped catalogs left behind and no fork sees; returns catalogs and paths."""
        return cleanup_dropped_catalogs(
            *self._place(dry_run), **_cleanup_arguments(older_than, cleanup_all, dry_run, progress)
        )

    def file_holders(self, path: str, *, limit: int = MOST_HOLDERS) -> list[FileHolder]:
        """The catalogs and snapshots that keep a file; the path is absolute or relative to the data path."""
        return file_holders(self._attachment.lake, self._storage.stored_path(path), limit=limit)

    def catalog_storage(self) -> CatalogStorage:
        """Storage exclusive to the catalog, which dropping it would free, and storage it shares."""
        return catalog_storage(self._attachment.catalog)

    def drop_catalog(self, name: str, *, dry_run: bool = False) -> DropReport:
        """Drop a catalog of the lake, or only report what that would free and what its forks would keep."""
        self._check_no_transaction(dry_run)
        report = drop_report(self._attachment.lake, name)
        if not dry_run:
            drop_and_detach(self._state, self._attachment, name)
        return report

    def verify(self, *, deep: bool = False, progress: Progress = QUIET) -> list[Finding]:
        """Check metadata and files of the catalog for inconsistencies; with `deep`, also the contents of the files."""
        return verify(self._attachment.catalog, self._storage, deep=deep, progress=progress)

    @property
    def _commits(self) -> Commits:
        return commits_to(self._state, self._attachment)

    @property
    def _storage(self) -> Storage:
        return storage_of(self._attachment.lake)

    def _place(self, dry_run: bool) -> tuple[Any, Storage]:
        self._check_no_transaction(dry_run)
        return self._attachment.catalog, self._storage

    def _check_no_transaction(self, dry_run: bool) -> None:
        if not dry_run:
            refuse_in_transaction(self._state, "This")


def _parse_place(schema: str | None, table: str | None) -> Place:
    """Accept `schema.table`, or schema and table separately."""
    return Place(*split_name(table)) if table is not None and schema is None else Place(schema, table)


def _cleanup_arguments(older_than: Age | None, cleanup_all: bool, dry_run: bool, progress: Progress) -> dict[str, Any]:
    return {
        "older_than": older_than,
        "cleanup_all": cleanup_all,
        "dry_run": dry_run,
        "progress": progress,
    }
