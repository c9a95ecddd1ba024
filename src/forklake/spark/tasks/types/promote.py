"""Promotion of values to the current version of a column; both in shown form."""

import pyarrow as pa
import pyarrow.compute as pc

from forklake.errors import InvalidInput
from forklake.model.column_types import ColumnType
from forklake.model.entities import Column
from forklake.spark.tasks.types.default_literals import literal
from forklake.spark.tasks.types.nested import Children, with_children
from forklake.spark.tasks.types.type_forms import shown_type


def promote_array(array: pa.Array | pa.ChunkedArray, old: Column, new: Column) -> pa.Array | pa.ChunkedArray:
    """Converts an array to values of `new`; struct fields are matched by id, and new ones get their default."""
    if old.type == new.type and _field_ids(old) == _field_ids(new):
        return array
    if isinstance(array, pa.ChunkedArray):
        return pa.chunked_array([promote_array(chunk, old, new) for chunk in array.chunks], shown_type(new.type))
    if new.type.is_nested:
        return with_children(array, shown_type(new.type), lambda children: _promote_children(children, old, new, array))
    try:
        return _promote_leaf(array, old.type, new.type)
    except pa.ArrowInvalid as error:
        raise InvalidInput(f"Column {new.name}, {old.type.sql()} to {new.type.sql()}: {error}") from error


def default_array(column: Column, length: int) -> pa.Array:
    """The values of a column in rows older than the column."""
    return pa.repeat(literal(column.initial_default, column), length)


def _field_ids(column: Column) -> list[int]:
    return [field.column_id for field in column.walk()]


def _promote_children(children: Children, old: Column, new: Column, parent: pa.Array) -> Children:
    if new.type.name != "struct":
        return [promote_array(*each) for each in zip(children, old.children, new.children, strict=True)]
    found = {child.column_id: (array, child) for array, child in zip(children, old.children, strict=True)}
    return [
        promote_array(*found[child.column_id], child) if child.column_id in found else default_array(child, len(parent))
        for child in new.children
    ]


def _promote_leaf(array: pa.Array, old: ColumnType, new: ColumnType) -> pa.Array:
    target = shown_type(new)
    if old.name == "boolean":
        array = array.cast(pa.int8())
    if new.name == "timestamp_ns":
        return _as_nanoseconds(array, old)
    if pa.types.is_decimal(target) and pa.types.is_integer(array.type):
        # Arrow requires room for all numbers of the type; the values may need less.
        array = array.cast(pa.int64()).cast(pa.decimal128(19, 0))
    if pa.types.is_floating(target) and pa.types.is_decimal(array.type):
        # Arrow's own cast is sometimes off in the last digit; parsing rounds correctly.
        return array.cast(pa.string()).cast(target)
    # A float may have fewer digits than the number: this was requested by the user.
    return array.cast(target, safe=not pa.types.is_floating(target))


def _as_nanoseconds(array: pa.Array, old: ColumnType) -> pa.Array:
    if old.name == "timestamp_ns":
        return array
    microseconds = array.cast(pa.timestamp("us")).cast(pa.int64())
    return pc.multiply_checked(microseconds, 1000)
