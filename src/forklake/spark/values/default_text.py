"""Converts defaults given in Python to their stored text; validated when they are set."""

import re
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from forklake.errors import InvalidInput, InvalidRows
from forklake.model.column_types import ColumnType
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.session.time_zones import is_utc
from forklake.spark.tasks.types.default_literals import literal, literal_text
from forklake.spark.values.literal_rows import literal_rows

_EPOCH = datetime(1970, 1, 1)
_ZONE = re.compile(r"[ T].*(?:Z|[+-]\d\d(?::?\d\d)?)\Z")
"""The end of a timestamp with time zone; without a time of day there is none."""
_AS_WRITTEN = frozenset({"variant", "struct", "list", "map"})
"""Types whose defaults are parsed by Spark, or rejected elsewhere."""


def default_text(value: Any, name: str, column_type: ColumnType, zone: str = "UTC") -> str | None:
    """The text of a default; raises InvalidInput if it is not a value of the type. All types accept text.

    Timestamps without time zone, as text or not, are in the session time zone.
    """
    if value is None or (isinstance(value, str) and column_type.name in _AS_WRITTEN):
        return value
    column = Column(ColumnId(0), name, column_type)
    if isinstance(value, str):
        read = literal(value, column)
        if column_type.name != "timestamptz" or is_utc(zone) or _ZONE.search(value.strip()):
            return value
        value = _without_zone(value, read)
    try:
        return literal_text(literal_rows([(value,)], [column], zone)[name][0], column_type)
    except InvalidRows as error:
        raise InvalidInput(f"The default of column '{name}' cannot be stored: {error}") from None


def _without_zone(text: str, read: pa.TimestampScalar) -> datetime:
    """A timestamp that was parsed as UTC, without time zone."""
    try:
        return _EPOCH + timedelta(microseconds=read.value)
    except OverflowError:
        raise InvalidInput(f"'{text}' cannot be read in the zone of the session; write +00 behind it.") from None
