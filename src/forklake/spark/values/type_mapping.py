"""Mapping between column types and Spark types.

A type has two forms. The *stored* form is requested from Spark's reader, given the type in the file. The *shown* form
is used in DataFrames. If Spark has no such type, it is the nearest one without loss: the next wider integer or a
decimal for unsigned and 128-bit integers, text for uuids, times of day, JSON and intervals, and a count of nanoseconds
for nanosecond timestamps. Types without suitable form are rejected when the table is created.
"""

from collections.abc import Iterable

from pyspark.sql import types as st

from forklake.errors import InvalidType
from forklake.model.assignment import UNTYPED
from forklake.model.column_types import ColumnType, decimal_of, list_of, map_of, struct_of
from forklake.model.entities import Column

FIELD_ID = "parquet.field.id"
"""The metadata key in which Spark's Parquet writer looks for the id of a field."""

_STORED: dict[str, st.DataType] = {
    "boolean": st.BooleanType(),
    "int8": st.ByteType(),
    "int16": st.ShortType(),
    "int32": st.IntegerType(),
    "int64": st.LongType(),
    "int128": st.DecimalType(38, 0),
    "uint8": st.ShortType(),
    "uint16": st.IntegerType(),
    "uint32": st.LongType(),
    "uint64": st.DecimalType(20, 0),
    "uint128": st.DecimalType(38, 0),
    "float32": st.FloatType(),
    "float64": st.DoubleType(),
    "date": st.DateType(),
    "time": st.LongType(),
    "timestamp": st.TimestampNTZType(),
    "timestamp_s": st.TimestampNTZType(),
    "timestamp_ms": st.TimestampNTZType(),
    "timestamp_ns": st.LongType(),
    "timestamptz": st.TimestampType(),
    "interval": st.StringType(),
    "varchar": st.StringType(),
    "json": st.StringType(),
    "uuid": st.BinaryType(),
    "blob": st.BinaryType(),
    "geometry": st.BinaryType(),
    "variant": st.VariantType(),
}
_SHOWN = _STORED | {"time": st.StringType(), "uuid": st.StringType()}
_FROM_SPARK: dict[type[st.DataType], str] = {
    st.BooleanType: "boolean",
    st.ByteType: "int8",
    st.ShortType: "int16",
    st.IntegerType: "int32",
    st.LongType: "int64",
    st.FloatType: "float32",
    st.DoubleType: "float64",
    st.DateType: "date",
    st.TimeType: "time",
    st.TimestampNTZType: "timestamp",
    st.TimestampType: "timestamptz",
    st.StringType: "varchar",
    st.VarcharType: "varchar",
    st.CharType: "varchar",
    st.BinaryType: "blob",
    st.VariantType: "variant",
}
_SPARK_WRITES = frozenset(
    {"boolean", "int8", "int16", "int32", "int64", "int128", "uint128", "float32", "float64", "decimal", "date"}
    | {"timestamp", "timestamp_s", "timestamptz", "interval", "varchar", "blob", "geometry", "variant", "struct"}
)


def shown_type(column_type: ColumnType) -> st.DataType:
    """The type of a column in DataFrames."""
    return _spark_type(column_type, _SHOWN)


def stored_type(column_type: ColumnType) -> st.DataType:
    """The type with which Spark reads a column of this type from a file."""
    return _spark_type(column_type, _STORED)


def check_storable(column_types: Iterable[ColumnType]) -> None:
    """Reject types that could not be read back, before a table is created or altered."""
    for column_type in column_types:
        shown_type(column_type)


def shown_schema(columns: Iterable[Column]) -> st.StructType:
    """The schema of a DataFrame over these columns."""
    return st.StructType([st.StructField(column.name, shown_type(column.type)) for column in columns])


def column_type(data_type: st.DataType) -> ColumnType:
    """The column type for a DataFrame column, to create a table from it."""
    match data_type:
        case st.DecimalType():
            return decimal_of(data_type.precision, data_type.scale)
        case st.StructType():
            return struct_of(tuple((field.name, column_type(field.dataType)) for field in data_type.fields))
        case st.ArrayType():
            return list_of(column_type(data_type.elementType))
        case st.MapType():
            return map_of(column_type(data_type.keyType), column_type(data_type.valueType))
    if isinstance(data_type, st.NullType):
        return UNTYPED
    plain = _FROM_SPARK.get(type(data_type))
    if plain is None:
        raise InvalidType(f"A column of Spark's type {data_type.simpleString()} cannot be stored; cast it first.")
    return ColumnType(plain)


def type_in_spark(data_type: st.DataType) -> ColumnType | None:
    """The same; None for a column that is always NULL."""
    return None if isinstance(data_type, st.NullType) else column_type(data_type)


def spark_can_write(column: Column) -> bool:
    """Whether Spark's own writer produces exactly our form of the column.

    It annotates neither unsigned integers nor uuids, JSON, times, milliseconds or nanoseconds, and writes no field ids
    for the elements of lists and maps.
    """
    return all(field.type.name in _SPARK_WRITES for field in column.walk())


def written_field(column: Column) -> st.StructField:
    """A column for Spark's writer, with field ids at every level."""
    return st.StructField(column.name, _written_type(column), True, {FIELD_ID: column.column_id})


def _written_type(column: Column) -> st.DataType:
    if column.type.name == "struct":
        return st.StructType([written_field(child) for child in column.children])
    return stored_type(column.type)


def _spark_type(column_type: ColumnType, leaves: dict[str, st.DataType]) -> st.DataType:
    children = [(name, _spark_type(child, leaves)) for name, child in column_type.fields]
    match column_type.name:
        case "decimal":
            return st.DecimalType(column_type.precision or 0, column_type.scale or 0)
        case "struct":
            return st.StructType([st.StructField(name, child) for name, child in children])
        case "list":
            return st.ArrayType(children[0][1])
        case "map":
            return st.MapType(children[0][1], children[1][1])
        case name if name in leaves:
            return leaves[name]
    raise InvalidType(f"Columns of type {column_type.sql()} are not supported: Spark has no type that can hold them.")
