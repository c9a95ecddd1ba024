"""Literal rows: a few rows of Python values."""

from collections.abc import Mapping, Sequence
from datetime import time
from typing import Any
from uuid import UUID

import pyarrow as pa

from forklake.errors import InvalidInput, InvalidRows
from forklake.model.column_types import ColumnType
from forklake.model.entities import Column
from forklake.model.names import fold
from forklake.spark.tasks.types.arrow_types import shown_type
from forklake.spark.values.python_values import ValueReader, value_reader

_BAD_VALUE = (pa.ArrowException, TypeError, ValueError, OverflowError)


def literal_rows(data: Sequence[Any], columns: Sequence[Column] | None, zone: str) -> pa.Table:
    """A list of dictionaries or tuples as an Arrow table; with `columns`, in their shown types.

    Arrow would drop a fraction or time of day to make a value fit; here such values are rejected.
    See `python_values` for what each type takes.
    """
    if all(isinstance(row, Mapping) for row in data):
        names = list(dict.fromkeys(name for row in data for name in row))
        if any(not isinstance(name, str) for name in names):
            raise InvalidRows("Column names must be strings in every row.")
        if not names and data:
            # Empty rows are rows, too: they get the defaults.
            return pa.Table.from_batches([pa.RecordBatch.from_struct_array(pa.array(list(data), pa.struct([])))])
        return _arrow_table(names, [[row.get(name) for row in data] for name in names], columns, zone)
    if columns is None or any(isinstance(row, str) or not isinstance(row, Sequence) for row in data):
        raise InvalidInput("Rows must be dictionaries, or tuples with a value for each column of a table.")
    for row in data:
        if len(row) != len(columns):
            raise InvalidRows(f"the table has {len(columns)} columns but {len(row)} values were supplied")
    return _arrow_table(
        [column.name for column in columns],
        [list(values) for values in zip(*data, strict=True)] or [[] for _ in columns],
        columns,
        zone,
    )


def _arrow_table(
    names: Sequence[str], values: Sequence[Sequence[Any]], columns: Sequence[Column] | None, zone: str
) -> pa.Table:
    known = {fold(column.name): column for column in columns or ()}
    arrays = []
    for name, of_column in zip(names, values, strict=True):
        column = known.get(fold(name))
        arrays.append(
            _untyped_array(of_column, name) if column is None else _typed_array(of_column, name, column.type, zone)
        )
    return pa.table(arrays, names=list(names))


def _typed_array(values: Sequence[Any], name: str, column_type: ColumnType, zone: str) -> pa.Array:
    read, shown = value_reader(column_type, zone), shown_type(column_type)
    try:
        return pa.array(read.read_all(values), shown)
    except _BAD_VALUE as error:
        raise _bad_row(values, name, column_type, read, error) from None


def _bad_row(
    values: Sequence[Any], name: str, column_type: ColumnType, read: ValueReader, error: Exception
) -> InvalidRows:
    """The error that names the first row whose value is refused."""
    where = ""
    for row, value in enumerate(values, 1):
        try:
            pa.array([read(value)], shown_type(column_type))
        except _BAD_VALUE as found:
            where, error = f" in row {row}", found
            break
    return InvalidRows(f"Column '{name}' has{where} a value that cannot be stored as type {column_type.sql()}: {error}")


def _untyped_array(values: Sequence[Any], name: str) -> pa.Array:
    """Values of unknown type; those that are shown as text are converted."""
    try:
        return pa.array([str(value) if isinstance(value, UUID | time) else value for value in values])
    except _BAD_VALUE as error:
        raise InvalidRows(f"Column '{name}' has a value that cannot be stored: {error}") from None
