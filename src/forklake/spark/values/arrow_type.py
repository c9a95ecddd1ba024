"""The column type of an Arrow array."""

import pyarrow as pa

from forklake.errors import InvalidType
from forklake.model.assignment import UNTYPED
from forklake.model.column_types import ColumnType, decimal_of, list_of, map_of, struct_of

_PLAIN: dict[pa.DataType, str] = {
    pa.bool_(): "boolean",
    pa.int8(): "int8",
    pa.int16(): "int16",
    pa.int32(): "int32",
    pa.int64(): "int64",
    pa.uint8(): "uint8",
    pa.uint16(): "uint16",
    pa.uint32(): "uint32",
    pa.uint64(): "uint64",
    pa.float16(): "float32",
    pa.float32(): "float32",
    pa.float64(): "float64",
    pa.date32(): "date",
    pa.date64(): "date",
    pa.string(): "varchar",
    pa.large_string(): "varchar",
    pa.string_view(): "varchar",
    pa.binary(): "blob",
    pa.large_binary(): "blob",
    pa.binary_view(): "blob",
    pa.uuid(): "uuid",
    pa.json_(): "json",
}
_UNITS = {"s": "timestamp_s", "ms": "timestamp_ms", "us": "timestamp", "ns": "timestamp_ns"}


def type_in_arrow(data_type: pa.DataType) -> ColumnType | None:
    """The column type for such values; None for an array that is always NULL."""
    if pa.types.is_null(data_type):
        return None
    if pa.types.is_dictionary(data_type):
        return type_in_arrow(data_type.value_type)
    if pa.types.is_timestamp(data_type):
        return ColumnType("timestamptz" if data_type.tz else _UNITS[data_type.unit])
    if pa.types.is_time(data_type):
        return ColumnType("time")
    if pa.types.is_decimal(data_type) and 0 <= data_type.scale <= data_type.precision <= 38:
        return decimal_of(data_type.precision, data_type.scale)
    if pa.types.is_fixed_size_binary(data_type):
        return ColumnType("blob")
    if pa.types.is_struct(data_type) and _is_variant(data_type):
        return ColumnType("variant")
    if pa.types.is_struct(data_type):
        return struct_of(tuple((field.name, _child_type(field.type)) for field in data_type))
    if pa.types.is_map(data_type):
        return map_of(_child_type(data_type.key_type), _child_type(data_type.item_type))
    if pa.types.is_list(data_type) or pa.types.is_large_list(data_type) or pa.types.is_fixed_size_list(data_type):
        return list_of(_child_type(data_type.value_type))
    if data_type not in _PLAIN:
        raise InvalidType(f"A column of Arrow's type {data_type} cannot be stored; cast it first.")
    return ColumnType(_PLAIN[data_type])


def _is_variant(data_type: pa.StructType) -> bool:
    """Whether a struct represents variants, as in tables made by PySpark."""
    parts = {field.name: field.metadata or {} for field in data_type}
    return parts.keys() == {"value", "metadata"} and parts["metadata"].get(b"variant") == b"true"


def _child_type(data_type: pa.DataType) -> ColumnType:
    return type_in_arrow(data_type) or UNTYPED
