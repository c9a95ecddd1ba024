"""Statistics of rows that are not written to a file."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from forklake.model.column_types import FLOATS, INTEGERS
from forklake.model.entities import Column
from forklake.model.statistics import ColumnStats, max_text, min_text

_BOUNDED = INTEGERS | FLOATS | {"boolean", "decimal", "date", "timestamp", "timestamp_s", "timestamp_ms", "varchar"}


def array_stats(rows: pa.Table, columns: Sequence[Column]) -> tuple[ColumnStats, ...]:
    """Counts and bounds of each leaf outside of lists and maps; no bounds for types with a different shown type."""
    return tuple(
        stats
        for array, column in zip(rows.columns, columns, strict=True)
        for stats in _leaves_stats(array.chunk(0) if array.num_chunks == 1 else array.combine_chunks(), column)
    )


def _leaves_stats(array: pa.Array, column: Column) -> Iterator[ColumnStats]:
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.nulls(0, array.type)
    if column.type.name == "struct":
        for child, field in zip(array.flatten(), column.children, strict=True):
            yield from _leaves_stats(child, field)
        return
    if not column.children:
        yield leaf_stats(array, column)


def leaf_stats(array: pa.Array, column: Column) -> ColumnStats:
    """Counts and bounds of the values of one leaf."""
    values, nulls = len(array) - array.null_count, array.null_count
    nan = None
    if column.type.name in FLOATS:
        nan, array = _without_nan(array)
    low = high = None
    if column.type.name in _BOUNDED and len(array) > array.null_count:
        low, high = _bounds(array, column)
    return ColumnStats(column.column_id, values, nulls, low, high, nan)


def _bounds(array: pa.Array, column: Column) -> tuple[str | None, str | None]:
    """The smallest and largest value as text; None for dates that Python does not support."""
    try:
        low, high = _extremes(array)
    except (OverflowError, ValueError):
        return None, None
    return min_text(column.type, low), max_text(column.type, high)


# Single rows are frequent, and Arrow takes longer to call its functions than for their work.


def _without_nan(array: pa.Array) -> tuple[bool, pa.Array]:
    """Whether there is a NaN, and the other values."""
    if len(array) == 1:
        value = array[0].as_py()
        return (True, array.slice(1)) if value != value else (False, array)
    is_nan = pc.is_nan(array)
    return bool(pc.any(is_nan, min_count=0).as_py()), array.filter(pc.invert(is_nan))


def _extremes(array: pa.Array) -> tuple[Any, Any]:
    """The smallest and largest of values that are not all NULL."""
    if len(array) == 1:
        value = array[0].as_py()
        return value, value
    bounds = pc.min_max(array).as_py()
    return bounds["min"], bounds["max"]
