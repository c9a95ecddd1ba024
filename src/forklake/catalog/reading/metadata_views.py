"""The metadata of a catalog as rows, for queries."""

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.reading.view import CatalogView
from forklake.model.ids import SnapshotId, TableId
from forklake.model.names import fold
from forklake.store.connection import Row
from forklake.store.metadata_views import MetadataRows, view_rows


def metadata_rows(seen: CatalogView, name: str) -> MetadataRows | None:
    """The rows of a view such as `ducklake_snapshot` for a catalog, including inherited ones.

    None if there is no view with this name. Rows and ends after the viewed snapshot are omitted; rows without begin
    snapshot, such as statistics, are current.
    """
    catalog = seen.catalog
    found = view_rows(catalog.lake.store, catalog.catalog_id, fold(name))
    if found is None or fold(name) == "ducklake_catalog":
        return found
    return _rows_up_to(found, seen.snapshot_id)


def _rows_up_to(found: MetadataRows, snapshot_id: SnapshotId) -> MetadataRows:
    names = [name for name, _ in found.columns]
    begins = [at for at, name in enumerate(names) if name in ("begin_snapshot", "snapshot_id")]
    ends = [at for at, name in enumerate(names) if name == "end_snapshot"]
    rows = [row for row in found.rows if all(row[at] is None or row[at] <= snapshot_id for at in begins)]
    for end in ends:
        rows = [_without_end(row, end) if (row[end] or 0) > snapshot_id else row for row in rows]
    return MetadataRows(found.columns, rows)


def _without_end(row: Row, end: int) -> Row:
    return (*row[:end], None, *row[end + 1 :])


def inlined_tables(catalog: Catalog) -> list[TableId]:
    """The tables with inlined rows, by id."""
    found = view_rows(catalog.lake.store, catalog.catalog_id, "ducklake_inlined_data_tables")
    assert found is not None
    return sorted(TableId(row[1]) for row in found.rows)
