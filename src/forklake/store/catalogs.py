"""Catalog rows: lookup, listing, lineage."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import NO_LIMIT, Level, Lineage
from forklake.model.snapshots import CatalogInfo
from forklake.store.connection import Row, Statement, Store

CATALOG_COLUMNS = (
    "c.catalog_id, c.catalog_name, c.catalog_uuid, c.path, c.parent_catalog_id, c.fork_snapshot, c.depth,"
    " c.begin_snapshot, c.end_snapshot, c.head_snapshot, c.schema_version"
)
_LIVE_NAME = "c.catalog_name = :name AND c.end_snapshot IS NULL"


def find_catalog(store: Store, name: str) -> tuple[CatalogInfo, Lineage] | None:
    """A live catalog by name, with its lineage, in one round trip."""
    return _catalog_and_lineage(store, _LIVE_NAME, {"name": name})


def catalog_with_id(store: Store, catalog_id: CatalogId) -> tuple[CatalogInfo, Lineage] | None:
    return _catalog_and_lineage(
        store, "c.catalog_id = :catalog_id AND c.end_snapshot IS NULL", {"catalog_id": catalog_id}
    )


def list_catalogs(store: Store, *, after: str, limit: int, parent_id: CatalogId | None) -> list[CatalogInfo]:
    """A page of live catalogs by name; with `parent_id` only its forks."""
    where = "c.parent_catalog_id = :parent_id" if parent_id is not None else "TRUE"
    rows = store.fetch(
        f"SELECT {CATALOG_COLUMNS} FROM lake_catalog c"
        f" WHERE c.end_snapshot IS NULL AND c.catalog_name > :after AND {where}"
        " ORDER BY c.catalog_name LIMIT :limit",
        {"after": after, "limit": limit, "parent_id": parent_id},
    )
    return [read_catalog(row) for row in rows]


def list_dropped(store: Store, *, before: CatalogId | None, limit: int) -> list[CatalogInfo]:
    """A page of dropped catalogs, newest first: forks before their parents."""
    rows = store.fetch(
        f"SELECT {CATALOG_COLUMNS} FROM lake_catalog c"
        " WHERE c.end_snapshot IS NOT NULL AND c.catalog_id < :before ORDER BY c.catalog_id DESC LIMIT :limit",
        {"before": NO_LIMIT if before is None else before, "limit": limit},
    )
    return [read_catalog(row) for row in rows]


def similar_names(store: Store, name: str) -> list[str]:
    """A few live names alphabetically near this one, for suggestions."""
    nearby = "SELECT catalog_name FROM lake_catalog WHERE end_snapshot IS NULL AND catalog_name"
    rows = store.fetch_all(
        [
            Statement(f"{nearby} >= :name ORDER BY catalog_name LIMIT 20", {"name": name[:2]}),
            Statement(f"{nearby} < :name ORDER BY catalog_name DESC LIMIT 20", {"name": name[:2]}),
        ]
    )
    return [row[0] for answer in rows for row in answer]


def head_of(store: Store, catalog_id: CatalogId) -> tuple[SnapshotId, int] | None:
    """The newest snapshot and schema version; None if the catalog was dropped."""
    rows = store.fetch(
        "SELECT head_snapshot, schema_version FROM lake_catalog"
        " WHERE catalog_id = :catalog_id AND end_snapshot IS NULL",
        {"catalog_id": catalog_id},
    )
    return (SnapshotId(rows[0][0]), rows[0][1]) if rows else None


@dataclass(frozen=True, slots=True)
class HeadState:
    """The newest snapshot of a catalog and its time, and the last snapshot id allocated in any catalog."""

    head: SnapshotId
    head_time: datetime
    last_id: SnapshotId


def newest_of(store: Store, catalog_id: CatalogId) -> HeadState | None:
    """The state of the head; None if the catalog was dropped."""
    live = "SELECT head_snapshot, head_time FROM lake_catalog WHERE catalog_id = :catalog_id AND end_snapshot IS NULL"
    heads, lasts = store.fetch_all(
        [Statement(live, {"catalog_id": catalog_id}), Statement(store.dialect.last_id("snapshot"), {})]
    )
    if not heads:
        return None
    return HeadState(SnapshotId(heads[0][0]), store.dialect.from_database_time(heads[0][1]), SnapshotId(lasts[0][0]))


def read_catalog(row: Row) -> CatalogInfo:
    (catalog_id, name, uuid, path, parent, fork, depth, begin, end, head, schema_version) = cast("Any", row)
    return CatalogInfo(catalog_id, name, str(uuid), path, parent, fork, depth, begin, end, head, schema_version)


def _catalog_and_lineage(store: Store, where: str, params: dict[str, object]) -> tuple[CatalogInfo, Lineage] | None:
    # A single statement: between two, a catalog could be renamed, and the lineage be that of another catalog.
    rows = store.fetch(
        f"SELECT {CATALOG_COLUMNS}, a.ancestor_id, a.max_snapshot FROM lake_catalog c"
        f" JOIN lake_catalog_ancestor a ON a.catalog_id = c.catalog_id WHERE {where} ORDER BY a.depth",
        params,
    )
    if not rows:
        return None
    levels = tuple(Level(CatalogId(row[-2]), SnapshotId(row[-1])) for row in rows)
    return read_catalog(rows[0][:-2]), Lineage(levels)
