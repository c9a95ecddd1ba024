"""Take back the files of a transaction that is not committed."""

from collections.abc import Iterator
from contextlib import suppress

from forklake.catalog.transaction import Transaction
from forklake.errors import ForklakeError
from forklake.maintenance.orphans import unknown_paths
from forklake.spark.remove_files import remove_files
from forklake.spark.storage import Storage
from forklake.spark.tasks.file_names import is_of_job
from forklake.spark.work import storage_of


def discard_files(transaction: Transaction) -> None:
    """Delete what a transaction has written, unless it is committed or may be.

    As far as that goes: what cannot be deleted, or not be proved to be nobody's, is left to the cleanup of orphans.
    """
    written, lake = transaction.written, transaction.catalog.lake
    if not written or transaction.may_be_committed:
        return
    with suppress(ForklakeError, OSError):
        storage = storage_of(lake)
        paths = {*written.paths, *_files_of_jobs(storage, written.jobs)}
        # Nobody can name them, as nobody was told of them; asked nevertheless, because nothing brings a file back.
        for path in remove_files(storage, unknown_paths(lake, storage, {path: path for path in paths})):
            storage.remove_empty_parents(path, transaction.catalog.path)
        for folder in set(written.jobs.values()):
            # Tasks that fail delete their files themselves, and leave the folders.
            storage.remove_empty(folder.rstrip("/"))
            storage.remove_empty_parents(folder, transaction.catalog.path)
    written.paths.clear()
    written.jobs.clear()


def _files_of_jobs(storage: Storage, jobs: dict[str, str]) -> Iterator[str]:
    """What jobs that have failed may have left; their tasks ran on other machines, perhaps."""
    for folder in set(jobs.values()):
        for info in storage.walk(folder.rstrip("/")):
            if any(is_of_job(info.path, job) for job in jobs):
                yield info.path.removeprefix(storage.prefix)
