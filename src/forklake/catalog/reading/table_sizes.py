"""The tables of a catalog with their storage sizes."""

from collections.abc import Collection
from typing import cast

from forklake.catalog.reading.view import CatalogView
from forklake.model.entities import Table
from forklake.model.files import TableStats
from forklake.model.ids import TableId
from forklake.store import table_sizes as rows
from forklake.store.table_files import table_stats as stats_of
from forklake.store.table_sizes import TableSize


def table_sizes(view: CatalogView) -> list[tuple[Table, TableSize]]:
    """All tables committed at the snapshot, by id, with the sizes of their files."""
    tables = cast("list[Table]", [entry for entry in view.all_objects() if entry.kind == "table"])
    sizes = rows.table_sizes(view.catalog.lake.store, view.scope)
    ordered = sorted(tables, key=lambda table: table.object_id)
    return [(table, sizes.get(TableId(table.object_id), TableSize())) for table in ordered]


def table_stats(view: CatalogView, table_ids: Collection[TableId]) -> dict[TableId, TableStats]:
    """The statistics of these tables, in one round trip; tables without rows may be omitted."""
    return stats_of(view.catalog.lake.store, view.scope, table_ids)
