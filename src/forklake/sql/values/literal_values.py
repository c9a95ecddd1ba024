"""Values of plain literals, where it is certain what the engine would store; others are left to the engine.

A literal is accepted only for a column of its own kind. If it would have to be cast, rounded, truncated or interpreted
in a zone with Spark's rules, the result is UNKNOWN, which leaves it to Spark or to the translation of DuckDB's casts.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any, Final, TypeAlias

from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS, ColumnType
from forklake.spark.tasks.types.text_checks import INTERVAL_PATTERN, TIME_PATTERN, UUID_PATTERN
from forklake.sql.values.values_clause import DateLiteral, NumberLiteral, ParameterValue, TextLiteral, Written


class UnknownValue(Enum):
    """Marks a value that only the engine knows."""

    UNKNOWN = "unknown"


UNKNOWN: Final = UnknownValue.UNKNOWN

Reader: TypeAlias = Callable[[str, ColumnType, bool], Any]
"""From a text, the type of a column, and whether the session zone is UTC."""

_INTEGER = re.compile(r"-?\d+", re.ASCII)
_DECIMAL = re.compile(r"-?(\d*)\.?(\d*)", re.ASCII)
_EXACT = {"float32": (2**24, 10), "float64": (2**53, 22)}
"""The number up to which all integers are exact, and the largest exact power of ten."""
_SMALLEST_NORMAL, _LARGEST = {"float32": 1.2e-38, "float64": 2.3e-308}, {"float32": 3.4e38, "float64": 1.7e308}
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(Z|[+-](?:0\d|1[0-3]):[0-5]\d)?", re.ASCII
)
_EPOCH = datetime(1970, 1, 1)
_DEEPEST_JSON, _LONGEST_JSON = 50, 100_000


def literal_value(written: Written, column_type: ColumnType, *, zone_is_utc: bool) -> Any:
    """The value of a literal in a column of the type; UNKNOWN if only the engine can tell."""
    match written:
        case None:
            return None
        case bool():
            return written if column_type.name == "boolean" else UNKNOWN
        case NumberLiteral(text):
            return _number(text, column_type)
        case TextLiteral(text):
            reader = _TEXTS.get(column_type.name)
            return UNKNOWN if reader is None else reader(text, column_type, zone_is_utc)
        case DateLiteral(text):
            return _date(text, column_type, zone_is_utc) if column_type.name == "date" else UNKNOWN
        case ParameterValue(value):
            return _parameter_value(value, column_type, zone_is_utc)
    return UNKNOWN


def _parameter_value(value: Any, column_type: ColumnType, zone_is_utc: bool) -> Any:
    """A Python value of the column's own kind."""
    if value is None or type(value) is bool:
        return literal_value(value, column_type, zone_is_utc=zone_is_utc)
    if type(value) is str:
        return literal_value(TextLiteral(value), column_type, zone_is_utc=zone_is_utc)
    if type(value) is int and -(2**63) <= value < 2**63:
        return _number(str(value), column_type)
    if type(value) is Decimal and column_type.name == "decimal" and value.is_finite():
        return _decimal(format(value, "f"), column_type)
    if type(value) is float and column_type.name == "float64":
        return value
    return value if type(value) is date and column_type.name == "date" else UNKNOWN


def _number(text: str, column_type: ColumnType) -> Any:
    if column_type.name in INTEGERS:
        return _integer(text, column_type.name)
    if column_type.name == "decimal":
        return _decimal(text, column_type)
    return _float(text, column_type.name) if column_type.name in FLOATS else UNKNOWN


def _integer(text: str, name: str) -> Any:
    # 128 bits hold more digits than any type that such a column is presented as.
    if _INTEGER.fullmatch(text) is None or len(text) > 38:
        return UNKNOWN
    value, bits = int(text), int(name.removeprefix("u").removeprefix("int"))
    low, high = (0, 2**bits) if name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    return value if low <= value < high else UNKNOWN


def _decimal(text: str, column_type: ColumnType) -> Any:
    """A number with no more digits, as written, than the column has."""
    found = _DECIMAL.fullmatch(text)
    precision, scale = column_type.precision or 0, column_type.scale or 0
    if found is None or len(found[2]) > scale or len(found[1].lstrip("0")) > precision - scale:
        return UNKNOWN
    return Decimal(text)


def _float(text: str, name: str) -> Any:
    """A number that every parser rounds to the same value of the type."""
    try:
        value, exact = float(text), Decimal(text)
    except ArithmeticError:
        return UNKNOWN
    if not value:
        # The sign of a zero depends on the type of the literal.
        return UNKNOWN if text.startswith("-") or exact else 0.0
    if not _SMALLEST_NORMAL[name] < abs(value) < _LARGEST[name]:
        return UNKNOWN
    return value if "e" in text.lower() or _is_exact_division(exact, name) else UNKNOWN


def _is_exact_division(exact: Decimal, name: str) -> bool:
    """Whether a number is an integer over a power of ten, both exact in the type, as engines compute a decimal."""
    scale = -int(exact.as_tuple().exponent)
    if scale <= 0:
        return abs(exact) < _EXACT["float64"][0]
    whole, power = _EXACT[name]
    return scale <= power and abs(exact.scaleb(scale)) < whole


def _text(text: str, _: ColumnType, __: bool) -> Any:
    return text


def _pattern_reader(pattern: str) -> Reader:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text, _, __: text if compiled.match(text) else UNKNOWN


def _uuid(text: str, _: ColumnType, __: bool) -> Any:
    return text if re.match(UUID_PATTERN, text.lower(), re.ASCII) else UNKNOWN


def _json(text: str, _: ColumnType, __: bool) -> Any:
    """JSON that every parser accepts: small, not deeply nested, without duplicate keys."""
    if len(text) > _LONGEST_JSON or text.count("[") + text.count("{") > _DEEPEST_JSON or "\\u" in text:
        return UNKNOWN
    try:
        json.loads(
            text,
            parse_constant=_refuse,
            object_pairs_hook=_refuse_duplicate_keys,
            parse_float=_refuse_unusual_number,
            parse_int=_refuse_unusual_number,
        )
    except ValueError:
        return UNKNOWN
    return text


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        _refuse("a key comes twice")


def _refuse_unusual_number(number: str) -> None:
    if len(number) > 18 or "e" in number.lower():
        _refuse(number)


def _refuse(what: str) -> None:
    raise ValueError(what)


def _date(text: str, _: ColumnType, __: bool) -> Any:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else UNKNOWN
    except ValueError:
        return UNKNOWN


def _moment(text: str, column_type: ColumnType, zone_is_utc: bool) -> Any:
    found = _MOMENT.fullmatch(text if _DATE.fullmatch(text) is None else f"{text} 00:00:00")
    if found is None:
        return UNKNOWN
    day, clock, fraction, zone = found.groups()
    digits = (fraction or "").ljust(9, "0")
    try:
        moment = datetime.fromisoformat(f"{day} {clock}.{digits[:6]}")
        if column_type.name == "timestamptz":
            return _utc_moment(moment, zone, zone_is_utc) if digits.endswith("000") else UNKNOWN
    except (ValueError, OverflowError):
        return UNKNOWN
    if zone is not None:
        return UNKNOWN
    if column_type.name == "timestamp_ns":
        nanoseconds = (moment - _EPOCH) // timedelta(microseconds=1) * 1000 + int(digits[6:])
        return nanoseconds if abs(nanoseconds) < 2**63 else UNKNOWN
    return moment if digits.endswith(_ZEROS[column_type.name]) else UNKNOWN


_ZEROS = {"timestamp_s": "000000000", "timestamp_ms": "000000", "timestamp": "000"}
"""The digits of a fraction that must be zero."""


def _utc_moment(moment: datetime, zone: str | None, zone_is_utc: bool) -> Any:
    if zone is None:
        return moment.replace(tzinfo=UTC) if zone_is_utc else UNKNOWN
    if zone == "Z":
        return moment.replace(tzinfo=UTC)
    hours, minutes = zone[1:].split(":")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return moment.replace(tzinfo=timezone(-offset if zone[0] == "-" else offset)).astimezone(UTC)


_TEXTS: dict[str, Reader] = {
    "varchar": _text,
    "json": _json,
    "uuid": _uuid,
    "time": _pattern_reader(TIME_PATTERN),
    "interval": _pattern_reader(INTERVAL_PATTERN),
    "date": _date,
    **dict.fromkeys(TIMESTAMPS, _moment),
}
