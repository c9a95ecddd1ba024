"""Forking of catalogs, and the tree of forks."""

from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from forklake.catalog.lakes.catalogs import catalog_uuid, find_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.retry import with_retries
from forklake.errors import InvalidInput, NoSuchSnapshot
from forklake.model.ids import CatalogId
from forklake.model.lineage import NO_LIMIT
from forklake.model.names import check_catalog_name
from forklake.model.snapshots import CatalogInfo
from forklake.store.connection import ForkRequest
from forklake.store.fork_tree import own_rows, subtree


def fork_catalog(
    lake: Lake,
    parent: str,
    name: str,
    *,
    version: int | None = None,
    timestamp: datetime | None = None,
    if_not_exists: bool = False,
) -> tuple[Catalog, bool]:
    """Fork a catalog at its head, at a snapshot or at a time; the flag is False if the fork already existed.

    Writes a few rows regardless of the size of the parent, and never waits for commits to it. The fork sees the parent,
    including its history, as of the fork point, and none of its later changes.
    """
    check_catalog_name(name)
    if timestamp is not None and timestamp.tzinfo is None:
        raise InvalidInput(f"The time {timestamp} has no time zone; give one, such as UTC.")
    if version is not None and not 0 <= version < NO_LIMIT:
        raise NoSuchSnapshot(f"No snapshot found at version {version} in catalog '{check_catalog_name(parent)}'.")
    request = ForkRequest(check_catalog_name(parent), name, str(uuid4()), version, timestamp, if_not_exists)
    created = with_retries(
        lake,
        lambda: lake.store.fork(request),
        landed=lambda: True if catalog_uuid(lake, name) == request.uuid else None,
    )
    return find_catalog(lake, name), created


@dataclass(frozen=True, slots=True)
class CatalogNode:
    """A catalog in the tree of forks. Dropped catalogs are included only if they have live descendants."""

    info: CatalogInfo
    own_rows: int
    """The number of metadata rows it has written itself; all others are inherited."""
    forks_below: int
    """The number of live descendants."""


def catalog_tree(lake: Lake, root: str) -> list[CatalogNode]:
    """A catalog and its descendants, parents first."""
    top = find_catalog(lake, root)
    infos = subtree(lake.store, top.catalog_id)
    counts = own_rows(lake.store, [info.catalog_id for info in infos])
    below = _forks_below(infos)
    return [CatalogNode(info, counts.get(info.catalog_id, 0), below[info.catalog_id]) for info in infos]


def _forks_below(infos: list[CatalogInfo]) -> dict[CatalogId, int]:
    below = {info.catalog_id: 0 for info in infos}
    for info in reversed(infos):
        if info.parent_id in below:
            below[info.parent_id] += below[info.catalog_id] + (info.end_snapshot is None)
    return below
