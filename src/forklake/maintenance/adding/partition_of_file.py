"""The partition of a foreign file, from its path or proven by its statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from forklake.errors import InvalidInput
from forklake.maintenance.adding.path_columns import Constant
from forklake.model.column_types import FLOATS
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.model.partitions import PartitionKey
from forklake.model.statistics import ColumnStats, exact_value, is_exact_bound
from forklake.spark.tasks.partitions.partition_values import partition_values
from forklake.spark.tasks.partitions.partitioning import Partitioning
from forklake.spark.tasks.types.default_literals import literal
from forklake.spark.tasks.types.to_physical import physical_array

_CALENDAR = ("year", "month", "day", "hour")
_RANGES = {"month": (1, 12), "day": (1, 31), "hour": (0, 23)}


@dataclass(frozen=True, slots=True)
class FileValues:
    """What is known about the values in a file."""

    constants: Mapping[ColumnId, Constant]
    stats: Mapping[ColumnId, ColumnStats]
    folders: Mapping[str, str | None]
    """The values in its path; empty if the path is to be ignored."""


def partition_of_file(
    spec: Partitioning, columns: Sequence[Column], values: FileValues, file: str
) -> tuple[str | None, ...]:
    """A value for each partition key; raises InvalidInput if one cannot be determined."""
    by_id = {column.column_id: column for column in columns}
    found = [
        _partition_value(key, by_id[key.column_id], fold(directory), values)
        for key, directory in zip(spec.keys, spec.directories, strict=True)
    ]
    if any(value is _UNKNOWN for value in found):
        unknown = by_id[spec.keys[found.index(_UNKNOWN)].column_id].name
        raise InvalidInput(
            f'File "{file}" contains an invalid partition value for the table configuration.\n* Neither its path nor'
            f' its statistics say that all rows have one partition by column "{unknown}"'
        )
    return tuple(None if value is None else str(value) for value in found)


class _UnknownValue:
    """Unknown, as opposed to NULL."""


_UNKNOWN = _UnknownValue()
_Value = str | _UnknownValue | None


def _partition_value(key: PartitionKey, column: Column, directory: str, values: FileValues) -> _Value:
    if column.column_id in values.constants:
        return _transform_one(key.transform, column, values.constants[column.column_id].value)
    stats = values.stats.get(column.column_id)
    proven = _UNKNOWN if stats is None else _value_from_bounds(key.transform, column, stats)
    if proven is not _UNKNOWN or key.transform == "identity" or directory not in values.folders:
        return proven
    return _value_from_folder(key.transform, column, values.folders[directory], stats)


def _value_from_bounds(transform: str, column: Column, stats: ColumnStats) -> _Value:
    """The value of all rows, if the bounds allow only one."""
    if stats.value_count == 0 and stats.null_count:
        return None
    bounds = _bounds(column, stats)
    if stats.null_count != 0 or bounds is None:
        return _UNKNOWN
    if transform in _CALENDAR and column.type.name != "time":
        # All larger units must be equal too: the same month of two years does not cover the time in between.
        parts = _CALENDAR[: _CALENDAR.index(transform) + 1]
        same = all(_transform_one(part, column, bounds[0]) == _transform_one(part, column, bounds[1]) for part in parts)
    elif transform == "hour":
        same = _transform_one(transform, column, bounds[0]) == _transform_one(transform, column, bounds[1])
    else:
        same = stats.min_value == stats.max_value
    return _transform_one(transform, column, bounds[0]) if same else _UNKNOWN


def _value_from_folder(transform: str, column: Column, text: str | None, stats: ColumnStats | None) -> _Value:
    """The number in a folder name, if it is valid and not disproved by the bounds."""
    if text is None or not (text.isascii() and text.removeprefix("-").isdigit()):
        return _UNKNOWN
    number = int(text)
    low, high = _RANGES.get(
        transform, (0, _bucket_count(transform) - 1) if transform not in _CALENDAR else (number, number)
    )
    bounds = None if stats is None else _bounds(column, stats)
    disproved = bounds is not None and any(_transform_one(transform, column, bound) != str(number) for bound in bounds)
    return _UNKNOWN if disproved or not low <= number <= high else str(number)


def _bucket_count(transform: str) -> int:
    return int(transform.removeprefix("bucket(").removesuffix(")"))


def _bounds(column: Column, stats: ColumnStats) -> tuple[pa.Array, pa.Array] | None:
    """The smallest and largest value in a file, if it is certain that they occur."""
    low, high = stats.min_value, stats.max_value
    if low is None or high is None or (column.type.name in FLOATS and stats.contains_nan is not False):
        return None
    if not (is_exact_bound(column.type, low) and is_exact_bound(column.type, high)):
        return None
    return _bound_array(column, low), _bound_array(column, high)


def _bound_array(column: Column, text: str) -> pa.Array:
    if column.type.name == "blob":
        return pa.array([exact_value(column.type, text)], pa.binary())
    return physical_array(pa.repeat(literal(text, column), 1), column)


def _transform_one(transform: str, column: Column, value: pa.Array) -> str | None:
    coded = partition_values(transform, column.type, value)
    return coded.values[int(coded.codes[0])]
