"""The tree of forks below a catalog."""

from collections.abc import Collection

from forklake.model.ids import CatalogId
from forklake.model.snapshots import CatalogInfo
from forklake.store.catalogs import CATALOG_COLUMNS, read_catalog
from forklake.store.connection import Statement, Store

_OWNED = (
    "lake_snapshot",
    "lake_object",
    "lake_row_end",
    "lake_data_file",
    "lake_delete_file",
    "lake_file_column_stats",
    "lake_file_partition_value",
    "lake_table_stats",
    "lake_inlined_batch",
    "lake_inlined_delete",
    "lake_column_mapping",
    "lake_option",
)


def subtree(store: Store, catalog_id: CatalogId) -> list[CatalogInfo]:
    """A catalog and its descendants, including dropped ones with live descendants; parents first."""
    # Level by level: for a recursive query the planner assumes that every catalog has the average number of forks.
    among = store.dialect.any_of("c.{0}", "ids")
    infos: list[CatalogInfo] = []
    found: set[CatalogId] = set()
    column, ids = "catalog_id", [catalog_id]
    while ids:
        rows = store.fetch(
            f"SELECT {CATALOG_COLUMNS} FROM lake_catalog c WHERE {among.format(column)} ORDER BY c.catalog_id",
            {"ids": ids},
        )
        # Rows written by others may contain a cycle.
        level = [info for info in map(read_catalog, rows) if info.catalog_id not in found]
        found |= {info.catalog_id for info in level}
        infos += level
        column, ids = "parent_catalog_id", [info.catalog_id for info in level]
    needed: set[CatalogId | None] = set()
    for info in reversed(infos):
        if info.end_snapshot is None or info.catalog_id in needed:
            needed |= {info.catalog_id, info.parent_id}
    return [info for info in infos if info.catalog_id in needed]


def own_rows(store: Store, catalog_ids: Collection[CatalogId]) -> dict[CatalogId, int]:
    """The number of metadata rows that each catalog has written itself."""
    among = store.dialect.any_of("catalog_id", "catalog_ids")
    counts = store.fetch_all(
        [
            Statement(
                f"SELECT catalog_id, count(*) FROM {table} WHERE {among} GROUP BY catalog_id",
                {"catalog_ids": list(catalog_ids)},
            )
            for table in _OWNED
        ]
    )
    total: dict[CatalogId, int] = {}
    for answer in counts:
        for catalog_id, count in answer:
            total[catalog_id] = total.get(catalog_id, 0) + count
    return total
