"""Parquet files as other programs write them: every type that Parquet has, in a column of any name."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

MOMENT = 1_577_934_245_678_901
"""2020-01-02 03:04:05.678901 in microseconds."""
_UUID = UUID("01234567-89ab-4def-8123-456789abcdef")


def _integers(name: str, bits: int, *, signed: bool) -> pa.Array:
    smallest, largest = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return pa.array([smallest, largest, None], getattr(pa, name)())


ARRAYS: dict[str, pa.Array] = {
    **{f"int{bits}": _integers(f"int{bits}", bits, signed=True) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": _integers(f"uint{bits}", bits, signed=False) for bits in (8, 16, 32, 64)},
    "boolean": pa.array([True, False, None]),
    "half": pa.array([1.5, None], pa.float16()),
    "float": pa.array([1.5, -0.0, None], pa.float32()),
    "double": pa.array([1.1, float("inf"), None]),
    "decimal(4,2)": pa.array([Decimal("-12.34"), None], pa.decimal128(4, 2)),
    "decimal(10,0)": pa.array([Decimal("123456"), None], pa.decimal128(10, 0)),
    "decimal(10,4)": pa.array([Decimal("123456.7890")], pa.decimal128(10, 4)),
    "decimal(38,10)": pa.array([Decimal("9" * 28 + "." + "9" * 10)], pa.decimal128(38, 10)),
    "date": pa.array([date(2020, 1, 2), date(1, 1, 1), None]),
    "time_ms": pa.array([3_723_004], pa.time32("ms")),
    "time": pa.array([3_723_004_005, None], pa.time64("us")),
    "time_ns": pa.array([3_723_004_005_006], pa.time64("ns")),
    "timestamp_ms": pa.array([MOMENT // 1000, -1, None], pa.timestamp("ms")),
    "timestamp": pa.array([MOMENT, -1, -1_500_000, None], pa.timestamp("us")),
    "timestamp_ns": pa.array([MOMENT * 1000 + 999, -1, -1_000_001, None], pa.timestamp("ns")),
    "instant_ms": pa.array([MOMENT // 1000, None], pa.timestamp("ms", "UTC")),
    "instant": pa.array([MOMENT, -1, None], pa.timestamp("us", "UTC")),
    "instant_ns": pa.array([MOMENT * 1000 + 999, -1, None], pa.timestamp("ns", "UTC")),
    "int96": pa.array([MOMENT * 1000, -1000, None], pa.timestamp("ns")),
    "varchar": pa.array(["zoë 🦆", "", None]),
    "large varchar": pa.array(["a" * 300, None], pa.large_string()),
    "dictionary": pa.array(["a", "b", "a", None]).dictionary_encode(),
    "blob": pa.array([bytes(range(256)), b"", None]),
    "three bytes": pa.array([b"abc", None], pa.binary(3)),
    "uuid": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([_UUID.bytes, None], pa.binary(16))),
    "json": pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a": 1}', None])),
    "nothing": pa.array([None, None]),
    "numbers": pa.array([[1, None], [], None], pa.list_(pa.int32())),
    "two numbers": pa.array([[1, 2], None], pa.list_(pa.int32(), 2)),
    "struct": pa.array([{"a": 1}, None], pa.struct([("a", pa.int32())])),
    "map": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32())),
}
WRITTEN_BY_DUCKDB = {
    "interval": "INTERVAL '1 month 2 days 3 hours'",
    "zoned time": "'01:02:03+00'::TIMETZ",
    "variant": "{'a': 1}::VARIANT",
    "geometry": "'POINT (1 2)'::GEOMETRY",
}
KINDS = (*ARRAYS, *WRITTEN_BY_DUCKDB)


def write_kind(path: Path, kind: str, *names: str) -> Path:
    """A file with values of a kind, in columns of these names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind in WRITTEN_BY_DUCKDB:
        listed = ", ".join(f'{WRITTEN_BY_DUCKDB[kind]} AS "{name}"' for name in names)
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT {listed}) TO '{path}' (GEOPARQUET_VERSION 'NONE')")
        return path
    rows = pa.table([ARRAYS[kind]] * len(names), names=list(names))
    pq.write_table(rows, path, use_deprecated_int96_timestamps=kind == "int96")
    return path


def write_file(path: Path, columns: Mapping[str, Any], **options: Any) -> Path:
    """A file with these columns, as Arrow's own writer makes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(dict(columns)), path, **options)
    return path
