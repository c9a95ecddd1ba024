"""Expire snapshots: a catalog can no longer travel to them, and what only they showed is let go of."""

from collections.abc import Collection
from datetime import datetime

from forklake.catalog.collect import collect
from forklake.catalog.history import snapshots_seen
from forklake.catalog.lake import Catalog
from forklake.catalog.retry import with_retries
from forklake.catalog.view import view_at_head
from forklake.errors import InvalidInput, NoSuchCatalog
from forklake.model.ids import SnapshotId
from forklake.model.snapshots import Snapshot
from forklake.store.expiry import expire, lock_head


def expire_snapshots(
    catalog: Catalog,
    *,
    versions: Collection[int] | None = None,
    older_than: datetime | None = None,
    dry_run: bool = False,
) -> list[Snapshot]:
    """Expire snapshots that the catalog itself has made, by number or by age; never the newest. Returns them.

    What forks see of them stays: a fork keeps the state it left its parent in for as long as it lives. With neither
    numbers nor an age no snapshot expires; what was held by forks that are gone is let go of in any case.
    """
    if versions is not None and older_than is not None:
        raise InvalidInput(
            "ducklake_expire_snapshots: cannot specify both 'versions' and 'older_than' parameters at the same time."
            " Please use only one criterion."
        )
    if older_than is not None and older_than.tzinfo is None:
        raise InvalidInput(f"The time {older_than} has no time zone; give one, such as UTC.")
    chosen = _chosen(catalog, versions, older_than)
    if dry_run:
        return chosen
    catalog.check_writable()
    ids = [snapshot.snapshot_id for snapshot in chosen]
    if ids:
        with_retries(catalog.lake, lambda: _expire(catalog, ids), landed=lambda: None)
    collect(catalog.lake, catalog.catalog_id, catalog.path)
    kept = {snapshot.snapshot_id for snapshot in snapshots_seen(view_at_head(catalog))} if ids else set()
    return [snapshot for snapshot in chosen if snapshot.snapshot_id not in kept]


def _chosen(catalog: Catalog, versions: Collection[int] | None, older_than: datetime | None) -> list[Snapshot]:
    view = view_at_head(catalog)
    if catalog.pinned is not None:
        catalog.check_writable()
    if versions is None and older_than is None:
        return []
    seen = [snapshot for snapshot in snapshots_seen(view) if snapshot.snapshot_id != view.snapshot_id]
    if versions is not None:
        wanted = set(versions)
        seen = [snapshot for snapshot in seen if snapshot.snapshot_id in wanted]
        inherited = [snapshot.snapshot_id for snapshot in seen if snapshot.catalog_id != catalog.catalog_id]
        if inherited:
            raise InvalidInput(
                f"Snapshot {inherited[0]} was made by an ancestor of catalog '{catalog.name}',"
                " and can expire only there."
            )
        return seen
    return [
        snapshot
        for snapshot in seen
        if snapshot.catalog_id == catalog.catalog_id and older_than is not None and snapshot.snapshot_time < older_than
    ]


def _expire(catalog: Catalog, ids: list[SnapshotId]) -> bool:
    """Take the snapshots out, as far as they are still there."""
    store = catalog.lake.store
    with store.writing([lock_head(store.dialect, catalog.catalog_id)]) as (transaction, [locked]):
        if not locked:
            raise NoSuchCatalog(f"Catalog '{catalog.name}' was dropped.")
        transaction.commit([expire(store.dialect, catalog.catalog_id, ids)])
    return True
