"""Which values may be written to a column without being asked: those that arrive as what they were.

Narrower numbers are taken when each value fits, which is looked at row by row; what would be rounded, cut or parsed
is refused by its type, and has to be cast by whoever writes.
"""

from forklake.errors import InvalidRows
from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS, ColumnType, can_promote

UNTYPED = ColumnType("unknown")
"""Of what is NULL throughout, inside of a nested type."""

_TEXT = frozenset({"varchar", "json", "uuid", "time", "interval"})
_BYTES = frozenset({"blob", "geometry"})


def check_assignable(source: ColumnType | None, target: ColumnType, column: str) -> None:
    """Refuse a type whose values cannot go into the column. A source of no type is all NULL."""
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
        # Unsigned and 128-bit integers are shown as decimals without a fraction.
        return source.name in INTEGERS or (source.name == "decimal" and not source.scale) or _is_count(source, target)
    if target.name == "decimal":
        return source.name in INTEGERS or (source.name == "decimal" and (source.scale or 0) <= (target.scale or 0))
    if target.name in FLOATS:
        return source.name in FLOATS
    if target.name in TIMESTAMPS:
        return source.name in TIMESTAMPS or _is_count(source, target)
    return any({source.name, target.name} <= alike for alike in (_TEXT, _BYTES))


def _is_count(source: ColumnType, target: ColumnType) -> bool:
    """Nanosecond timestamps are shown as counts."""
    return {source.name, target.name} == {"int64", "timestamp_ns"}


def _check_children(source: ColumnType, target: ColumnType, column: str) -> None:
    """Fields of structs go by name; one that is missing is NULL, one too many is refused."""
    given = {name.lower(): child for name, child in source.fields}
    for name, child in target.fields:
        found = given.pop(name.lower(), None)
        if found is not None:
            check_assignable(found, child, f"{column}.{name}")
        elif target.name != "struct":
            raise InvalidRows(f"Column {column} of type {target.sql()} cannot be written from {source.sql()}.")
    if given:
        raise InvalidRows(f"Column {column} has no field {next(iter(given))!r}; its type is {target.sql()}.")
