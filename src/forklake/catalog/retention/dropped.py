"""Remains of dropped catalogs."""

from collections.abc import Iterator
from contextlib import contextmanager

from forklake.catalog.lakes.lake import Lake
from forklake.catalog.retention.collect import CollectedFiles, collect_garbage
from forklake.model.snapshots import CatalogInfo
from forklake.store.catalogs import list_dropped
from forklake.store.garbage import delete_dropped_catalog, lock_catalog

_PAGE = 1000


def dropped_catalogs(lake: Lake) -> Iterator[CatalogInfo]:
    """Dropped catalogs with remains: rows visible to forks, or files scheduled for deletion.

    Newest first: forks before their parents.
    """
    before = None
    while page := list_dropped(lake.store, before=before, limit=_PAGE):
        yield from page
        before = page[-1].catalog_id


def collect_dropped(lake: Lake, info: CatalogInfo) -> CollectedFiles:
    """Release everything of a dropped catalog that no fork can see."""
    return collect_garbage(lake, info.catalog_id, info.path)


@contextmanager
def lock_dropped_catalog(lake: Lake, info: CatalogInfo) -> Iterator[bool]:
    """Whether a dropped catalog still exists and so owns its folder; guaranteed within the block."""
    with lake.store.writing([lock_catalog(lake.store.dialect, info.catalog_id)]) as (transaction, [locked]):
        yield bool(locked)
        transaction.commit([])


def forget_dropped(lake: Lake, info: CatalogInfo) -> bool:
    """Delete the row of a dropped catalog without remains; False if there are any."""
    statement = delete_dropped_catalog(info.catalog_id)
    with lake.store.writing([statement]) as (transaction, [found]):
        transaction.commit([])
    return bool(found)
