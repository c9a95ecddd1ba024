"""The columns of a Parquet file as a tree, with the types of Parquet itself.

Additional information for specific readers, such as Arrow's schema, is ignored, because Spark does not use it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.model.column_types import ColumnType
from forklake.spark.tasks.types.type_forms import FIELD_ID

_PLAIN = {
    "BOOLEAN": "boolean",
    "INT32": "int32",
    "INT64": "int64",
    # Written by Spark and Hive for timestamps, without information about the time zone.
    "INT96": "timestamp",
    "FLOAT": "float32",
    "DOUBLE": "float64",
    "BYTE_ARRAY": "blob",
    "FIXED_LEN_BYTE_ARRAY": "blob",
}
_NAMED = {
    "String": "varchar",
    "Enum": "varchar",
    "JSON": "json",
    "UUID": "uuid",
    "Date": "date",
    "Geometry": "geometry",
    "Interval": "interval",
}
_UNITS = {"milliseconds": "timestamp_ms", "microseconds": "timestamp", "nanoseconds": "timestamp_ns"}
_VARIANT = {"metadata", "value"}


@dataclass(frozen=True, slots=True)
class FileField:
    """A column of a file or a nested field. Lists have one child, maps two."""

    name: str
    type: ColumnType | None
    """The type of a leaf, None if it cannot be read as a column. For groups, only the name is relevant."""
    shown: str
    """The type as shown in messages."""
    children: tuple["FileField", ...] = ()
    field_id: int | None = None
    nullable: bool = True
    leaf: int = -1
    """The index among the leaves of the file."""
    utc: bool | None = False
    """Whether a timestamp is an instant; None if the file does not say so reliably."""

    def leaves(self) -> Iterator["FileField"]:
        if self.leaf >= 0:
            yield self
        for child in self.children:
            yield from child.leaves()

    @property
    def is_variant(self) -> bool:
        """Whether it has the structure of a stored variant, shredded or not."""
        names = {child.name for child in self.children if child.type == ColumnType("blob")}
        return self.type == ColumnType("struct") and names >= _VARIANT


def file_fields(metadata: pq.FileMetaData) -> tuple[FileField, ...]:
    """The columns of a file, from its footer."""
    leaves = iter(range(metadata.num_columns))
    return tuple(_file_field(field, metadata.schema, leaves) for field in metadata.schema.to_arrow_schema())


def _file_field(field: pa.Field, schema: pq.ParquetSchema, leaves: Iterator[int]) -> FileField:
    kind = field.type.storage_type if isinstance(field.type, pa.BaseExtensionType) else field.type
    if pa.types.is_struct(kind):
        children = [_file_field(child, schema, leaves) for child in kind]
        return _group_field("struct", field, children)
    if pa.types.is_map(kind):
        return _group_field(
            "map", field, [_file_field(child, schema, leaves) for child in (kind.key_field, kind.item_field)]
        )
    if hasattr(kind, "value_field"):
        return _group_field("list", field, [_file_field(kind.value_field, schema, leaves)])
    at = next(leaves)
    logical = json.loads(schema.column(at).logical_type.to_json())
    column_type = _leaf_type(schema.column(at).physical_type, logical)
    shown = column_type.sql() if column_type is not None else _unknown_type_text(schema.column(at), logical)
    return FileField(
        field.name,
        column_type,
        shown,
        field_id=_field_id(field),
        nullable=field.nullable,
        leaf=at,
        utc=_is_utc(schema.column(at).physical_type, logical),
    )


def _group_field(kind: str, field: pa.Field, children: list[FileField]) -> FileField:
    return FileField(
        field.name, ColumnType(kind), kind.upper(), tuple(children), _field_id(field), nullable=field.nullable
    )


def _field_id(field: pa.Field) -> int | None:
    found = (field.metadata or {}).get(FIELD_ID)
    return None if found is None else int(found)


def _leaf_type(physical: str, logical: Mapping[str, Any]) -> ColumnType | None:
    match logical["Type"]:
        case "None" if physical in _PLAIN:
            return ColumnType(_PLAIN[physical])
        # A column with only NULLs, stored as a number.
        case "Null" if physical in ("INT32", "INT64"):
            return ColumnType(_PLAIN[physical])
        case "Int":
            return ColumnType(f"{'' if logical['isSigned'] else 'u'}int{logical['bitWidth']}")
        case "Decimal" if logical["precision"] <= 38:
            return ColumnType("decimal", logical["precision"], logical["scale"])
        case "Timestamp" if physical == "INT64":
            unit = _UNITS[logical["timeUnit"]]
            return ColumnType("timestamptz" if logical["isAdjustedToUTC"] and unit != "timestamp_ns" else unit)
        case "Time" if logical["timeUnit"] == "microseconds":
            return ColumnType("time")
        case named if named in _NAMED:
            return ColumnType(_NAMED[named])
    return None


def _is_utc(physical: str, logical: Mapping[str, Any]) -> bool | None:
    if physical == "INT96" or logical.get("is_from_converted_type"):
        # Legacy formats, which do not distinguish instants from timestamps without time zone.
        return None
    return bool(logical.get("isAdjustedToUTC"))


def _unknown_type_text(column: pq.ColumnSchema, logical: Mapping[str, Any]) -> str:
    given = {name: value for name, value in logical.items() if name in ("precision", "scale", "timeUnit")}
    words = " ".join(str(value) for value in given.values())
    return f"{column.physical_type} {logical['Type']} {words}".strip()
