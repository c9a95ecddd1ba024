"""Check a catalog: its metadata against themselves, and against the files in storage. Nothing is ever repaired."""

from collections.abc import Iterator
from posixpath import basename

from forklake.catalog.checks.look import Look, look_at
from forklake.catalog.lake import Catalog
from forklake.catalog.verify import checked_metadata
from forklake.maintenance.orphans import delete_orphaned_files
from forklake.maintenance.progress import QUIET, Progress
from forklake.maintenance.verify_batches import check_batches
from forklake.maintenance.verify_files import check_files
from forklake.model.findings import Finding
from forklake.spark.left_lists import is_left_list
from forklake.spark.storage import Storage


def verify(catalog: Catalog, storage: Storage, *, deep: bool = False, progress: Progress = QUIET) -> list[Finding]:
    """Everything that is wrong with a catalog in all the snapshots it can travel to; nothing, if it is sound.

    What it has inherited is looked at as it sees it. With `deep`, the footers of all files are read as well, and so
    are inlined rows. Commits, expiry and clean-up may go on meanwhile.
    """
    look = look_at(catalog, lambda path, is_relative: storage.root + path if is_relative else path)
    findings, tables = checked_metadata(look)
    for table, found in tables:
        findings += found
        findings += check_files(look, storage, table, deep=deep, progress=progress)
        if deep:
            findings += check_batches(look, table)
    return [*findings, *_unknown_files(look, storage)]


def _unknown_files(look: Look, storage: Storage) -> Iterator[Finding]:
    """Those that `delete_orphaned_files` would delete if they were old enough."""
    detail = "No catalog names the file: a job that failed has left it, or a transaction will commit it."
    for path in delete_orphaned_files(look.catalog, storage, cleanup_all=True, dry_run=True):
        # Checksums stand beside the file that they are of, and lists are for a while only.
        if not basename(path).startswith(".") and not is_left_list(path):
            shown = look.shown(path.removeprefix(storage.prefix), True)
            yield Finding("unknown_file", path=shown, detail=detail)
