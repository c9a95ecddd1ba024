"""When files and inlined rows of a table began and ended, seen from a catalog: first the events, then the rows."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from forklake.model.files import DataFile, DeleteFile, InlinedBatch
from forklake.model.ids import BatchId, CatalogId, DataFileId, SnapshotId, TableId
from forklake.model.lineage import Scope
from forklake.store.connection import Row, Statement, Store
from forklake.store.dialect import StoreDialect
from forklake.store.row_kinds import RowKind
from forklake.store.table_files import BATCH_COLUMNS, DATA_COLUMNS, DELETE_COLUMNS, read_batch

FETCH_BY_ID = 5_000
"""Up to this number of rows are fetched by id; for more, reading the whole table and filtering is faster."""


class Event(NamedTuple):
    """An item of a table, identified by id, began or ended in a snapshot."""

    object_id: int
    snapshot_id: SnapshotId


class KeptSnapshot(NamedTuple):
    """A snapshot that has not expired, its predecessor, and the text of its changes."""

    snapshot_id: SnapshotId
    previous: SnapshotId | None
    changes: str
    has_previous: bool
    """Whether its predecessor is kept too, in the range or not."""
    is_last: bool
    """Whether it is the newest visible snapshot of its catalog, where the next catalog of the lineage was forked."""
    catalog_id: CatalogId


@dataclass(frozen=True, slots=True)
class RowEvents:
    """The events of a table after a snapshot, up to the tops of a scope."""

    begun_files: list[Event]
    ended_files: list[Event]
    deletes: list[Event]
    """By data file: a new delete file was added."""
    begun_batches: list[Event]
    ended_batches: list[Event]
    inlined_deletes: list[Event]
    """By batch: rows of it were deleted."""
    snapshots: list[KeptSnapshot]
    """The kept snapshots in order."""


def row_events(store: Store, scope: Scope, narrowed: Scope, table_id: TableId, after: SnapshotId) -> RowEvents:
    """Reads all events in one round trip; an inherited row ends where a fork has marked it.

    `narrowed` is the scope without the catalogs that own nothing of the table.
    """
    files, deletes, batches, inlined, markers, snapshots = store.fetch_all(
        [
            *_event_statements(store.dialect, narrowed, table_id, after),
            _snapshot_statement(store.dialect, scope, after),
        ]
    )
    return RowEvents(
        begun_files=_begin_events(files, after),
        ended_files=_end_events(files, after) + _marked_end_events(markers, RowKind.DATA_FILE),
        deletes=[Event._make(row) for row in deletes],
        begun_batches=_begin_events(batches, after),
        ended_batches=_end_events(batches, after) + _marked_end_events(markers, RowKind.INLINED_BATCH),
        inlined_deletes=[Event._make(row) for row in inlined],
        snapshots=_read_snapshots(snapshots),
    )


def _event_statements(dialect: StoreDialect, scope: Scope, table_id: TableId, after: SnapshotId) -> list[Statement]:
    def of_table(columns: str, table: str, where: str) -> str:
        mine = "r.catalog_id = l.catalog_id AND r.table_id = :table_id"
        return f"SELECT {columns} FROM {dialect.levels} JOIN {table} r ON {mine} WHERE {where}"

    begun = "r.begin_snapshot > :after AND r.begin_snapshot <= l.top"
    ended = "r.end_snapshot > :after AND r.end_snapshot <= l.top"
    # Ends after the top of the level do not apply.
    versions = "r.begin_snapshot, CASE WHEN r.end_snapshot <= l.top THEN r.end_snapshot END"
    sql = [
        of_table(f"r.data_file_id, {versions}", "lake_data_file", f"({begun}) OR ({ended})"),
        of_table("r.data_file_id, r.begin_snapshot", "lake_delete_file", begun),
        of_table(f"r.batch_id, {versions}", "lake_inlined_batch", f"({begun}) OR ({ended})"),
        of_table("DISTINCT r.batch_id, r.begin_snapshot", "lake_inlined_delete", begun),
        f"SELECT e.kind, e.object_id, e.end_snapshot FROM {dialect.levels} JOIN lake_row_end e"
        " ON e.catalog_id = l.catalog_id AND e.kind IN (:data_file, :batch) AND e.scope_id = :table_id"
        " WHERE e.end_snapshot > :after AND e.end_snapshot <= l.top",
    ]
    params = {
        "table_id": table_id,
        "after": after,
        "data_file": int(RowKind.DATA_FILE),
        "batch": int(RowKind.INLINED_BATCH),
        **dialect.level_params(scope.levels),
    }
    return [Statement(text, params) for text in sql]


def _read_snapshots(rows: list[Row]) -> list[KeptSnapshot]:
    return [
        KeptSnapshot(row[0], row[1], row[2] or "", row[3] is not None, row[0] == row[4], CatalogId(row[5]))
        for row in rows
    ]


def _snapshot_statement(dialect: StoreDialect, scope: Scope, after: SnapshotId) -> Statement:
    sql = (
        "SELECT s.snapshot_id, s.previous_snapshot_id, s.changes_made, p.snapshot_id, l.top, l.catalog_id"
        f" FROM {dialect.levels}"
        " JOIN lake_snapshot s ON s.catalog_id = l.catalog_id AND s.snapshot_id > :after AND s.snapshot_id <= l.top"
        " LEFT JOIN lake_snapshot p ON p.catalog_id = s.catalog_id AND p.snapshot_id = s.previous_snapshot_id"
        " ORDER BY s.snapshot_id"
    )
    return Statement(sql, {"after": after, **dialect.level_params(scope.levels)})


def _begin_events(rows: list[Row], after: SnapshotId) -> list[Event]:
    return [Event(row_id, begin) for row_id, begin, _ in rows if begin > after]


def _end_events(rows: list[Row], after: SnapshotId) -> list[Event]:
    return [Event(row_id, end) for row_id, _, end in rows if end is not None and end > after]


def _marked_end_events(markers: list[Row], kind: RowKind) -> list[Event]:
    return [Event(row_id, end) for found, row_id, end in markers if found == kind]


@dataclass(frozen=True, slots=True)
class EventRows:
    """The rows that events refer to, whether or not they are still visible."""

    files: dict[int, DataFile]
    deletes: dict[int, list[DeleteFile]]
    """By data file, all delete files it ever had, oldest first."""
    batches: dict[int, InlinedBatch]
    """All rows, including deleted ones."""
    positions: dict[int, list[tuple[int, SnapshotId]]]
    """By batch: deleted positions, and since when."""


def rows_of_events(
    store: Store,
    scope: Scope,
    narrowed: Scope,
    table_id: TableId,
    after: SnapshotId,
    file_ids: Collection[DataFileId],
    batch_ids: Collection[BatchId],
) -> tuple[EventRows, list[KeptSnapshot]]:
    """These files and batches with all deletes from them, and the snapshots kept at that time, in one round trip."""
    data_rows, delete_rows, batch_rows, position_rows, snapshots = store.fetch_all(
        [
            *_row_statements(store.dialect, narrowed, table_id, file_ids, batch_ids),
            _snapshot_statement(store.dialect, scope, after),
        ]
    )
    wanted_files, wanted_batches = set(file_ids), set(batch_ids)
    deletes: dict[int, list[DeleteFile]] = {}
    for delete in sorted(map(DeleteFile._make, delete_rows), key=lambda found: found.begin_snapshot):
        deletes.setdefault(delete.data_file_id, []).append(delete)
    positions: dict[int, list[tuple[int, SnapshotId]]] = {}
    for batch_id, position, begin in position_rows:
        positions.setdefault(batch_id, []).append((position, begin))
    rows = EventRows(
        {row[0]: DataFile._make(row) for row in data_rows if row[0] in wanted_files},
        deletes,
        {row[0]: read_batch(row) for row in batch_rows if row[0] in wanted_batches},
        positions,
    )
    return rows, _read_snapshots(snapshots)


def _row_statements(
    dialect: StoreDialect,
    scope: Scope,
    table_id: TableId,
    file_ids: Collection[DataFileId],
    batch_ids: Collection[BatchId],
) -> list[Statement]:
    params: dict[str, object] = {"table_id": table_id, **dialect.level_params(scope.levels)}
    statements = []
    for columns, table, alias, key, ids in (
        (DATA_COLUMNS, "lake_data_file", "f", "data_file_id", file_ids),
        (DELETE_COLUMNS, "lake_delete_file", "f", "data_file_id", file_ids),
        (BATCH_COLUMNS, "lake_inlined_batch", "b", "batch_id", batch_ids),
        ("d.batch_id, d.position, d.begin_snapshot", "lake_inlined_delete", "d", "batch_id", batch_ids),
    ):
        few = len(ids) <= FETCH_BY_ID
        which = dialect.any_of(f"{alias}.{key}", "ids") if few else "TRUE"
        sql = (
            f"SELECT {columns} FROM {dialect.levels} JOIN {table} {alias}"
            f" ON {alias}.catalog_id = l.catalog_id AND {alias}.table_id = :table_id"
            f" WHERE {alias}.begin_snapshot <= l.top AND {which}"
        )
        statements.append(Statement(sql, {**params, "ids": list(ids)} if few else params))
    return statements
