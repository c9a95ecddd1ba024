"""Verification of a catalog: its metadata, and the files in storage. Never repairs anything."""

from collections.abc import Iterator
from posixpath import basename

from forklake.catalog.checks.checked_catalog import CheckContext, make_check_context
from forklake.catalog.checks.verify import check_metadata
from forklake.catalog.lakes.lake import Catalog
from forklake.maintenance.cleanup.orphans import delete_orphaned_files
from forklake.maintenance.progress import QUIET, Progress
from forklake.maintenance.verification.verify_batches import check_batches
from forklake.maintenance.verification.verify_defaults import check_defaults
from forklake.maintenance.verification.verify_files import check_files
from forklake.model.findings import Finding
from forklake.spark.reading.connect_manifests import is_stored_file_list
from forklake.spark.storage.storage import Storage


def verify(catalog: Catalog, storage: Storage, *, deep: bool = False, progress: Progress = QUIET) -> list[Finding]:
    """All problems of a catalog in all snapshots available for time travel; empty if there are none.

    Inherited rows are checked as seen by the catalog. With `deep`, the footers of all files and inlined rows are read,
    too. Commits, expiry and cleanup may run concurrently.
    """
    look = make_check_context(catalog, lambda path, is_relative: storage.root + path if is_relative else path)
    findings, tables = check_metadata(look)
    for table, found in tables:
        findings += found
        findings += check_defaults(table)
        findings += check_files(look, storage, table, deep=deep, progress=progress)
        if deep:
            findings += check_batches(look, table)
    return [*findings, *_unknown_files(look, storage)]


def _unknown_files(look: CheckContext, storage: Storage) -> Iterator[Finding]:
    """The files that `delete_orphaned_files` would delete if they were old enough."""
    detail = "No catalog references the file: a failed job left it, or a transaction is about to commit it."
    for path in delete_orphaned_files(look.catalog, storage, cleanup_all=True, dry_run=True):
        # Checksums accompany their files, and file lists are temporary.
        if not basename(path).startswith(".") and not is_stored_file_list(path):
            shown = look.shown(path.removeprefix(storage.prefix), True)
            yield Finding("unknown_file", path=shown, detail=detail)
