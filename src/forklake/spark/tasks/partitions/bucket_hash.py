"""The hash of bucket partitions for whole arrays; the same as in forklake.model.partitions for single values."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from forklake.model.column_types import FLOATS, TIMESTAMPS, ColumnType
from forklake.spark.tasks.types.uuid_text import Bytes, binary_data, uuid_characters

Numbers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint32]

_SIGNED = frozenset({"int8", "int16", "int32", "int64"})
_UNSIGNED = frozenset({"uint8", "uint16", "uint32", "uint64"})
_EIGHT_BYTE_DIGITS = 18


def bucket_hashes(array: pa.Array, column_type: ColumnType) -> Words | None:
    """The hash of each value of a physical array; None for types that must be hashed value by value."""
    hashed = _hashed_bytes(array, column_type)
    return None if hashed is None else murmur3_all(*hashed)


def murmur3_all(data: Bytes, offsets: Numbers) -> Words:
    """MurmurHash3 x86 32-bit with seed 0 of each slice of the data."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    state = np.zeros(len(starts), np.uint32)
    blocks = lengths // 4
    for block in range(int(blocks.max(initial=0))):
        rows = np.flatnonzero(blocks > block)
        at = starts[rows] + 4 * block
        mixed = state[rows] ^ _mix(_read_words(data, at, np.full(len(rows), 4)))
        state[rows] = _rotate_left(mixed, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    state ^= _mix(_read_words(data, starts + 4 * blocks, lengths % 4))
    state ^= lengths.astype(np.uint32)
    state = (state ^ (state >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    state = (state ^ (state >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return state ^ (state >> np.uint32(16))


def _read_words(data: Bytes, at: Numbers, size: Numbers) -> Words:
    """Up to four bytes at each position, little-endian."""
    word = np.zeros(len(at), np.uint32)
    for byte in range(4):
        rows = np.flatnonzero(size > byte)
        word[rows] |= data[at[rows] + byte].astype(np.uint32) << np.uint32(8 * byte)
    return word


def _mix(word: Words) -> Words:
    return _rotate_left(word * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)


def _rotate_left(word: Words, by: int) -> Words:
    return (word << np.uint32(by)) | (word >> np.uint32(32 - by))


def _hashed_bytes(array: pa.Array, column_type: ColumnType) -> tuple[Bytes, Numbers] | None:
    name = column_type.name
    if name in FLOATS:
        return _eight_bytes(_double_bits(array))
    if name in _SIGNED | TIMESTAMPS | {"boolean", "date", "time"}:
        return _eight_bytes(_ticks(array, name))
    if name == "decimal" and (column_type.precision or 0) <= _EIGHT_BYTE_DIGITS:
        return _eight_bytes(_unscaled_decimals(array))
    if name == "uuid":
        characters = uuid_characters(array.storage)
        return characters.reshape(-1), np.arange(len(array) + 1) * characters.shape[1]
    if name in _UNSIGNED:
        return binary_data(array.cast(pa.string()))
    if name in ("varchar", "json", "blob"):
        return binary_data(array.storage if name == "json" else array)
    return None


def _eight_bytes(numbers: Numbers) -> tuple[Bytes, Numbers]:
    return np.ascontiguousarray(numbers.astype("<i8")).view(np.uint8), np.arange(len(numbers) + 1) * 8


def _ticks(array: pa.Array, name: str) -> Numbers:
    """DuckDB's internal number for each value."""
    if name == "date":
        array = array.cast(pa.int32())
    # Arrow cannot cast booleans to int64 directly.
    ticks = array.cast(pa.int8()) if name == "boolean" else array
    numbers: Numbers = pc.fill_null(ticks.cast(pa.int64()), 0).to_numpy()
    return np.floor_divide(numbers, 10**6) if name == "timestamp_s" else numbers


def _double_bits(array: pa.Array) -> Numbers:
    doubles = pc.fill_null(array.cast(pa.float64()), 0.0).to_numpy()
    # All NaNs are equal, and so are the two zeros.
    return np.where(np.isnan(doubles), np.nan, doubles + 0.0).view(np.int64)


def _unscaled_decimals(array: pa.Array) -> Numbers:
    """The unscaled values of small decimals: the lower half of their 16 bytes."""
    halves = np.frombuffer(array.buffers()[1], "<i8")
    return halves[0::2][array.offset : array.offset + len(array)]
