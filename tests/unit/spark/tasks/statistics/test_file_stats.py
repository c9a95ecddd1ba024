import math
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from forklake.model.entities import Column
from forklake.model.statistics import ColumnStats
from forklake.spark.tasks.files.write_file import write_rows
from forklake.spark.tasks.statistics.file_stats import footer_facts, read_facts, read_many_facts
from forklake.spark.tasks.statistics.footer_values import bound_reader, bound_text
from forklake.spark.tasks.types.time_text import date_text, time_text, timestamp_text
from tests.unit.spark.tasks.samples import SAMPLES, Sample, column, columns, order_in, shown_batch, write

LOCAL = fs.LocalFileSystem()


def _stats(folder: Path, type_text: str, values: list[object]) -> ColumnStats:
    _, file = write(folder, columns(c=type_text), {"c": values})
    [stats] = file.column_stats
    return stats


def _foreign(
    folder: Path, table: pa.Table, table_columns: tuple[Column, ...], **options: object
) -> tuple[ColumnStats, ...]:
    path = str(folder / "foreign.parquet")
    pq.write_table(table, path, **options)
    return read_facts(LOCAL, path, table_columns).column_stats


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_bounds_have_the_text_form_of_their_type(sample: Sample, tmp_path: Path) -> None:
    stats = _stats(tmp_path, sample.type, [sample.shown[1], None, sample.shown[0], sample.shown[1]])
    assert (stats.min_value, stats.max_value) == sample.bounds
    if sample.type != "geometry":  # Arrow counts no geometries
        assert (stats.value_count, stats.null_count) == (3, 1)
    assert stats.contains_nan is (False if sample.type.startswith("float") else None)
    assert stats.column_size_bytes


@pytest.mark.parametrize("type_text", set(SAMPLES) - {"geometry"})
def test_a_column_of_nulls_has_no_bounds(type_text: str, tmp_path: Path) -> None:
    stats = _stats(tmp_path, type_text, [None, None])
    assert (stats.value_count, stats.null_count, stats.min_value, stats.max_value) == (0, 2, None, None)


def test_the_facts_of_a_written_file_are_those_of_its_footer(tmp_path: Path) -> None:
    table_columns = columns(a="int32", b="varchar", f="double", n="struct(x uuid, l double[])")
    rows = {"a": [1, 2], "b": ["x", None], "f": [0.5, 1], "n": [{"x": None, "l": [1.0]}, None]}
    path, file = write(tmp_path, table_columns, rows)
    facts = read_facts(LOCAL, path, table_columns)
    raw = Path(path).read_bytes()
    assert file.footer_size == facts.footer_size == int.from_bytes(raw[-8:-4], "little")
    assert file.file_size_bytes == facts.file_size_bytes == len(raw)
    assert file.record_count == facts.record_count == 2
    assert [stats._replace(contains_nan=None) for stats in file.column_stats] == [*facts.column_stats]
    assert read_many_facts(LOCAL, [path, path], table_columns) == [facts, facts]
    assert read_many_facts(LOCAL, [], table_columns) == []


def test_a_writer_knows_about_nan(tmp_path: Path) -> None:
    stats = _stats(tmp_path, "double", [1.0, math.nan, -1.0])
    assert (stats.min_value, stats.max_value, stats.contains_nan) == ("-1.0", "1.0", True)
    only = _stats(tmp_path, "float", [math.nan, None])
    assert (only.min_value, only.max_value, only.contains_nan, only.value_count) == (None, None, True, 1)


def test_nan_is_found_inside_of_lists(tmp_path: Path) -> None:
    _, file = write(tmp_path, columns(l="struct(a double, b double[])[]"), {"l": [[{"a": 1.0, "b": [math.nan]}], None]})
    assert [stats.contains_nan for stats in file.column_stats] == [False, True]


def test_zeros_have_no_sign(tmp_path: Path) -> None:
    stats = _stats(tmp_path, "double", [-0.0, 0.0])
    assert (stats.min_value, stats.max_value) == ("0.0", "0.0")


def test_another_writer_leaves_nan_unknown(tmp_path: Path) -> None:
    [stats] = _foreign(tmp_path, pa.table({"c": [1.0, 2.0]}), columns(c="double"))
    assert (stats.min_value, stats.max_value, stats.contains_nan) == ("1.0", "2.0", None)


class _Renamed:
    """Metadata that says another program has written the file."""

    def __init__(self, metadata: pq.FileMetaData, created_by: str) -> None:
        self._metadata = metadata
        self.created_by = created_by

    def __getattr__(self, name: str) -> object:
        return getattr(self._metadata, name)


@pytest.mark.parametrize(("values", "contains_nan"), [([1.0], False), ([math.nan], None), ([None], False)])
def test_bounds_of_parquet_mr_tell_that_there_is_no_nan(
    values: list[float | None], contains_nan: bool | None, tmp_path: Path
) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"c": pa.array(values, pa.float64())}), path)
    metadata = _Renamed(pq.read_metadata(path), "parquet-mr version 1.16.0 (build x)")
    [stats] = footer_facts(metadata, columns(c="double")).column_stats
    assert stats.contains_nan is contains_nan


def test_several_row_groups_are_one_range(tmp_path: Path) -> None:
    table_columns = columns(a="timestamp_ns", b="uuid", c="decimal(20,1)")
    rows: dict[str, object] = {
        "a": [5, -7, 1],
        "b": ["00000000-0000-0000-0000-00000000000a", None, "00000000-0000-0000-0000-000000000009"],
        "c": [None, 3, -2],
    }
    batch = shown_batch(table_columns, rows)
    [file] = write_rows(order_in(tmp_path, table_columns, row_group_rows=1), [batch])
    assert pq.read_metadata(tmp_path / file.path).num_row_groups == 3
    assert [(stats.value_count, stats.null_count, stats.min_value, stats.max_value) for stats in file.column_stats] == [
        (3, 0, "1969-12-31 23:59:59.999999993", "1970-01-01 00:00:00.000000005"),
        (2, 1, "00000000-0000-0000-0000-000000000009", "00000000-0000-0000-0000-00000000000a"),
        (2, 1, "-2.0", "3.0"),
    ]


def test_bounds_in_a_file_are_never_those_of_a_column_with_nan(tmp_path: Path) -> None:
    """Spark, to which NaN is the largest number, would skip row groups by them."""
    values = {
        "c": [1.0, math.nan, None, 2.0],
        "d": [1.0, 2.0, 3.0, 4.0],
        "s": [{"a": 1.0}, {"a": math.nan}, None, None],
    }
    batch = shown_batch(columns(c="double", d="float", s="struct(a double)"), values)
    order = order_in(tmp_path, columns(c="double", d="float", s="struct(a double)"), row_group_rows=2)
    [file] = write_rows(order, [batch])
    group = pq.read_metadata(tmp_path / file.path).row_group(1)
    assert [group.column(at).is_stats_set for at in range(3)] == [False, True, False]
    assert [(stats.value_count, stats.null_count, stats.min_value, stats.max_value) for stats in file.column_stats] == [
        (3, 1, "1.0", "2.0"),
        (4, 0, "1.0", "4.0"),
        (2, 2, "1.0", "1.0"),
    ]


def test_a_nan_after_bounds_were_written_goes_to_another_file(tmp_path: Path) -> None:
    batch = shown_batch(columns(c="double"), {"c": [1.0, math.nan, None, 3.0, math.nan]})
    files = write_rows(order_in(tmp_path, columns(c="double"), row_group_rows=1), [batch])
    facts = [(file.record_count, *file.column_stats[0][1:6]) for file in files]
    assert facts == [(1, 1, 0, "1.0", "1.0", False), (4, 3, 1, None, None, True)]


def test_long_strings_are_cut_and_the_upper_bound_rounded_up(tmp_path: Path) -> None:
    stats = _stats(tmp_path, "varchar", ["a" * 300, "z" * 300])
    assert (stats.min_value, stats.max_value) == ("a" * 256, "z" * 255 + "{")
    blob = _stats(tmp_path, "blob", [b"\x01" * 300, b"\x02" * 300])
    assert (blob.min_value, blob.max_value) == ("01" * 256, "02" * 255 + "03")


def test_a_string_with_nul_has_no_bound(tmp_path: Path) -> None:
    stats = _stats(tmp_path, "varchar", ["a\0", "b"])
    assert (stats.min_value, stats.max_value) == (None, "b")


def test_leaves_of_lists_and_maps_count_elements_as_duckdb_does(tmp_path: Path) -> None:
    table_columns = columns(l="integer[]", m="map(varchar, integer)")
    rows = {"l": [[1, None, 3], [], None], "m": [[("a", 1), ("b", None)], [], None]}
    _, file = write(tmp_path, table_columns, rows)
    assert [(s.column_id, s.value_count, s.null_count, s.min_value, s.max_value) for s in file.column_stats] == [
        (2, 2, 3, "1", "3"),
        (4, 2, 2, "a", "b"),
        (5, 1, 3, "1", "1"),
    ]


def test_a_variant_has_counts_only(tmp_path: Path) -> None:
    value = {"value": b"\x0c\x01", "metadata": b"\x01\x00\x00"}
    stats = _stats(tmp_path, "variant", [value, None, None])
    assert (stats.value_count, stats.null_count, stats.min_value, stats.max_value) == (1, 2, None, None)


def test_columns_are_found_by_id_even_under_another_name(tmp_path: Path) -> None:
    path, _ = write(tmp_path, columns(a="int32", b="int32"), {"a": [1], "b": [2]})
    renamed = (column("b", "int32", 1), column("c", "int32", 3))
    [stats] = read_facts(LOCAL, path, renamed).column_stats
    assert (stats.column_id, stats.min_value) == (1, "1")


def test_columns_without_ids_are_found_by_name(tmp_path: Path) -> None:
    table = pa.table({"S": [{"X": 1, "l": [2]}], "other": [3]})
    found = _foreign(tmp_path, table, columns(s="struct(l bigint[], x bigint)", t="int32"))
    assert [(stats.column_id, stats.min_value) for stats in found] == [(3, "2"), (4, "1")]


def test_a_column_of_another_kind_has_no_bounds(tmp_path: Path) -> None:
    found = _foreign(tmp_path, pa.table({"a": ["x"], "b": [1]}), columns(a="int32", b="varchar"))
    assert [(stats.value_count, stats.min_value, stats.max_value) for stats in found] == [(1, None, None)] * 2
    assert _foreign(tmp_path, pa.table({"a": [{"x": 1}]}), columns(a="int32")) == ()


def test_a_file_without_statistics_says_only_sizes(tmp_path: Path) -> None:
    [stats] = _foreign(tmp_path, pa.table({"c": [1, 2]}), columns(c="bigint"), write_statistics=False)
    assert stats == ColumnStats(stats.column_id, column_size_bytes=stats.column_size_bytes)
    assert stats.column_size_bytes


def test_an_empty_file_has_no_values(tmp_path: Path) -> None:
    table = pa.table({"c": pa.array([], pa.float64())})
    path = str(tmp_path / "empty.parquet")
    with pq.ParquetWriter(path, table.schema):
        pass
    facts = read_facts(LOCAL, path, columns(c="double"))
    assert facts.record_count == 0
    assert facts.column_stats == (ColumnStats(facts.column_stats[0].column_id, 0, 0, None, None, False, 0),)


def test_units_are_those_of_the_file_and_not_of_the_schema_arrow_keeps_in_it(tmp_path: Path) -> None:
    table = pa.table({"c": pa.array([1, 2], pa.timestamp("s"))})
    [stats] = _foreign(tmp_path, table, columns(c="timestamp"))
    assert (stats.min_value, stats.max_value) == ("1970-01-01 00:00:01", "1970-01-01 00:00:02")


def test_bounds_finer_than_the_column_move_outward(tmp_path: Path) -> None:
    table = pa.table({"c": pa.array([1, 1001], pa.timestamp("ns"))})
    [stats] = _foreign(tmp_path, table, columns(c="timestamp"))
    assert (stats.min_value, stats.max_value) == ("1970-01-01 00:00:00", "1970-01-01 00:00:00.000002")


def test_timestamps_of_twelve_bytes_have_no_bounds(tmp_path: Path) -> None:
    table = pa.table({"c": pa.array([1, 1001], pa.timestamp("us"))})
    [stats] = _foreign(tmp_path, table, columns(c="timestamp"), use_deprecated_int96_timestamps=True)
    assert (stats.min_value, stats.max_value) == (None, None)


def test_moments_that_python_does_not_have_are_written_as_duckdb_does(tmp_path: Path) -> None:
    path = str(tmp_path / "far.parquet")
    duckdb.sql(
        "COPY (SELECT * FROM (VALUES (DATE '0044-03-15 (BC)', TIMESTAMP '0044-03-15 (BC) 01:02:03.5', TIME '00:00:01'),"
        "('infinity', 'infinity', '24:00:00'), ('-infinity', '10000-01-01', NULL)) AS t(d, ts, tm))"
        f" TO '{path}' (FORMAT parquet)"
    )
    stats = read_facts(LOCAL, path, columns(d="date", ts="timestamp", tm="time")).column_stats
    assert [(each.min_value, each.max_value) for each in stats] == [
        ("-infinity", "infinity"),
        ("0044-03-15 (BC) 01:02:03.5", "infinity"),
        ("00:00:01", "24:00:00"),
    ]


def test_days_and_times_are_written_as_duckdb_writes_them() -> None:
    days = [-719_163, -719_162, -1, 0, 2_932_896, 2_932_897, -5_000_000]
    printed = duckdb.sql(f"SELECT (DATE '1970-01-01' + d)::DATE::VARCHAR FROM (SELECT unnest({days}) d)").fetchall()
    assert [date_text(day * 86_400 * 10**9) for day in days] == [text for (text,) in printed]
    assert time_text(3_723_000_000_001) == "01:02:03.000000001"
    assert timestamp_text(-1_000_000_000, zone="+00") == "1969-12-31 23:59:59+00"


def test_a_bound_cut_inside_of_a_character_is_a_lower_bound_only() -> None:
    [varchar] = columns(c="varchar")
    assert bound_text(varchar.type, "bytes", b"ab\xc3", "min") == "ab"
    assert bound_text(varchar.type, "bytes", b"ab\xc3", "max") is None


def test_types_without_an_order_have_no_reader() -> None:
    assert bound_reader("FIXED_LEN_BYTE_ARRAY", '{"Type":"Float16"}') is None
    assert bound_reader("INT96", '{"Type":"None"}') is None
