"""Numbers of small changes, computed and converted as Spark does where no digit is lost, and left to Spark elsewhere.

Spark refuses what overflows, and so do Arrow's checked functions. Whatever they refuse is left to Spark, for its error.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from forklake.errors import InvalidRows
from forklake.model.assignment import check_assignable
from forklake.model.column_types import ColumnType, decimal_of
from forklake.model.entities import Column
from forklake.spark.tasks.types.arrow_types import shown_type
from forklake.spark.tasks.types.python_array import python_array, python_scalar
from forklake.spark.values.arrow_type import type_in_arrow
from forklake.sql.small.small_query import NeedsSparkError
from forklake.sql.values.literal_values import UNKNOWN, literal_value
from forklake.sql.values.values_clause import NumberLiteral

Values: TypeAlias = pa.ChunkedArray | pa.Array | pa.Scalar
Typed: TypeAlias = tuple[Values, ColumnType | None]
"""Values in shown form, and their type; None if all are NULL."""

INTEGER_TYPES: Mapping[str, pa.DataType] = {
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "uint8": pa.uint8(),
    "uint16": pa.uint16(),
    "uint32": pa.uint32(),
}
"""Integers that are shown as such, by their own range."""
_DIGITS = {"int8": 3, "int16": 5, "int32": 10, "int64": 20, "uint8": 5, "uint16": 10, "uint32": 20}
"""The digits of the decimals that integers become in Spark, in their shown types."""
_MOST_DIGITS = 38
_LONG = ColumnType("int64")
_CHECKED: Mapping[str, Callable[[Values, Values], Values]] = {
    "+": pc.add_checked,
    "-": pc.subtract_checked,
    "*": pc.multiply_checked,
}
_OF_FLOATS: Mapping[str, Callable[[Values, Values], Values]] = {"+": pc.add, "-": pc.subtract, "*": pc.multiply}
"""IEEE 754 says what they are, in Java as well."""


def stored(values: Values, given: ColumnType | None, column: Column) -> Values:
    """The values as a column stores them, in shown form; NeedsSparkError unless that is certain, for each of them."""
    shown = shown_type(column.type)
    try:
        check_assignable(given, column.type, column.name)
    except InvalidRows:
        raise _needs_spark(column) from None
    if given is None:
        return pa.nulls(len(values), shown)
    if given == column.type and not given.is_nested and type_in_arrow(shown) == given:
        return values
    name = column.type.name
    with _left_to_spark(column):
        if given.name in INTEGER_TYPES and name in INTEGER_TYPES:
            return values.cast(INTEGER_TYPES[name]).cast(shown)
        if name == "decimal" and _is_exact(given):
            return _as_decimal(values, given).cast(shown)
        if name == "float64" and given.name in INTEGER_TYPES:
            return values.cast(shown)
        if name == "float64" and given.name == "decimal":
            return _as_doubles(values, column)
    raise _needs_spark(column)


def computed(operator: str, left: Typed | str, right: Typed | str, column: Column) -> Typed:
    """A sum, difference or product of numbers, one of which may be the text of a literal; the column is for errors."""
    types = [operand[1] for operand in (left, right) if not isinstance(operand, str)]
    names = {None if each is None else each.name for each in types}
    texts = [operand for operand in (left, right) if isinstance(operand, str)]
    with _left_to_spark(column):
        if names <= INTEGER_TYPES.keys() and all(map(_is_whole, texts)):
            values = _CHECKED[operator](_as_long(left), _as_long(right))
            # Spark computes in the wider type: a result that fits in all of them has not overflowed.
            for each in types:
                assert each is not None
                values.cast(INTEGER_TYPES[each.name])
            return values, _LONG
        if "float64" in names and names <= {"float64", *INTEGER_TYPES}:
            return _OF_FLOATS[operator](_as_double(left), _as_double(right)), ColumnType("float64")
        if names <= {"decimal", *INTEGER_TYPES}:
            return _of_decimals(operator, _decimal_operand(left), _decimal_operand(right), column)
    raise _needs_spark(column)


def compared_alike(left: ColumnType | None, right: ColumnType | None) -> pa.DataType | None:
    """A type in which values of two types are compared as Spark does; None if only Spark knows."""
    if left is None or right is None:
        return None
    if left.name in INTEGER_TYPES and right.name in INTEGER_TYPES:
        return pa.int64()
    if left.name == right.name == "decimal":
        scale = max(left.scale or 0, right.scale or 0)
        whole = max((each.precision or 0) - (each.scale or 0) for each in (left, right))
        return pa.decimal128(whole + scale, scale) if whole + scale <= _MOST_DIGITS else None
    is_plain = left == right and left.name in ("boolean", "varchar", "date", "timestamp", "timestamptz")
    return shown_type(left) if is_plain else None


def _needs_spark(column: Column) -> NeedsSparkError:
    return NeedsSparkError(f"only Spark computes the value of '{column.name}'")


@contextmanager
def _left_to_spark(column: Column) -> Iterator[None]:
    try:
        yield
    except pa.ArrowException:
        raise _needs_spark(column) from None


def _is_exact(given: ColumnType) -> bool:
    return given.name == "decimal" or given.name in INTEGER_TYPES


def _is_whole(text: str) -> bool:
    return literal_value(NumberLiteral(text), _LONG, zone_is_utc=True) is not UNKNOWN


def _as_long(operand: Typed | str) -> Values:
    return python_scalar(int(operand), pa.int64()) if isinstance(operand, str) else operand[0].cast(pa.int64())


def _as_double(operand: Typed | str) -> Values:
    if not isinstance(operand, str):
        return operand[0].cast(pa.float64())
    value = literal_value(NumberLiteral(operand), ColumnType("float64"), zone_is_utc=True)
    if value is UNKNOWN:
        raise pa.ArrowInvalid("not exact")
    return python_scalar(value, pa.float64())


def _as_doubles(values: Values, column: Column) -> Values:
    """Decimals as numbers that every way of dividing rounds alike."""
    texts = [None if value is None else NumberLiteral(format(value, "f")) for value in values.to_pylist()]
    found = [literal_value(text, column.type, zone_is_utc=True) for text in texts]
    if UNKNOWN in found:
        raise _needs_spark(column)
    return python_array(found, pa.float64())


def _as_decimal(values: Values, given: ColumnType) -> Values:
    return values if given.name == "decimal" else values.cast(pa.decimal128(_DIGITS[given.name], 0))


def _decimal_operand(operand: Typed | str) -> tuple[Values, int, int]:
    """Values as decimals, with their precision and scale."""
    if not isinstance(operand, str):
        values, given = operand
        assert given is not None
        if given.name == "decimal":
            return values, given.precision or 0, given.scale or 0
        return _as_decimal(values, given), _DIGITS[given.name], 0
    precision, scale = _literal_digits(operand)
    found = literal_value(NumberLiteral(operand), decimal_of(precision, scale), zone_is_utc=True)
    if found is UNKNOWN:
        raise pa.ArrowInvalid("not exact")
    return python_scalar(found, pa.decimal128(precision, scale)), precision, scale


def _literal_digits(text: str) -> tuple[int, int]:
    """The precision and scale of a literal without exponent; of an integer, those of all integers of its type."""
    whole, point, fraction = text.lstrip("-").partition(".")
    precision = len(whole.lstrip("0")) + len(fraction) or 1
    if "e" in text.lower() or precision > _MOST_DIGITS:
        raise pa.ArrowInvalid("not a decimal")
    if point:
        return precision, len(fraction)
    return (_DIGITS["int32"] if precision < _DIGITS["int32"] else max(precision, _DIGITS["int64"])), 0


def _of_decimals(operator: str, left: tuple[Values, int, int], right: tuple[Values, int, int], column: Column) -> Typed:
    """The result has a type that loses no digits; Spark has the same."""
    (one, digits, scale), (other, other_digits, other_scale) = left, right
    if operator == "*":
        precision, result_scale = digits + other_digits + 1, scale + other_scale
    else:
        result_scale = max(scale, other_scale)
        precision = max(digits - scale, other_digits - other_scale) + result_scale + 1
    if precision > _MOST_DIGITS:
        raise _needs_spark(column)
    return _CHECKED[operator](one, other).cast(pa.decimal128(precision, result_scale)), decimal_of(
        precision, result_scale
    )
