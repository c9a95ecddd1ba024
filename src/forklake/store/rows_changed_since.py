"""The files and inlined rows of some tables that others have touched since a snapshot."""

from collections.abc import Collection

from forklake.model.conflicts import TouchedRows
from forklake.model.ids import BatchId, CatalogId, DataFileId, SnapshotId, TableId
from forklake.store.connection import Row, Statement
from forklake.store.dialect import StoreDialect
from forklake.store.row_kinds import RowKind


def touched_statements(
    dialect: StoreDialect, catalog_id: CatalogId, base: SnapshotId, tables: Collection[TableId]
) -> list[Statement]:
    """Select the changes by the catalog's own commits after `base`; read the results with `read_touched`."""
    params = {
        "catalog_id": catalog_id,
        "base": base,
        "tables": list(tables),
        "data_file": int(RowKind.DATA_FILE),
        "batch": int(RowKind.INLINED_BATCH),
    }
    mine = f"catalog_id = :catalog_id AND {dialect.any_of('table_id', 'tables')}"
    marked = f"catalog_id = :catalog_id AND {dialect.any_of('scope_id', 'tables')} AND end_snapshot > :base"
    return [
        Statement(
            f"SELECT table_id, data_file_id FROM lake_delete_file WHERE {mine} AND begin_snapshot > :base"
            f" UNION SELECT table_id, data_file_id FROM lake_data_file WHERE {mine} AND end_snapshot > :base"
            f" UNION SELECT scope_id, object_id FROM lake_row_end WHERE {marked} AND kind = :data_file",
            params,
        ),
        Statement(
            f"SELECT table_id, batch_id, position FROM lake_inlined_delete WHERE {mine} AND begin_snapshot > :base",
            params,
        ),
        Statement(
            f"SELECT table_id FROM lake_inlined_batch WHERE {mine} AND end_snapshot > :base"
            f" UNION SELECT scope_id FROM lake_row_end WHERE {marked} AND kind = :batch",
            params,
        ),
    ]


def read_touched(answers: list[list[Row]], tables: Collection[TableId]) -> TouchedRows:
    """Tables with an ended batch are omitted from the rows, which means that all their rows count as touched."""
    file_rows, deleted_rows, ended_batches = answers
    files: dict[TableId, set[DataFileId]] = {table_id: set() for table_id in tables}
    for table_id, file_id in file_rows:
        files[table_id].add(file_id)
    rows: dict[TableId, set[tuple[BatchId, int]]] = {table_id: set() for table_id in tables}
    for table_id, batch_id, position in deleted_rows:
        rows[table_id].add((batch_id, position))
    for (table_id,) in ended_batches:
        rows.pop(table_id, None)
    return TouchedRows(
        {table_id: frozenset(found) for table_id, found in files.items()},
        {table_id: frozenset(found) for table_id, found in rows.items()},
    )
