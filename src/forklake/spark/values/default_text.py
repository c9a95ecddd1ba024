"""Converts defaults given in Python to their stored text; validated when they are set."""

import json
import re
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
from pyspark.sql.types import VariantVal

from forklake.errors import InvalidInput
from forklake.model.column_types import ColumnType
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.session.time_zones import is_utc
from forklake.spark.tasks.types.default_literals import literal, literal_text
from forklake.spark.tasks.types.type_forms import shown_type
from forklake.spark.values.check_default import check_default
from forklake.spark.values.float_range import is_beyond_float
from forklake.spark.values.python_values import value_reader

_EPOCH = datetime(1970, 1, 1)
_ZONE = re.compile(r"[ T].*(?:Z|[+-]\d\d(?::?\d\d)?)\Z")
"""The end of a timestamp with time zone; without a time of day there is none."""


def default_text(
    value: Any, name: str, column_type: ColumnType, zone: str = "UTC", *, refuses_large_floats: bool = False
) -> str | None:
    """The text of a default; raises InvalidInput if the column cannot hold it. All types accept text.

    Timestamps without time zone, as text or not, are in the session time zone.
    """
    if refuses_large_floats and column_type.name == "float32" and is_beyond_float(value):
        raise InvalidInput(f"The default of column '{name}' is a number beyond the range of FLOAT.")
    if value is None or (isinstance(value, str) and column_type.is_nested):
        return value
    column = Column(ColumnId(0), name, column_type)
    if isinstance(value, str):
        check_default(value, column)
        if column_type.name != "timestamptz" or is_utc(zone) or _ZONE.search(value.strip()):
            return value
        value = _without_zone(value, literal(value, column))
    text = _json_text(value, name) if column_type.name == "variant" else _value_text(value, column, zone)
    check_default(text, column)
    return text


def _value_text(value: Any, column: Column, zone: str) -> str:
    try:
        found = pa.array([value_reader(column.type, zone)(value)], shown_type(column.type))
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"The default of column '{column.name}' is not a value of its type: {error}") from None
    return literal_text(found[0], column.type)


def _json_text(value: Any, name: str) -> str:
    """The text of a default for a variant."""
    try:
        return value.toJson() if isinstance(value, VariantVal) else json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"The default of column '{name}' is not a value of its type: {error}") from None


def _without_zone(text: str, read: pa.TimestampScalar) -> datetime:
    """A timestamp that was parsed as UTC, without time zone."""
    try:
        return _EPOCH + timedelta(microseconds=read.value)
    except OverflowError:
        raise InvalidInput(f"'{text}' cannot be read in the zone of the session; append +00.") from None
