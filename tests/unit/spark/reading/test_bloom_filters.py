"""Bloom filters exclude only row groups without the value, whoever has written them."""

import datetime
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import SnapshotId
from forklake.model.predicates import Comparison, In, Or, Predicate
from forklake.model.pruning import PrunableColumn, file_filter
from forklake.spark.reading import bloom_filters, row_groups
from forklake.spark.reading.bloom_filters import FilterPlace, filter_places, read_filter
from forklake.spark.reading.row_groups import row_groups_that_may_match
from forklake.spark.tasks.types.arrow_types import physical_schema
from tests.effort import examples
from tests.unit.model.small_engine import COLUMN, ROWS, A, evaluate, predicates

GROUP = 4
MOMENT = datetime.datetime(2024, 2, 29, 12, 34, 56, 789012)
INSTANT = MOMENT.replace(tzinfo=datetime.UTC)
KINDS: dict[str, tuple[object, object]] = {
    **dict.fromkeys(("int8", "int16", "int32", "int64"), (7, -9)),
    **{f"uint{bits}": (7, 2 ** (bits - 1) + 7) for bits in (8, 16, 32)},
    "uint64": (7, 2**62 + 7),
    "decimal(4,2)": (Decimal("-1.50"), Decimal("2.25")),
    "decimal(18,3)": (Decimal("-1.500"), Decimal("123456789012345.678")),
    "decimal(38,10)": (Decimal("-1.5"), Decimal("1234567890123456789012345678.0123456789")),
    "varchar": ("zoë 🦆", "a" * 300),
    "blob": (b"\0\xff", b""),
    "uuid": (UUID(int=1), UUID(int=2**127 + 5)),
    "date": (datetime.date(1, 1, 1), datetime.date(2024, 2, 29)),
    "timestamp": (MOMENT, datetime.datetime(1900, 1, 1)),
    "timestamptz": (INSTANT, INSTANT.replace(year=1904)),
    "time": (datetime.time(12, 34, 56, 789012), datetime.time(0)),
}
"""Two values of each type whose filters are used."""


@pytest.fixture(autouse=True)
def _small_files_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bloom_filters, "_LEAST_SAVING", 0)
    monkeypatch.setattr(bloom_filters, "_LEAST_RATIO", 0)


def _column(type_text: str) -> Column:
    return Column(COLUMN, A[0], parse_type(type_text))


def _table(column: Column, rows: Sequence[object]) -> pa.Table:
    """The rows as they are in files."""
    [field] = physical_schema([column])
    if column.type.name == "uuid":
        stored = pa.array([row.bytes if isinstance(row, UUID) else None for row in rows], pa.binary(16))
        array = pa.ExtensionArray.from_storage(pa.uuid(), stored)
    else:
        array = pa.array(rows, field.type)
    return pa.Table.from_arrays([array], schema=pa.schema([field.with_type(array.type)]))


def _by_arrow(
    column: Column, rows: Sequence[object], *, group: int = GROUP, decimals_as_integers: bool = True
) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(
        _table(column, rows),
        sink,
        row_group_size=group,
        bloom_filter_options={A[0]: {"ndv": 64, "fpp": 1e-9}} if column.type.name != "boolean" else None,
        store_decimal_as_integer=decimals_as_integers,
        version="2.6",
    )
    return bytes(sink.getvalue())


def _groups(file: bytes, column: Column, predicate: Predicate) -> list[int]:
    wanted = file_filter(predicate, {A: PrunableColumn(COLUMN, column.type)})
    source = pa.BufferReader(file)
    return row_groups_that_may_match(source, pq.read_metadata(source), wanted, [column], SnapshotId(1))


@pytest.mark.parametrize("type_text", ROWS)
@pytest.mark.parametrize("decimals_as_integers", [True, False])
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data())
def test_row_groups_with_a_matching_row_are_read(
    type_text: str, decimals_as_integers: bool, data: st.DataObject
) -> None:
    values, constants = ROWS[type_text]
    rows = data.draw(st.lists(st.one_of(values, st.none()), min_size=1, max_size=3 * GROUP), "rows")
    predicate = data.draw(predicates(st.one_of(constants, st.sampled_from(rows))), "predicate")
    matching = {at // GROUP for at, row in enumerate(rows) if evaluate(predicate, row) is True}
    file = _by_arrow(_column(type_text), rows, decimals_as_integers=decimals_as_integers)
    assert matching <= set(_groups(file, _column(type_text), predicate))


def _by_duckdb(column: Column, rows: Sequence[object], path: Path) -> bytes:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (a {column.type.sql()})")
        connection.executemany("INSERT INTO t VALUES (?)", [[row] for row in rows])
        connection.execute(f"COPY t TO '{path}' (BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.0001)")
    return path.read_bytes()


@pytest.mark.parametrize("type_text", ["int64", "varchar", "date", "timestamp", "uuid"])
@settings(max_examples=examples(8), deadline=None)
@given(data=st.data())
def test_values_in_files_of_duckdb_are_found(type_text: str, data: st.DataObject) -> None:
    column, values = _column(type_text), data.draw(st.lists(ROWS[type_text][0], min_size=1, max_size=10), "values")
    with TemporaryDirectory() as folder:
        file = _by_duckdb(column, values * 10, Path(folder) / "t.parquet")
    assert filter_places(pq.read_metadata(pa.BufferReader(file)), [0], [0])
    for value in values:
        assert _groups(file, column, Comparison(A, "=", value)) == [0]


WRITERS = ("integers", "bytes", "DuckDB")
# DuckDB writes no filters for decimals of more than 18 digits.
KINDS_OF_WRITERS = [(kind, writer) for kind in KINDS for writer in WRITERS[: 2 if kind == "decimal(38,10)" else 3]]


@pytest.mark.parametrize(("type_text", "writer"), KINDS_OF_WRITERS)
def test_a_row_group_without_the_value_is_left_out(type_text: str, writer: str, tmp_path: Path) -> None:
    # A single row group: its statistics are those of the file, and not judged again.
    column, (one, other) = _column(type_text), KINDS[type_text]
    rows = [one, None] * 50
    if writer == "DuckDB":
        file = _by_duckdb(column, rows, tmp_path / "t.parquet")
    else:
        file = _by_arrow(column, rows, group=100, decimals_as_integers=writer == "integers")
    assert _groups(file, column, Comparison(A, "=", one)) == [0]
    assert _groups(file, column, In(A, (other, one))) == [0]
    assert _groups(file, column, Comparison(A, "=", other)) == []
    assert _groups(file, column, In(A, (other, None))) == []


@pytest.mark.parametrize("type_text", ["float32", "float64"])
def test_filters_of_floats_exclude_nothing(type_text: str) -> None:
    file = _by_arrow(_column(type_text), [0.0], group=100)
    for value in (-0.0, 0, 0.5):
        assert _groups(file, _column(type_text), Comparison(A, "=", value)) == [0]


def test_a_timestamp_in_another_unit_than_the_column_excludes_nothing() -> None:
    sink = pa.BufferOutputStream()
    ticks = pa.array([1_000_000_999, None], pa.timestamp("ns"))
    pq.write_table(pa.table({"a": ticks}), sink, bloom_filter_options={"a": True}, version="2.6")
    predicate = Comparison(A, "=", datetime.datetime(1970, 1, 1, 0, 0, 1))
    assert _groups(bytes(sink.getvalue()), _column("timestamp"), predicate) == [0]


def _first_filter(file: bytes) -> FilterPlace:
    return filter_places(pq.read_metadata(pa.BufferReader(file)), [0], [0])[0]


HEADER = bytes.fromhex("1540 1c1c0000 1c1c0000 1c1c0000 00")
"""Of a filter of 32 bytes."""


@pytest.mark.parametrize(
    "header",
    [
        b"\x25" + HEADER[1:],
        b"\x15\x80" + HEADER[2:],
        b"\x15\x3f" + HEADER[2:],
        b"\x15\xff" + HEADER[2:],
        b"\x15\xff\xff\xff\xff\xff" + HEADER[7:],
        HEADER.replace(b"\x1c\x1c\0\0", b"\x1c\x2c\0\0", 1),
        HEADER[:-5] + b"\x1c\x2c\0\0\0",
        HEADER[:-1] + b"\x15",
        bytes(len(HEADER)),
    ],
)
def test_a_filter_of_another_form_excludes_nothing(header: bytes) -> None:
    column = _column("int64")
    file = _by_arrow(column, [1], group=100)
    assert file.count(HEADER) == 1
    assert _groups(file, column, Comparison(A, "=", 2)) == []
    assert _groups(file.replace(HEADER, header), column, Comparison(A, "=", 2)) == [0]


def test_a_filter_of_no_values_excludes_nothing() -> None:
    column = _column("int64")
    file = bytearray(_by_arrow(column, [1], group=100))
    start = file.index(HEADER) + len(HEADER)
    file[start : start + 32] = bytes(32)
    assert _groups(bytes(file), column, Comparison(A, "=", 1)) == [0]


@given(st.binary(max_size=200))
def test_any_bytes_are_a_filter_or_none(data: bytes) -> None:
    found = read_filter(memoryview(data))
    assert found is None or found.may_have(b"") in (True, False)


def test_a_filter_behind_the_end_of_the_file_excludes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    file = _by_arrow(_column("int64"), [1], group=100)
    place = replace(_first_filter(file), offset=len(file) - 10)
    monkeypatch.setattr(row_groups, "filter_places", lambda *_: [place])
    assert _groups(file, _column("int64"), Comparison(A, "=", 2)) == [0]


def test_filters_of_unknown_writers_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bloom_filters, "_WRITERS", ("parquet-mr version ",))
    file = _by_arrow(_column("int64"), [1], group=100)
    assert _groups(file, _column("int64"), Comparison(A, "=", 2)) == [0]


def test_filters_that_are_large_beside_the_rows_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    file, column, two = _by_arrow(_column("int64"), [1], group=100), _column("int64"), Comparison(A, "=", 2)
    monkeypatch.setattr(bloom_filters, "_LEAST_SAVING", 1000)
    assert _groups(file, column, two) == [0]
    monkeypatch.setattr(bloom_filters, "_LEAST_SAVING", 0)
    monkeypatch.setattr(bloom_filters, "_LEAST_RATIO", 4)
    assert _groups(file, column, two) == [0]


def test_filters_are_not_read_where_statistics_decide() -> None:
    file = _by_arrow(_column("int64"), list(range(3 * GROUP)))
    source, predicate = _Noted(file), Or((Comparison(A, "=", 2), Comparison(A, "=", 99)))
    wanted = file_filter(predicate, {A: PrunableColumn(COLUMN, parse_type("int64"))})
    metadata = pq.read_metadata(pa.BufferReader(file))
    assert row_groups_that_may_match(source, metadata, wanted, [_column("int64")], SnapshotId(1)) == [0]
    [place] = filter_places(metadata, [0], [0])
    assert source.reads == [(place.length, place.offset)]
    wanted = file_filter(Comparison(A, "=", 99), {A: PrunableColumn(COLUMN, parse_type("int64"))})
    assert row_groups_that_may_match(source, metadata, wanted, [_column("int64")], SnapshotId(1)) == []
    assert len(source.reads) == 1


class _Noted:
    """A file that notes which of its bytes are read."""

    def __init__(self, file: bytes) -> None:
        self._file = file
        self.reads: list[tuple[int, int]] = []

    def size(self) -> int:
        return len(self._file)

    def read_at(self, length: int, offset: int) -> bytes:
        self.reads.append((length, offset))
        return self._file[offset : offset + length]
