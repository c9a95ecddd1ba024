"""Conversion of rows from shown to physical form."""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forklake.errors import InvalidRows
from forklake.model.column_tree import Path, path_text
from forklake.model.entities import Column
from forklake.model.names import fold
from forklake.spark.tasks.types.nested import Children, chunks_of, with_children
from forklake.spark.tasks.types.type_forms import physical_schema, physical_type
from forklake.spark.tasks.types.uuid_text import uuid_bytes
from forklake.spark.tasks.types.variants import variant_array

_MIDNIGHT = "24:00:00"
_LIMITS = {**{f"uint{bits}": 2**bits - 1 for bits in (8, 16, 32, 64, 128)}, "int128": 2**127 - 1}


def to_physical(rows: pa.RecordBatch | pa.Table, columns: Sequence[Column]) -> pa.Table:
    """The rows in physical form; they must have the table's columns, in order. InvalidRows names an invalid value."""
    given = [fold(name) for name in rows.schema.names]
    if given != [fold(column.name) for column in columns]:
        raise InvalidRows(f"The rows have the columns {rows.schema.names}, not {[column.name for column in columns]}")
    arrays = [
        pa.chunked_array([physical_array(chunk, column) for chunk in chunks_of(data)], physical_type(column))
        for data, column in zip(rows.columns, columns, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=physical_schema(columns))


def physical_array(array: pa.Array, column: Column, parent: Path = ()) -> pa.Array:
    """A column or nested field in physical form."""
    path = (*parent, column.name)
    if column.type.is_nested:

        def convert_children(children: Children) -> Children:
            return [physical_array(*pair, path) for pair in zip(children, column.children, strict=True)]

        return with_children(array, physical_type(column), convert_children)
    try:
        return _LEAVES.get(column.type.name, _cast)(array, column)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        raise InvalidRows(f"Column {path_text(path)} of type {column.type.sql()}: {error}") from error


def _cast(array: pa.Array, column: Column) -> pa.Array:
    return array.cast(physical_type(column))


def _whole_number(array: pa.Array, column: Column) -> pa.Array:
    """Arrow does not name every value it rejects, and does not know the limits of 128-bit integers."""
    limit = _LIMITS[column.type.name]
    least = 0 if column.type.name.startswith("u") else -limit - 1
    bounds = pc.min_max(array).as_py()
    for value in (bounds["min"], bounds["max"]):
        if value is not None and not least <= value <= limit:
            raise ValueError(f"{value} is out of range")
    return _cast(array, column)


def _time(array: pa.Array, column: Column) -> pa.Array:
    text = array.cast(pa.string())
    # Valid in DuckDB, but cannot be parsed by Arrow.
    is_midnight = pc.equal(text, _MIDNIGHT)
    moments = pc.binary_join_element_wise("1970-01-01", pc.if_else(is_midnight, "00:00:00", text), " ")
    try:
        ticks = moments.cast(pa.timestamp("us")).cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise ValueError(f"{_first_bad_time(text)!r} is not a time such as 12:34:56.789") from error
    return pc.if_else(is_midnight, 86_400 * 10**6, ticks).cast(pa.time64("us"))


def _first_bad_time(text: pa.Array) -> str | None:
    shape = r"^([01][0-9]|2[0-3])(:[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?)?$"
    bad = text.filter(pc.invert(pc.match_substring_regex(text, shape)))
    return str(bad[0]) if len(bad) else None


def _rounder_to(unit: int) -> Callable[[pa.Array, Column], pa.Array]:
    """Rounds microseconds to a coarser unit, like DuckDB's casts."""

    def cast_ticks(array: pa.Array, column: Column) -> pa.Array:
        ticks = array.cast(pa.timestamp("us")).cast(pa.int64())
        whole = pc.fill_null(ticks, 0).to_numpy()
        off = np.remainder(whole, unit)
        if not off.any():
            return ticks.cast(pa.timestamp("us")).cast(physical_type(column))
        moved = pa.array(whole - off + np.where(off * 2 >= unit, unit, 0))
        kept = pc.if_else(ticks.is_valid(), moved, pa.scalar(None, pa.int64()))
        return kept.cast(pa.timestamp("us")).cast(physical_type(column))

    return cast_ticks


def _uuid(array: pa.Array, column: Column) -> pa.Array:
    return pa.ExtensionArray.from_storage(physical_type(column), uuid_bytes(array))


def _storage_caster(storage: pa.DataType) -> Callable[[pa.Array, Column], pa.Array]:
    def to_extension(array: pa.Array, column: Column) -> pa.Array:
        return pa.ExtensionArray.from_storage(physical_type(column), array.cast(storage))

    return to_extension


def _variant(array: pa.Array, column: Column) -> pa.Array:
    return variant_array(array, physical_type(column))


_LEAVES: dict[str, Callable[[pa.Array, Column], pa.Array]] = {
    **dict.fromkeys(_LIMITS, _whole_number),
    "time": _time,
    "timestamp_s": _rounder_to(10**6),
    "timestamp_ms": _rounder_to(10**3),
    "uuid": _uuid,
    "json": _storage_caster(pa.string()),
    "geometry": _storage_caster(pa.binary()),
    "variant": _variant,
}
