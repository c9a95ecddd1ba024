"""Deletion of scheduled files after verifying that nothing can see them."""

from collections.abc import Callable, Collection, Iterator
from datetime import datetime

from forklake.catalog.lakes.lake import Lake
from forklake.model.files import ScheduledFile
from forklake.model.ids import CatalogId
from forklake.store.expiry import due_files, forget_scheduled, read_scheduled, waiting_files

BATCH_FILES = 100
"""Maximum number of files deleted per transaction, during which an embedded database accepts no other commit."""

Remover = Callable[[Collection[ScheduledFile]], Collection[ScheduledFile]]
"""Deletes files, and returns those that no longer exist, including those already missing."""


def list_due(lake: Lake, catalog_id: CatalogId, before: datetime | None) -> list[ScheduledFile]:
    """Files of a catalog scheduled before a time, or all scheduled files."""
    statement = waiting_files(lake.store.dialect, catalog_id, before)
    return read_scheduled(lake.store.fetch(statement.sql, statement.params))


def delete_due(
    lake: Lake, catalog_id: CatalogId, before: datetime | None, remove: Remover
) -> Iterator[list[ScheduledFile]]:
    """Delete such files in batches, yielding the deleted files of each batch.

    Verification, deletion and removal from the schedule are one transaction: if any of them fails, the remaining files
    stay scheduled, and deleted ones are found missing the next time.
    """
    after = -1
    while True:
        first = due_files(lake.store.dialect, catalog_id, before, after, BATCH_FILES)
        with lake.store.writing([first]) as (transaction, [rows]):
            batch = read_scheduled(rows)
            if not batch:
                return
            gone = list(remove(batch))
            ids = [file.file_id for file in gone]
            transaction.commit([forget_scheduled(lake.store.dialect, catalog_id, ids)] if ids else [])
        after = batch[-1].file_id
        yield gone
