"""Conversion of Python values to values that Arrow accepts for the shown type of a column.

Arrow's own conversions lose fractions, read numbers as days, and take a text for a list. So each column type has a list
of the Python types that it takes, at every depth; everything else is refused.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from typing import Any, NoReturn, TypeAlias
from uuid import UUID

import numpy as np
from pyspark.sql import Row
from pyspark.sql.types import VariantVal

from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS, ColumnType
from forklake.spark.session.time_zones import zone_named

_Read: TypeAlias = Callable[[Any], Any]

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_NO_TYPES: frozenset[type] = frozenset()
_LARGEST_EXPONENT = 100
"""No decimal type has more than 38 digits."""


@dataclass(frozen=True, slots=True)
class ValueReader:
    """Reads values for one type; those of the types in `plain` are used as they are."""

    plain: frozenset[type]
    other: _Read

    def __call__(self, value: Any) -> Any:
        """What Arrow accepts for the value; raises TypeError or ValueError for a value of another kind."""
        return value if value is None or type(value) in self.plain else self.other(value)

    def read_all(self, values: Sequence[Any]) -> Sequence[Any]:
        """All values; without checking each if all types are plain."""
        if set(map(type, values)) <= self.plain | {type(None)}:
            return values
        return [self(value) for value in values]


def value_reader(column_type: ColumnType, zone: str) -> ValueReader:
    """The reader of values for a column of the type; timestamps without time zone are in the given one."""
    return _reader(column_type, zone_named(zone))


def _reader(column_type: ColumnType, zone: tzinfo) -> ValueReader:
    children = [(name, _reader(child, zone)) for name, child in column_type.fields]
    match column_type.name:
        case "struct":
            return ValueReader(_NO_TYPES, _struct_reader(children))
        case "list":
            return ValueReader(_NO_TYPES, _list_reader(children[0][1]))
        case "map":
            return ValueReader(_NO_TYPES, _map_reader(children[0][1], children[1][1]))
        case name if name in TIMESTAMPS:
            return ValueReader(_NO_TYPES, _timestamp_reader(name, zone))
    return _LEAVES.get(column_type.name) or ValueReader(_NO_TYPES, _refuse)


def _struct_reader(children: Sequence[tuple[str, ValueReader]]) -> _Read:
    fields = [(name, name.lower(), read) for name, read in children]

    def read_struct(value: Any) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for name, child in _items_of_struct(value):
            if not isinstance(name, str):
                raise TypeError(f"{name!r} is not the name of a field")
            if name.lower() in given:
                raise TypeError(f"it has the field {name!r} twice")
            given[name.lower()] = child
        found = {name: read(given.pop(folded, None)) for name, folded, read in fields}
        if given:
            raise TypeError(f"it has no field {next(iter(given))!r}")
        return found

    return read_struct


def _items_of_struct(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value.items()
    if isinstance(value, Row) and hasattr(value, "__fields__"):
        return zip(value.__fields__, value, strict=True)
    return _refuse(value)


def _list_reader(element: ValueReader) -> _Read:
    def read_list(value: Any) -> Sequence[Any]:
        if isinstance(value, np.ndarray) and value.ndim:
            # The elements as NumPy's scalars, which know their type and unit.
            value = list(value)
        return element.read_all(value) if isinstance(value, list | tuple) else _refuse(value)

    return read_list


def _map_reader(read_key: ValueReader, read_value: ValueReader) -> _Read:
    def read_map(value: Any) -> list[tuple[Any, Any]]:
        entries = value.items() if isinstance(value, Mapping) else value
        if not isinstance(value, Mapping | list | tuple) or not all(_is_pair(entry) for entry in entries):
            _refuse(value)
        return [(read_key(key), read_value(child)) for key, child in entries]

    return read_map


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, list | tuple) and len(entry) == 2


def _timestamp_reader(name: str, zone: tzinfo) -> _Read:
    if name == "timestamp_ns":
        return lambda value: _nanoseconds(value, zone)

    def read_timestamp(value: Any) -> datetime | None:
        found = _moment(value)
        if found is None:
            return None
        moment, nanoseconds = found
        if nanoseconds:
            _refuse(value)
        if name == "timestamptz":
            return moment if moment.tzinfo else moment.replace(tzinfo=zone)
        return _local(moment, zone)

    return read_timestamp


def _nanoseconds(value: Any, zone: tzinfo) -> int | None:
    """Nanoseconds since 1970, the shown form of such timestamps; integers already have it."""
    if _is_whole_number(value):
        return int(value)
    found = _moment(value)
    if found is None:
        return None
    moment, nanoseconds = found
    return (_local(moment, zone) - _EPOCH) // _MICROSECOND * 1000 + nanoseconds


def _moment(value: Any) -> tuple[datetime, int] | None:
    """A date or time with its nanoseconds below a microsecond; None for NumPy's and pandas' NaT."""
    if type(value) is datetime:
        return value, 0
    if isinstance(value, np.datetime64):
        return _numpy_moment(value)
    if isinstance(value, datetime):
        if value != value:
            return None
        nanoseconds = getattr(value, "nanosecond", 0)
        return (value.to_pydatetime(warn=False) if hasattr(value, "to_pydatetime") else value), nanoseconds
    if isinstance(value, date):
        return datetime.combine(value, time()), 0
    return _refuse(value)


def _numpy_moment(value: np.datetime64) -> tuple[datetime, int] | None:
    if np.isnat(value):
        return None
    moment = value.astype("datetime64[us]")
    nanoseconds = value.astype("datetime64[ns]") - moment if moment != value else np.timedelta64(0, "ns")
    plain = moment.item()
    if moment + nanoseconds != value or not isinstance(plain, datetime):
        _refuse(value)
    return plain, int(nanoseconds.astype(np.int64))


def _local(moment: datetime, zone: tzinfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None) if moment.tzinfo else moment


def _date(value: Any) -> date | None:
    if isinstance(value, np.datetime64):
        found = _numpy_moment(value)
        if found is None:
            return None
        if found != (datetime.combine(found[0], time()), 0):
            _refuse(value)
        return found[0].date()
    if isinstance(value, datetime) and value != value:
        return None
    return value if isinstance(value, date) and not isinstance(value, datetime) else _refuse(value)


def _boolean(value: Any) -> bool:
    return bool(value) if isinstance(value, np.bool_) else _refuse(value)


def _integer(value: Any) -> int:
    is_number = isinstance(value, int | Decimal | np.bool_) or _is_whole_numpy(value)
    if not is_number or value != int(value):
        _refuse(value)
    return int(value)


def _is_whole_numpy(value: Any) -> bool:
    """Whether a value is a NumPy integer; NumPy's durations are subclasses of integers too."""
    return isinstance(value, np.integer) and not isinstance(value, np.timedelta64)


def _decimal(value: Any) -> int | Decimal:
    if isinstance(value, Decimal):
        # Arrow crashes the process for exponents of millions.
        return value if abs(value.adjusted()) <= _LARGEST_EXPONENT else _refuse(value)
    return int(value) if _is_whole_number(value) else _refuse(value)


def _is_whole_number(value: Any) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or _is_whole_numpy(value)


def _double(value: Any) -> float | int:
    if isinstance(value, float | np.floating):
        # NumPy's long doubles have more digits.
        found = float(value)
        return found if found == value or value != value else _refuse(value)
    return int(value) if _is_whole_number(value) else _refuse(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _refuse(value)


def _text_from(kind: type) -> _Read:
    return lambda value: str(value) if isinstance(value, kind) else _text(value)


def _bytes(value: Any) -> bytes:
    return bytes(value) if isinstance(value, bytes | bytearray | memoryview) else _refuse(value)


def _variant(value: Any) -> dict[str, bytes]:
    """The variant for a JSON-like value; one that was read before is used unchanged."""
    if isinstance(value, Mapping) and set(value) == {"value", "metadata"}:
        return dict(value)
    found = value if isinstance(value, VariantVal) else VariantVal.parseJson(json.dumps(value))
    return {"value": bytes(found.value), "metadata": bytes(found.metadata)}


def _refuse(value: Any) -> NoReturn:
    raise TypeError(f"{value!r} of type {type(value).__name__} cannot be stored without loss")


_LEAVES: dict[str, ValueReader] = {
    "boolean": ValueReader(frozenset({bool}), _boolean),
    **dict.fromkeys(INTEGERS, ValueReader(frozenset({int}), _integer)),
    "decimal": ValueReader(frozenset({int}), _decimal),
    **dict.fromkeys(FLOATS, ValueReader(frozenset({float, int}), _double)),
    "date": ValueReader(frozenset({date}), _date),
    "time": ValueReader(frozenset({str}), _text_from(time)),
    "uuid": ValueReader(frozenset({str}), _text_from(UUID)),
    **dict.fromkeys(("varchar", "json", "interval"), ValueReader(frozenset({str}), _text)),
    **dict.fromkeys(("blob", "geometry"), ValueReader(frozenset({bytes}), _bytes)),
    "variant": ValueReader(_NO_TYPES, _variant),
}
