"""Snapshot rows: history, and which snapshot a version or a time means."""

from collections.abc import Sequence
from datetime import datetime
from time import monotonic, sleep
from typing import Any, cast

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
    """The history that a catalog sees, its ancestors' part included, oldest first."""
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
    rows = store.fetch(
        f"SELECT {_COLUMNS} FROM {dialect.levels} JOIN lake_snapshot s ON s.catalog_id = l.catalog_id"
        " WHERE s.snapshot_id <= l.top ORDER BY s.snapshot_id DESC LIMIT :count",
        {"count": NO_LIMIT if count is None else count, **dialect.level_params(scope.levels)},
    )
    return [_snapshot_from_row(row, dialect) for row in rows]


def newest_snapshot(
    store: Store, lineage: Lineage, version: SnapshotId, until: datetime | None = None
) -> Snapshot | None:
    """The newest snapshot not above a version, nor later than `until`; None if it is not there, or has expired.

    A snapshot stands for all versions up to its successor. Whoever finds one must know that nothing between it and
    what was asked for has expired: see `_stands_for`.
    """
    dialect = store.dialect
    params = {"version": version, **dialect.level_params(lineage.levels)}
    in_time = "TRUE"
    if until is not None:
        params["until"] = dialect.to_database_time(until)
        in_time = "s.snapshot_time <= :until"
    # Ordered by time where a time is asked for, so that the index finds it at once.
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
    exact = found.snapshot_id == version or found.snapshot_time == until
    return found if exact or _covers_version(store, lineage, found, row[-1], version) else None


def _covers_version(
    store: Store, lineage: Lineage, found: Snapshot, follower: SnapshotId | None, version: SnapshotId
) -> bool:
    """Whether nothing has expired between a snapshot and a version for which none that is kept is nearer.

    In its own catalog its successor must name it. An ancestor's last one must be where the catalog below has left it,
    and what was asked for must be from before that catalog: its first snapshot is kept, and later, or has a higher id.
    """
    if follower is not None:
        return follower == found.snapshot_id
    if found.catalog_id == lineage.catalog_id:
        return True  # the head never expires
    place = next(i for i, level in enumerate(lineage.levels) if level.catalog_id == found.catalog_id)
    begun = first_snapshots(store, lineage.levels[:place])
    # A catalog that was passed over by a fork in the past has nothing to show.
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
    """The oldest snapshot in scope that was committed at a time or later."""
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
    """Whether a snapshot was put on top of another one, kept or not."""
    rows = store.fetch(
        f"SELECT s.previous_snapshot_id FROM {store.dialect.levels} JOIN lake_snapshot s"
        " ON s.catalog_id = l.catalog_id AND s.snapshot_id = :snapshot_id",
        {"snapshot_id": snapshot_id, **store.dialect.level_params(scope.levels)},
    )
    return any(previous is not None for (previous,) in rows)


def wait_for_commit(store: Store, catalog_id: CatalogId) -> None:
    """Return when a commit to the catalog that is under way now has ended; SQLite shows none before it has."""
    if not store.dialect.is_postgres:
        return
    if not store.read_only:
        share = f"SELECT 1 FROM lake_catalog WHERE catalog_id = :catalog_id {store.dialect.share_catalog}"
        store.fetch(share, {"catalog_id": catalog_id})
        return
    # A reader may lock nothing. Whoever has drawn an id has locked a row of lake_catalog before, which shows:
    # wait until all who hold such a lock now have ended.
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
    """Locks a catalog, and asks for its head, schema version and head time, a new snapshot id, and the time."""
    return Statement(dialect.begin_commit, {"catalog_id": catalog_id})


def changes_since(catalog_id: CatalogId, base: SnapshotId) -> Statement:
    """Asks what was committed to a catalog since a snapshot; read the answer with `read_changes`."""
    return Statement(
        "SELECT snapshot_id, previous_snapshot_id, changes_made FROM lake_snapshot"
        " WHERE catalog_id = :catalog_id AND snapshot_id >= :base ORDER BY snapshot_id",
        {"catalog_id": catalog_id, "base": base},
    )


def landed_statements(dialect: StoreDialect, catalog_id: CatalogId, base: SnapshotId, token: str) -> list[Statement]:
    """Wait for the catalog's lock, then ask for the snapshot that was committed with a token, and for all since."""
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
    """What was committed after the base, in order; None if that cannot be told because some of it has expired."""
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
