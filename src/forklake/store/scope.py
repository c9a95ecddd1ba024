"""The filter by catalog and lineage, required in every statement about the contents of a catalog."""

from collections.abc import Sequence

from forklake.errors import NoSuchSnapshot
from forklake.model.ids import CatalogId, TableId
from forklake.model.lineage import Level, Scope
from forklake.model.lru_cache import LruCache
from forklake.store.connection import Row, Statement, Store
from forklake.store.dialect import StoreDialect
from forklake.store.row_kinds import RowKind

SHORT_CHAIN = 8
"""Up to this length, scanning all levels is cheaper than determining which of them own rows."""


def visible_condition(alias: str) -> str:
    """Condition: the row is visible at the top of its level `l`; end markers are applied by the reader."""
    return f"{alias}.begin_snapshot <= l.top AND ({alias}.end_snapshot IS NULL OR {alias}.end_snapshot > l.top)"


def fetch_at_snapshot(store: Store, scope: Scope, statements: Sequence[Statement]) -> list[list[Row]]:
    """The complete results of statements about a snapshot; raises if it has expired in the meantime.

    The snapshot is read after the rows, in the same round trip: expiry deletes it before the rows that only it shows,
    so if it is found, everything read before was complete.
    """
    if scope.made_by is None:
        return store.fetch_all(statements)
    there = "SELECT 1 FROM lake_snapshot WHERE catalog_id = :made_by AND snapshot_id = :snapshot_id"
    params = {"made_by": scope.made_by, "snapshot_id": scope.snapshot_id}
    *answers, found = store.fetch_all([*statements, Statement(there, params)])
    if not found:
        raise expired_error(scope)
    return answers


def expired_error(scope: Scope) -> NoSuchSnapshot:
    return NoSuchSnapshot(f"Snapshot {scope.snapshot_id} has expired, or its catalog was dropped.")


def check_snapshot_exists(store: Store, scope: Scope) -> None:
    """Raise if the snapshot has expired."""
    fetch_at_snapshot(store, scope, [])


def end_marker_statements(dialect: StoreDialect, scope: Scope, kind: RowKind, scope_id: int) -> list[Statement]:
    """Selects `(object_id, begin_snapshot)` of rows ended by forks; no statement for a root.

    Applied by the reader: the planner cannot estimate how many rows would survive a join.
    """
    if scope.is_root:
        return []
    sql = f"""
        SELECT e.object_id, e.begin_snapshot
        FROM {dialect.levels}
        JOIN lake_row_end e ON e.catalog_id = l.catalog_id AND e.kind = :kind AND e.scope_id = :scope_id
        WHERE e.end_snapshot <= l.top"""
    params = {"kind": int(kind), "scope_id": scope_id, **dialect.level_params(scope.levels)}
    return [Statement(sql, params)]


class OwnerCache:
    """Caches which ancestors own relevant rows: most of a long lineage owns none.

    Nothing is ever added below a horizon, so each query is executed once and its result is kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._owners: LruCache[tuple[Level, TableId | None], frozenset[CatalogId]] = LruCache(4096)
        """By the nearest ancestor, which determines the others."""

    def of_table(self, scope: Scope, ancestors: tuple[Level, ...], table_id: TableId) -> Scope:
        """The scope without ancestors that own no row and no end marker of the table."""
        return self._narrow(scope, ancestors, table_id)

    def of_catalog(self, scope: Scope, ancestors: tuple[Level, ...]) -> Scope:
        """The scope without ancestors that own no object, no option, and no end marker of one."""
        return self._narrow(scope, ancestors, None)

    def _narrow(self, scope: Scope, ancestors: tuple[Level, ...], table_id: TableId | None) -> Scope:
        if len(ancestors) < SHORT_CHAIN:
            return scope
        key = (ancestors[0], table_id)
        owners = self._owners.get(key)
        if owners is None:
            owners = self._ask(ancestors, table_id)
            self._owners.put(key, owners)
        return scope.only(owners | {scope.catalog_id})

    def _ask(self, ancestors: tuple[Level, ...], table_id: TableId | None) -> frozenset[CatalogId]:
        dialect = self._store.dialect
        tables, kinds, mine, scope_id = _OF_CATALOG if table_id is None else _OF_TABLE
        probes = [f"EXISTS (SELECT 1 FROM {table} r WHERE r.catalog_id = l.catalog_id{mine})" for table in tables]
        probes += [
            "EXISTS (SELECT 1 FROM lake_row_end e"
            f" WHERE e.catalog_id = l.catalog_id AND e.kind = {int(kind)} AND e.scope_id = {scope_id})"
            for kind in kinds
        ]
        sql = f"SELECT l.catalog_id FROM {dialect.levels} WHERE {' OR '.join(probes)}"
        rows = self._store.fetch(sql, {"table_id": table_id, **dialect.level_params(ancestors)})
        return frozenset(CatalogId(row[0]) for row in rows)


# Tables to probe, kinds of end markers, additional condition on the tables, and the scope of the markers.
_OF_CATALOG = (("lake_object", "lake_option"), (RowKind.OBJECT, RowKind.OPTION), "", "0")
_OF_TABLE = (
    ("lake_data_file", "lake_delete_file", "lake_inlined_batch", "lake_inlined_delete", "lake_table_stats"),
    (RowKind.DATA_FILE, RowKind.DELETE_FILE, RowKind.INLINED_BATCH),
    " AND r.table_id = :table_id",
    ":table_id",
)
