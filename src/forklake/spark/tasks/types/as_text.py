"""Values of files as the texts that users see: uuids, times of day and JSON."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forklake.spark.tasks.types.python_array import python_scalar
from forklake.spark.tasks.types.uuid_text import uuid_characters

_MIDNIGHT = 86_400 * 10**6
"""The end of a day, which Arrow does not print."""


def as_text(array: pa.Array) -> pa.Array:
    """The texts of an array read from a file."""
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    if pa.types.is_fixed_size_binary(array.type):
        return _uuid_text(array)
    return _time_text(array) if pa.types.is_time(array.type) else array.cast(pa.string())


def _uuid_text(array: pa.Array) -> pa.Array:
    characters = uuid_characters(array)
    ends = np.arange(len(array) + 1, dtype=np.int32) * characters.shape[1]
    data = [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(characters.tobytes())]
    text = pa.Array.from_buffers(pa.string(), len(array), data)
    return pc.if_else(array.is_valid(), text, pa.nulls(len(array), pa.string())) if array.null_count else text


def _time_text(array: pa.Array) -> pa.Array:
    """HH:MM:SS, with as many fractional digits as needed."""
    micros = array.cast(pa.int64())
    is_midnight = pc.equal(micros, python_scalar(_MIDNIGHT, pa.int64()))
    whole = pc.if_else(is_midnight, python_scalar(0, pa.int64()), micros).cast(pa.time64("us")).cast(pa.string())
    shown = pc.replace_substring_regex(whole, pattern=r"\.?0+$", replacement="")
    return pc.if_else(is_midnight, python_scalar("24:00:00", pa.string()), shown)
