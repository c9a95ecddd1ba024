"""Differences between two states, of one catalog or of two with or without a common ancestor."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, cast

from forklake.catalog.reading.history import visible_snapshots
from forklake.catalog.reading.table_history import TableHistory, table_history
from forklake.catalog.reading.view import CatalogView
from forklake.errors import InvalidInput, NoSuchSnapshot
from forklake.model.entities import Definition, LakeObject, Table
from forklake.model.files import TableStats
from forklake.model.ids import SnapshotId, TableId

How = Literal["created", "dropped", "renamed", "altered", "changed"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A schema, table, view or macro that differs between the states; counts are set for tables only."""

    schema: str | None
    name: str
    """The name in the second state, or in the first one if dropped."""
    kind: str
    change: How
    """`changed`: only rows or files differ."""
    rows_added: int | None = None
    rows_removed: int | None = None
    files_added: int | None = None
    files_removed: int | None = None


def compare(before: CatalogView, after: CatalogView) -> list[Difference]:
    """The changes from one state to another, by schema and name. Reads only metadata.

    Inserted and deleted rows are counted since the states diverged: an update counts as both, and compaction as
    neither. If intermediate snapshots have expired, only the difference of the row counts is known.
    """
    if before.catalog.lake.store.identity != after.catalog.lake.store.identity:
        raise InvalidInput("Only catalogs of one lake can be compared.")
    found = _Comparison(before, after).differences()
    # A schema comes before its contents.
    return sorted(found, key=lambda d: (d.schema or d.name, d.schema is not None, d.name))


class _Comparison:
    def __init__(self, before: CatalogView, after: CatalogView) -> None:
        self._before, self._after = before, after
        self._parted = _last_common_snapshot(before, after)
        self._objects_before = {entry.object_id: entry for entry in before.all_objects()}
        self._objects_after = {entry.object_id: entry for entry in after.all_objects()}
        self._stats_before = before.stats_of_tables(_table_ids(self._objects_before.values()))
        self._stats_after = after.stats_of_tables(_table_ids(self._objects_after.values()))

    def differences(self) -> Iterator[Difference]:
        touched = self._changed_table_ids()
        for object_id, entry in self._objects_before.items():
            if object_id not in self._objects_after:
                yield self._dropped_difference(entry)
        for object_id, entry in self._objects_after.items():
            old = self._objects_before.get(object_id)
            if old is None:
                yield self._begun(entry)
            elif (how := _change_kind(old, entry)) is not None or object_id in touched:
                found = self._altered_difference(entry, how or "changed")
                if how is not None or _has_row_changes(found):
                    yield found

    def _dropped_difference(self, entry: LakeObject[Definition]) -> Difference:
        place = _schema_name(entry, self._objects_before), entry.name, entry.kind
        if entry.kind != "table":
            return Difference(*place, "dropped")
        table_id = TableId(entry.object_id)
        rows, files = self._stats_before.get(table_id, TableStats()).record_count, len(self._before.files(table_id))
        return Difference(*place, "dropped", 0, rows, 0, files)

    def _begun(self, entry: LakeObject[Definition]) -> Difference:
        place = _schema_name(entry, self._objects_after), entry.name, entry.kind
        if entry.kind != "table":
            return Difference(*place, "created")
        table_id = TableId(entry.object_id)
        rows, files = self._stats_after.get(table_id, TableStats()).record_count, len(self._after.files(table_id))
        return Difference(*place, "created", rows, 0, files, 0)

    def _altered_difference(self, entry: LakeObject[Definition], how: How) -> Difference:
        place = _schema_name(entry, self._objects_after), entry.name, entry.kind
        if entry.kind != "table":
            return Difference(*place, how)
        table_id = TableId(entry.object_id)
        old = {file.data.data_file_id for file in self._before.files(table_id)}
        new = {file.data.data_file_id for file in self._after.files(table_id)}
        return Difference(*place, how, *self._rows(table_id), len(new - old), len(old - new))

    def _rows(self, table_id: TableId) -> tuple[int, int]:
        """The rows added and removed on the way back to the common snapshot, and from there on."""
        try:
            undone = _count_changed_rows(self._history(self._before, table_id))
            done = _count_changed_rows(self._history(self._after, table_id))
        except NoSuchSnapshot:
            more = self._count(self._stats_after, table_id) - self._count(self._stats_before, table_id)
            return max(more, 0), max(-more, 0)
        return done[0] + undone[1], done[1] + undone[0]

    def _history(self, view: CatalogView, table_id: TableId) -> TableHistory:
        return table_history(view, table_id, self._parted, view.snapshot_id)

    def _changed_table_ids(self) -> set[int]:
        """The tables named in any snapshot since the common one, or with different totals."""
        snapshots = [
            snapshot for view in (self._before, self._after) for snapshot in visible_snapshots(view, after=self._parted)
        ]
        named = {getattr(change, "table_id", None) for snapshot in snapshots for change in snapshot.changes}
        both = self._objects_before.keys() & self._objects_after.keys()
        others = {
            table_id
            for table_id in both
            if self._totals(self._stats_before, table_id) != self._totals(self._stats_after, table_id)
        }
        return {table_id for table_id in named if table_id is not None} | others

    @staticmethod
    def _count(stats: dict[TableId, TableStats], table_id: int) -> int:
        return stats.get(TableId(table_id), TableStats()).record_count

    @staticmethod
    def _totals(stats: dict[TableId, TableStats], table_id: int) -> tuple[int, int, int]:
        found = stats.get(TableId(table_id), TableStats())
        return found.record_count, found.next_row_id, found.file_size_bytes


def _last_common_snapshot(before: CatalogView, after: CatalogView) -> SnapshotId:
    """The newest common snapshot, in the nearest common catalog; -1 if there is none."""
    tops = {level.catalog_id: level.top for level in after.scope.levels}
    common = [min(level.top, tops[level.catalog_id]) for level in before.scope.levels if level.catalog_id in tops]
    return max(common, default=SnapshotId(-1))


def _table_ids(entries: Collection[LakeObject[Definition]]) -> list[TableId]:
    return [TableId(entry.object_id) for entry in entries if entry.kind == "table"]


def _change_kind(old: LakeObject[Definition], new: LakeObject[Definition]) -> How | None:
    if (old.name, old.schema_id) != (new.name, new.schema_id):
        return "renamed"
    return "altered" if old.definition != new.definition else None


def _has_row_changes(found: Difference) -> bool:
    return any((found.rows_added, found.rows_removed, found.files_added, found.files_removed))


def _schema_name(entry: LakeObject[Definition], known: dict[int, LakeObject[Definition]]) -> str | None:
    """The name of the schema of an object; None for schemas."""
    schema = known.get(cast("Table", entry).schema_id) if entry.kind != "schema" else None
    return None if schema is None else schema.name


def _count_changed_rows(history: TableHistory) -> tuple[int, int]:
    """The number of inserted and deleted rows."""
    inserted = sum(e.file.record_count - (e.never_seen.delete_count if e.never_seen else 0) for e in history.inserted)
    inserted += sum(event.batch.live_rows for event in history.inserted_batches)
    deleted = sum(
        (event.after.delete_count if event.after else event.file.record_count)
        - (event.before.delete_count if event.before else 0)
        for event in history.deleted
    )
    return inserted, deleted + sum(len(event.positions) for event in history.deleted_inlined)
