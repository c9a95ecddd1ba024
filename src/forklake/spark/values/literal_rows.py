"""Literal rows: a few rows of Python values."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from numbers import Integral
from typing import Any
from uuid import UUID

import pyarrow as pa
from pyspark.sql.types import VariantVal

from forklake.errors import InvalidInput, InvalidRows
from forklake.model.column_types import INTEGERS, TIMESTAMPS, ColumnType
from forklake.model.entities import Column
from forklake.model.names import fold
from forklake.spark.session.time_zones import zone_named
from forklake.spark.tasks.types.arrow_types import shown_type

_EPOCH = datetime(1970, 1, 1)


def literal_rows(data: Sequence[Any], columns: Sequence[Column] | None, zone: str) -> pa.Table:
    """A list of dictionaries or tuples as an Arrow table; with `columns`, in their shown types.

    Arrow would drop a fraction or time of day to make a value fit; here such values are rejected.
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
        try:
            arrays.append(_untyped_array(of_column) if column is None else _typed_array(of_column, column.type, zone))
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            what = "a value" if column is None else f"a value of type {column.type.sql()}"
            raise InvalidRows(f"Column '{name}' has a value that is not {what}: {error}") from None
    return pa.table(arrays, names=list(names))


def _typed_array(values: Sequence[Any], column_type: ColumnType, zone: str) -> pa.Array:
    plain = _ArrowValues(zone_named(zone))
    return pa.array([plain.value(value, column_type) for value in values], shown_type(column_type))


def _untyped_array(values: Sequence[Any]) -> pa.Array:
    """Values of unknown type; those that are shown as text are converted."""
    return pa.array([str(value) if isinstance(value, UUID | time) else value for value in values])


class _ArrowValues:
    """Converts values to what Arrow accepts for the shown types of columns."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone

    def value(self, value: Any, column_type: ColumnType) -> Any:
        if value is None:
            return None
        match column_type.name:
            case "struct" if isinstance(value, Mapping):
                return self._struct(value, column_type)
            case "list" if not isinstance(value, str | bytes | Mapping) and isinstance(value, Iterable):
                return [self.value(element, column_type.fields[0][1]) for element in value]
            case "map":
                (_, key), (_, of_value) = column_type.fields
                entries = value.items() if isinstance(value, Mapping) else value
                return [(self.value(k, key), self.value(v, of_value)) for k, v in entries]
            case "variant":
                return _variant(value)
            case name if name in TIMESTAMPS:
                return self._moment(value, name)
        return _LEAVES.get(column_type.name, _identity)(value)

    def _struct(self, value: Mapping[str, Any], column_type: ColumnType) -> dict[str, Any]:
        given = {name.lower(): child for name, child in value.items()}
        fields = {name: self.value(given.pop(name.lower(), None), child) for name, child in column_type.fields}
        if given:
            raise TypeError(f"it has no field {next(iter(given))!r}")
        return fields

    def _moment(self, value: Any, name: str) -> Any:
        if isinstance(value, date) and not isinstance(value, datetime):
            value = datetime.combine(value, time())
        if not isinstance(value, datetime):
            return _refuse(value) if isinstance(value, int | float) and name != "timestamp_ns" else value
        if name == "timestamptz":
            return value if value.tzinfo else value.replace(tzinfo=self._zone)
        local = value.astimezone(self._zone).replace(tzinfo=None) if value.tzinfo else value
        return (local - _EPOCH) // timedelta(microseconds=1) * 1000 if name == "timestamp_ns" else local


def _identity(value: Any) -> Any:
    return value


def _integer(value: Any) -> int:
    if not isinstance(value, Integral | Decimal) or value != int(value):
        _refuse(value)
    return int(value)


def _text(value: Any) -> Any:
    return _refuse(value) if isinstance(value, bytes) else value


def _text_from(kind: type) -> Callable[[Any], Any]:
    return lambda value: str(value) if isinstance(value, kind) else _text(value)


def _bytes(value: Any) -> Any:
    return _refuse(value) if isinstance(value, str) else value


def _date(value: Any) -> Any:
    return _refuse(value) if isinstance(value, datetime | int) else value


def _variant(value: Any) -> dict[str, bytes]:
    """The variant for a JSON-like value; one that was read before is used unchanged."""
    if isinstance(value, Mapping) and set(value) == {"value", "metadata"}:
        return dict(value)
    found = value if isinstance(value, VariantVal) else VariantVal.parseJson(json.dumps(value))
    return {"value": bytes(found.value), "metadata": bytes(found.metadata)}


def _refuse(value: Any) -> Any:
    raise TypeError(f"{value!r} cannot be stored without loss")


_LEAVES: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(INTEGERS, _integer),
    **dict.fromkeys(("varchar", "json", "interval"), _text),
    **dict.fromkeys(("blob", "geometry"), _bytes),
    "uuid": _text_from(UUID),
    "time": _text_from(time),
    "date": _date,
}
