"""Values as bytes of a Parquet file, in its plain encoding: the form that bloom filters know."""

import json
from decimal import Decimal
from fractions import Fraction

import pyarrow.parquet as pq

from forklake.model.column_types import INTEGERS, ColumnType
from forklake.model.statistics import Exact
from forklake.spark.tasks.types.time_text import DAY

_TEXTS = {("varchar", "String", "BYTE_ARRAY"), ("blob", "None", "BYTE_ARRAY"), ("uuid", "UUID", "FIXED_LEN_BYTE_ARRAY")}
_WIDTHS = {"INT32": 4, "INT64": 8}
_NANOSECONDS = 1000
"""In a microsecond, the unit of exact dates and times."""


def plain_bytes(leaf: pq.ColumnSchema, column_type: ColumnType, value: Exact) -> bytes | None:
    """The only bytes by which a leaf of a file may represent a value of the column; None if they are not certain.

    Never those of floating point, where several values are equal.
    """
    logical = json.loads(leaf.logical_type.to_json())
    form = (column_type.name, logical["Type"], leaf.physical_type)
    if isinstance(value, bytes):
        return value if form in _TEXTS else None
    match form:
        case "date", "Date", "INT32":
            return _integer(leaf, value, Fraction(_NANOSECONDS, DAY))
        case "timestamp" | "timestamptz" as name, "Timestamp", "INT64":
            same = logical["timeUnit"] == "microseconds" and logical["isAdjustedToUTC"] == (name == "timestamptz")
            return _integer(leaf, value) if same else None
        case "time", "Time", "INT64" if logical["timeUnit"] == "microseconds":
            return _integer(leaf, value)
        case "decimal", "Decimal", _ if logical["scale"] <= (column_type.scale or 0):
            return _integer(leaf, value, Fraction(10) ** logical["scale"])
        case name, "None" | "Int", "INT32" | "INT64" if name in INTEGERS:
            return _integer(leaf, value, signed=logical.get("isSigned", True))
    return None


def _integer(
    leaf: pq.ColumnSchema, value: Decimal, factor: Fraction = Fraction(1), *, signed: bool = True
) -> bytes | None:
    """The integer that is `factor` times the value."""
    scaled = Fraction(value) * factor if value.is_finite() else Fraction(1, 2)
    if scaled.denominator != 1:
        return None
    try:
        if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY":
            return int(scaled).to_bytes(leaf.length, "big", signed=signed)
        width = _WIDTHS.get(leaf.physical_type)
        return None if width is None else int(scaled).to_bytes(width, "little", signed=signed)
    except OverflowError:
        return None
