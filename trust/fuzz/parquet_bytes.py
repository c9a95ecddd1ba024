"""Parquet files as they should not be."""

import io
import random
import struct
from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.parquet as pq

_MARK = b"PAR1"


def plain(**options: object) -> bytes:
    """A file that is right."""
    rows = pa.table({"id": pa.array(range(200), pa.int32()), "v": [f"value {number % 7}" for number in range(200)]})
    return written(rows, **options)


def written(rows: pa.Table, **options: object) -> bytes:
    sink = io.BytesIO()
    pq.write_table(rows, sink, **options)
    return sink.getvalue()


def _footer(content: bytes) -> tuple[bytes, bytes]:
    """The rows of a file, and what is written about them."""
    length = struct.unpack("<I", content[-8:-4])[0]
    return content[: -8 - length], content[-8 - length : -8]


def with_footer(rows: bytes, footer: bytes, length: int | None = None, mark: bytes = _MARK) -> bytes:
    return rows + footer + struct.pack("<I", (len(footer) if length is None else length) & 0xFFFFFFFF) + mark


def _flip_bytes(rng: random.Random, content: bytes, count: int) -> bytes:
    changed = bytearray(content)
    for _ in range(count):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def mutated_footer(rng: random.Random) -> bytes:
    """A footer with a few bytes changed, which is where numbers of rows, sizes and places are."""
    rows, footer = _footer(plain(row_group_size=rng.choice((20, 200)), compression=rng.choice(("NONE", "zstd"))))
    return with_footer(rows, _flip_bytes(rng, footer, rng.choice((1, 1, 2, 3, 8))))


def mutated_anywhere(rng: random.Random) -> bytes:
    return _flip_bytes(rng, plain(), rng.choice((1, 4, 30)))


def cut_footer(rng: random.Random) -> bytes:
    rows, footer = _footer(plain())
    return with_footer(rows, footer[: rng.randrange(len(footer))])


def cut(rng: random.Random) -> bytes:
    content = plain()
    return content[: rng.randrange(len(content))]


def noise(rng: random.Random) -> bytes:
    inside = rng.randbytes(rng.choice((0, 1, 8, 12, 100, 5000)))
    return rng.choice((inside, _MARK + inside + _MARK, with_footer(_MARK, inside)))


def lying_length(rng: random.Random) -> bytes:
    rows, footer = _footer(plain())
    return with_footer(rows, footer, rng.choice((0, 1, len(footer) - 1, len(footer) + 9, 2**31, 2**32 - 1)))


def wrong_mark(rng: random.Random) -> bytes:
    rows, footer = _footer(plain())
    return with_footer(rows, footer, mark=rng.choice((b"PARE", b"par1", b"ORC\0", b"\0\0\0\0")))


def huge_numbers(rng: random.Random) -> bytes:
    """A footer in which some number is as large as it can be written."""
    rows, footer = _footer(plain())
    at = rng.randrange(1, len(footer) - 10)
    huge = b"\xfe" + b"\xff" * 8 + b"\x01"
    return with_footer(rows, footer[:at] + huge + footer[at + rng.choice((1, 2, 10)) :])


def deep_footer(rng: random.Random) -> bytes:
    """A footer of structs in structs without end: whoever reads it step by step runs out of stack."""
    field = bytes([rng.choice((0x1C, 0x2C, 0x5C, 0x9C))])
    return with_footer(_MARK, field * rng.choice((100, 100_000, 3_000_000)))


def long_list(rng: random.Random) -> bytes:
    """A list that says it has two thousand million elements, and has none."""
    kind = rng.choice((0x29, 0x49))
    return with_footer(_MARK, b"\x15\x02" + bytes([kind - 0x10, 0xFC]) + b"\xff\xff\xff\xff\x07" + b"\0" * 20)


def deep_columns(rng: random.Random) -> bytes:
    kind: pa.DataType = pa.int32()
    for level in range(rng.choice((10, 60, 300))):
        kind = pa.list_(kind) if rng.random() < 0.5 else pa.struct([(f"f{level}", kind)])
    return written(pa.table({"id": pa.array([1], pa.int32()), "v": pa.array([None], kind)}), store_schema=False)


def many_columns(rng: random.Random) -> bytes:
    names = [f"c{number}" for number in range(rng.choice((1_000, 4_000)))]
    return written(pa.table({name: pa.array([1], pa.int32()) for name in names}))


def no_columns(rng: random.Random) -> bytes:
    return written(pa.table({}))


def double_names(rng: random.Random) -> bytes:
    names = rng.choice((["id", "id"], ["id", "ID"], ["v", "v"], ["id", "id "], ["", "id"]))
    return written(pa.table([pa.array([1], pa.int32())] * 2, names=names))


def strange_names(rng: random.Random) -> bytes:
    name = rng.choice(
        ("rowid", "snapshot_id", "_ducklake_internal_row_id", "filename", "a.b", "../x", "a\nb", "x" * 5000)
    )
    return written(pa.table({"id": pa.array([1], pa.int32()), name: ["x"]}))


def other_types(rng: random.Random) -> bytes:
    kind = rng.choice(
        (pa.string(), pa.float64(), pa.int64(), pa.binary(), pa.date32(), pa.bool_(), pa.decimal128(38, 37))
    )
    return written(pa.table({"id": pa.array([None], kind), "v": ["x"]}))


def lying_statistics(rng: random.Random) -> bytes:
    """Smallest and largest value changed places, or are no text."""
    content = bytearray(plain(compression="NONE", use_dictionary=False))
    rows, footer = _footer(bytes(content))
    low, high = b"value 0", b"value 6"
    changed = (
        footer.replace(low, b"\xff\xfe\xfd\xfc\xfb\xfa\xf9") if rng.random() < 0.5 else footer.replace(high, b"a" * 7)
    )
    return with_footer(rows, changed)


def nan_statistics(rng: random.Random) -> bytes:
    values = [float("nan"), 1.0, float("inf")]
    rows, footer = _footer(written(pa.table({"id": pa.array([1] * 3, pa.int32()), "v": pa.array(values)})))
    return with_footer(rows, footer.replace(struct.pack("<d", 1.0), struct.pack("<d", float("nan"))))


def bomb(rng: random.Random) -> bytes:
    """A few kilobytes that are many megabytes of rows."""
    rows = rng.choice((1_000_000, 4_000_000))
    same = pa.table({"id": pa.array([7], pa.int32()).take(pa.array([0] * rows)), "v": pa.array(["x" * 50] * rows)})
    return written(same, compression="zstd", row_group_size=rows)


def strange_metadata(rng: random.Random) -> bytes:
    rows = pa.table({"id": pa.array([1], pa.int32()), "v": ["x"]})
    given = {b"ARROW:schema": b"bm90IGFycm93", b"geo": b"{", b"org.apache.spark.sql.parquet.row.metadata": b"[[["}
    return written(rows.replace_schema_metadata(given), store_schema=False)


KINDS: Mapping[str, Callable[[random.Random], bytes]] = {
    made.__name__: made
    for made in (
        mutated_footer, mutated_anywhere, cut_footer, cut, noise, lying_length, wrong_mark, huge_numbers, deep_footer,
        long_list, deep_columns, many_columns, no_columns, double_names, strange_names, other_types, lying_statistics,
        nan_statistics, bomb, strange_metadata,
    )
}  # fmt: skip
_OFTEN = ("mutated_footer", "mutated_anywhere", "cut_footer", "huge_numbers", "noise")


def any_file(rng: random.Random, number: int) -> tuple[str, bytes]:
    """Each kind in turn, and those that differ most each time much more often."""
    names = list(KINDS)
    name = names[number] if number < len(names) else rng.choice(_OFTEN if rng.random() < 0.9 else names)
    return name, KINDS[name](rng)
