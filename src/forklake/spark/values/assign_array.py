"""Lossless conversion of Arrow arrays to the shown type of a column."""

import json
import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forklake.errors import InvalidRows
from forklake.model.column_types import ColumnType
from forklake.spark.tasks.types.arrow_types import shown_type
from forklake.spark.tasks.types.nested import Children, chunks_of, with_children
from forklake.spark.tasks.types.text_checks import INTERVAL_PATTERN, TIME_PATTERN
from forklake.spark.tasks.types.uuid_text import uuid_bytes, uuid_characters
from forklake.spark.tasks.types.variants import variant_array

KEPT_TYPES = frozenset(
    {"boolean", "int8", "int16", "int32", "int64", "float32", "float64", "decimal", "date", "varchar", "blob"}
)
"""Column types whose shown type has the same values: an array of it needs neither a cast nor a check."""


def assigned_array(array: pa.ChunkedArray, target: ColumnType, where: str, zone: str = "UTC") -> pa.ChunkedArray:
    """The converted values, whose type has passed `check_assignable`; `where` is the column in errors.

    Timestamps with and without time zone are converted using `zone`, that of the session.
    """
    try:
        chunks = [_cast_chunk(chunk, target, where, zone) for chunk in chunks_of(array)]
    except (pa.ArrowException, ValueError) as error:
        if isinstance(error, InvalidRows):
            raise
        raise InvalidRows(f"Column {where} of type {target.sql()} cannot hold a value: {error}") from error
    return pa.chunked_array(chunks, shown_type(target))


def _cast_chunk(array: pa.Array, target: ColumnType, where: str, zone: str) -> pa.Array:
    shown = shown_type(target)
    if array.type == shown and target.name in KEPT_TYPES:
        return array
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), shown)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if target.is_nested:
        return _cast_nested(array, target, where, zone)
    array = _without_extension(array)
    match target.name:
        case "uuid":
            text = array.cast(pa.string())
            uuid_bytes(text)  # rejects values that are not uuids
            return pc.utf8_lower(text)
        case "json" | "interval":
            return _checked_text(_as_text(array), target, where)
        case "time":
            return _normalized_times(_checked_text(_as_text(array), target, where))
        case "timestamp_ns" if pa.types.is_integer(array.type):
            return array
        case "timestamp_ns":
            return _without_zone(array, zone).cast(pa.timestamp("ns")).cast(pa.int64())
        case "timestamptz" if not getattr(array.type, "tz", None):
            return pc.assume_timezone(array.cast(pa.timestamp("us")), zone, ambiguous="earliest").cast(shown)
        case "timestamp" | "timestamp_s" | "timestamp_ms":
            return _check_precision(_without_zone(array, zone).cast(shown), target, where)
        case "varchar":
            return _as_text(array)
        case "variant":
            return variant_array(array, shown)
        case "float32" | "float64" if not pa.types.is_floating(array.type):
            return array.cast(shown, safe=False)
    if pa.types.is_decimal(shown) and pa.types.is_integer(array.type):
        array = array.cast(pa.decimal128(20, 0) if array.type == pa.uint64() else pa.decimal128(19, 0))
    array = array.cast(shown)
    return _check_range(array, target, where)


def _cast_nested(array: pa.Array, target: ColumnType, where: str, zone: str) -> pa.Array:
    if pa.types.is_fixed_size_list(array.type):
        array = array.cast(pa.list_(array.type.value_field))

    def change(children: Children) -> Children:
        if target.name != "struct":
            pairs = zip(children, target.fields, strict=True)
            return [_cast_chunk(child, of_child, where, zone) for child, (_, of_child) in pairs]
        given = {field.name.lower(): child for field, child in zip(array.type, children, strict=True)}
        return [
            _cast_chunk(given.get(name.lower(), pa.nulls(len(array))), child, f"{where}.{name}", zone)
            for name, child in target.fields
        ]

    found = with_children(array, shown_type(target), change)
    if target.name == "map":
        _check_keys(found, target, where)
    return found


def _check_keys(maps: pa.MapArray, target: ColumnType, where: str) -> None:
    """Reject maps that have a key twice, as Spark does; `maps` are the new ones, whose entries begin at 0."""
    keys = maps.keys
    if pa.types.is_nested(keys.type):
        keys = pa.array([repr(key) for key in keys.to_pylist()], pa.string())
    row_of_key = np.repeat(np.arange(len(maps)), np.diff(maps.offsets.to_numpy())) if len(maps) else np.zeros(0)
    codes = keys.dictionary_encode().indices.to_numpy()
    order = np.lexsort((codes, row_of_key))
    again = (np.diff(row_of_key[order]) == 0) & (np.diff(codes[order]) == 0)
    if again.any():
        twice = maps.keys[int(order[int(np.argmax(again))])]
        raise InvalidRows(f"Column {where} of type {target.sql()} cannot hold a map that has the key {twice} twice")


def _without_extension(array: pa.Array) -> pa.Array:
    """The storage of an extension type; uuids as text."""
    if array.type == pa.uuid():
        characters = uuid_characters(array.storage)
        offsets = np.arange(0, characters.size + 1, characters.shape[1], dtype=np.int32)
        buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(characters.tobytes())]
        text = pa.Array.from_buffers(pa.string(), len(array), buffers)
        return pc.if_else(array.storage.is_valid(), text, pa.scalar(None, pa.string()))
    return array.storage if isinstance(array.type, pa.BaseExtensionType) else array


def _without_zone(array: pa.Array, zone: str) -> pa.Array:
    """Dates and timestamps unchanged; those with a time zone as local time of the session."""
    if not getattr(array.type, "tz", None):
        return array
    return pc.local_timestamp(array.cast(pa.timestamp(array.type.unit, zone)))


def _check_precision(array: pa.Array, target: ColumnType, where: str) -> pa.Array:
    """Reject timestamps that are not whole seconds or milliseconds, if the column requires it."""
    unit = {"timestamp_s": 10**6, "timestamp_ms": 10**3}.get(target.name, 1)
    ticks = array.cast(pa.int64())
    finer = pc.not_equal(pc.multiply(pc.divide(ticks, unit), unit), ticks)
    if pc.any(finer).as_py():
        raise InvalidRows(f"Column {where} of type {target.sql()} cannot hold {array.filter(finer)[0]}")
    return array


def _as_text(array: pa.Array) -> pa.Array:
    if pa.types.is_time(array.type):
        # Always written with six fractional digits: trailing zeros are removed.
        text = array.cast(pa.time64("us")).cast(pa.string())
        return pc.replace_substring_regex(text, pattern=r"\.?0+$", replacement="")
    return array.cast(pa.string())


def _normalized_times(text: pa.Array) -> pa.Array:
    """Times in the canonical shown form: with seconds, and without trailing zeros in the fraction."""
    text = pc.if_else(pc.equal(pc.utf8_length(text), 5), pc.binary_join_element_wise(text, "00", ":"), text)
    trimmed = pc.replace_substring_regex(text, pattern=r"\.?0+$", replacement="")
    return pc.if_else(pc.match_substring(text, "."), trimmed, text)


def _checked_text(array: pa.Array, target: ColumnType, where: str) -> pa.Array:
    for text in array.unique().to_pylist():
        if text is not None and not _IS_RIGHT[target.name](text):
            raise InvalidRows(f"Column {where} of type {target.sql()} cannot hold {text[:80]}")
    return array


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        return False
    return True


def _refuse_constant(word: str) -> None:
    """Python accepts NaN and infinities in JSON, which the standard does not."""
    raise ValueError(word)


_IS_RIGHT: dict[str, Callable[[str], bool]] = {
    "json": _is_json,
    "time": lambda text: re.match(TIME_PATTERN, text) is not None,
    "interval": lambda text: re.match(INTERVAL_PATTERN, text) is not None,
}


def _check_range(array: pa.Array, target: ColumnType, where: str) -> pa.Array:
    """The shown types of unsigned integers have a larger range than the columns."""
    if not target.name.startswith("uint") or not len(array):
        return array
    bounds = pc.min_max(array).as_py()
    top = 2 ** int(target.name[4:]) - 1
    for value in (bounds["min"], bounds["max"]):
        if value is not None and not 0 <= value <= top:
            raise InvalidRows(f"Column {where} of type {target.sql()} cannot hold {value}")
    return array
