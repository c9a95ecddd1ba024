"""Rows that were made here as Arrow tables."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from forklake.errors import InvalidInput

MOMENT = pa.timestamp("us", tz="UTC")
SUCCESS = pa.schema([("Success", pa.bool_())])


def arrow_rows(schema: pa.Schema, rows: Iterable[Sequence[object]]) -> pa.Table:
    """Rows, each with a value for every field in order."""
    columns: Sequence[Sequence[object]] = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)], schema)


def python_columns(rows: pa.Table) -> list[list[Any]]:
    """The values of each column as Python has them; InvalidInput for a date or time that Python has not.

    Bytes of a text that are no UTF-8 come as U+FFFD, as Spark shows them.
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
    """The same for people: as text where Python has no value."""
    found = []
    for at, column in enumerate(rows.columns):
        try:
            found.append(python_columns(rows.select([at]))[0])
        except InvalidInput:
            found.append(column.cast(pa.string()).to_pylist())
    return found


def empty_success() -> pa.Table:
    """What a procedure gives that has nothing to show."""
    return SUCCESS.empty_table()
