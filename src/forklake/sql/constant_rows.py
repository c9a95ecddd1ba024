"""VALUES with nothing but constants: rows that need no Spark."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import pyarrow as pa
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.errors import InvalidInput, InvalidRows
from forklake.model.column_types import FLOATS, INTEGERS
from forklake.model.entities import Column
from forklake.spark.incoming import as_rows
from forklake.spark.tasks.literals import literal
from forklake.sql.constants import Parameters, constant_of
from forklake.sql.cursor import parse_text

_NUMBERS = INTEGERS | FLOATS | {"decimal"}
_FROM_TEXT = frozenset(
    {"date", "time", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamptz", "uuid", "interval"}
)
"""Types whose values are written as text."""
_PLAIN = _NUMBERS | _FROM_TEXT | {"boolean", "varchar", "json"}


def constant_rows(text: str, dialect: str, columns: Sequence[Column], parameters: Parameters = None) -> pa.Table | None:
    """The rows of VALUES for these columns; None if they are not all plain constants, for Spark to work out."""
    if text.lstrip()[:6].upper() != "VALUES" or any(column.type.name not in _PLAIN for column in columns):
        return None
    rows = _constants(text, dialect, parameters)
    if rows is None:
        return None
    for row in rows:
        if len(row) != len(columns):
            raise InvalidRows(f"the table has {len(columns)} columns but {len(row)} values were supplied")
    if not all(_fits(value, column) for row in rows for value, column in zip(row, columns, strict=True)):
        return None
    found = as_rows([_converted(row, columns) for row in rows], columns)
    assert isinstance(found, pa.Table)
    return found


def texts_among(text: str, dialect: str, columns: Sequence[Column]) -> set[int]:
    """Of VALUES that are not all constants, the columns for which texts are given that mean dates, times or uuids."""
    if text.lstrip()[:6].upper() != "VALUES":
        return set()
    try:
        values = parse_text(text, dialect).find(exp.Values)
    except SqlglotError:
        return set()
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions] if values else []
    return {
        at
        for at, column in enumerate(columns)
        if column.type.name in _FROM_TEXT and all(at < len(row) and _is_text(row[at]) for row in rows)
    }


def _is_text(value: exp.Expr) -> bool:
    return isinstance(value, exp.Null) or (isinstance(value, exp.Literal) and value.is_string)


def _constants(text: str, dialect: str, parameters: Parameters) -> list[tuple[object, ...]] | None:
    if isinstance(parameters, Sequence):
        # Which ? is whose is known to Spark.
        return None
    try:
        tree = parse_text(text, dialect)
        values = tree.find(exp.Values)
        if values is None or len(list(tree.find_all(exp.Select))) > 1:
            return None
        tuples = values.expressions
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in tuples]
        if any(isinstance(value, exp.Column) for row in rows for value in row):
            return None
        return [tuple(constant_of(value, parameters) for value in row) for row in rows]
    except (SqlglotError, InvalidInput, TypeError):
        return None


def _converted(row: tuple[object, ...], columns: Sequence[Column]) -> tuple[object, ...]:
    return tuple(_as_value(value, column) for value, column in zip(row, columns, strict=True))


def _as_value(value: object, column: Column) -> object:
    if column.type.name in FLOATS and isinstance(value, Decimal):
        return float(value)
    if column.type.name in _FROM_TEXT and isinstance(value, str):
        return literal(value, column).as_py()
    return value


def _fits(value: object, column: Column) -> bool:
    """Whether a constant is one of the column's own kind; others are cast, or refused, by Spark."""
    match column.type.name:
        case "varchar" | "json":
            return value is None or isinstance(value, str)
        case "date":
            return value is None or isinstance(value, str) or type(value) is date
        case name if name in _FROM_TEXT:
            # Times that have a type of their own are meant in the zone of the session, which Spark knows.
            return value is None or isinstance(value, str)
        case "boolean":
            return value is None or isinstance(value, bool)
        case "float32" | "float64" | "decimal":
            return value is None or (not isinstance(value, bool | str) and not isinstance(value, list))
        case _:
            return value is None or (isinstance(value, int) and not isinstance(value, bool))
