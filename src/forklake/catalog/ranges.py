"""Ranges of snapshots, by number or by time."""

from datetime import datetime

from forklake.catalog.lake import Catalog
from forklake.catalog.view import CatalogView, view_at, view_at_head
from forklake.errors import InvalidInput
from forklake.model.ids import SnapshotId

Point = int | datetime
"""A snapshot by its number, or a time."""


def snapshot_range(catalog: Catalog, first: Point, last: Point | None) -> tuple[SnapshotId, SnapshotId]:
    """The snapshots from one point to another, both included; to the newest if no end is given.

    From a time on means: the snapshots that came after the one which was valid then.
    """
    view = view_at_head(catalog) if last is None else _view(catalog, last)
    if isinstance(first, datetime):
        start = SnapshotId(view_at(catalog, timestamp=first).snapshot_id + 1)
    else:
        view_at(catalog, version=first)  # refuses one that never was
        start = SnapshotId(first)
    if start > view.snapshot_id and not isinstance(first, datetime):
        raise InvalidInput(f"The range ends at snapshot {view.snapshot_id}, before it begins at {first}.")
    return start, view.snapshot_id


def _view(catalog: Catalog, point: Point) -> CatalogView:
    return view_at(catalog, timestamp=point) if isinstance(point, datetime) else view_at(catalog, version=point)
