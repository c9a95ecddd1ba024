"""The logical type VARIANT in Parquet footers.

PyArrow writes variants as plain structs, and cannot annotate them. Without the annotation other readers take them for
structs, so it is added to the footer when that is written.
"""

from collections.abc import Collection, Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.errors import DamagedFile
from forklake.model.entities import Column

_MARK = bytes.fromhex("1c0c2013010000")
"""The logical type VARIANT, version 1, after the field id, in Thrift's compact protocol."""
_SCHEMA, _FIELD_ID = 2, 9
_TAIL_BYTES = 8
"""Follows a footer: its length, and the magic number of Parquet."""
_BOOLEANS, _NUMBERS, _BYTE, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), (4, 5, 6), 3, 7, 8, (9, 10), 12


def marking_sink(sink: pa.NativeFile, columns: Sequence[Column]) -> "pa.NativeFile | MarkingSink":
    """The sink for a file with these columns: the given one, unless there are variants to annotate."""
    fields = [field for column in columns for field in column.walk()]
    variants = {int(field.column_id) for field in fields if field.type.name == "variant"}
    return MarkingSink(sink, variants) if variants else sink


def close_writer(writer: pq.ParquetWriter, sink: "pa.NativeFile | MarkingSink") -> int:
    """Write the footer; returns the number of bytes added to what the writer wrote."""
    if not isinstance(sink, MarkingSink):
        writer.close()
        return 0
    sink.hold()
    writer.close()
    return sink.release()


class MarkingSink:
    """A file object for PyArrow to write to. Between `hold` and `release`, output is buffered in memory."""

    def __init__(self, sink: pa.NativeFile, variants: Collection[int]) -> None:
        self._sink = sink
        self._variants = variants
        self._held: bytearray | None = None
        self.closed = False

    def write(self, data: bytes) -> int:
        if self._held is None:
            self._sink.write(data)
        else:
            self._held += data
        return len(data)

    def tell(self) -> int:
        return int(self._sink.tell()) + len(self._held or b"")

    def flush(self) -> None:
        """Nothing to do: only the footer is ever buffered."""

    def hold(self) -> None:
        self._held = bytearray()

    def release(self) -> int:
        """Write the buffered output, with annotations added to the footer; returns their length."""
        held, self._held = bytes(self._held or b""), None
        length = int.from_bytes(held[-_TAIL_BYTES:-4], "little")
        start = len(held) - _TAIL_BYTES - length
        footer = mark_variants(held[start:-_TAIL_BYTES], self._variants)
        self._sink.write(held[:start] + footer + len(footer).to_bytes(4, "little") + held[-4:])
        return len(footer) - length

    def close(self) -> None:
        self.closed = True
        self._sink.close()


def mark_variants(footer: bytes, variants: Collection[int]) -> bytes:
    """The footer with the groups of these field ids annotated as variants."""
    ends: list[int] = []
    for field, _, at in _struct_fields(footer, 0):
        if field == _SCHEMA:
            ends = list(_group_ends(footer, at, variants))
            break
    if len(ends) != len(variants):
        raise DamagedFile("The footer of a new file does not have every variant once.")
    pieces = [footer[start:end] for start, end in zip([0, *ends], [*ends, len(footer)], strict=True)]
    return _MARK.join(pieces)


def _group_ends(data: bytes, at: int, variants: Collection[int]) -> Iterator[int]:
    """The ends of the schema elements with these ids, which are their last field."""
    count, at = _list_length(data, at)
    for _ in range(count):
        last = field_id = 0
        for field, _, value in _struct_fields(data, at):
            last, field_id = field, _zigzag(_varint(data, value)[0])
        at = _value_end(data, at, _STRUCT)
        if last == _FIELD_ID and field_id in variants:
            yield at - 1


def _struct_fields(data: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a struct: number, kind, and start of the value."""
    number = 0
    while data[at]:
        step, kind = divmod(data[at], 16)
        at += 1
        if step:
            number += step
        else:
            value, at = _varint(data, at)
            number = _zigzag(value)
        yield number, kind, at
        at = _value_end(data, at, kind)


def _value_end(data: bytes, at: int, kind: int) -> int:
    """The end of a value."""
    if kind in _BOOLEANS:
        return at
    if kind in _NUMBERS:
        return _varint(data, at)[1]
    if kind in (_BYTE, _DOUBLE):
        return at + (1 if kind == _BYTE else 8)
    if kind == _BINARY:
        length, at = _varint(data, at)
        return at + length
    if kind in _LISTS:
        element = data[at] % 16
        count, at = _list_length(data, at)
        for _ in range(count):
            at = at + 1 if element in _BOOLEANS else _value_end(data, at, element)
        return at
    if kind != _STRUCT:
        raise DamagedFile("The footer of a new file cannot be read.")
    for _, inner, value in _struct_fields(data, at):
        at = _value_end(data, value, inner)
    return at + 1


def _list_length(data: bytes, at: int) -> tuple[int, int]:
    count = data[at] // 16
    return (count, at + 1) if count < 15 else _varint(data, at + 1)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _zigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)
