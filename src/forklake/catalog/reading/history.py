"""The history of a catalog: its snapshots, including those before a fork."""

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.reading.view import CatalogView, view_at_head
from forklake.model.ids import SnapshotId
from forklake.model.snapshots import Snapshot
from forklake.store.snapshots import newest_snapshots, snapshots_up_to


def list_snapshots(catalog: Catalog, *, after: SnapshotId | None = None) -> list[Snapshot]:
    """All snapshots available for time travel, oldest first, optionally only those after one."""
    return visible_snapshots(view_at_head(catalog), after=after)


def own_snapshots(catalog: Catalog) -> list[Snapshot]:
    """The kept snapshots made by the catalog itself, oldest first; the last one is its head."""
    view = view_at_head(catalog)
    return snapshots_up_to(catalog.lake.store, view.scope.only({catalog.catalog_id}))


def visible_snapshots(view: CatalogView, *, after: SnapshotId | None = None) -> list[Snapshot]:
    return snapshots_up_to(view.catalog.lake.store, view.scope, after=after)


def last_snapshots(catalog: Catalog, count: int | None = None) -> list[Snapshot]:
    """The newest snapshots available for time travel, newest first; all of them without `count`."""
    return newest_snapshots(catalog.lake.store, view_at_head(catalog).scope, count)
