"""Default values: conversion between text in metadata and values in rows."""

import math
import re
from collections.abc import Callable
from decimal import Context, Decimal, InvalidOperation
from uuid import UUID

import pyarrow as pa

from forklake.errors import InvalidInput
from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS, ColumnType
from forklake.model.entities import Column
from forklake.model.statistics import exact_value
from forklake.spark.tasks.types.time_text import date_text, time_text, timestamp_text
from forklake.spark.tasks.types.type_forms import shown_type

_BOOLEANS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
_DAY = 86_400 * 10**6
_ALL_DIGITS = Context(prec=80)
"""The default context has fewer digits than a decimal may have."""
_ESCAPE = re.compile(rb"\\x([0-9A-Fa-f]{2})")


def literal(text: str | None, column: Column) -> pa.Scalar:
    """The value of a literal default, in shown form; None is NULL."""
    shown = shown_type(column.type)
    if text is None:
        return pa.scalar(None, shown)
    try:
        return pa.scalar(_READERS[column.type.name](column.type, text), shown)
    except (KeyError, ValueError, InvalidOperation, OverflowError, pa.ArrowException) as error:
        raise InvalidInput(f'"{text}" is not a value of type {column.type.sql()}, as {column.name} has') from error


def literal_text(value: pa.Scalar, column_type: ColumnType) -> str:
    """The text of a value in shown form; inverse of `literal`."""
    # Counts of days and microseconds, because Python's dates have a smaller range.
    plain = value.value if isinstance(value, pa.TimestampScalar | pa.Date32Scalar) else value.as_py()
    match column_type.name:
        case "boolean":
            return str(plain).lower()
        case "date":
            return date_text(plain * _DAY * 1000)
        case "timestamp_ns":
            return timestamp_text(plain)
        case name if name in TIMESTAMPS:
            return timestamp_text(plain * 1000, zone="+00" if name == "timestamptz" else "")
        case "blob" | "geometry":
            return "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02X}" for byte in plain)
        case "decimal":
            return format(plain, "f")
    return str(plain)


def _boolean(_: ColumnType, text: str) -> bool:
    return _BOOLEANS[text.strip().lower()]


def _integer(column_type: ColumnType, text: str) -> int | Decimal:
    # The default of a promoted boolean may still be a word.
    word = _BOOLEANS.get(text.strip().lower())
    number = Decimal(text) if word is None else Decimal(word)
    if number != int(number):
        raise ValueError(text)
    return number if pa.types.is_decimal(shown_type(column_type)) else int(number)


def _float(_: ColumnType, text: str) -> float:
    return float(text)


def _decimal(column_type: ColumnType, text: str) -> Decimal:
    number = Decimal(text)
    if number != number.quantize(Decimal(1).scaleb(-(column_type.scale or 0)), context=_ALL_DIGITS):
        raise ValueError(text)
    return number


def _microseconds(column_type: ColumnType, text: str) -> Decimal:
    exact = exact_value(column_type, text.strip())
    if not isinstance(exact, Decimal) or not exact.is_finite():
        raise ValueError(text)
    return exact


def _date(column_type: ColumnType, text: str) -> int:
    return math.floor(_microseconds(column_type, text) / _DAY)


def _timestamp(column_type: ColumnType, text: str) -> int:
    microseconds = _microseconds(column_type, text)
    return int(microseconds * 1000) if column_type.name == "timestamp_ns" else int(microseconds)


def _time(column_type: ColumnType, text: str) -> str:
    return time_text(int(_microseconds(column_type, text)) * 1000)


def _text(_: ColumnType, text: str) -> str:
    return text


def _blob(_: ColumnType, text: str) -> bytes:
    """Bytes as printed by DuckDB: \\xNN for everything but plain ASCII."""
    return _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), text.encode())


def _uuid(_: ColumnType, text: str) -> str:
    return str(UUID(text))


_READERS: dict[str, Callable[[ColumnType, str], object]] = {
    "boolean": _boolean,
    "decimal": _decimal,
    "date": _date,
    "time": _time,
    "varchar": _text,
    "json": _text,
    "interval": _text,
    "blob": _blob,
    "uuid": _uuid,
    **dict.fromkeys(INTEGERS, _integer),
    **dict.fromkeys(FLOATS, _float),
    **dict.fromkeys(TIMESTAMPS, _timestamp),
}
