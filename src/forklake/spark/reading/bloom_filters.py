"""Bloom filters of Parquet files: values that row groups certainly do not have.

PyArrow says where filters are, but does not evaluate them. They are split blocks of XXH64, as the format has them:
https://parquet.apache.org/docs/file-format/bloomfilter
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from struct import unpack_from

import pyarrow as pa
import pyarrow.parquet as pq
from xxhash import xxh64_intdigest

from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.model.statistics import Exact
from forklake.spark.reading.plain_values import plain_bytes

_WRITERS = ("parquet-cpp-arrow version ", "parquet-mr version ", "DuckDB version ")
"""Those whose filters are tested. Others are not believed: those of Trino lacked values until version 459."""
_HEADER = re.compile(rb"\x15([\x80-\xff]{0,4}[\x00-\x7f])(?:\x1c\x1c\0\0){3}\0", re.DOTALL)
"""In Thrift's compact form: a size, then split blocks, XXH64 and no compression, of which there are no others yet."""
_BLOCK = 32
_SALTS = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)
_LEAST_SAVING = 1 << 20
_LEAST_RATIO = 4

Absent = Mapping[ColumnId, Collection[Exact]]


@dataclass(frozen=True, slots=True)
class BloomFilter:
    """The values of a column in a row group, of which it may claim too many."""

    bits: memoryview

    def may_have(self, plain: bytes) -> bool:
        """Whether the values may include that with these bytes in plain encoding."""
        digest = xxh64_intdigest(plain)
        block = (digest >> 32) * (len(self.bits) // _BLOCK) >> 32
        words = unpack_from("<8I", self.bits, block * _BLOCK)
        return all(word >> ((digest * salt & 0xFFFFFFFF) >> 27) & 1 for word, salt in zip(words, _SALTS, strict=True))


@dataclass(frozen=True, slots=True)
class FilterPlace:
    """Where the filter of a column in a row group is."""

    group: int
    leaf: int
    offset: int
    length: int


def filter_places(metadata: pq.FileMetaData, groups: Sequence[int], leaves: Collection[int]) -> list[FilterPlace]:
    """The filters of these leaves, if the writer of the file is known to make them right."""
    if not (metadata.created_by or "").startswith(_WRITERS):
        return []
    found = []
    for group in groups:
        for leaf in leaves:
            chunk = metadata.row_group(group).column(leaf)
            # Older releases of PyArrow do not say where filters are.
            offset, length = (getattr(chunk, f"bloom_filter_{name}", None) for name in ("offset", "length"))
            if offset is not None and length is not None and offset >= 0 and length >= 0:
                found.append(FilterPlace(group, leaf, offset, length))
    return found


def pays(metadata: pq.FileMetaData, places: Sequence[FilterPlace], leaves: Collection[int]) -> bool:
    """Whether filters are worth a read, given the leaves to be read of their row groups.

    A read of an object store takes as long as a megabyte of it. That from the first filter to the last is to be small
    beside the row groups.
    """
    groups = [metadata.row_group(group) for group in {place.group for place in places}]
    saving = sum(group.column(leaf).total_compressed_size for group in groups for leaf in leaves)
    return bool(saving >= max(_LEAST_SAVING, _LEAST_RATIO * len(_span(places))))


def absent_values(
    source: pa.NativeFile,
    metadata: pq.FileMetaData,
    places: Sequence[FilterPlace],
    columns: Mapping[int, Column],
    sought: Mapping[ColumnId, Collection[Exact]],
) -> Mapping[int, Absent]:
    """By row group, the sought values that it certainly does not have, from one read; `columns` are by leaf.

    A filter of another form than expected excludes nothing.
    """
    span = _span(places)
    data = memoryview(source.read_at(len(span), span.start) if span.stop <= source.size() else b"")
    plain = {
        leaf: {
            value: plain_bytes(metadata.schema.column(leaf), column.type, value) for value in sought[column.column_id]
        }
        for leaf, column in columns.items()
    }
    absent: dict[int, dict[ColumnId, list[Exact]]] = {}
    for place in places:
        start = place.offset - span.start
        bloom = read_filter(data[start : start + place.length])
        if bloom is not None:
            absent.setdefault(place.group, {})[columns[place.leaf].column_id] = [
                value
                for value, encoded in plain[place.leaf].items()
                if encoded is not None and not bloom.may_have(encoded)
            ]
    return absent


def read_filter(data: memoryview) -> BloomFilter | None:
    """The filter in these bytes; None if they are anything else, or a filter of another form or of no values."""
    header = _HEADER.match(data)
    if header is None:
        return None
    bits = data[header.end() :]
    # Thrift doubles integers that are not negative.
    doubled_size = sum((byte & 0x7F) << (7 * at) for at, byte in enumerate(header[1]))
    if 2 * len(bits) != doubled_size or len(bits) % _BLOCK or not any(bits):
        return None
    return BloomFilter(bits)


def _span(places: Sequence[FilterPlace]) -> range:
    """The bytes from the first filter to the last."""
    return range(min(place.offset for place in places), max(place.offset + place.length for place in places))
