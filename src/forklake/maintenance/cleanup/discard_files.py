"""Deletes the uncommitted files of a finished transaction."""

import sys
from collections.abc import Collection

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.transaction.transaction import Transaction
from forklake.maintenance.cleanup.orphans import unknown_paths
from forklake.spark.storage.remove_files import remove_files
from forklake.spark.storage.storage import Storage
from forklake.spark.work import storage_of


def discard_files(transaction: Transaction) -> None:
    """Delete all files written by a transaction or, if it is committed, those it has itself replaced or dropped.

    Deletes nothing if its outcome is unknown. Files that cannot be deleted, or that may be in use, are left to the
    cleanup of orphans: errors here must not hide why the transaction has ended.
    """
    written, is_failing = transaction.written, sys.exception() is not None
    is_committed = transaction.committed_as is not None
    if transaction.may_be_committed and not is_committed:
        return
    try:
        if is_committed:
            _discard(transaction.catalog, written.paths - transaction.staged_paths, ())
        else:
            _discard(transaction.catalog, written.paths, written.jobs)
    except Exception:
        pass
    except KeyboardInterrupt:
        if not is_failing:
            raise
    finally:
        written.paths.clear()
        written.jobs.clear()


def _discard(catalog: Catalog, paths: Collection[str], folders: Collection[str]) -> None:
    if not paths and not folders:
        return
    storage = storage_of(catalog.lake)
    found = {*paths, *(path for folder in folders for path in _files_in(storage, folder))}
    # Nothing can refer to files that were never published; checked nevertheless, because deletion is irreversible.
    for path in remove_files(storage, unknown_paths(catalog.lake, storage, {path: path for path in found})):
        storage.remove_empty_parents(path, catalog.path)
    for folder in folders:
        # Failed tasks delete their files themselves, but not the folders.
        storage.remove_empty(folder.rstrip("/"))
        storage.remove_empty_parents(folder, catalog.path)


def _files_in(storage: Storage, folder: str) -> list[str]:
    """The files that a failed job, whose tasks may have run on other machines, has left in its folder."""
    return [info.path.removeprefix(storage.prefix) for info in storage.walk(folder.rstrip("/"))]
