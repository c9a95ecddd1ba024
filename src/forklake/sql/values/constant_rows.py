"""VALUES with only plain literals: rows that need no Spark."""

from collections.abc import Sequence

import pyarrow as pa

from forklake.errors import InvalidRows
from forklake.model.column_types import INTEGERS
from forklake.model.entities import Column
from forklake.spark.session.time_zones import is_utc
from forklake.spark.tasks.types.default_literals import literal
from forklake.spark.writing.incoming import as_rows
from forklake.sql.parsing.constants import Parameters
from forklake.sql.values.literal_values import UNKNOWN, literal_value
from forklake.sql.values.values_clause import DEFAULT, Written, parse_values

PLAIN = INTEGERS | {"boolean", "varchar", "decimal", "float64", "date"}
"""Types whose values Python represents exactly."""


def constant_rows(
    text: str, dialect: str, columns: Sequence[Column], zone: str, parameters: Parameters = None
) -> pa.Table | None:
    """The rows of VALUES for these columns; None if a value is not a plain literal of its column, for Spark."""
    rows = parse_values(text, dialect, parameters)
    if rows is None:
        return None
    for row in rows:
        if len(row) != len(columns):
            raise InvalidRows(f"the table has {len(columns)} columns but {len(row)} values were supplied")
    values = _literal_values(rows, columns, is_utc(zone))
    if values is None:
        return None
    found = as_rows(values, columns)
    assert isinstance(found, pa.Table)
    return found


def _literal_values(
    rows: Sequence[Sequence[Written]], columns: Sequence[Column], zone_is_utc: bool
) -> list[tuple[object, ...]] | None:
    found = []
    for row in rows:
        values = tuple(_value(written, column, zone_is_utc) for written, column in zip(row, columns, strict=True))
        if any(value is UNKNOWN for value in values):
            return None
        found.append(values)
    return found


def _value(written: Written, column: Column, zone_is_utc: bool) -> object:
    if written is not DEFAULT:
        return literal_value(written, column.type, zone_is_utc=zone_is_utc)
    if column.default_value is None:
        return None
    is_plain = column.default_value_type == "literal" and column.type.name in PLAIN
    return literal(column.default_value, column).as_py() if is_plain else UNKNOWN
