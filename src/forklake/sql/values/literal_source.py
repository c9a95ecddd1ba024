"""Rows written as literals, with the names and types that Spark gives their columns: VALUES, or SELECT without FROM."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import pyarrow as pa

from forklake.errors import SyntaxProblem
from forklake.model.column_types import ColumnType
from forklake.spark.tasks.types.arrow_types import shown_type
from forklake.spark.tasks.types.python_array import python_array
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import Cursor
from forklake.sql.parsing.parse_dml import names_in_brackets
from forklake.sql.parsing.plain_syntax import is_plain_rows
from forklake.sql.values.literal_values import UNKNOWN, literal_value
from forklake.sql.values.values_clause import (
    DateLiteral,
    NumberLiteral,
    ParameterValue,
    TextLiteral,
    Written,
    parse_values,
)

_MOST_DIGITS = 38
_DIGITS = {"int32": 10, "int64": 20}
"""The digits of the decimals that integers become next to others."""


def literal_source(text: str, dialect: str, parameters: Parameters, names: Sequence[str] = ()) -> pa.Table | None:
    """The rows of a text, with these names of columns if given; None if only Spark knows them or their types."""
    if not is_plain_rows(text):
        return None
    try:
        values, own = _read(Cursor(text, dialect))
    except SyntaxProblem:
        return None
    rows = parse_values(values, dialect, parameters)
    titles = names or own
    if rows is None or any(len(row) != len(rows[0]) for row in rows):
        return None
    if not titles and dialect == "spark":
        titles = [f"col{at}" for at in range(1, len(rows[0]) + 1)]
    if len(titles) != len(rows[0]):
        return None
    columns = [_column(written) for written in zip(*rows, strict=True)]
    return None if None in columns else pa.Table.from_arrays(columns, names=list(titles))


def _read(cursor: Cursor) -> tuple[str, Sequence[str]]:
    """The text as VALUES, and the names of its columns if it gives them."""
    if cursor.accept("SELECT"):
        values: list[str] = []
        names: list[str] = []
        while not values or cursor.accept(","):
            values.append(cursor.text_until("AS"))
            cursor.expect("AS")
            names.append(cursor.identifier())
        cursor.expect_end()
        return f"VALUES ({', '.join(values)})", names
    cursor.expect("VALUES")
    cursor.in_brackets()
    while cursor.accept(","):
        cursor.in_brackets()
    text = cursor.text[: cursor.last_end]
    if cursor.at_end:
        return text, ()
    cursor.accept("AS")
    cursor.identifier()
    listed = () if cursor.at_end else names_in_brackets(cursor)
    cursor.expect_end()
    return text, listed


def _column(written: Sequence[Written]) -> pa.Array | None:
    """Values of one type; None if they are of several, or of one that only Spark knows."""
    values = [_value(each) for each in written]
    given = [value for value in values if value is not None]
    kinds = {type(value) for value in given}
    if not kinds:
        return pa.nulls(len(values))
    for kind, type_ in ((bool, pa.bool_()), (str, pa.string()), (date, pa.date32()), (float, pa.float64())):
        if kinds == {kind}:
            return python_array(values, type_)
    if kinds <= {int, Decimal}:
        return _numbers(values)
    return None


def _value(written: Written) -> object:
    match written:
        case None | bool():
            return written
        case NumberLiteral(text):
            if "e" in text.lower():
                return UNKNOWN
            return Decimal(text) if "." in text else int(text)
        case TextLiteral(text):
            return text
        case DateLiteral():
            return literal_value(written, ColumnType("date"), zone_is_utc=True)
        case ParameterValue(value) if type(value) in (type(None), bool, int, str, float, date):
            return value
    return UNKNOWN


def _numbers(values: Sequence[object]) -> pa.Array | None:
    """Integers of the narrowest type, or decimals of the type that has the digits of all of them."""
    given = [value for value in values if isinstance(value, int | Decimal)]
    sizes = [_size(value) for value in given]
    if None in sizes:
        return None
    if all(isinstance(value, int) for value in given):
        column_type = ColumnType("int32" if all(size == (10, 0) for size in sizes) else "int64")
        return python_array(values, pa.int64()).cast(shown_type(column_type))
    scale = max(size[1] for size in sizes if size is not None)
    precision = max(size[0] - size[1] for size in sizes if size is not None) + scale
    if precision > _MOST_DIGITS:
        return None
    exact = [None if value is None else Decimal(str(value)) for value in values]
    return python_array(exact, pa.decimal128(precision, scale))


def _size(value: int | Decimal) -> tuple[int, int] | None:
    """The precision and scale that a number has next to decimals; None if it is too large."""
    if isinstance(value, int):
        for name, digits in _DIGITS.items():
            bits = int(name.removeprefix("int")) - 1
            if -(2**bits) <= value < 2**bits:
                return digits, 0
        return None
    scale = -int(value.as_tuple().exponent)
    return max(len(str(abs(int(value.scaleb(scale))))), scale, 1), scale
