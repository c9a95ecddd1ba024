"""The rows of the views for direct SQL, restricted to one catalog."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from forklake.model.ids import CatalogId
from forklake.store.connection import Row, Store
from forklake.store.dialect import StoreDialect

ColumnKind = Literal["bigint", "text", "boolean", "time", "uuid"]


@dataclass(frozen=True, slots=True)
class MetadataRows:
    """Rows of a view, with the names and kinds of its columns; values are the same for both databases."""

    columns: tuple[tuple[str, ColumnKind], ...]
    rows: list[Row]


def view_rows(store: Store, catalog_id: CatalogId, view: str) -> MetadataRows | None:
    """The rows of the view for a catalog; None if the view does not exist."""
    columns = VIEWS.get(view)
    if columns is None:
        return None
    source, where, names = view, "catalog_id = :catalog_id", ", ".join(columns)
    if view == "ducklake_metadata":
        # Properties and options of the whole lake belong to no catalog.
        where += " OR catalog_id IS NULL"
    elif view == "ducklake_snapshot":
        # The view contains each snapshot once; a fork also sees those of its ancestors.
        source = "ducklake_snapshot_changes"
        names = "snapshot_id, snapshot_time, schema_version, NULL, NULL, made_by_catalog_id"
    found = store.fetch(f"SELECT {names} FROM {source} WHERE {where}", {"catalog_id": catalog_id})
    kinds = [column_kind(column) for column in columns]
    rows = [
        tuple(_read_value(value, kind, store.dialect) for value, kind in zip(row, kinds, strict=True)) for row in found
    ]
    return MetadataRows(tuple(zip(columns, kinds, strict=True)), rows)


def column_kind(column: str) -> ColumnKind:
    """The kind of a column, which is the same for all columns of this name."""
    if column.endswith("_uuid"):
        return "uuid"
    if column in _TIMES:
        return "time"
    if column in _FLAGS:
        return "boolean"
    return "text" if column in _TEXTS or column.endswith("_name") else "bigint"


def _read_value(value: Any, kind: ColumnKind, dialect: StoreDialect) -> object:
    if value is None:
        return None
    match kind:
        case "time":
            return dialect.from_database_time(value)
        case "boolean":
            return bool(value)
        case "text" | "uuid":
            return str(value)
    return int(value)


_TIMES = frozenset({"snapshot_time", "schedule_start"})
_FLAGS = frozenset({"path_is_relative", "nulls_allowed", "contains_null", "contains_nan", "is_partition"})
_TEXTS = frozenset(
    {
        "key",
        "value",
        "scope",
        "path",
        "changes_made",
        "author",
        "commit_message",
        "commit_extra_info",
        "dialect",
        "sql",
        "column_aliases",
        "type",
        "parameter_type",
        "default_value",
        "default_value_type",
        "default_value_dialect",
        "column_type",
        "initial_default",
        "transform",
        "expression",
        "sort_direction",
        "null_order",
        "file_format",
        "encryption_key",
        "partial_file_info",
        "format",
        "min_value",
        "max_value",
        "extra_stats",
        "partition_value",
    }
)
_VERSIONS = "begin_snapshot end_snapshot"
VIEWS: Mapping[str, tuple[str, ...]] = {
    f"ducklake_{name}": tuple(columns.split())
    for name, columns in {
        "catalog": f"catalog_id catalog_uuid catalog_name parent_catalog_id {_VERSIONS} path fork_snapshot"
        " head_snapshot schema_version",
        "metadata": "key value scope scope_id catalog_id",
        "snapshot": "snapshot_id snapshot_time schema_version next_catalog_id next_file_id catalog_id",
        "snapshot_changes": "catalog_id snapshot_id changes_made author commit_message commit_extra_info"
        " snapshot_time schema_version made_by_catalog_id",
        "snapshot_lineage": "catalog_id previous_snapshot_id snapshot_id",
        "schema_versions": "catalog_id begin_snapshot schema_version",
        "schema": f"catalog_id schema_id schema_uuid {_VERSIONS} schema_name path path_is_relative",
        "table": f"catalog_id table_id table_uuid {_VERSIONS} schema_id table_name path path_is_relative",
        "view": f"catalog_id view_id view_uuid {_VERSIONS} schema_id view_name dialect sql column_aliases",
        "macro": f"catalog_id schema_id macro_id macro_name {_VERSIONS}",
        "macro_impl": "catalog_id macro_id impl_id dialect sql type",
        "macro_parameters": "catalog_id macro_id impl_id column_id parameter_name parameter_type default_value"
        " default_value_type",
        "column": f"catalog_id column_id {_VERSIONS} table_id column_order column_name column_type initial_default"
        " default_value nulls_allowed parent_column default_value_type default_value_dialect",
        "tag": f"catalog_id object_id {_VERSIONS} key value",
        "column_tag": f"catalog_id table_id column_id {_VERSIONS} key value",
        "partition_info": f"catalog_id partition_id table_id {_VERSIONS}",
        "partition_column": "catalog_id partition_id table_id partition_key_index column_id transform",
        "sort_info": f"catalog_id sort_id table_id {_VERSIONS}",
        "sort_expression": "catalog_id sort_id table_id sort_key_index expression dialect sort_direction null_order",
        "data_file": f"catalog_id data_file_id table_id {_VERSIONS} file_order path path_is_relative file_format"
        " record_count file_size_bytes footer_size row_id_start partition_id encryption_key partial_file_info"
        " mapping_id partial_max",
        "delete_file": f"catalog_id delete_file_id table_id {_VERSIONS} data_file_id path path_is_relative format"
        " delete_count file_size_bytes footer_size encryption_key partial_max",
        "file_column_stats": "catalog_id data_file_id table_id column_id column_size_bytes value_count null_count"
        " min_value max_value contains_nan extra_stats",
        "file_partition_value": "catalog_id data_file_id table_id partition_key_index partition_value",
        "column_mapping": "catalog_id mapping_id table_id type",
        "name_mapping": "catalog_id mapping_id column_id source_name target_field_id parent_column is_partition"
        " table_id",
        "inlined_data_tables": "catalog_id table_id table_name schema_version",
        "files_scheduled_for_deletion": "catalog_id data_file_id path path_is_relative schedule_start",
        "table_stats": "catalog_id table_id record_count next_row_id file_size_bytes",
        "table_column_stats": "catalog_id table_id column_id contains_null contains_nan min_value max_value"
        " extra_stats",
    }.items()
}
"""The views by name, with their columns in order."""
