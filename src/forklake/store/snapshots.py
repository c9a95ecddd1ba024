"""Snapshot rows: history, and lookup by version or time."""

from collections.abc import Sequence
from datetime import datetime
from time import monotonic, sleep
from typing import Any, NamedTuple, cast

from forklake.errors import StoreBusy
from forklake.model.changes import parse_changes
from forklake.model.conflicts import CommittedChanges
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import NO_LIMIT, Level, Lineage, Scope
from forklake.model.snapshots import Snapshot
from forklake.store.connection import Row, Statement, Store
from forklake.store.dialect import StoreDialect

_PATIENCE_SECONDS = 30
_COLUMNS = (
    "s.snapshot_id, s.catalog_id, s.previous_snapshot_id, s.snapshot_time, s.schema_version, s.changes_made,"
    " s.author, s.commit_message, s.commit_extra_info"
)


def snapshots_up_to(store: Store, scope: Scope, *, after: SnapshotId | None = None) -> list[Snapshot]:
    """The history seen by a catalog, including that of its ancestors, oldest first."""
    dialect = store.dialect
    rows = store.fetch(
        f"SELECT {_COLUMNS} FROM {dialect.levels} JOIN lake_snapshot s ON s.catalog_id = l.catalog_id"
        " WHERE s.snapshot_id <= l.top AND s.snapshot_id > :after ORDER BY s.snapshot_id",
        {"after": -1 if after is None else after, **dialect.level_params(scope.levels)},
    )
    return [_snapshot_from_row(row, dialect) for row in rows]


def newest_snapshots(store: Store, scope: Scope, count: int | None) -> list[Snapshot]:
    """The end of the same history, newest first."""
    dialect = store.dialect
    mine = "s.catalog_id = l.catalog_id AND s.snapshot_id <= l.top"
    source = f"JOIN lake_snapshot s ON {mine}"
    if dialect.is_postgres:
        # Of every level only as many, by its index: otherwise the whole history is read and sorted.
        newest = f"SELECT s.* FROM lake_snapshot s WHERE {mine} ORDER BY s.snapshot_id DESC LIMIT :count"
        source = f"CROSS JOIN LATERAL ({newest}) s"
    rows = store.fetch(
        f"SELECT {_COLUMNS} FROM {dialect.levels} {source} ORDER BY s.snapshot_id DESC LIMIT :count",
        {"count": NO_LIMIT if count is None else count, **dialect.level_params(scope.levels)},
    )
    return [_snapshot_from_row(row, dialect) for row in rows]


def newest_snapshot(
    store: Store, lineage: Lineage, version: SnapshotId, until: datetime | None = None, *, before: bool = False
) -> Snapshot | None:
    """The newest snapshot not above a version, nor later than `until`; None if it does not exist or has expired.

    With `before`, it is earlier than `until`, and nothing up to that time has expired. A snapshot represents all
    versions up to its successor. This requires that nothing between it and the requested version or time has expired:
    see `_covers_version`.
    """
    dialect = store.dialect
    params = {"version": version, **dialect.level_params(lineage.levels)}
    in_time = "TRUE"
    if until is not None:
        params["until"] = dialect.to_database_time(until)
        in_time = "s.snapshot_time < :until" if before else "s.snapshot_time <= :until"
    # Ordered by time if a time is given, so that the index finds it directly.
    order = "s.snapshot_id" if until is None else "s.snapshot_time"
    newest = (
        f"SELECT s.snapshot_id FROM lake_snapshot s WHERE s.catalog_id = l.catalog_id AND s.snapshot_id <= l.top"
        f" AND s.snapshot_id <= :version AND {in_time} ORDER BY {order} DESC LIMIT 1"
    )
    follower = (
        "SELECT n.previous_snapshot_id FROM lake_snapshot n WHERE n.catalog_id = s.catalog_id"
        " AND n.snapshot_id > s.snapshot_id AND n.snapshot_id <= l.top ORDER BY n.snapshot_id LIMIT 1"
    )
    rows = store.fetch(
        f"SELECT {_COLUMNS}, ({follower})"
        f" FROM {dialect.levels} JOIN lake_snapshot s ON s.catalog_id = l.catalog_id AND s.snapshot_id = ({newest})",
        params,
    )
    if not rows:
        return None
    row = max(rows, key=lambda candidate: candidate[0])
    found = _snapshot_from_row(row, dialect)
    # Snapshots may be a microsecond apart.
    exact = found.snapshot_id == version or (found.snapshot_time == until and not before)
    return found if exact or _covers_version(store, lineage, found, row[-1], version) else None


def _covers_version(
    store: Store, lineage: Lineage, found: Snapshot, follower: SnapshotId | None, version: SnapshotId
) -> bool:
    """Whether nothing has expired between a snapshot and a version for which it is the nearest kept snapshot.

    Within its own catalog, its successor must refer to it. The last snapshot of an ancestor must be the fork point of
    the catalog below, and the request must precede that catalog: its first snapshot is kept, and later, or has a higher
    id.
    """
    if follower is not None:
        return follower == found.snapshot_id
    if found.catalog_id == lineage.catalog_id:
        return True  # the head never expires
    place = next(i for i, level in enumerate(lineage.levels) if level.catalog_id == found.catalog_id)
    begun = first_snapshots(store, lineage.levels[:place])
    # A catalog that was skipped by a fork at an earlier snapshot is not relevant.
    nearer = [begun[level.catalog_id] for level in lineage.levels[:place] if begun[level.catalog_id][0] <= level.top]
    begin, is_kept = nearer[-1]
    return found.snapshot_id == lineage.levels[place].top and (is_kept or version < begin)


def first_snapshots(store: Store, levels: Sequence[Level]) -> dict[CatalogId, tuple[SnapshotId, bool]]:
    """The first snapshot of each catalog, and whether it is kept."""
    rows = store.fetch(
        "SELECT c.catalog_id, c.begin_snapshot, EXISTS (SELECT 1 FROM lake_snapshot s"
        "   WHERE s.catalog_id = c.catalog_id AND s.snapshot_id = c.begin_snapshot)"
        f" FROM {store.dialect.levels} JOIN lake_catalog c ON c.catalog_id = l.catalog_id",
        store.dialect.level_params(levels),
    )
    return {CatalogId(row[0]): (SnapshotId(row[1]), bool(row[2])) for row in rows}


def first_snapshot_since(store: Store, scope: Scope, since: datetime) -> SnapshotId | None:
    """The oldest snapshot in scope committed at or after a time."""
    dialect = store.dialect
    oldest = (
        "SELECT s.snapshot_id FROM lake_snapshot s WHERE s.catalog_id = l.catalog_id AND s.snapshot_id <= l.top"
        " AND s.snapshot_time >= :since ORDER BY s.snapshot_time LIMIT 1"
    )
    rows = store.fetch(
        f"SELECT ({oldest}) FROM {dialect.levels}",
        {"since": dialect.to_database_time(since), **dialect.level_params(scope.levels)},
    )
    return min((SnapshotId(row[0]) for row in rows if row[0] is not None), default=None)


def has_previous(store: Store, scope: Scope, snapshot_id: SnapshotId) -> bool:
    """Whether a snapshot has a predecessor, kept or not."""
    rows = store.fetch(
        f"SELECT s.previous_snapshot_id FROM {store.dialect.levels} JOIN lake_snapshot s"
        " ON s.catalog_id = l.catalog_id AND s.snapshot_id = :snapshot_id",
        {"snapshot_id": snapshot_id, **store.dialect.level_params(scope.levels)},
    )
    return any(previous is not None for (previous,) in rows)


def wait_for_commit(store: Store, catalog_id: CatalogId) -> None:
    """Waits until a commit to the catalog that is currently in progress has ended; unnecessary for SQLite."""
    if not store.dialect.is_postgres:
        return
    if not store.read_only:
        share = f"SELECT 1 FROM lake_catalog WHERE catalog_id = :catalog_id {store.dialect.share_catalog}"
        store.fetch(share, {"catalog_id": catalog_id})
        return
    # Readers cannot take locks. Every transaction that has allocated an id holds a visible lock on a row of
    # lake_catalog: wait until all current holders of such locks have ended.
    holders = (
        "SELECT DISTINCT virtualtransaction FROM pg_locks WHERE relation = 'lake_catalog'::regclass"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        " AND mode IN ('RowShareLock', 'RowExclusiveLock')"
    )
    waiting = set(store.fetch(holders, {}))
    deadline = monotonic() + _PATIENCE_SECONDS
    while waiting := waiting.intersection(store.fetch(holders, {})):
        if monotonic() > deadline:
            raise StoreBusy(
                f"{store.location}: a transaction has been open for {_PATIENCE_SECONDS} s; try an older version."
            )
        sleep(0.01)


def begin_commit(dialect: StoreDialect, catalog_id: CatalogId) -> Statement:
    """Locks a catalog and allocates a snapshot id; read the result with `read_locked_head`."""
    return Statement(dialect.begin_commit, {"catalog_id": catalog_id})


class LockedHead(NamedTuple):
    """The head of a catalog locked for a commit, and what the new snapshot needs."""

    snapshot_id: SnapshotId
    schema_version: int
    time: Any
    new_snapshot_id: SnapshotId
    clock: Any
    """The current time of the database."""


def read_locked_head(rows: list[Row]) -> LockedHead | None:
    """None if the catalog was dropped."""
    return LockedHead._make(rows[0]) if rows else None


def changes_since(catalog_id: CatalogId, base: SnapshotId, *, at_most: int | None = None) -> Statement:
    """Selects the commits to a catalog since a snapshot, or the first of them; read the result with `read_changes`."""
    return Statement(
        "SELECT snapshot_id, previous_snapshot_id, changes_made FROM lake_snapshot"
        " WHERE catalog_id = :catalog_id AND snapshot_id >= :base ORDER BY snapshot_id LIMIT :at_most",
        {"catalog_id": catalog_id, "base": base, "at_most": NO_LIMIT if at_most is None else at_most},
    )


def landed_statements(dialect: StoreDialect, catalog_id: CatalogId, base: SnapshotId, token: str) -> list[Statement]:
    """Wait for the lock of the catalog, then select the snapshot committed with a token, and all commits since."""
    lock = f"SELECT 1 FROM lake_catalog WHERE catalog_id = :catalog_id {dialect.lock_catalog}"
    landed = (
        "SELECT snapshot_id FROM lake_snapshot"
        " WHERE catalog_id = :catalog_id AND snapshot_id > :base AND commit_token = :token"
    )
    mine = {"catalog_id": catalog_id}
    return [
        Statement(lock, mine),
        Statement(landed, {**mine, "base": base, "token": token}),
        changes_since(catalog_id, base),
    ]


def read_changes(rows: list[Row], base: SnapshotId) -> list[CommittedChanges] | None:
    """The commits after the base, in order; None if they are incomplete because some have expired."""
    before = base
    if not rows or rows[0][0] != base:
        return None
    for snapshot_id, previous, _ in rows[1:]:
        if previous != before:
            return None
        before = snapshot_id
    return [CommittedChanges(SnapshotId(row[0]), parse_changes(row[2] or "")) for row in rows[1:]]


def _snapshot_from_row(row: Row, dialect: StoreDialect) -> Snapshot:
    snapshot_id, catalog_id, previous, time, schema_version, changes, author, message, extra = cast("Any", row[:9])
    return Snapshot(
        snapshot_id=snapshot_id,
        catalog_id=catalog_id,
        previous_snapshot_id=previous,
        snapshot_time=dialect.from_database_time(time),
        schema_version=schema_version,
        changes=parse_changes(changes or ""),
        author=author,
        commit_message=message,
        commit_extra_info=extra,
    )
