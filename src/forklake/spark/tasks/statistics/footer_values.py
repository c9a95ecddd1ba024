"""Bounds in Parquet footers: decoding, and conversion to text for a column."""

import json
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Literal, TypeAlias
from uuid import UUID

from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS, ColumnType
from forklake.model.statistics import Side, max_text, min_text
from forklake.spark.tasks.types.time_text import DAY, NANOSECONDS, date_text, time_text, timestamp_text

Kind = Literal["number", "date", "timestamp", "time", "bytes"]
Value: TypeAlias = bool | int | float | Decimal | bytes
"""Numbers unchanged; dates, timestamps and times as nanoseconds; all others as bytes. Each in its order."""
Reader: TypeAlias = tuple[Kind, Callable[[Value], Value]]

_KINDS: Mapping[str, frozenset[Kind]] = {
    **dict.fromkeys(INTEGERS | FLOATS | {"boolean", "decimal"}, frozenset[Kind]({"number"})),
    **dict.fromkeys(TIMESTAMPS, frozenset[Kind]({"timestamp", "date"})),
    **dict.fromkeys(("varchar", "json", "blob", "uuid"), frozenset[Kind]({"bytes"})),
    "date": frozenset({"date"}),
    "time": frozenset({"time"}),
}
_RESOLUTION = {"timestamp_s": 10**9, "timestamp_ms": 10**6, "timestamp_ns": 1}
_INFINITE_DAY = 2**31 - 1
_INFINITE_TICK = 2**63 - 1


@lru_cache(maxsize=1024)
def bound_reader(physical_type: str, logical_type: str) -> Reader | None:
    """The decoder for bounds of this type (physical name, logical type as JSON); None if their order is unknown."""
    logical = json.loads(logical_type)
    match logical["Type"]:
        case "Date":
            return "date", lambda raw: _scale_moment(raw, DAY, _INFINITE_DAY)
        case "Timestamp" if physical_type == "INT64":
            unit = NANOSECONDS[logical["timeUnit"]]
            return "timestamp", lambda raw: _scale_moment(raw, unit, _INFINITE_TICK)
        case "Time":
            unit = NANOSECONDS[logical["timeUnit"]]
            return "time", lambda raw: int(raw) * unit
        case "Int" if not logical["isSigned"]:
            largest = 2 ** logical["bitWidth"] - 1
            return "number", lambda raw: int(raw) & largest
        case "Decimal":
            scale = logical["scale"]
            return "number", lambda raw: _read_decimal(raw, scale)
        case "None" | "Int" if physical_type in ("BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE"):
            return "number", lambda raw: raw
        case "None" | "String" | "Enum" | "JSON" | "UUID" if physical_type.endswith("BYTE_ARRAY"):
            return "bytes", lambda raw: raw
        case _:
            return None


def bound_text(column_type: ColumnType, kind: Kind, value: Value, side: Side) -> str | None:
    """The text of a bound in the type of the column; None if the column cannot have such values."""
    name = column_type.name
    if kind not in _KINDS.get(name, ()):
        return None
    match value:
        case bytes():
            return _bytes_text(column_type, value, side)
        case _ if kind == "number":
            return _number_text(column_type, value, side)
        case _ if kind == "time":
            return time_text(int(value))
        case _ if name == "date":
            return date_text(float(value) if math.isinf(value) else int(value))
        case _:
            zone = "+00" if name == "timestamptz" else ""
            return timestamp_text(_round_outward(value, _RESOLUTION.get(name, 1000), side), zone=zone)


def _scale_moment(raw: Value, unit: int, infinity: int) -> Value:
    """DuckDB represents infinite dates and timestamps by the extreme values."""
    ticks = int(raw)
    return math.copysign(math.inf, ticks) if abs(ticks) == infinity else ticks * unit


def _read_decimal(raw: Value, scale: int) -> Decimal:
    unscaled = int.from_bytes(raw, signed=True) if isinstance(raw, bytes) else int(raw)
    return Decimal(f"{unscaled}e-{scale}")


def _round_outward(value: float | Decimal, unit: int, side: Side) -> float:
    """A file may have a finer resolution than its column: rounds the bound outward."""
    if math.isinf(value):
        return float(value)
    whole = int(value)
    return (whole // unit if side == "min" else -(-whole // unit)) * unit


def _number_text(column_type: ColumnType, value: bool | float | Decimal, side: Side) -> str | None:
    number: object = value
    if column_type.name in INTEGERS and isinstance(value, Decimal) and value == int(value):
        number = int(value)
    return min_text(column_type, number) if side == "min" else max_text(column_type, number)


def _bytes_text(column_type: ColumnType, raw: bytes, side: Side) -> str | None:
    value: object = raw
    if column_type.name == "uuid":
        value = UUID(bytes=raw) if len(raw) == 16 else None
    elif column_type.name != "blob":
        value = _decode_string(raw, side)
    return min_text(column_type, value) if side == "min" else max_text(column_type, value)


def _decode_string(raw: bytes, side: Side) -> str | None:
    """A writer may truncate a bound within a character: the part before is still a lower bound."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        return raw[: error.start].decode() if side == "min" else None
