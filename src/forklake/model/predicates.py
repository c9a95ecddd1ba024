"""Predicates on the rows of a table, as far as they are useful for pruning files.

A filter keeps the rows for which its predicate is TRUE; both FALSE and NULL drop the row.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal
from uuid import UUID

from forklake.model.column_types import FLOATS, INTEGERS, ColumnType
from forklake.model.statistics import Exact, exact_value, value_text

Path = tuple[str, ...]
"""A column name, followed by the names of nested fields."""
Operator = Literal["=", "<>", "<", "<=", ">", ">="]
CalendarPart = Literal["year", "month", "day", "hour"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Compares the column with a constant; NULL if either is NULL."""

    column: Path
    op: Operator
    value: object


@dataclass(frozen=True, slots=True)
class In:
    """The column equals one of the constants."""

    column: Path
    values: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class IsNull:
    column: Path


@dataclass(frozen=True, slots=True)
class IsNotNull:
    column: Path


@dataclass(frozen=True, slots=True)
class StartsWith:
    column: Path
    prefix: str


@dataclass(frozen=True, slots=True)
class CalendarPartIn:
    """The year, month, day or hour of the column in UTC is one of the values."""

    column: Path
    part: CalendarPart
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class And:
    """TRUE if all parts are TRUE; also without parts."""

    parts: "tuple[Predicate, ...]"


@dataclass(frozen=True, slots=True)
class Or:
    """TRUE if any part is TRUE; never without parts."""

    parts: "tuple[Predicate, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    part: "Predicate"


@dataclass(frozen=True, slots=True)
class UnknownPredicate:
    """A predicate that cannot be represented; may be TRUE for any row."""


Predicate = Comparison | In | IsNull | IsNotNull | StartsWith | CalendarPartIn | And | Or | Not | UnknownPredicate

_NUMBERS = INTEGERS | FLOATS | {"decimal"}
_TIMESTAMP = ColumnType("timestamp")
_FRACTION_DIGITS = {"timestamp_s": 0, "timestamp_ms": 3, "timestamp_ns": 9}
_OPPOSITES: dict[Operator, Operator] = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def is_understood(predicate: Predicate | None) -> bool:
    """Whether all parts of a predicate are represented, so that its evaluation cannot fail."""
    match predicate:
        case And(parts) | Or(parts):
            return all(is_understood(part) for part in parts)
        case Not(part):
            return is_understood(part)
    return predicate is not None and not isinstance(predicate, UnknownPredicate)


def negate(predicate: Predicate) -> Predicate:
    """A predicate without Not that is TRUE at least wherever NOT(predicate) is TRUE."""
    match predicate:
        case Comparison(column, op, value):
            return Comparison(column, _OPPOSITES[op], value)
        case In(column, values):
            return _not_in(column, values)
        case IsNull(column):
            return IsNotNull(column)
        case IsNotNull(column):
            return IsNull(column)
        case And(parts):
            return Or(tuple(negate(part) for part in parts))
        case Or(parts):
            return And(tuple(negate(part) for part in parts))
        case Not(part):
            return _without_not(part)
        case StartsWith() | CalendarPartIn() | UnknownPredicate():
            return UnknownPredicate()


def _without_not(predicate: Predicate) -> Predicate:
    match predicate:
        case And(parts):
            return And(tuple(_without_not(part) for part in parts))
        case Or(parts):
            return Or(tuple(_without_not(part) for part in parts))
        case Not(part):
            return negate(part)
        case _:
            return predicate


def _not_in(column: Path, values: tuple[object, ...]) -> Predicate:
    # NOT IN a list with NULL is never TRUE, but using this gains nothing.
    if any(value is None for value in values):
        return UnknownPredicate()
    return And(tuple(Comparison(column, "<>", value) for value in values))


def is_nan(value: object) -> bool:
    """Whether a constant is NaN."""
    return isinstance(value, float | Decimal) and Decimal(value).is_nan()


def constant_value(column_type: ColumnType, value: object) -> Exact | None:
    """The constant, comparable with values of the column; None if the types are not simply comparable.

    Numbers of any type are comparable with numeric columns, dates with timestamps, and ISO text with both. A timestamp
    without time zone is taken as UTC for a column with time zone, and vice versa.
    """
    match column_type.name:
        case "boolean":
            return Decimal(value) if isinstance(value, bool) else None
        case "varchar":
            return _string(value)
        case "blob":
            return value if isinstance(value, bytes) else None
        case "uuid":
            return _uuid(column_type, value)
        case "json":
            return None
        case name if name in _NUMBERS:
            return _number(value)
        case _:
            return _text_moment(column_type, value) if isinstance(value, str) else _moment(column_type, value)


def _number(value: object) -> Exact | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return Decimal(value)


def _string(value: object) -> Exact | None:
    try:
        return value.encode() if isinstance(value, str) else None
    except UnicodeEncodeError:
        return None


def _uuid(column_type: ColumnType, value: object) -> Exact | None:
    if isinstance(value, UUID):
        return value.bytes
    exact = exact_value(column_type, value) if isinstance(value, str) else None
    # If uuids are compared as text, only the canonical spelling has the order of the values.
    return exact if isinstance(exact, bytes) and str(UUID(bytes=exact)) == value else None


def _moment(column_type: ColumnType, value: object) -> Exact | None:
    text = value_text(column_type if column_type.name == "time" else _TIMESTAMP, value)
    return None if text is None else exact_value(column_type, text)


def _text_moment(column_type: ColumnType, text: str) -> Exact | None:
    """A point in time given as text; None if an engine would truncate or shift it to fit the column."""
    clock = text if column_type.name == "time" else text.replace("T", " ").partition(" ")[2]
    if clock and column_type.name == "date":
        return None
    if re.search(r"[Z+-]", clock) and column_type.name != "timestamptz":
        return None
    fraction = re.search(r"\.\d+", clock)
    if fraction and len(fraction[0]) - 1 > _FRACTION_DIGITS.get(column_type.name, 6):
        return None
    return exact_value(column_type, text)
