"""Ranges of snapshots, by number or time."""

from datetime import datetime

from forklake.catalog.reading.view import CatalogView, first_if_zero, view_at
from forklake.errors import InvalidInput, NoSuchSnapshot
from forklake.model.ids import SnapshotId
from forklake.store.snapshots import first_snapshot_since, has_previous, newest_snapshot

Point = int | datetime
"""A snapshot number, or a time."""


def snapshot_range(head: CatalogView, first: Point, last: Point | None) -> tuple[SnapshotId, SnapshotId]:
    """The snapshots between two points, inclusive; up to the given head if there is no end.

    Changes since version 0 are all changes. A start time selects the snapshots committed at or after that time. The
    range may be empty.
    """
    view = head if last is None else _view_at_point(head, last)
    if isinstance(first, datetime):
        return _first_since(view, first), view.snapshot_id
    view_at(head.catalog, version=first_if_zero(head.catalog, first))  # Rejects a snapshot that never existed.
    if first > view.snapshot_id:
        raise InvalidInput(f"The range ends at snapshot {view.snapshot_id}, before it begins at {first}.")
    return SnapshotId(first), view.snapshot_id


def _first_since(view: CatalogView, time: datetime) -> SnapshotId:
    if time.tzinfo is None:
        raise InvalidInput(f"The time {time} has no time zone; give one, such as UTC.")
    store, lineage = view.catalog.lake.store, view.catalog.lineage
    found = first_snapshot_since(store, view.scope, time)
    if found is None:
        return SnapshotId(view.snapshot_id + 1)
    # The preceding state proves that nothing of the range has expired; there is none before the very first snapshot.
    before = newest_snapshot(store, lineage, view.snapshot_id, time, before=True)
    if before is None and has_previous(store, view.scope, found):
        raise NoSuchSnapshot(f"Snapshots since {time} have expired; the oldest that is kept is {found}.")
    return found


def _view_at_point(head: CatalogView, point: Point) -> CatalogView:
    if isinstance(point, datetime):
        seen = head.snapshot_id if head.catalog.pinned is None else None
        return view_at(head.catalog, timestamp=point, seen=seen)
    return view_at(head.catalog, version=first_if_zero(head.catalog, point))
