"""Variants named as such in Parquet footers.

PyArrow writes variants as the struct of their parts that they are, and cannot say more. Without the mark, other
readers take them for plain structs, so it is put into the footer on its way to the file.
"""

from collections.abc import Collection, Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.errors import DamagedFile
from forklake.model.entities import Column

_MARK = bytes.fromhex("1c0c2013010000")
"""In Thrift's compact form, behind the id of a field: the logical type VARIANT, version 1."""
_SCHEMA, _FIELD_ID = 2, 9
_TAIL_BYTES = 8
"""Behind a footer: its length, and the mark of Parquet."""
_BOOLEANS, _NUMBERS, _BYTE, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), (4, 5, 6), 3, 7, 8, (9, 10), 12


def marking_sink(sink: pa.NativeFile, columns: Sequence[Column]) -> "pa.NativeFile | MarkingSink":
    """The sink for a file of these columns: the one given, unless there are variants to be marked."""
    fields = [field for column in columns for field in column.walk()]
    variants = {int(field.column_id) for field in fields if field.type.name == "variant"}
    return MarkingSink(sink, variants) if variants else sink


def close_writer(writer: pq.ParquetWriter, sink: "pa.NativeFile | MarkingSink") -> int:
    """Have the footer written; returns by how many bytes it is longer than the writer knows."""
    if not isinstance(sink, MarkingSink):
        writer.close()
        return 0
    sink.hold()
    writer.close()
    return sink.release()


class MarkingSink:
    """A file that is being written, for PyArrow to write to. From `hold` to `release` it waits in memory."""

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
        """Nothing but the footer is ever kept back."""

    def hold(self) -> None:
        self._held = bytearray()

    def release(self) -> int:
        """Write what was held, the footer at its end with marks in it; returns how long they are."""
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
    """The footer with the groups of these field ids marked as variants."""
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
    """Where the elements of the schema with these ids end; the id is the last thing they say."""
    count, at = _list_length(data, at)
    for _ in range(count):
        last = field_id = 0
        for field, _, value in _struct_fields(data, at):
            last, field_id = field, _zigzag(_varint(data, value)[0])
        at = _value_end(data, at, _STRUCT)
        if last == _FIELD_ID and field_id in variants:
            yield at - 1


def _struct_fields(data: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a struct: number, kind, and where the value begins."""
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
    """Where a value ends."""
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
