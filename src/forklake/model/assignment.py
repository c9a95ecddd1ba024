"""Implicit assignment: which types can be written to a column without loss.

Narrowing integers and decimals is allowed, and each value is range-checked. Types that would require rounding,
truncating or parsing are rejected; the writer has to cast.
"""

from forklake.errors import InvalidRows
from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS, ColumnType, can_promote

UNTYPED = ColumnType("unknown")
"""The type of a value inside a nested type that is always NULL."""

_TEXT = frozenset({"varchar", "json", "uuid", "time", "interval"})
_BYTES = frozenset({"blob", "geometry"})


def check_assignable(source: ColumnType | None, target: ColumnType, column: str) -> None:
    """Reject a source type that cannot be written to the column. None as source means that all values are NULL."""
    if source is None or _is_assignable(source, target):
        if source not in (None, UNTYPED) and target.is_nested:
            _check_children(source, target, column)
        return
    raise InvalidRows(
        f"Cannot write {source.sql()} to column {column} of type {target.sql()} without losing anything; cast it first."
    )


def _is_assignable(source: ColumnType, target: ColumnType) -> bool:
    if source in (target, UNTYPED) or can_promote(source, target):
        return True
    if target.is_nested or source.is_nested:
        return source.name == target.name
    if target.name in INTEGERS:
        # Unsigned and 128-bit integers are represented as decimals with scale 0.
        return source.name in INTEGERS or (source.name == "decimal" and not source.scale) or _is_count(source, target)
    if target.name == "decimal":
        return source.name in INTEGERS or (source.name == "decimal" and (source.scale or 0) <= (target.scale or 0))
    if target.name in FLOATS:
        return source.name in FLOATS
    if target.name in TIMESTAMPS:
        return source.name in TIMESTAMPS or _is_count(source, target)
    return any({source.name, target.name} <= alike for alike in (_TEXT, _BYTES))


def _is_count(source: ColumnType, target: ColumnType) -> bool:
    """Nanosecond timestamps are represented as integers."""
    return {source.name, target.name} == {"int64", "timestamp_ns"}


def _check_children(source: ColumnType, target: ColumnType, column: str) -> None:
    """Struct fields match by name: a missing field is NULL, an extra one is rejected."""
    given = {name.lower(): child for name, child in source.fields}
    for name, child in target.fields:
        found = given.pop(name.lower(), None)
        if found is not None:
            check_assignable(found, child, f"{column}.{name}")
        elif target.name != "struct":
            raise InvalidRows(f"Column {column} of type {target.sql()} cannot be written from {source.sql()}.")
    if given:
        raise InvalidRows(f"Column {column} has no field {next(iter(given))!r}; its type is {target.sql()}.")
