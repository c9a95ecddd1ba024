"""Conversion between rows and Arrow tables."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from forklake.errors import InvalidInput

MOMENT = pa.timestamp("us", tz="UTC")
SUCCESS = pa.schema([("Success", pa.bool_())])


def arrow_rows(schema: pa.Schema, rows: Iterable[Sequence[object]]) -> pa.Table:
    """An Arrow table of rows, each with a value for every field in order."""
    columns: Sequence[Sequence[object]] = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)], schema)


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
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
            raise
        found = column.cast(pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary())
        return [None if value is None else value.decode(errors="replace") for value in found.to_pylist()]


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
    return SUCCESS.empty_table()
