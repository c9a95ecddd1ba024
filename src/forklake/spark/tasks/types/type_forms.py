"""The two Arrow forms of every column type.

*Shown* is the form for users: types that Spark supports, with times and uuids as text. *Physical* is the form in
Parquet files: exact types, and an id for every field at every level, by which readers find the columns.
"""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from forklake.errors import InvalidType
from forklake.model.column_types import ColumnType
from forklake.model.entities import Column
from forklake.spark.tasks.types.geometry import Geometry
from forklake.spark.tasks.types.reserved_columns import FIELD_IDS

FIELD_ID = b"PARQUET:field_id"
"""The key in an Arrow field's metadata for its id in Parquet."""

_SAME = {
    "boolean": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "int128": pa.decimal128(38, 0),
    "uint128": pa.decimal128(38, 0),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamp_s": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
    "interval": pa.string(),
    "varchar": pa.string(),
    "blob": pa.binary(),
}
_SHOWN = {
    **_SAME,
    "uint8": pa.int16(),
    "uint16": pa.int32(),
    "uint32": pa.int64(),
    "uint64": pa.decimal128(20, 0),
    "timestamp_ms": pa.timestamp("us"),
    "timestamp_ns": pa.int64(),
    "time": pa.string(),
    "uuid": pa.string(),
    "json": pa.string(),
    "geometry": pa.binary(),
    # PySpark recognises a Variant by the metadata of its second field.
    "variant": pa.struct(
        [
            pa.field("value", pa.binary(), nullable=False),
            pa.field("metadata", pa.binary(), nullable=False, metadata={"variant": "true"}),
        ]
    ),
}
_PHYSICAL = {
    **_SAME,
    "uint8": pa.uint8(),
    "uint16": pa.uint16(),
    "uint32": pa.uint32(),
    "uint64": pa.uint64(),
    "timestamp_ms": pa.timestamp("ms"),
    "timestamp_ns": pa.timestamp("ns"),
    "time": pa.time64("us"),
    "uuid": pa.uuid(),
    "json": pa.json_(),
    "geometry": Geometry(),
    "variant": pa.struct(
        [pa.field("value", pa.binary(), nullable=False), pa.field("metadata", pa.binary(), nullable=False)]
    ),
}


def shown_type(column_type: ColumnType) -> pa.DataType:
    """The type in which values are shown to users."""
    children = [(name, shown_type(child)) for name, child in column_type.fields]
    match column_type.name:
        case "struct":
            return pa.struct([pa.field(name, child) for name, child in children])
        case "list":
            return pa.list_(pa.field("element", children[0][1]))
        case "map":
            return pa.map_(children[0][1], children[1][1])
        case _:
            return _leaf_type(column_type, _SHOWN)


def shown_schema(columns: Sequence[Column]) -> pa.Schema:
    """The columns of a table as shown to users."""
    return pa.schema([pa.field(column.name, shown_type(column.type)) for column in columns])


def physical_type(column: Column) -> pa.DataType:
    """The type of values in files, with the ids of all nested fields."""
    match column.type.name:
        case "struct":
            return pa.struct([physical_field(child) for child in column.children])
        case "list":
            return pa.list_(physical_field(column.children[0]))
        case "map":
            key, value = column.children
            return pa.map_(physical_field(key, nullable=False), physical_field(value))
        case _:
            return _leaf_type(column.type, _PHYSICAL)


def physical_field(column: Column, *, nullable: bool = True) -> pa.Field:
    """The field of a column in a file. All but map keys are nullable: a constraint may be younger than the rows."""
    return pa.field(column.name, physical_type(column), nullable, {FIELD_ID: str(column.column_id)})


def physical_schema(columns: Sequence[Column], reserved: Sequence[str] = ()) -> pa.Schema:
    """The columns of a table, and the given reserved ones, as stored in files."""
    extra = [pa.field(name, pa.int64(), metadata={FIELD_ID: str(FIELD_IDS[name])}) for name in reserved]
    return pa.schema([*(physical_field(column) for column in columns), *extra])


def _leaf_type(column_type: ColumnType, types: Mapping[str, pa.DataType]) -> pa.DataType:
    if column_type.precision is not None and column_type.scale is not None:
        return pa.decimal128(column_type.precision, column_type.scale)
    if column_type.name not in types:
        raise InvalidType(f"Columns of type {column_type.sql()} cannot be stored in files")
    return types[column_type.name]
