"""The partition values of all rows; only distinct values, or none at all, are processed in Python."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from forklake.model.column_types import TIMESTAMPS, ColumnType
from forklake.model.partitions import transform_value
from forklake.spark.tasks.partitions.bucket_hash import Numbers, bucket_hashes
from forklake.spark.tasks.types.time_text import DAY, date_text, time_text, timestamp_text

_HOUR = {"s": 3600, "ms": 3600 * 10**3, "us": 3600 * 10**6, "ns": 3600 * 10**9}
_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


class CodedValues(NamedTuple):
    """A value per row, as an index into the distinct values."""

    codes: npt.NDArray[np.int64]
    values: list[str | None]


def partition_values(transform: str, column_type: ColumnType, array: pa.Array) -> CodedValues:
    """The partition values of a physical array."""
    if transform == "identity":
        return _identity_values(column_type, array)
    if transform.startswith("bucket"):
        hashes = bucket_hashes(array, column_type)
        if hashes is None:
            return _transform_distinct(transform, column_type, array)
        count = int(transform.removeprefix("bucket(").removesuffix(")"))
        return _code_numbers((hashes & np.uint32(0x7FFFFFFF)).astype(np.int64) % count, array)
    return _code_numbers(_calendar_part(transform, array), array)


def combine_codes(parts: list[CodedValues]) -> tuple[npt.NDArray[np.int64], list[tuple[str | None, ...]]]:
    """Combines several values per row into one, again as an index into the distinct ones."""
    codes = np.zeros(len(parts[0].codes), np.int64)
    values: list[tuple[str | None, ...]] = [()]
    for part in parts:
        found, codes = np.unique(codes * len(part.values) + part.codes, return_inverse=True)
        before = values
        values = [
            (*before[first], part.values[second])
            for first, second in (divmod(int(code), len(part.values)) for code in found)
        ]
    return codes, values


def _code_numbers(numbers: Numbers, array: pa.Array) -> CodedValues:
    """Codes for one number per row, as text; NULL where the array is NULL."""
    found, codes = np.unique(numbers, return_inverse=True)
    values: list[str | None] = [*map(str, found.tolist()), None]
    is_null = array.is_null().to_numpy(zero_copy_only=False)
    return CodedValues(np.where(is_null, len(found), codes), values)


def _identity_values(column_type: ColumnType, array: pa.Array) -> CodedValues:
    match column_type.name:
        case "date":
            days = array.cast(pa.int32()).dictionary_encode()
            return _code_texts(days.indices, [date_text(day * DAY) for day in days.dictionary.to_pylist()])
        case "time":
            ticks = array.cast(pa.int64()).dictionary_encode()
            return _code_texts(ticks.indices, [time_text(tick * 1000) for tick in ticks.dictionary.to_pylist()])
        case name if name in TIMESTAMPS:
            ticks = array.cast(pa.int64()).dictionary_encode()
            zone = "+00" if name == "timestamptz" else ""
            unit = _NANOSECONDS[array.type.unit]
            texts = [timestamp_text(tick * unit, zone=zone) for tick in ticks.dictionary.to_pylist()]
            return _code_texts(ticks.indices, texts)
        case _:
            return _transform_distinct("identity", column_type, array)


def _transform_distinct(transform: str, column_type: ColumnType, array: pa.Array) -> CodedValues:
    storage = array.storage if isinstance(array, pa.ExtensionArray) else array
    encoded = storage.dictionary_encode()
    values: list[object] = encoded.dictionary.to_pylist()
    if column_type.name == "uuid":
        values = [UUID(bytes=raw) for raw in encoded.dictionary.to_pylist()]
    elif column_type.name in ("int128", "uint128"):
        values = [int(number) for number in encoded.dictionary.to_pylist()]
    return _code_texts(encoded.indices, [transform_value(transform, column_type, value) for value in values])


def _code_texts(indices: pa.Array, texts: Sequence[str | None]) -> CodedValues:
    """Codes for texts from a dictionary, in which several entries may have the same text."""
    values = list(dict.fromkeys(texts))
    place = {text: at for at, text in enumerate(values)}
    places = np.array([*(place[text] for text in texts), len(values)], np.int64)
    codes = pc.fill_null(indices, len(texts)).to_numpy()
    return CodedValues(places[codes], [*values, None])


def _calendar_part(part: str, array: pa.Array) -> Numbers:
    """A part of dates, timestamps or times, for all years; Arrow's own functions fail for distant ones."""
    if part == "hour":
        return _hours(array)
    days = _days(array)
    if part == "year":
        return days.astype("datetime64[Y]").astype(np.int64) + 1970
    months = days.astype("datetime64[M]")
    if part == "month":
        return months.astype(np.int64) % 12 + 1
    since_the_first: Numbers = (days - months.astype("datetime64[D]")).astype(np.int64)
    return since_the_first + 1


def _days(array: pa.Array) -> npt.NDArray[np.datetime64]:
    ticks = _ticks(array)
    return (ticks if pa.types.is_date(array.type) else ticks // (24 * _HOUR[array.type.unit])).astype("datetime64[D]")


def _hours(array: pa.Array) -> Numbers:
    ticks = _ticks(array)
    if pa.types.is_date(array.type):
        return np.zeros_like(ticks)
    hours: Numbers = ticks // _HOUR[array.type.unit]
    return hours if pa.types.is_time(array.type) else hours % 24


def _ticks(array: pa.Array) -> Numbers:
    numbers = array.cast(pa.int32() if pa.types.is_date(array.type) else pa.int64())
    ticks: Numbers = pc.fill_null(numbers, 0).to_numpy().astype(np.int64)
    return ticks
