"""Delete the files of a transaction that has ended, as far as it has not committed them."""

import sys
from collections.abc import Collection

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.transaction.transaction import Transaction
from forklake.maintenance.cleanup.orphans import unknown_paths
from forklake.spark.storage.remove_files import remove_files
from forklake.spark.storage.storage import Storage
from forklake.spark.work import storage_of


def discard_files(transaction: Transaction) -> None:
    """Delete all that a transaction has written, or, if it is committed, what it has itself replaced or dropped.

    Nothing, if nobody can tell whether it is committed. What cannot be deleted, or not be proved to be nobody's, is
    left to the cleanup of orphans: whatever fails here must not hide why the transaction has ended.
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
    # Nobody can name them, as nobody was told of them; asked nevertheless, because nothing brings a file back.
    for path in remove_files(storage, unknown_paths(catalog.lake, storage, {path: path for path in found})):
        storage.remove_empty_parents(path, catalog.path)
    for folder in folders:
        # Tasks that fail delete their files themselves, and leave the folders.
        storage.remove_empty(folder.rstrip("/"))
        storage.remove_empty_parents(folder, catalog.path)


def _files_in(storage: Storage, folder: str) -> list[str]:
    """What a job that has failed may have left in its folder; its tasks ran on other machines, perhaps."""
    return [info.path.removeprefix(storage.prefix) for info in storage.walk(folder.rstrip("/"))]
