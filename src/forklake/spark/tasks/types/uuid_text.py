"""Conversion of uuids between text and 16 bytes, for whole arrays."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Bytes = npt.NDArray[np.uint8]

_LENGTH = 36
_DASHES = np.array([8, 13, 18, 23])
_DIGITS = np.array([at for at in range(_LENGTH) if at not in _DASHES])
_NO_DIGIT = 0xFF
_NIL = "00000000-0000-0000-0000-000000000000"
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)
_VALUES = np.full(256, _NO_DIGIT, np.uint8)
_VALUES[_HEX] = np.arange(16)
_VALUES[np.frombuffer(b"ABCDEF", np.uint8)] = np.arange(10, 16)


def uuid_bytes(text: pa.Array) -> pa.Array:
    """The 16 bytes of each uuid written with dashes; ValueError names the first invalid one."""
    filled = pc.fill_null(text.cast(pa.string()), _NIL)
    _refuse_bad_uuids(filled, pc.binary_length(filled).to_numpy() != _LENGTH)
    characters = binary_data(filled)[0].reshape(len(filled), _LENGTH)
    digits = _VALUES[characters[:, _DIGITS]]
    _refuse_bad_uuids(filled, (digits == _NO_DIGIT).any(axis=1) | (characters[:, _DASHES] != ord("-")).any(axis=1))
    packed = (digits[:, 0::2] << 4) | digits[:, 1::2]
    raw = pa.Array.from_buffers(pa.binary(16), len(filled), [None, pa.py_buffer(packed.tobytes())])
    return pc.if_else(text.is_valid(), raw, pa.scalar(None, pa.binary(16))) if text.null_count else raw


def uuid_characters(raw: pa.Array) -> Bytes:
    """The text of each uuid, one row of 36 characters each; arbitrary for NULLs."""
    packed = np.frombuffer(raw.buffers()[1], np.uint8)[raw.offset * 16 : (raw.offset + len(raw)) * 16]
    packed = packed.reshape(len(raw), 16)
    characters = np.full((len(raw), _LENGTH), ord("-"), np.uint8)
    characters[:, _DIGITS[0::2]] = _HEX[packed >> 4]
    characters[:, _DIGITS[1::2]] = _HEX[packed & 15]
    return characters


def binary_data(array: pa.Array) -> tuple[Bytes, npt.NDArray[np.int64]]:
    """The concatenated bytes of a string or binary array, and the offsets of its values."""
    _, offsets_buffer, data = array.buffers()
    if not len(array) or offsets_buffer is None:
        return np.empty(0, np.uint8), np.zeros(len(array) + 1, np.int64)
    offsets = np.frombuffer(offsets_buffer, np.int32)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    whole = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return whole[offsets[0] : offsets[-1]], offsets - offsets[0]


def _refuse_bad_uuids(text: pa.Array, bad: npt.NDArray[np.bool_]) -> None:
    if bad.any():
        raise ValueError(f"{text[int(bad.argmax())].as_py()!r} is not a uuid")
