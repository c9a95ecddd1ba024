"""The partition values of data files."""

from collections.abc import Collection

from forklake.model.ids import DataFileId, TableId
from forklake.model.lineage import Scope
from forklake.store.connection import Statement, Store
from forklake.store.scope import fetch_at_snapshot

PartitionValues = tuple[str | None, ...]


def file_partitions(
    store: Store, scope: Scope, table_id: TableId, files: Collection[DataFileId]
) -> dict[DataFileId, PartitionValues]:
    """The partition values of these files, in key order; files without values are omitted."""
    dialect = store.dialect
    asked = Statement(
        f"SELECT v.data_file_id, v.partition_value FROM {dialect.levels} JOIN lake_file_partition_value v"
        " ON v.catalog_id = l.catalog_id AND v.table_id = :table_id"
        f" WHERE {dialect.any_of('v.data_file_id', 'files')} ORDER BY v.data_file_id, v.partition_key_index",
        {"table_id": table_id, "files": list(files), **dialect.level_params(scope.levels)},
    )
    [rows] = fetch_at_snapshot(store, scope, [asked])
    values: dict[DataFileId, list[str | None]] = {}
    for file_id, value in rows:
        values.setdefault(DataFileId(file_id), []).append(value)
    return {file_id: tuple(of_file) for file_id, of_file in values.items()}
