"""Definitions as JSON documents, as stored in the metadata database.

Keys are short, and omitted if they carry no information; readers must ignore unknown keys.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from forklake.errors import CorruptMetadata
from forklake.model.additions import TableAddition
from forklake.model.bound_orders import bound_order
from forklake.model.column_types import ColumnType, parse_type
from forklake.model.entities import (
    Column,
    Definition,
    MacroDefinition,
    MacroImplementation,
    MacroParameter,
    ObjectKind,
    SchemaDefinition,
    SortKey,
    SortSpec,
    TableDefinition,
    ViewDefinition,
)
from forklake.model.ids import ColumnId, PartitionId, SnapshotId, SortId, TableId
from forklake.model.mappings import MAP_BY_NAME, MappedColumn, NameMapping
from forklake.model.names import check_text
from forklake.model.partitions import PartitionKey, PartitionSpec
from forklake.model.statistics import ColumnStats

Document = Mapping[str, Any]

_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


def write_definition(definition: Definition) -> str:
    """The JSON text of a definition."""
    return _json_text(_definition_document(definition))


def check_definition(definition: Definition) -> None:
    """Reject a definition that contains text which the databases cannot store."""
    for text in _texts(_definition_document(definition)):
        check_text(text, "text")


def _definition_document(definition: Definition) -> dict[str, Any]:
    match definition:
        case SchemaDefinition():
            document: dict[str, Any] = {}
        case TableDefinition():
            document = {"columns": [_column_document(column) for column in definition.columns]}
            if definition.partition:
                keys = [{"column_id": key.column_id, "transform": key.transform} for key in definition.partition.keys]
                document["partition"] = {"id": definition.partition.partition_id, "keys": keys}
            if definition.sort:
                document["sort"] = {
                    "id": definition.sort.sort_id,
                    "keys": [_sort_document(k) for k in definition.sort.keys],
                }
        case ViewDefinition():
            document = {"sql": definition.sql, "dialect": definition.dialect}
            if definition.column_aliases:
                document["column_aliases"] = list(definition.column_aliases)
        case MacroDefinition():
            document = {"implementations": [_implementation_document(i) for i in definition.implementations]}
    if definition.tags:
        document["tags"] = dict(definition.tags)
    return document


def read_definition(kind: ObjectKind, document: Document) -> Definition:
    """Reads a definition of this kind of object; raises CorruptMetadata if it is invalid."""
    try:
        return _read_definition(kind, document)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CorruptMetadata(f"The definition of a {kind} cannot be read: {type(error).__name__} {error}.") from None


def _read_definition(kind: ObjectKind, document: Document) -> Definition:
    tags = document.get("tags", {})
    match kind:
        case "schema":
            return SchemaDefinition(tags)
        case "table":
            return TableDefinition(
                columns=tuple(_read_column(column) for column in document["columns"]),
                partition=_read_partition(document.get("partition")),
                sort=_read_sort(document.get("sort")),
                tags=tags,
            )
        case "view":
            return ViewDefinition(document["sql"], document["dialect"], tuple(document.get("column_aliases", ())), tags)
        case "scalar_macro" | "table_macro":
            return MacroDefinition(tuple(_read_implementation(i) for i in document["implementations"]), tags)


def write_column_stats(stats: Mapping[ColumnId, ColumnStats], widths: Mapping[ColumnId, float]) -> str:
    """The JSON text of a table's column statistics and widths, by column id."""
    documents = {
        str(column_id): _stats_document(stats.get(column_id) or ColumnStats(column_id), widths.get(column_id))
        for column_id in {**stats, **widths}
    }
    return _json_text(documents)


def write_additions(additions: Mapping[TableId, TableAddition]) -> str:
    """The JSON text of what a commit adds to the statistics of tables, for the function `lake_append`."""
    return _json_text({str(table_id): _addition_document(addition) for table_id, addition in additions.items()})


def _addition_document(addition: TableAddition) -> dict[str, Any]:
    stats = addition.stats
    columns = {
        str(column_id): {
            "order": bound_order(column_type.name),
            **_stats_document(stats.columns[column_id], stats.widths.get(column_id)),
        }
        for column_id, column_type in addition.types.items()
    }
    return {
        "rows": stats.record_count,
        "row_ids": stats.next_row_id,
        "bytes": stats.file_size_bytes,
        "columns": columns,
    }


def read_column_stats(document: Document) -> tuple[dict[ColumnId, ColumnStats], dict[ColumnId, float]]:
    """Reads the statistics and widths of a table's columns; raises CorruptMetadata if they are invalid."""
    stats: dict[ColumnId, ColumnStats] = {}
    widths: dict[ColumnId, float] = {}
    try:
        for name, entry in document.items():
            column_id = ColumnId(int(name))
            stats[column_id] = ColumnStats(
                column_id=column_id,
                value_count=_optional(entry, "values", int),
                null_count=_optional(entry, "nulls", int),
                min_value=_optional(entry, "min", str),
                max_value=_optional(entry, "max", str),
                contains_nan=_optional(entry, "nan", bool),
                extra_stats=_optional(entry, "extra", str),
            )
            if (width := _optional(entry, "width", (int, float))) is not None:
                widths[column_id] = width
    except (AttributeError, TypeError, ValueError) as error:
        raise CorruptMetadata(f"The statistics of a table cannot be read: {error}.") from None
    return stats, widths


def _optional(entry: Document, key: str, kind: type | tuple[type, ...]) -> Any:
    value = entry.get(key)
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{key} is {str(value)[:60]!r}")
    return value


def write_mapping(mapping: NameMapping) -> str:
    """The JSON text of a column mapping."""
    columns = [
        _drop_absent_keys(
            {
                "id": column.number,
                "source_name": column.source_name,
                "target_field_id": column.target_field_id,
                "parent": column.parent,
                "is_partition": column.is_partition or None,
                "source_type": column.source_type,
            }
        )
        for column in mapping.columns
    ]
    return _json_text({"type": MAP_BY_NAME, "columns": columns})


def read_mapping(value: Any) -> NameMapping:
    """Reads a column mapping from a JSON value of the metadata database."""
    try:
        document = read_json(value)
        if document["type"] != MAP_BY_NAME:
            raise ValueError(document["type"])
        return NameMapping(tuple(_read_mapped_column(column) for column in document["columns"]))
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptMetadata(f"The column mapping {str(value)[:200]!r} cannot be read.") from error


def read_json(value: Any) -> Any:
    """A JSON value as returned by the drivers: text from SQLite, already parsed from PostgreSQL."""
    return json.loads(value) if isinstance(value, str) else value


def _read_mapped_column(document: Document) -> MappedColumn:
    return MappedColumn(
        number=document["id"],
        source_name=document["source_name"],
        target_field_id=ColumnId(document["target_field_id"]),
        parent=document.get("parent"),
        is_partition=bool(document.get("is_partition")),
        source_type=document.get("source_type"),
    )


def _texts(document: Any) -> Iterator[str]:
    """All strings in a document, including keys."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for key, value in document.items():
            yield key
            yield from _texts(value)
    elif isinstance(document, list):
        for value in document:
            yield from _texts(value)


def _json_text(document: Any) -> str:
    return _ENCODER.encode(document)


def _drop_absent_keys(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if value is not None}


def _stats_document(stats: ColumnStats, width: float | None) -> dict[str, Any]:
    document = {
        "values": stats.value_count,
        "nulls": stats.null_count,
        "min": stats.min_value,
        "max": stats.max_value,
        "nan": stats.contains_nan,
        "extra": stats.extra_stats,
        "width": width,
    }
    return _drop_absent_keys(document)


def _column_document(column: Column) -> dict[str, Any]:
    document = {
        "id": column.column_id,
        "name": column.name,
        "type": column.type.text,
        "not_null": None if column.nulls_allowed else True,
        "initial": column.initial_default,
        "default": column.default_value,
        "default_type": column.default_value_type,
        "dialect": column.default_value_dialect,
        "added": column.added,
        "children": [_column_document(child) for child in column.children] or None,
        "tags": dict(column.tags) or None,
    }
    return _drop_absent_keys(document)


def _read_column(document: Document) -> Column:
    children = tuple(_read_column(child) for child in document.get("children", ()))
    added = document.get("added")
    return Column(
        column_id=ColumnId(document["id"]),
        name=document["name"],
        type=_read_type(document["type"], children),
        nulls_allowed=not document.get("not_null", False),
        initial_default=document.get("initial"),
        default_value=document.get("default"),
        default_value_type=document.get("default_type"),
        default_value_dialect=document.get("dialect"),
        added=None if added is None else SnapshotId(added),
        children=children,
        tags=document.get("tags", {}),
    )


def _read_type(text: str, children: tuple[Column, ...]) -> ColumnType:
    if not children:
        return parse_type(text)
    return ColumnType(text, fields=tuple((child.name, child.type) for child in children))


def _read_partition(document: Document | None) -> PartitionSpec | None:
    if document is None:
        return None
    keys = tuple(PartitionKey(ColumnId(key["column_id"]), key["transform"]) for key in document["keys"])
    return PartitionSpec(PartitionId(document["id"]), keys)


def _sort_document(key: SortKey) -> dict[str, Any]:
    return {
        "expression": key.expression,
        "direction": key.direction,
        "null_order": key.null_order,
        "dialect": key.dialect,
    }


def _read_sort(document: Document | None) -> SortSpec | None:
    if document is None:
        return None
    keys = tuple(
        SortKey(key["expression"], key["direction"], key["null_order"], key["dialect"]) for key in document["keys"]
    )
    return SortSpec(SortId(document["id"]), keys)


def _implementation_document(implementation: MacroImplementation) -> dict[str, Any]:
    parameters = [
        _drop_absent_keys(
            {
                "name": parameter.name,
                "type": parameter.type,
                "default": parameter.default_value,
                "default_type": parameter.default_value_type,
            }
        )
        for parameter in implementation.parameters
    ]
    return {"sql": implementation.sql, "dialect": implementation.dialect, "parameters": parameters}


def _read_implementation(document: Document) -> MacroImplementation:
    parameters = tuple(
        MacroParameter(p["name"], p["type"], p.get("default"), p.get("default_type")) for p in document["parameters"]
    )
    return MacroImplementation(document["sql"], document["dialect"], parameters)
