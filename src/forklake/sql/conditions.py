"""Conditions as users give them to what the data path takes."""

import re
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

from pyspark.sql import Column as Expression

from forklake.errors import InvalidInput
from forklake.model.column_types import FLOATS, ColumnType
from forklake.model.entities import Column, Table
from forklake.model.names import fold
from forklake.model.predicates import And, Comparison, In, Not, Or, Path, Predicate, StartsWith, Unknown
from forklake.spark.delete import Condition
from forklake.spark.tasks.text_checks import TIME_PATTERN
from forklake.spark.virtual import FOR_USERS
from forklake.spark.zones import is_utc
from forklake.sql.predicates import predicate_of


def condition(where: str | Expression, table: Table, *, zone: str = "UTC") -> Condition:
    """A condition on the rows of a table, as SQL text or as a column expression; only text can choose files.

    `zone` is the time zone of the session, in which texts without one are meant.
    """
    if not isinstance(where, str):
        return Condition(where)
    if not where.strip():
        raise InvalidInput("The condition is empty.")
    return Condition(where, as_compared(predicate_of(where), table, zone), virtual_columns(table, where))


def virtual_columns(table: Table, text: str) -> list[str]:
    """The virtual columns that a text speaks of; a column of the table's own goes before one of the same name."""
    own = {fold(column.name) for column in table.definition.columns}
    return [name for name in FOR_USERS if name not in own and re.search(rf"\b{name}\b", text, re.IGNORECASE)]


def as_compared(predicate: Predicate, table: Table, zone: str = "UTC") -> Predicate:
    """The predicate with its constants as Spark compares them with the columns.

    A number meets a floating-point column as a double. A moment without a zone meets a column with zones in that of
    the session: unless that is UTC, it chooses nothing. Times of day are text to Spark.
    """
    match predicate:
        case And(parts) | Or(parts):
            return type(predicate)(tuple(as_compared(part, table, zone) for part in parts))
        case Not(part):
            return Not(as_compared(part, table, zone))
        case Comparison(path, _, value):
            compared = _constant(_type_at(path, table), value, zone)
            return Unknown() if compared is _NONE else replace(predicate, value=compared)
        case In(path, values):
            constants = [_constant(_type_at(path, table), value, zone) for value in values]
            return Unknown() if _NONE in constants else In(path, tuple(constants))
        case StartsWith(path, _):
            found = _type_at(path, table)
            return predicate if found is not None and found.name == "varchar" else Unknown()
    return predicate


_NONE = object()


def _constant(column_type: ColumnType | None, value: object, zone: str) -> object:
    if column_type is None:
        return _NONE
    if column_type.name in FLOATS and isinstance(value, int | Decimal) and not isinstance(value, bool):
        return float(value)
    if not is_utc(zone) and _needs_zone(column_type, value):
        return _NONE
    if column_type.name == "time" and not _is_time_text(value):
        return _NONE
    return value


def _needs_zone(column_type: ColumnType, value: object) -> bool:
    """Whether the two are compared by way of the session's zone: only one of them has a zone of its own."""
    has_zone = isinstance(value, datetime) and value.tzinfo is not None
    return isinstance(value, str | date) and not has_zone if column_type.name == "timestamptz" else has_zone


def _is_time_text(value: object) -> bool:
    """Whether a text is in the one form in which times are shown, and compared, as text."""
    return isinstance(value, str) and re.match(TIME_PATTERN, value) is not None and value.count(":") == 2


def _type_at(path: Path, table: Table) -> ColumnType | None:
    fields: tuple[Column, ...] = table.definition.columns
    found: Column | None = None
    for name in path:
        found = next((field for field in fields if field.name.lower() == name), None)
        if found is None:
            return None
        fields = found.children
    return None if found is None else found.type
