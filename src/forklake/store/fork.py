"""Forking with plain statements, for databases without stored functions.

The PostgreSQL equivalent is `ducklake_fork_catalog`; both are covered by the same tests.
"""

from forklake.errors import AlreadyExists, ForkMismatch, InvalidInput, NoSuchCatalog, NoSuchSnapshot
from forklake.model.changes import ForkedFrom, format_changes
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import NO_LIMIT, Level, Lineage
from forklake.model.names import path_segment
from forklake.model.snapshots import CatalogInfo
from forklake.store.catalog_rows import CatalogRecord, SnapshotRecord
from forklake.store.catalog_writes import folder_taken_statement, unique_folder
from forklake.store.catalogs import CATALOG_COLUMNS, read_catalog
from forklake.store.clock import clock_statement
from forklake.store.connection import ForkRequest, RowsToInsert, Statement, Store, WriteConnection
from forklake.store.dialect import read_drawn_ids
from forklake.store.snapshots import newest_snapshot


def fork_with_statements(store: Store, request: ForkRequest) -> bool:
    """Forks in one transaction, during which the database excludes other writers."""
    if request.version is not None and request.timestamp is not None:
        raise InvalidInput("Cannot specify both VERSION and TIMESTAMP.")
    by_name = (
        f"SELECT {CATALOG_COLUMNS}, c.head_time FROM lake_catalog c"
        " WHERE c.catalog_name = :name AND c.end_snapshot IS NULL"
    )
    first = [Statement(by_name, {"name": request.parent}), Statement(by_name, {"name": request.name})]
    with store.writing(first) as (transaction, (parents, existing)):
        if not parents:
            raise NoSuchCatalog(f"Catalog '{request.parent}' does not exist in this DuckLake instance.")
        parent = read_catalog(parents[0][:-1])
        if existing:
            found = read_catalog(existing[0][:-1])
            if found.uuid == request.uuid:
                return True
            _check_existing(found, parent, request)
            return False
        lineage = _read_lineage(transaction, parent.catalog_id)
        horizon, schema_version = _fork_point(store, parent, lineage, request)
        head_time = store.dialect.from_database_time(parents[0][-1])
        _create_fork(store, transaction, request, parent, lineage, horizon, schema_version, head_time)
    return True


def _check_existing(existing: CatalogInfo, parent: CatalogInfo, request: ForkRequest) -> None:
    """An existing catalog is accepted only with `if_not_exists`, and only if it is a fork of the same parent."""
    if not request.if_not_exists:
        raise AlreadyExists(f"Catalog '{existing.name}' already exists. Use if_not_exists to keep it.")
    if existing.parent_id is None:
        raise ForkMismatch(f"Catalog '{existing.name}' exists but is not a fork (it's a root catalog).")
    if existing.parent_id != parent.catalog_id:
        raise ForkMismatch(f"Catalog '{existing.name}' was forked from a different parent.")


def _read_lineage(transaction: WriteConnection, catalog_id: CatalogId) -> Lineage:
    [rows] = transaction.fetch_all(
        [
            Statement(
                "SELECT ancestor_id, max_snapshot FROM lake_catalog_ancestor"
                " WHERE catalog_id = :catalog_id ORDER BY depth",
                {"catalog_id": catalog_id},
            )
        ]
    )
    return Lineage(tuple(Level(CatalogId(ancestor), SnapshotId(top)) for ancestor, top in rows))


def _fork_point(store: Store, parent: CatalogInfo, lineage: Lineage, request: ForkRequest) -> tuple[SnapshotId, int]:
    if request.version is None and request.timestamp is None:
        return parent.head_snapshot, parent.schema_version
    top = NO_LIMIT if request.version is None else SnapshotId(request.version)
    [[last]] = store.fetch(store.dialect.last_id("snapshot"), {})
    snapshot = newest_snapshot(store, lineage, top, request.timestamp)
    if snapshot is None or (request.version is not None and request.version > last):
        where = f"version {request.version}" if request.version is not None else f"timestamp {request.timestamp}"
        raise NoSuchSnapshot(f"No snapshot found at {where} in catalog '{request.parent}'.")
    return snapshot.snapshot_id, snapshot.schema_version


def _create_fork(
    store: Store,
    transaction: WriteConnection,
    request: ForkRequest,
    parent: CatalogInfo,
    lineage: Lineage,
    horizon: SnapshotId,
    schema_version: int,
    head_time: object,
) -> None:
    dialect = store.dialect
    uuid = request.uuid
    folder = path_segment(request.name, uuid)
    ids, births, taken, clock = transaction.fetch_all(
        [
            Statement(dialect.next_ids("entity"), {"count": 1}),
            Statement(dialect.next_ids("snapshot"), {"count": 1}),
            folder_taken_statement(folder),
            clock_statement(dialect),
        ]
    )
    if taken:
        folder = unique_folder(folder, uuid)
    [catalog_id], [birth] = read_drawn_ids(ids, 1), read_drawn_ids(births, 1)
    time = dialect.to_database_time(dialect.later(clock[0][0], head_time))
    # A parent without rows visible to the fork is omitted from the lineage.
    skip = horizon <= parent.begin_snapshot and parent.parent_id is not None
    inherited = lineage.levels[1:] if skip else lineage.levels
    chain = [(catalog_id, NO_LIMIT), *((level.catalog_id, min(level.top, horizon)) for level in inherited)]
    changes = format_changes([ForkedFrom(parent.catalog_id)])
    record = CatalogRecord.new(
        catalog_id,
        uuid,
        request.name,
        folder,
        birth,
        time,
        parent_id=parent.catalog_id,
        horizon=horizon,
        depth=parent.depth + 1,
        schema_version=schema_version,
    )
    transaction.commit(
        [
            RowsToInsert("lake_catalog", [record]),
            RowsToInsert("lake_catalog_ancestor", [(catalog_id, depth, *level) for depth, level in enumerate(chain)]),
            RowsToInsert("lake_snapshot", [SnapshotRecord(catalog_id, birth, horizon, time, schema_version, changes)]),
        ]
    )
