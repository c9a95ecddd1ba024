"""Changes to the rows of a table between two snapshots, as seen by a catalog."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.reading.view import CatalogView
from forklake.errors import NoSuchSnapshot
from forklake.model.changes import FlushedInlined, MergedAdjacent, RewroteDeletes, parse_changes
from forklake.model.files import DataFile, DeleteFile, InlinedBatch
from forklake.model.ids import BatchId, DataFileId, SnapshotId, TableId
from forklake.model.lineage import Level
from forklake.store.row_events import (
    Event,
    EventRows,
    KeptSnapshot,
    RowEvents,
    row_events,
    rows_of_events,
)
from forklake.store.scope import expired_error
from forklake.store.snapshots import first_snapshots


class InsertedFile(NamedTuple):
    """All rows of a data file were inserted, except those in the delete file committed with it."""

    snapshot_id: SnapshotId
    file: DataFile
    never_seen: DeleteFile | None
    """Rows inserted and deleted by the same transaction."""


class DeletedFromFile(NamedTuple):
    """The rows in `after` but not in `before` were deleted; without `after`, all remaining rows."""

    snapshot_id: SnapshotId
    file: DataFile
    before: DeleteFile | None
    after: DeleteFile | None


class InsertedBatch(NamedTuple):
    """The rows of a batch were inserted, except those in its `deleted`, which were never visible."""

    snapshot_id: SnapshotId
    batch: InlinedBatch


class DeletedFromBatch(NamedTuple):
    """The rows at these positions were deleted; the batch's `deleted` are those deleted before."""

    snapshot_id: SnapshotId
    batch: InlinedBatch
    positions: frozenset[int]


@dataclass(frozen=True, slots=True)
class TableHistory:
    """Inserts and deletes, each in snapshot order."""

    inserted: tuple[InsertedFile, ...]
    deleted: tuple[DeletedFromFile, ...]
    inserted_batches: tuple[InsertedBatch, ...]
    deleted_inlined: tuple[DeletedFromBatch, ...]


_FORKED = "forked_from:"
_COMPACTIONS = ("merge_adjacent:", "rewrite_delete:", "inline_flush:", "flushed_inlined:", "compacted_table:")


def table_history(
    view: CatalogView, table_id: TableId, after: SnapshotId, upto: SnapshotId, *, with_deletes: bool = True
) -> TableHistory:
    """All inserts and deletes of a table in the snapshots after `after`, up to and including `upto`.

    Complete or not at all: raises NoSuchSnapshot if a snapshot of the range has expired or, for deletes, the one before
    it, which shows the rows that were deleted first.

    For a fork, this includes the snapshots of its ancestors up to the fork points. Snapshots that compacted the table
    only moved rows and are omitted, and so is the end of all rows when a table is dropped. Takes two round trips,
    regardless of the number of snapshots.
    """
    lineage = view.catalog.lineage
    scope = lineage.at(min(upto, view.snapshot_id))
    everything, scope = scope, view.catalog.lake.cache.owners.of_table(scope, lineage.ancestors, table_id)
    store = view.catalog.lake.store
    found = row_events(store, everything, scope, table_id, after)
    if after < scope.snapshot_id and [each.snapshot_id for each in found.snapshots[-1:]] != [scope.snapshot_id]:
        raise expired_error(scope)
    _check_complete(view.catalog, after, found.snapshots, with_deletes=with_deletes)
    events = _without_compactions(found, table_id)
    files = {DataFileId(e.object_id) for e in (*events.begun_files, *events.ended_files, *events.deletes)}
    batches = {BatchId(e.object_id) for e in (*events.begun_batches, *events.ended_batches, *events.inlined_deletes)}
    rows = EventRows({}, {}, {}, {})
    if files or batches:
        rows, kept = rows_of_events(store, everything, scope, table_id, after, files, batches)
        if kept != found.snapshots:
            raise NoSuchSnapshot(f"Snapshots after {after} have expired while their changes were read.")
    return TableHistory(
        tuple(sorted(_inserted_files(events, rows), key=_file_order)),
        tuple(sorted(_deletes_from_files(events, rows), key=_file_order)),
        tuple(sorted(_inserted_batches(events, rows), key=_batch_order)),
        tuple(sorted(_deleted_inlined(events, rows), key=_batch_order)),
    )


def _file_order(found: InsertedFile | DeletedFromFile) -> tuple[SnapshotId, DataFileId]:
    return found.snapshot_id, found.file.data_file_id


def _batch_order(found: InsertedBatch | DeletedFromBatch) -> tuple[SnapshotId, BatchId]:
    return found.snapshot_id, found.batch.batch_id


def _check_complete(
    catalog: Catalog, after: SnapshotId, snapshots: Sequence[KeptSnapshot], *, with_deletes: bool
) -> None:
    """Nothing may have expired between the snapshots, nor before the first one if the previous state matters."""
    for before, snapshot in pairwise(snapshots):
        if snapshot.previous != before.snapshot_id and not _forked_from(catalog, snapshot, before):
            raise NoSuchSnapshot(
                f"The changes between snapshots {before.snapshot_id} and {snapshot.snapshot_id} cannot be determined:"
                f" snapshots between them have expired. Ask for them from {snapshot.snapshot_id + 1} on."
            )
    if not snapshots:
        return
    first = snapshots[0]
    if _last_before(catalog, first) > after:
        raise NoSuchSnapshot(
            f"The changes between snapshots {after} and {first.snapshot_id} cannot be determined: snapshots between"
            f" them have expired. Ask for them from {first.snapshot_id + 1} on."
        )
    # A fork starts with the state of its parent, and a root is empty: neither deletes anything.
    if with_deletes and not first.has_previous and first.previous is not None and _FORKED not in first.changes:
        raise NoSuchSnapshot(
            f"What snapshot {first.snapshot_id} has deleted cannot be determined: snapshot {first.previous} before it"
            f" has expired. Ask for the changes from {first.snapshot_id + 1} on."
        )


def _last_before(catalog: Catalog, first: KeptSnapshot) -> SnapshotId:
    """The predecessor of a snapshot as seen by the catalog, kept or not; -1 if there is none."""
    if _FORKED not in first.changes:
        return SnapshotId(-1) if first.previous is None else first.previous
    levels = catalog.lineage.levels
    place = [level.catalog_id for level in levels].index(first.catalog_id)
    return max((level.top for level in _levels_with_snapshots(catalog, levels[place + 1 :])), default=SnapshotId(-1))


def _forked_from(catalog: Catalog, first: KeptSnapshot, before: KeptSnapshot) -> bool:
    """Whether a catalog was forked at an ancestor's last snapshot, without visible snapshots of catalogs in between."""
    if _FORKED not in first.changes or not before.is_last:
        return False
    levels = catalog.lineage.levels
    places = [level.catalog_id for level in levels]
    between = levels[places.index(first.catalog_id) + 1 : places.index(before.catalog_id)]
    return not _levels_with_snapshots(catalog, between)


def _levels_with_snapshots(catalog: Catalog, levels: Sequence[Level]) -> list[Level]:
    """The levels with at least one visible snapshot: a fork in the past may precede the catalog's first one."""
    begun = first_snapshots(catalog.lake.store, levels) if levels else {}
    return [level for level in levels if begun[level.catalog_id][0] <= level.top]


def _without_compactions(events: RowEvents, table_id: TableId) -> RowEvents:
    moves = {MergedAdjacent(table_id), RewroteDeletes(table_id), FlushedInlined(table_id)}
    moved = {
        snapshot.snapshot_id
        for snapshot in events.snapshots
        if any(tag in snapshot.changes for tag in _COMPACTIONS)
        and not moves.isdisjoint(parse_changes(snapshot.changes))
    }

    def without_moved(found: Iterable[Event]) -> list[Event]:
        return [event for event in found if event.snapshot_id not in moved]

    return RowEvents(
        without_moved(events.begun_files),
        without_moved(events.ended_files),
        without_moved(events.deletes),
        without_moved(events.begun_batches),
        without_moved(events.ended_batches),
        without_moved(events.inlined_deletes),
        [],
    )


def _inserted_files(events: RowEvents, rows: EventRows) -> Iterator[InsertedFile]:
    for file_id, snapshot_id in events.begun_files:
        yield InsertedFile(snapshot_id, rows.files[file_id], _delete_of(rows, file_id, snapshot_id))


def _deletes_from_files(events: RowEvents, rows: EventRows) -> Iterator[DeletedFromFile]:
    for file_id, snapshot_id in events.ended_files:
        yield DeletedFromFile(snapshot_id, rows.files[file_id], _delete_before(rows, file_id, snapshot_id), None)
    for file_id, snapshot_id in events.deletes:
        file = rows.files[file_id]
        if file.begin_snapshot != snapshot_id:
            before, now = _delete_before(rows, file_id, snapshot_id), _delete_of(rows, file_id, snapshot_id)
            yield DeletedFromFile(snapshot_id, file, before, now)


def _delete_of(rows: EventRows, file_id: int, snapshot_id: SnapshotId) -> DeleteFile | None:
    """The delete file that was added to a data file in a snapshot."""
    return next((found for found in rows.deletes.get(file_id, ()) if found.begin_snapshot == snapshot_id), None)


def _delete_before(rows: EventRows, file_id: int, snapshot_id: SnapshotId) -> DeleteFile | None:
    """The delete file of a data file before a snapshot: each one replaces its predecessor."""
    earlier = [found for found in rows.deletes.get(file_id, ()) if found.begin_snapshot < snapshot_id]
    return earlier[-1] if earlier else None


def _inserted_batches(events: RowEvents, rows: EventRows) -> Iterator[InsertedBatch]:
    for batch_id, snapshot_id in events.begun_batches:
        never_seen = {position for position, since in rows.positions.get(batch_id, ()) if since == snapshot_id}
        yield InsertedBatch(snapshot_id, replace(rows.batches[batch_id], deleted=frozenset(never_seen)))


def _deleted_inlined(events: RowEvents, rows: EventRows) -> Iterator[DeletedFromBatch]:
    ended = set(events.ended_batches)
    for batch_id, snapshot_id in ended.union(events.inlined_deletes):
        batch = rows.batches[batch_id]
        gone = rows.positions.get(batch_id, ())
        before = frozenset(position for position, since in gone if since < snapshot_id)
        if (batch_id, snapshot_id) in ended:
            now = frozenset(range(batch.row_count)) - before
        else:
            now = frozenset(position for position, since in gone if since == snapshot_id)
        if now and batch.begin_snapshot != snapshot_id:
            yield DeletedFromBatch(snapshot_id, replace(batch, deleted=before), now)
