"""Arrow data made of Python values without pandas.

Arrow imports pandas before it converts any Python or NumPy value, which takes longer than a small query. So a few
values of plain types are laid out here, and all others are left to Arrow.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from struct import pack

import numpy as np
import pyarrow as pa

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_DECIMAL_BYTES = 16
_PLAIN = (
    pa.types.is_boolean,
    pa.types.is_int64,
    pa.types.is_float64,
    pa.types.is_decimal128,
    pa.types.is_string,
    pa.types.is_date32,
)
"""Types whose values are laid out here, with timestamps in microseconds."""
_FEW = 1000
"""Arrow converts more values faster, pandas included."""


def python_array(values: Sequence[object], type_: pa.DataType) -> pa.Array:
    """The values as an array of this type, as `pa.array` makes it."""
    encoded = [None if value is None else _bytes(value, type_) for value in values[: _FEW + 1]]
    if len(values) > _FEW or not _is_plain(type_) or any(map(_is_left, values, encoded)):
        return pa.array(values, type_)
    valid = None if None not in encoded else pa.py_buffer(_bits([each is not None for each in encoded]))
    if pa.types.is_boolean(type_):
        return pa.Array.from_buffers(
            type_, len(values), [valid, pa.py_buffer(_bits([each == b"\1" for each in encoded]))]
        )
    if pa.types.is_string(type_):
        ends = np.cumsum([0, *(len(each or b"") for each in encoded)], dtype=np.int32)
        texts = b"".join(each or b"" for each in encoded)
        return pa.Array.from_buffers(type_, len(values), [valid, pa.py_buffer(ends.tobytes()), pa.py_buffer(texts)])
    nothing = bytes(type_.bit_width // 8)
    data = pa.py_buffer(b"".join(each or nothing for each in encoded))
    return pa.Array.from_buffers(type_, len(values), [valid, data])


def python_scalar(value: object, type_: pa.DataType) -> pa.Scalar:
    """The value as a scalar of this type. Raises ArrowInvalid if it does not fit."""
    return python_array([value], type_)[0]


def empty_table(schema: pa.Schema) -> pa.Table:
    """A table without rows."""
    return pa.table([pa.nulls(0, field.type) for field in schema], schema=schema)


def whole_numbers(values: np.ndarray) -> pa.Array:
    """An array of 64-bit integers."""
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values.astype(np.int64).tobytes())])


def mask(values: np.ndarray) -> pa.Array:
    """An array of booleans."""
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(_bits(values))])


def _is_plain(type_: pa.DataType) -> bool:
    if pa.types.is_timestamp(type_):
        return bool(type_.unit == "us")
    return any(is_one(type_) for is_one in _PLAIN)


def _is_left(value: object, encoded: bytes | None) -> bool:
    """Whether a value is left to Arrow."""
    return value is not None and encoded is None


def _bytes(value: object, type_: pa.DataType) -> bytes | None:
    """A value as it lies in an array of this type; None if Arrow is to convert it, or to refuse it."""
    match value:
        case bool():
            return bytes([value]) if pa.types.is_boolean(type_) else None
        case int() if pa.types.is_int64(type_) and -(2**63) <= value < 2**63:
            return pack("<q", value)
        case float() if pa.types.is_float64(type_):
            return pack("<d", value)
        case str() if pa.types.is_string(type_):
            return value.encode()
        case Decimal() if pa.types.is_decimal128(type_):
            return _decimal_bytes(value, type_)
        case datetime() if pa.types.is_timestamp(type_) and (value.tzinfo is None) == (type_.tz is None):
            epoch = _EPOCH if value.tzinfo is None else _EPOCH.replace(tzinfo=UTC)
            return pack("<q", (value - epoch) // _MICROSECOND)
        case date() if pa.types.is_date32(type_) and not isinstance(value, datetime):
            return pack("<i", value.toordinal() - _EPOCH.toordinal())
    return None


def _decimal_bytes(value: Decimal, type_: pa.DataType) -> bytes | None:
    if not value.is_finite():
        return None
    numerator, denominator = value.as_integer_ratio()
    unscaled: int
    unscaled, rest = divmod(numerator * 10**type_.scale, denominator)
    if rest or abs(unscaled) >= 10**type_.precision:
        return None
    return unscaled.to_bytes(_DECIMAL_BYTES, "little", signed=True)


def _bits(values: Sequence[bool] | np.ndarray) -> bytes:
    return bytes(np.packbits(np.asarray(values, bool), bitorder="little"))
