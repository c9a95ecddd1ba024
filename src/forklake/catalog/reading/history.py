"""The history of a catalog: its snapshots, those before a fork included."""

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.reading.view import CatalogView, view_at_head
from forklake.model.ids import SnapshotId
from forklake.model.snapshots import Snapshot
from forklake.store.snapshots import newest_snapshots, snapshots_up_to


def list_snapshots(catalog: Catalog, *, after: SnapshotId | None = None) -> list[Snapshot]:
    """Every snapshot the catalog can travel to, oldest first; only those after one if told so."""
    return visible_snapshots(view_at_head(catalog), after=after)


def own_snapshots(catalog: Catalog) -> list[Snapshot]:
    """The snapshots that the catalog has made itself and kept, oldest first; the last is its head."""
    view = view_at_head(catalog)
    return snapshots_up_to(catalog.lake.store, view.scope.only({catalog.catalog_id}))


def visible_snapshots(view: CatalogView, *, after: SnapshotId | None = None) -> list[Snapshot]:
    return snapshots_up_to(view.catalog.lake.store, view.scope, after=after)


def last_snapshots(catalog: Catalog, count: int | None = None) -> list[Snapshot]:
    """The newest snapshots that the catalog can travel to, newest first; all of them if no count is given."""
    return newest_snapshots(catalog.lake.store, view_at_head(catalog).scope, count)
