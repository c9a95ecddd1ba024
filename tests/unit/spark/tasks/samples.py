"""Columns of every type, with rows in shown form and what DuckDB reads them as."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa

from forklake.model.column_tree import build_column
from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.tasks.files.write_file import WriteOrder, WrittenFile, write_rows
from forklake.spark.tasks.types.arrow_types import shown_schema

UUID_TEXT = "01234567-89ab-4def-8123-456789abcdef"
WKB = bytes.fromhex("0101000000000000000000F03F0000000000000040")


@dataclass(frozen=True, slots=True)
class Sample:
    """A type with its smallest and largest value shown, as DuckDB reads them, and as statistics write them."""

    type: str
    shown: tuple[object, object]
    read_as: str
    read: tuple[object, object]
    bounds: tuple[str | None, str | None]


SAMPLES = {
    sample.type: sample
    for sample in (
        Sample("boolean", (False, True), "BOOLEAN", (False, True), ("0", "1")),
        Sample("int8", (-128, 127), "TINYINT", (-128, 127), ("-128", "127")),
        Sample("int16", (-(2**15), 2**15 - 1), "SMALLINT", (-(2**15), 2**15 - 1), ("-32768", "32767")),
        Sample("int32", (-5, 2**31 - 1), "INTEGER", (-5, 2**31 - 1), ("-5", "2147483647")),
        Sample("int64", (-(2**63), 7), "BIGINT", (-(2**63), 7), (str(-(2**63)), "7")),
        Sample(
            "int128",
            (Decimal(-(10**30)), Decimal(10**37)),
            "DECIMAL(38,0)",
            (Decimal(-(10**30)), Decimal(10**37)),
            (str(-(10**30)), str(10**37)),
        ),
        Sample("uint8", (0, 255), "UTINYINT", (0, 255), ("0", "255")),
        Sample("uint16", (1, 65535), "USMALLINT", (1, 65535), ("1", "65535")),
        Sample("uint32", (1, 2**32 - 1), "UINTEGER", (1, 2**32 - 1), ("1", "4294967295")),
        Sample("uint64", (Decimal(1), Decimal(2**64 - 1)), "UBIGINT", (1, 2**64 - 1), ("1", str(2**64 - 1))),
        Sample("uint128", (Decimal(0), Decimal(7)), "DECIMAL(38,0)", (Decimal(0), Decimal(7)), ("0", "7")),
        Sample("float32", (-1.5, 0.25), "FLOAT", (-1.5, 0.25), ("-1.5", "0.25")),
        Sample("float64", (-1e300, 0.1), "DOUBLE", (-1e300, 0.1), ("-1e+300", "0.1")),
        Sample(
            "decimal(9,2)",
            (Decimal("-1.50"), Decimal("9999999.99")),
            "DECIMAL(9,2)",
            (Decimal("-1.50"), Decimal("9999999.99")),
            ("-1.50", "9999999.99"),
        ),
        Sample(
            "decimal(18,3)",
            (Decimal("-0.001"), Decimal("1.000")),
            "DECIMAL(18,3)",
            (Decimal("-0.001"), Decimal("1.000")),
            ("-0.001", "1.000"),
        ),
        Sample(
            "decimal(38,10)",
            (Decimal("-1.0000000001"), Decimal("3.0000000000")),
            "DECIMAL(38,10)",
            (Decimal("-1.0000000001"), Decimal("3.0000000000")),
            ("-1.0000000001", "3.0000000000"),
        ),
        Sample(
            "date",
            (date(1, 1, 1), date(9999, 12, 31)),
            "DATE",
            (date(1, 1, 1), date(9999, 12, 31)),
            ("0001-01-01", "9999-12-31"),
        ),
        Sample(
            "time",
            ("00:00:00", "23:59:59.999999"),
            "TIME",
            (time(0, 0), time(23, 59, 59, 999999)),
            ("00:00:00", "23:59:59.999999"),
        ),
        Sample(
            "timestamp",
            (datetime(1960, 1, 1, 1, 2, 3, 120000), datetime(2020, 1, 1)),
            "TIMESTAMP",
            (datetime(1960, 1, 1, 1, 2, 3, 120000), datetime(2020, 1, 1)),
            ("1960-01-01 01:02:03.12", "2020-01-01 00:00:00"),
        ),
        Sample(
            "timestamp_s",
            (datetime(1960, 1, 1, 1, 2, 3), datetime(2020, 1, 1)),
            "TIMESTAMP",
            (datetime(1960, 1, 1, 1, 2, 3), datetime(2020, 1, 1)),
            ("1960-01-01 01:02:03", "2020-01-01 00:00:00"),
        ),
        Sample(
            "timestamp_ms",
            (datetime(1960, 1, 1, 1, 2, 3, 4000), datetime(2020, 1, 1)),
            "TIMESTAMP",
            (datetime(1960, 1, 1, 1, 2, 3, 4000), datetime(2020, 1, 1)),
            ("1960-01-01 01:02:03.004", "2020-01-01 00:00:00"),
        ),
        Sample(
            "timestamp_ns",
            (-1, 1_577_836_800_123_456_789),
            "TIMESTAMP_NS",
            (-1, 1_577_836_800_123_456_789),
            ("1969-12-31 23:59:59.999999999", "2020-01-01 00:00:00.123456789"),
        ),
        Sample(
            "timestamptz",
            (datetime(1960, 1, 1, 1, 2, 3, tzinfo=UTC), datetime(2020, 1, 1, 0, 0, 0, 5, tzinfo=UTC)),
            "TIMESTAMP WITH TIME ZONE",
            (datetime(1960, 1, 1, 1, 2, 3, tzinfo=UTC), datetime(2020, 1, 1, 0, 0, 0, 5, tzinfo=UTC)),
            ("1960-01-01 01:02:03+00", "2020-01-01 00:00:00.000005+00"),
        ),
        Sample("varchar", ("", "zoë"), "VARCHAR", ("", "zoë"), ("", "zoë")),
        Sample("blob", (b"\x00\xff", b"a"), "BLOB", (b"\x00\xff", b"a"), ("00FF", "61")),
        Sample(
            "uuid",
            (UUID_TEXT, "FFFFFFFF-ffff-ffff-ffff-ffffffffffff"),
            "UUID",
            (UUID(UUID_TEXT), UUID(int=2**128 - 1)),
            (UUID_TEXT, "ffffffff-ffff-ffff-ffff-ffffffffffff"),
        ),
        Sample("json", ('"a"', '{"a":1}'), "JSON", ('"a"', '{"a":1}'), ('"a"', '{"a":1}')),
        Sample("interval", ("1 day", "2 months"), "VARCHAR", ("1 day", "2 months"), (None, None)),
        Sample("geometry", (WKB, WKB), "GEOMETRY", (WKB, WKB), (None, None)),
    )
}


def column(name: str, type_text: str, column_id: int = 1) -> Column:
    """A column whose fields are numbered from its id on."""
    return build_column(name, parse_type(type_text), map(ColumnId, itertools.count(column_id)), None)


def columns(**types: str) -> tuple[Column, ...]:
    """Columns numbered as those of a new table are."""
    ids = map(ColumnId, itertools.count(1))
    return tuple(build_column(name, parse_type(text), ids, None) for name, text in types.items())


def shown_batch(table_columns: tuple[Column, ...], values: Mapping[str, object]) -> pa.RecordBatch:
    """Rows in shown form."""
    return pa.RecordBatch.from_pydict(dict(values), schema=shown_schema(table_columns))


def order_in(folder: Path, table_columns: tuple[Column, ...], **options: Any) -> WriteOrder:
    """An order to write into a folder."""
    settings: dict[str, Any] = {"root": folder.as_uri(), "folder": "main/t/", "columns": table_columns, **options}
    return WriteOrder(**settings)


def write(folder: Path, table_columns: tuple[Column, ...], values: Mapping[str, object]) -> tuple[str, WrittenFile]:
    """Write rows as one file; returns where it is, and what is known of it."""
    [file] = write_rows(order_in(folder, table_columns), [shown_batch(table_columns, values)])
    return str(folder / file.path), file
