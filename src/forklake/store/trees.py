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
    """A catalog and its descendants, dropped ones included where something below them lives; parents first."""
    rows = store.fetch(
        f"""
        WITH RECURSIVE below AS (
            SELECT catalog_id FROM lake_catalog WHERE catalog_id = :catalog_id
            UNION ALL
            SELECT c.catalog_id FROM lake_catalog c JOIN below b ON c.parent_catalog_id = b.catalog_id
        )
        SELECT {CATALOG_COLUMNS} FROM lake_catalog c JOIN below b ON b.catalog_id = c.catalog_id
        ORDER BY c.depth, c.catalog_id""",
        {"catalog_id": catalog_id},
    )
    infos = [read_catalog(row) for row in rows]
    needed: set[CatalogId | None] = set()
    for info in reversed(infos):
        if info.end_snapshot is None or info.catalog_id in needed:
            needed |= {info.catalog_id, info.parent_id}
    return [info for info in infos if info.catalog_id in needed]


def own_rows(store: Store, catalog_ids: Collection[CatalogId]) -> dict[CatalogId, int]:
    """How many metadata rows each catalog has written itself."""
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
