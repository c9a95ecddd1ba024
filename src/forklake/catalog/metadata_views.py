"""The metadata of a catalog as rows, for whoever wants to query it."""

from forklake.catalog.lake import Catalog
from forklake.model.ids import TableId
from forklake.model.names import fold
from forklake.store.metadata_views import MetadataRows, view_rows


def metadata_rows(catalog: Catalog, view: str) -> MetadataRows | None:
    """The rows of a view such as `ducklake_snapshot` that are about this catalog, inherited ones included.

    None if there is no view of this name. They are as they are now, whatever a transaction sees.
    """
    return view_rows(catalog.lake.store, catalog.catalog_id, fold(view))


def inlined_tables(catalog: Catalog) -> list[TableId]:
    """The tables that have rows in the metadata database, by id."""
    found = view_rows(catalog.lake.store, catalog.catalog_id, "ducklake_inlined_data_tables")
    assert found is not None
    return sorted(TableId(row[1]) for row in found.rows)
