"""Delete files that wait for their deletion, when it is proven that nobody can see them."""

from collections.abc import Callable, Collection, Iterator
from datetime import datetime

from forklake.catalog.lakes.lake import Lake
from forklake.model.files import ScheduledFile
from forklake.model.ids import CatalogId
from forklake.store.expiry import due_files, forget_scheduled, read_scheduled, waiting_files

BATCH_FILES = 100
"""So many files are deleted in one transaction: an embedded database takes no other commit meanwhile."""

Remover = Callable[[Collection[ScheduledFile]], Collection[ScheduledFile]]
"""Deletes files, and gives those that are gone. One that was gone before counts."""


def list_due(lake: Lake, catalog_id: CatalogId, before: datetime | None) -> list[ScheduledFile]:
    """Files of a catalog that wait since before a time, or all that wait."""
    statement = waiting_files(lake.store.dialect, catalog_id, before)
    return read_scheduled(lake.store.fetch(statement.sql, statement.params))


def delete_due(
    lake: Lake, catalog_id: CatalogId, before: datetime | None, remove: Remover
) -> Iterator[list[ScheduledFile]]:
    """Delete such files, batch by batch, giving each batch that is gone.

    The proof, the deletion and the end of the waiting are one transaction: when any of them fails, the files that
    are left wait on, and those that are gone are found gone the next time.
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
