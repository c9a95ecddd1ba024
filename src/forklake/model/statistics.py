"""Column statistics of files: bounds as text, as exact values, and as numeric keys for index range scans.

A bound is stored twice. The text is for other readers of the lake. The key is a double in the order of the values,
rounded outward (a minimum down, a maximum up), so that comparing keys never loses a row:

- numbers and booleans: the value itself
- dates and timestamps: microseconds since 1970; times: microseconds since midnight
- strings, blobs and uuids: the first six bytes as a big-endian integer

Types that can be promoted to each other have a common key space, so stored keys stay valid after a promotion.
"""

import math
import operator
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Context, Decimal, Inexact, InvalidOperation
from functools import lru_cache
from typing import Literal, NamedTuple
from uuid import UUID

from forklake.errors import InvalidInput
from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS, ColumnType
from forklake.model.ids import ColumnId

Side = Literal["min", "max"]
Exact = Decimal | bytes
"""An ordered value: numbers, dates and times as decimals; strings, blobs and uuids as bytes."""
Beyond = Callable[[Exact, Exact], bool]

MAX_TEXT_BYTES = 256
KEY_BYTES = 6
_EXACT_CONTEXT = Context(prec=80, traps=[Inexact, InvalidOperation])
_EXACT_DIGITS = 16
"""A double represents every integer with fewer characters than this, including the sign."""
_MICROSECONDS_OF_DAY = 86_400 * 10**6


class ColumnStats(NamedTuple):
    """Statistics of one column in one file or table; None is unknown. The bounds exclude NaN."""

    column_id: ColumnId
    value_count: int | None = None
    null_count: int | None = None
    min_value: str | None = None
    max_value: str | None = None
    contains_nan: bool | None = None
    column_size_bytes: int | None = None
    extra_stats: str | None = None


def value_text(column_type: ColumnType, value: object) -> str | None:
    """The text form of a value; None for NULL, NaN, and values without text form in this type."""
    write = _WRITERS.get(column_type.name)
    text = None if write is None or value is None else write(column_type, value)
    return None if text is not None and "\0" in text else text


def min_text(column_type: ColumnType, value: object) -> str | None:
    """The text of a lower bound: the value itself, truncated if long."""
    if isinstance(value, bytes):
        return value_text(column_type, value[:MAX_TEXT_BYTES])
    text = value_text(column_type, value)
    return None if text is None else _cut_to_limit(text)


def max_text(column_type: ColumnType, value: object) -> str | None:
    """The text of an upper bound: the value itself, truncated and rounded up if long; None if that is impossible."""
    if isinstance(value, bytes) and len(value) > MAX_TEXT_BYTES:
        *kept, last = value[:MAX_TEXT_BYTES]
        return value_text(column_type, bytes([*kept, last + 1])) if last < 0xFF else None
    text = value_text(column_type, value)
    if text is None or isinstance(value, bytes) or _cut_to_limit(text) == text:
        return text
    above = text_successor(_cut_to_limit(text))
    return above if above is not None and len(above.encode()) <= MAX_TEXT_BYTES else None


def text_successor(text: str) -> str | None:
    """A string of the same length greater than all strings that begin with `text`, if there is one."""
    last = ord(text[-1]) if text else 0x10FFFF
    if last == 0x10FFFF:
        return None
    # The code points in between are UTF-16 surrogates and cannot be encoded.
    return text[:-1] + chr(0xE000 if last == 0xD7FF else last + 1)


def is_exact_bound(column_type: ColumnType, text: str) -> bool:
    """Whether a stored bound is itself a value; long strings may have been truncated, at a character boundary."""
    exact = exact_value(column_type, text)
    return not isinstance(exact, bytes) or len(exact) < MAX_TEXT_BYTES - 3


def pruning_key(column_type: ColumnType, text: str | None, side: Side) -> float:
    """The key of a bound, rounded outward; infinite if the bound is unknown."""
    if (
        text is not None
        and column_type.name in INTEGERS
        and len(text) < _EXACT_DIGITS
        and text.removeprefix("-").isdecimal()
    ):
        return float(text)
    exact = None if text is None or column_type.name == "json" else exact_value(column_type, text)
    if exact is None:
        return -math.inf if side == "min" else math.inf
    return key_for_value(exact, side)


def key_for_value(exact: Exact, side: Side) -> float:
    """The nearest double on the outer side of a value."""
    if isinstance(exact, bytes):
        key = int.from_bytes(exact[:KEY_BYTES].ljust(KEY_BYTES, b"\0"))
        return float(key + 1 if side == "max" and len(exact) > KEY_BYTES else key)
    nearest = float(exact)
    if side == "min":
        return math.nextafter(nearest, -math.inf) if exact < nearest else nearest
    return math.nextafter(nearest, math.inf) if exact > nearest else nearest


def compare_text(column_type: ColumnType, a: str, b: str) -> int:
    """Compare two text forms as values of their type: negative, zero or positive."""
    first, second = exact_value(column_type, a), exact_value(column_type, b)
    if first is None or second is None:
        raise InvalidInput(f'"{a}" and "{b}" cannot be compared as {column_type.text}')
    return _compare(first, second)


def merge_stats(column_type: ColumnType, sides: Sequence[ColumnStats]) -> ColumnStats:
    """Merged statistics; what is unknown on a side that has values is unknown in the result."""
    if len(sides) == 2 and 0 not in (sides[0].value_count, sides[1].value_count):
        return _merge_two(column_type, *sides)
    # Transposed once: a commit may merge a hundred thousand of them.
    ids, values, nulls, _, _, _, sizes, _ = zip(*sides, strict=True)
    filled = sides if 0 not in values else [side for side in sides if side.value_count != 0]
    _, _, _, lows, highs, nans, _, extras = zip(*(filled or sides), strict=True)
    return ColumnStats(
        ids[0],
        _sum_if_known(values),
        _sum_if_known(nulls),
        _outermost_bound(column_type, lows, operator.lt) if filled else None,
        _outermost_bound(column_type, highs, operator.gt) if filled else None,
        _any_true(nans),
        _sum_if_known(sizes),
        _common_value(extras) if filled else None,
    )


def _merge_two(column_type: ColumnType, a: ColumnStats, b: ColumnStats) -> ColumnStats:
    """Merges two non-empty sides: the most frequent case, one new file added to the existing ones."""
    column_id, a_values, a_nulls, a_low, a_high, a_nan, a_size, a_extra = a
    _, b_values, b_nulls, b_low, b_high, b_nan, b_size, b_extra = b
    return ColumnStats(
        column_id,
        None if a_values is None or b_values is None else a_values + b_values,
        None if a_nulls is None or b_nulls is None else a_nulls + b_nulls,
        _outer_bound(column_type, a_low, b_low, operator.lt),
        _outer_bound(column_type, a_high, b_high, operator.gt),
        a_nan if a_nan is b_nan else _any_true((a_nan, b_nan)),
        None if a_size is None or b_size is None else a_size + b_size,
        a_extra if a_extra == b_extra else None,
    )


def exact_value(column_type: ColumnType, text: str) -> Exact | None:
    """Parses a text form; None if it is malformed, or if the order of the type is unknown."""
    return _read_exact(column_type.name, text)


@lru_cache(maxsize=8192)
def _read_exact(type_name: str, text: str) -> Exact | None:
    # Cached by type name, which determines the parser, because hashing a whole type each time is expensive.
    read = _READERS.get(type_name)
    try:
        return None if read is None else read(text)
    except (ValueError, InvalidOperation):
        return None


def as_float32(value: float) -> float:
    """The nearest float32."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _cut_to_limit(text: str) -> str:
    return text.encode()[:MAX_TEXT_BYTES].decode(errors="ignore")


def _compare(a: Exact, b: Exact) -> int:
    if isinstance(a, bytes) and isinstance(b, bytes):
        return (a > b) - (a < b)
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        return (a > b) - (a < b)
    raise InvalidInput("Values of different kinds have no order")


def _outermost_bound(column_type: ColumnType, bounds: Iterable[str | None], beyond: Beyond) -> str | None:
    """The outermost bound; None if one of them is unknown."""
    # Most files have the same bounds, so each distinct bound is examined once.
    first, *others = dict.fromkeys(bounds)
    outermost = _outer_bound(column_type, first, first, beyond)
    for bound in others:
        outermost = _outer_bound(column_type, outermost, bound, beyond)
    return outermost


def _outer_bound(column_type: ColumnType, a: str | None, b: str | None, beyond: Beyond) -> str | None:
    if a is None or b is None:
        return None
    first, second = _read_exact(column_type.name, a), _read_exact(column_type.name, b)
    if first is None or second is None:
        return None
    return b if beyond(second, first) else a


def _sum_if_known(counts: Sequence[int | None]) -> int | None:
    return None if None in counts else sum(count or 0 for count in counts)


def _any_true(flags: Sequence[bool | None]) -> bool | None:
    if True in flags:
        return True
    return None if None in flags else False


def _common_value(values: Sequence[str | None]) -> str | None:
    return values[0] if values and all(value == values[0] for value in values) else None


def _write_boolean(_: ColumnType, value: object) -> str | None:
    return str(int(value)) if isinstance(value, bool) else None


def _write_integer(_: ColumnType, value: object) -> str | None:
    return str(int(value)) if isinstance(value, int) else None


def _write_float(column_type: ColumnType, value: object) -> str | None:
    if not isinstance(value, int | float | Decimal) or Decimal(value).is_nan():
        return None
    # A float32 is written with all digits of its value as a double, so that the text stays valid when the column is
    # promoted. Adding zero drops the sign of a negative zero, which equals the positive one.
    number = float(Decimal(value))
    return repr((as_float32(number) if column_type.name == "float32" else number) + 0.0)


def _write_decimal(column_type: ColumnType, value: object) -> str | None:
    if not isinstance(value, int | float | Decimal) or not Decimal(value).is_finite():
        return None
    exponent = Decimal(1).scaleb(-(column_type.scale or 0))
    try:
        scaled = Decimal(value).quantize(exponent, context=_EXACT_CONTEXT)
    except (Inexact, InvalidOperation):
        return None
    return format(scaled if scaled else abs(scaled), "f")


def _write_date(_: ColumnType, value: object) -> str | None:
    return value.isoformat() if isinstance(value, date) and not isinstance(value, datetime) else None


def _write_time(_: ColumnType, value: object) -> str | None:
    return _trim_zeros(value.isoformat()) if isinstance(value, time) and value.tzinfo is None else None


def _write_timestamp(column_type: ColumnType, value: object) -> str | None:
    moment = utc_moment(value)
    zone = "+00" if column_type.name == "timestamptz" else ""
    return None if moment is None else _trim_zeros(moment.isoformat(" ")) + zone


def utc_moment(value: object) -> datetime | None:
    """A date or datetime as a naive datetime; one with a time zone is converted to UTC."""
    try:
        match value:
            case datetime(tzinfo=None):
                return value
            case datetime():
                return value.astimezone(UTC).replace(tzinfo=None)
            case date():
                return datetime(value.year, value.month, value.day)
            case _:
                return None
    except OverflowError:
        return None


def _trim_zeros(text: str) -> str:
    return text.rstrip("0") if "." in text else text


def _write_string(_: ColumnType, value: object) -> str | None:
    # A lone surrogate cannot be encoded, hence neither stored nor compared.
    return value if isinstance(value, str) and not re.search("[\ud800-\udfff]", value) else None


def _write_blob(_: ColumnType, value: object) -> str | None:
    return value.hex().upper() if isinstance(value, bytes | bytearray) else None


def _write_uuid(_: ColumnType, value: object) -> str | None:
    return str(value) if isinstance(value, UUID) else None


_WRITERS: dict[str, Callable[[ColumnType, object], str | None]] = {
    "boolean": _write_boolean,
    "decimal": _write_decimal,
    "date": _write_date,
    "time": _write_time,
    "varchar": _write_string,
    "json": _write_string,
    "blob": _write_blob,
    "uuid": _write_uuid,
    **dict.fromkeys(INTEGERS, _write_integer),
    **dict.fromkeys(FLOATS, _write_float),
    **dict.fromkeys(TIMESTAMPS, _write_timestamp),
}

_DATE = r"(?P<year>-?\d{1,7})-(?P<month>\d\d?)-(?P<day>\d\d?)(?P<bc> \(BC\))?"
_TIME = r"(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,9}))?)?"
_ZONE = r"(?P<zone>Z|(?P<sign>[+-])(?P<zone_hour>\d\d)(?::?(?P<zone_minute>\d\d))?)?"
_TIME_TEXT = re.compile(_TIME, re.ASCII)
_MOMENT_TEXT = re.compile(f"{_DATE}(?:[ T]{_TIME}{_ZONE})?", re.ASCII)


# Statistics of a promoted boolean column still contain these words.
_WORDS = {"true": "1", "false": "0"}


def _read_number(text: str) -> Exact | None:
    number = Decimal(_WORDS.get(text, text))
    return number if number.is_finite() else None


def _read_float64(text: str) -> Exact | None:
    double = float(_WORDS.get(text, text))
    return None if math.isnan(double) else Decimal(double)


def _read_float32(text: str) -> Exact | None:
    double = _read_float64(text)
    return None if double is None else Decimal(as_float32(float(double)))


def _read_moment(text: str) -> Exact | None:
    if text in ("infinity", "-infinity"):
        return Decimal(text)
    found = _MOMENT_TEXT.fullmatch(text)
    if found is None:
        return None
    year = 1 - int(found["year"]) if found["bc"] else int(found["year"])
    days = _days_since_1970(year, int(found["month"]), int(found["day"]))
    return Decimal(days * _MICROSECONDS_OF_DAY) + _time_microseconds(found) - _zone_microseconds(found)


def _read_time(text: str) -> Exact | None:
    found = _TIME_TEXT.fullmatch(text)
    return None if found is None else _time_microseconds(found)


def _time_microseconds(found: re.Match[str]) -> Decimal:
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    seconds = hour * 3600 + minute * 60 + second
    if seconds > 86_400 or minute > 59 or second > 59:
        raise ValueError(found[0])
    nanoseconds = int((found["fraction"] or "").ljust(9, "0"))
    return Decimal(f"{seconds * 10**9 + nanoseconds}e-3")


def _zone_microseconds(found: re.Match[str]) -> int:
    minutes = int(found["zone_hour"] or 0) * 60 + int(found["zone_minute"] or 0)
    return (-minutes if found["sign"] == "-" else minutes) * 60 * 10**6


def _days_since_1970(year: int, month: int, day: int) -> int:
    """Days since 1970 in the proleptic Gregorian calendar, for any year; `datetime` is limited to the year 9999."""
    # The calendar repeats every 400 years of 146,097 days.
    cycles, year_of_cycle = divmod(year - 2000, 400)
    return (date(2000 + year_of_cycle, month, day) - date(1970, 1, 1)).days + cycles * 146_097


def _read_string(text: str) -> Exact | None:
    return text.encode()


def _read_blob(text: str) -> Exact | None:
    return bytes.fromhex(text)


def _read_uuid(text: str) -> Exact | None:
    return UUID(text).bytes


_READERS: dict[str, Callable[[str], Exact | None]] = {
    "date": _read_moment,
    "time": _read_time,
    "varchar": _read_string,
    "json": _read_string,
    "blob": _read_blob,
    "uuid": _read_uuid,
    "boolean": _read_number,
    "decimal": _read_number,
    "float32": _read_float32,
    "float64": _read_float64,
    **dict.fromkeys(INTEGERS, _read_number),
    **dict.fromkeys(TIMESTAMPS, _read_moment),
}
