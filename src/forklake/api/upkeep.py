"""Maintenance operations of a catalog in Python: the functions of the registry, with explicit signatures."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from forklake.api.naming import split_name
from forklake.api.one_statement import one_statement
from forklake.catalog.retention.expiry import Age, expire_snapshots
from forklake.catalog.retention.file_holders import (
    MOST_HOLDERS,
    CatalogStorage,
    DropReport,
    FileHolder,
    catalog_storage,
)
from forklake.maintenance.checkpoint import Step, checkpoint
from forklake.maintenance.cleanup.file_holders import file_holders
from forklake.maintenance.cleanup.old_files import cleanup_dropped_catalogs, cleanup_old_files
from forklake.maintenance.cleanup.orphans import delete_orphaned_files
from forklake.maintenance.commits import Place
from forklake.maintenance.compaction.compact import Compacted
from forklake.maintenance.compaction.flush_tables import Flushed, flush_inlined_data
from forklake.maintenance.compaction.merge_adjacent import merge_adjacent_files
from forklake.maintenance.compaction.rewrite_files import rewrite_data_files
from forklake.maintenance.drop_catalog import drop_catalog
from forklake.maintenance.operations import OPERATIONS
from forklake.maintenance.progress import QUIET, Progress
from forklake.maintenance.verification.verify import verify
from forklake.model.arguments import checked_methods
from forklake.model.findings import Finding
from forklake.model.snapshots import Snapshot
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.maintenance import run_operation
from forklake.sql.session.state import SessionState

T = TypeVar("T")


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
        return self._run(
            merge_adjacent_files,
            place=_parse_place(schema, table),
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
        place = _parse_place(schema, table)
        return self._run(rewrite_data_files, place=place, delete_threshold=delete_threshold, progress=progress)

    @one_statement
    def flush_inlined_data(self, table: str | None = None, *, schema: str | None = None) -> list[Flushed]:
        """Move inlined rows of a table, a schema or the whole catalog to files."""
        return self._run(flush_inlined_data, place=_parse_place(schema, table))

    @one_statement
    def checkpoint(self, *, progress: Progress = QUIET) -> list[Step]:
        """Run all maintenance steps: flush, expire, merge, rewrite, clean up, delete orphans."""
        return self._run(checkpoint, progress=progress)

    def expire_snapshots(
        self, *, versions: Collection[int] | None = None, older_than: Age | None = None, dry_run: bool = False
    ) -> list[Snapshot]:
        """Expire snapshots by id or age, or by the option `expire_older_than`; never the newest. Returns them."""
        return self._run(expire_snapshots, versions=versions, older_than=older_than, dry_run=dry_run)

    def cleanup_old_files(
        self,
        *,
        older_than: Age | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
        progress: Progress = QUIET,
    ) -> list[str]:
        """Delete files scheduled for deletion before a time, by default longer ago than `delete_older_than`."""
        return self._run(
            cleanup_old_files, older_than=older_than, cleanup_all=cleanup_all, dry_run=dry_run, progress=progress
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
        return self._run(
            delete_orphaned_files, older_than=older_than, cleanup_all=cleanup_all, dry_run=dry_run, progress=progress
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
        return self._run(
            cleanup_dropped_catalogs, older_than=older_than, cleanup_all=cleanup_all, dry_run=dry_run, progress=progress
        )

    def file_holders(self, path: str, *, limit: int = MOST_HOLDERS) -> list[FileHolder]:
        """The catalogs and snapshots that keep a file; the path is absolute or relative to the data path."""
        return self._run(file_holders, path=path, limit=limit)

    def catalog_storage(self) -> CatalogStorage:
        """Storage exclusive to the catalog, which dropping it would free, and storage it shares."""
        return self._run(catalog_storage)

    def drop_catalog(self, name: str, *, dry_run: bool = False) -> DropReport:
        """Drop a catalog of the lake, or only report what that would free and what its forks would keep."""
        return self._run(drop_catalog, catalog_name=name, dry_run=dry_run)

    def verify(self, *, deep: bool = False, progress: Progress = QUIET) -> list[Finding]:
        """Check metadata and files of the catalog for inconsistencies; with `deep`, also the contents of the files."""
        return self._run(verify, deep=deep, progress=progress)

    def _run(self, function: Callable[..., T], **arguments: Any) -> T:
        """Run the operation of a function."""
        name = function.__name__
        found: T = run_operation(self._state, self._attachment, OPERATIONS[name], arguments, called=name)
        return found


def _parse_place(schema: str | None, table: str | None) -> Place:
    """Accept `schema.table`, or schema and table separately."""
    return Place(*split_name(table)) if table is not None and schema is None else Place(schema, table)
