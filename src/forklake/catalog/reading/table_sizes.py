"""The tables of a catalog with their storage sizes."""

from typing import cast

from forklake.catalog.reading.view import CatalogView
from forklake.model.entities import Table
from forklake.model.ids import TableId
from forklake.store import table_sizes as rows
from forklake.store.table_sizes import TableSize


def table_sizes(view: CatalogView) -> list[tuple[Table, TableSize]]:
    """All tables committed at the snapshot, by id, with the sizes of their files."""
    tables = cast("list[Table]", [entry for entry in view.all_objects() if entry.kind == "table"])
    sizes = rows.table_sizes(view.catalog.lake.store, view.scope)
    ordered = sorted(tables, key=lambda table: table.object_id)
    return [(table, sizes.get(TableId(table.object_id), TableSize())) for table in ordered]
