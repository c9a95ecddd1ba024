"""Evaluates constant expressions, such as function arguments and points in time, to Python values."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.catalog.retention.expiry import LocalClockTime
from forklake.errors import ForklakeError, InvalidInput
from forklake.model.options import parse_interval
from forklake.model.secrets import without_passwords
from forklake.sql.parsing.cursor import parse_text
from forklake.sql.parsing.known_nodes import Nodes, is_known

Parameters = Mapping[str, Any] | Sequence[Any] | None
"""Values for `:name`, or for each `?` in order."""

_SHOWN_CHARACTERS = 200
_LARGEST_EXPONENT = 400
_INTEGER = re.compile(r"-?\d{1,20}", re.ASCII)
_DOUBLE = re.compile(r"-?\d{1,20}(\.\d{1,20})?([eE][+-]?\d{1,2})?", re.ASCII)
_THIS, _BINARY, _LIST = frozenset({"this"}), frozenset({"this", "expression"}), frozenset({"expressions"})
_READ: Nodes = {
    exp.Paren: _THIS,
    exp.Null: frozenset(),
    exp.Boolean: _THIS,
    exp.Literal: frozenset({"this", "is_string"}),
    exp.Neg: _THIS,
    exp.Array: _LIST,
    exp.Tuple: _LIST,
    exp.Interval: frozenset({"this", "unit"}),
    exp.Add: _BINARY,
    exp.Sub: _BINARY,
    exp.Cast: frozenset({"this", "to"}),
    exp.CurrentTimestamp: frozenset(),
    exp.CurrentDate: frozenset(),
    exp.Anonymous: _THIS,
    exp.Placeholder: _THIS,
    exp.Parameter: _THIS,
    exp.Column: _THIS,
}
"""Nodes of constants, with all arguments that are known."""


def parse_constant(text: str, dialect: str, parameters: Parameters = None) -> Any:
    """The value of an expression that needs no row; raises InvalidInput if it is not one understood here."""
    try:
        parsed = parse_text(text, dialect)
    except SqlglotError:
        raise InvalidInput(f"{_shorten(text.strip())} is not a constant.") from None
    return constant_value(parsed, parameters)


def constant_value(node: exp.Expr, parameters: Parameters = None) -> Any:
    """Like `parse_constant`, for a parsed expression."""
    try:
        return _evaluate(node, parameters)
    except ForklakeError:
        raise
    except (TypeError, ValueError, ArithmeticError):
        # Such as a number added to a text, a time out of range, or too many digits.
        raise InvalidInput(f"{_expression_text(node)} has no value.") from None


def _evaluate(node: exp.Expr, parameters: Parameters) -> Any:
    if not is_known(node, _READ):
        raise InvalidInput(f"{_expression_text(node)} is not a constant.")
    match node:
        case exp.Paren():
            return _evaluate(node.this, parameters)
        case exp.Null():
            return None
        case exp.Boolean():
            return bool(node.this)
        case exp.Literal():
            return node.this if node.is_string else _parse_number(node.this)
        case exp.Neg():
            return -_evaluate(node.this, parameters)
        case exp.Array() | exp.Tuple():
            return [_evaluate(item, parameters) for item in node.expressions]
        case exp.Interval():
            return _interval_value(node, parameters)
        case exp.Add():
            return _add(_evaluate(node.left, parameters), _evaluate(node.right, parameters))
        case exp.Sub():
            return _add(_evaluate(node.left, parameters), -_evaluate(node.right, parameters))
        case exp.Cast() if is_known(node.to):
            return _cast(_evaluate(node.this, parameters), node.to.this)
        case exp.CurrentTimestamp():
            return LocalClockTime.now(UTC)
        case exp.CurrentDate():
            return datetime.now(UTC).date()
        case exp.Anonymous() if node.name.lower() in ("now", "get_current_timestamp"):
            return LocalClockTime.now(UTC)
        case exp.Placeholder():
            return parameter_value(node.this, parameters)
        case exp.Parameter():
            return parameter_value(node.name, parameters)
        case exp.Column() if is_known(node.this) and not node.this.quoted:
            # A word such as zstd, as used in options.
            return node.name
    raise InvalidInput(f"{_expression_text(node)} is not a constant.")


def as_time(value: Any, zone: Callable[[], tzinfo]) -> datetime:
    """A point in time; if it has no zone, in that of the session, which is looked up only then."""
    found = clock_time(value)
    return found if found.tzinfo is not None else found.replace(tzinfo=zone())


def clock_time(value: Any) -> datetime:
    """A time, with a zone if it has one."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidInput(f"'{value}' is not a time; write it as 2026-01-31 12:00:00.") from None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime):
        raise InvalidInput(f"{value!r} is not a time.")
    return value


def as_version(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(f"{value!r} is not a version; versions are whole numbers.")
    return value


def _expression_text(node: exp.Expr) -> str:
    """The expression as quoted in an error message."""
    return _shorten(node.sql())


def _shorten(text: str) -> str:
    shown = without_passwords(text)
    return shown if len(shown) <= _SHOWN_CHARACTERS else f"{shown[:_SHOWN_CHARACTERS]}..."


def _parse_number(text: str) -> int | Decimal:
    if text.isdecimal():
        return int(text)
    number = Decimal(text)
    if number.adjusted() > _LARGEST_EXPONENT:
        # As an integer it would have more digits than fit in memory.
        raise InvalidInput(f"{text} is too large.")
    return number


def _interval_value(node: exp.Interval, parameters: Parameters) -> timedelta:
    amount = "" if node.this is None else str(_evaluate(node.this, parameters))
    unit = "" if node.unit is None else f" {node.unit.name.lower()}"
    return parse_interval(f"{amount}{unit}")


def _add(left: Any, right: Any) -> Any:
    """Add integers, or intervals to times or to each other; other additions of Python mean something else in SQL."""
    if _is_integer(left) and _is_integer(right):
        return left + right
    if isinstance(left, timedelta) and not isinstance(right, timedelta):
        left, right = right, left
    if not isinstance(right, timedelta):
        raise TypeError
    return left + right if isinstance(left, timedelta) else clock_time(left) + right


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _cast(value: Any, kind: object) -> Any:
    name = getattr(kind, "name", kind)
    if kind not in _CASTS:
        raise InvalidInput(f"A constant cannot be cast to {name} here.")
    try:
        return None if value is None else _CASTS[kind](value)
    except (ValueError, TypeError):
        raise InvalidInput(f"{value!r} cannot be read as {name}.") from None


def _integer_reader(bits: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        is_text = isinstance(value, str) and _INTEGER.fullmatch(value)
        if not is_text and not _is_integer(value):
            raise ValueError
        if not -(2**bits) <= int(value) < 2**bits:
            raise ValueError
        return int(value)

    return read


def _read_double(value: Any) -> float:
    is_text = isinstance(value, str) and _DOUBLE.fullmatch(value)
    if not is_text and not _is_integer(value) and not isinstance(value, float | Decimal):
        raise ValueError
    return float(value)


def _read_text(value: Any) -> str:
    if not isinstance(value, str) and not _is_integer(value):
        raise ValueError
    return str(value)


def _read_boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    found = {"true": True, "false": False}.get(str(value).lower()) if isinstance(value, str) else None
    if found is None:
        raise ValueError
    return found


def _read_local_time(value: Any) -> datetime:
    """A time without a zone; for a text with a zone, dialects differ."""
    if isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None:
        raise ValueError
    return clock_time(value)


_CASTS: dict[object, Callable[[Any], Any]] = {
    exp.DataType.Type.SMALLINT: _integer_reader(15),
    exp.DataType.Type.INT: _integer_reader(31),
    exp.DataType.Type.BIGINT: _integer_reader(63),
    exp.DataType.Type.TEXT: _read_text,
    exp.DataType.Type.VARCHAR: _read_text,
    exp.DataType.Type.DOUBLE: _read_double,
    exp.DataType.Type.BOOLEAN: _read_boolean,
    exp.DataType.Type.DATE: lambda value: clock_time(value).date(),
    exp.DataType.Type.TIMESTAMP: clock_time,
    exp.DataType.Type.TIMESTAMPTZ: clock_time,
    exp.DataType.Type.TIMESTAMPNTZ: _read_local_time,
    exp.DataType.Type.TIMESTAMPLTZ: clock_time,
    exp.DataType.Type.INTERVAL: lambda value: value if isinstance(value, timedelta) else parse_interval(str(value)),
}
"""Casts with the same result in every dialect: of values that need no change, or of texts in a plain form."""


def parameter_value(name: Any, parameters: Parameters) -> Any:
    """The value given for a parameter."""
    if isinstance(parameters, Mapping) and name in parameters:
        return parameters[name]
    if not isinstance(parameters, Mapping) and parameters is not None and len(parameters) == 1:
        return parameters[0]
    raise InvalidInput(f"The parameter {name or '?'} has no value here.")
