"""Conversion between rows and Arrow tables."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from forklake.errors import InvalidInput
from forklake.spark.tasks.types.python_array import python_array

MOMENT = pa.timestamp("us", tz="UTC")
_LOCAL = pa.timestamp("us")
SUCCESS = pa.schema([("Success", pa.bool_())])


def arrow_rows(schema: pa.Schema, rows: Iterable[Sequence[object]]) -> pa.Table:
    """An Arrow table of rows, each with a value for every field in order."""
    columns: Sequence[Sequence[object]] = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([python_array(values, field.type) for values, field in zip(columns, schema, strict=True)], schema)


def python_columns(rows: pa.Table) -> list[list[Any]]:
    """The columns as Python values; raises InvalidInput for a date or time that Python cannot represent.

    Invalid UTF-8 in a text becomes U+FFFD, as in Spark's output.
    """
    try:
        return [_column_values(column) for column in rows.columns]
    except UnicodeDecodeError as error:
        raise InvalidInput(
            "The rows hold a text within a struct, list or map that is not valid UTF-8, which Python cannot represent: "
            "select it as a column of its own, or cast it to binary."
        ) from error
    except (OverflowError, ValueError) as error:
        raise InvalidInput(
            "The rows hold a date or time outside of the years 1 to 9999, which Python cannot represent: "
            "take them with to_arrow, or cast it to text."
        ) from error


def _column_values(column: pa.ChunkedArray) -> list[Any]:
    if column.type in (_LOCAL, MOMENT):
        return _times(column)
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
            raise
        found = column.cast(pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary())
        return [None if value is None else value.decode(errors="replace") for value in found.to_pylist()]


def _times(column: pa.ChunkedArray) -> list[datetime | None]:
    """As Arrow converts them, which imports pandas first."""
    epoch = datetime(1970, 1, 1, tzinfo=ZoneInfo("UTC") if column.type.tz else None)
    numbers = column.cast(pa.int64()).to_pylist()
    return [None if number is None else epoch + timedelta(microseconds=number) for number in numbers]


def shown_columns(rows: pa.Table) -> list[list[Any]]:
    """Like `python_columns`, for display: columns that Python cannot represent are cast to text."""
    found = []
    for at, column in enumerate(rows.columns):
        try:
            found.append(python_columns(rows.select([at]))[0])
        except InvalidInput:
            found.append(column.cast(pa.string()).to_pylist())
    return found


def empty_success() -> pa.Table:
    """The result of a procedure that returns nothing."""
    return arrow_rows(SUCCESS, ())
