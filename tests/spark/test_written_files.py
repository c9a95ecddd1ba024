"""The files that an append leaves: where they lie, how large they are, and what their footers say."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from forklake.errors import InvalidOption
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from tests.conftest import Place
from tests.spark.conftest import Lakehouse, open_lakehouse
from tests.spark.inside import files, files_below, footers, no_spark_job, paths, rows, stats
from tests.spark.places import somewhere

LAYOUTS: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "Spark's writer": ({"a": "double", "b": "double"}, ()),
    "Arrow's writer": ({"a": "double", "b": "double", "c": "uinteger"}, ()),
    "partitioned": ({"a": "double", "b": "double", "c": "int"}, ("c",)),
}
"""The three ways in which a DataFrame is written."""


def _random(spark: SparkSession, columns: dict[str, str], count: int, keys: int = 1) -> DataFrame:
    chosen = ["rand(1) AS a", "rand(2) AS b", f"CAST(id % {keys} AS INT) AS c"][: len(columns)]
    return spark.range(0, count, 1, 1).selectExpr(*chosen)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_have_about_the_target_size(local: Lakehouse, layout: str) -> None:
    columns, keys = LAYOUTS[layout]
    table = local.lake.create_table("t", columns, partitioned_by=keys)
    local.lake.set_option("target_file_size", "200KB", table="t")
    for _ in range(2):
        table.append(_random(local.spark, columns, 50_000, keys=2))
    sizes = [file.data.file_size_bytes for file in files(table)]
    assert sum(180_000 < size < 300_000 for size in sizes) >= 6
    assert max(sizes) < 300_000
    assert sizes == [path.stat().st_size for path in paths(local, table)]


def test_rows_from_the_driver_have_about_the_target_size_too(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"a": "double", "b": "double"})
    local.lake.set_option("target_file_size", "200KB")
    table.append(_random(local.spark, table.columns, 50_000).toArrow())
    sizes = [file.data.file_size_bytes for file in files(table)]
    assert len(sizes) >= 4
    assert all(180_000 < size < 300_000 for size in sizes[:-1])


def test_long_values_are_no_reason_for_files_beyond_the_target_once_there_are_some(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"v": "varchar"})
    local.lake.set_option("target_file_size", "100KB")
    long_values = local.spark.range(0, 2000, 1, 1).selectExpr("concat(uuid(), uuid(), uuid(), uuid(), uuid()) AS v")
    table.append(long_values.limit(100))
    table.append(long_values)
    sizes = [file.data.file_size_bytes for file in files(table)][1:]
    assert len(sizes) >= 2
    assert max(sizes) < 150_000


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("codec", ["uncompressed", "snappy", "gzip", "zstd", "lz4", "lz4_raw"])
def test_files_are_compressed_as_asked_for(local: Lakehouse, layout: str, codec: str) -> None:
    columns, keys = LAYOUTS[layout]
    table = local.lake.create_table("t", columns, partitioned_by=keys)
    local.lake.set_option("parquet_compression", codec)
    table.append(_random(local.spark, columns, 10))
    table.append(_random(local.spark, columns, 10).toArrow())
    # What Parquet calls LZ4_RAW is LZ4 for PyArrow; it does not know the LZ4 of Hadoop.
    expected = codec.upper().removesuffix("_RAW")
    assert {footer.row_group(0).column(0).compression for footer in footers(local, table)} == {expected}
    assert len(rows(table)) == 20


@pytest.mark.parametrize("on_driver", [False, True])
def test_a_compression_that_spark_cannot_read_is_not_written(local: Lakehouse, on_driver: bool) -> None:
    table = local.lake.create_table("t", {"a": "double"})
    local.lake.set_option("parquet_compression", "brotli")
    with pytest.raises(InvalidOption, match="brotli"):
        table.append([(1.0,)] if on_driver else local.spark.sql("SELECT 1D AS a"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_compression_takes_a_level(local: Lakehouse, layout: str) -> None:
    columns, keys = LAYOUTS[layout]
    table = local.lake.create_table("t", columns, partitioned_by=keys)
    local.lake.set_option("parquet_compression", "zstd")
    frame = local.spark.range(0, 50_000, 1, 1).selectExpr(
        "CAST(id % 777 AS DOUBLE) AS a", "sqrt(id % 99) AS b", "1 AS c"
    )
    for level in (1, 19):
        local.lake.set_option("parquet_compression_level", level)
        table.append(frame.select(*columns))
    fast, small = (file.data.file_size_bytes for file in files(table))
    assert small < fast


@pytest.mark.parametrize("layout", LAYOUTS)
def test_row_groups_have_the_number_of_rows_asked_for(local: Lakehouse, layout: str) -> None:
    columns, keys = LAYOUTS[layout]
    table = local.lake.create_table("t", columns, partitioned_by=keys)
    local.lake.set_option("parquet_row_group_size", 100)
    table.append(_random(local.spark, columns, 250))
    table.append(_random(local.spark, columns, 250).toArrow())
    for footer in footers(local, table):
        assert [footer.row_group(at).num_rows for at in range(footer.num_row_groups)] == [100, 100, 50]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_row_groups_have_at_most_the_bytes_asked_for(local: Lakehouse, layout: str) -> None:
    columns, keys = LAYOUTS[layout]
    table = local.lake.create_table("t", columns, partitioned_by=keys)
    local.lake.set_option("parquet_row_group_size_bytes", "128KiB")
    table.append(_random(local.spark, columns, 50_000))
    [footer] = footers(local, table)
    assert footer.num_row_groups >= 4


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("version", "page"), [(None, 0), ("V1", 0), ("V2", 3)])
def test_pages_are_of_the_version_asked_for(local: Lakehouse, layout: str, version: str | None, page: int) -> None:
    columns, keys = LAYOUTS[layout]
    table = local.lake.create_table("t", columns, partitioned_by=keys)
    if version is not None:
        local.lake.set_option("parquet_version", version)
    table.append(_random(local.spark, columns, 10))
    table.append(_random(local.spark, columns, 10).toArrow())
    assert {_page_type(path) for path in paths(local, table)} == {page}
    assert len(rows(table)) == 20


def _page_type(path: Path) -> int:
    """The type in the header of the first data page: 0, or 3 for version 2. It is the header's first field."""
    offset = pq.read_metadata(path).row_group(0).column(0).data_page_offset
    field, value = path.read_bytes()[offset : offset + 2]
    assert field == 0x15
    return value >> 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_lie_below_the_folder_of_the_catalog_that_wrote_them(
    local: Lakehouse, in_fork: bool, layout: str
) -> None:
    columns, keys = LAYOUTS[layout]
    first = [(0.5, 0.5, 1)[: len(columns)]]
    with somewhere(local, in_fork, lambda lake: lake.create_table("t", columns, partitioned_by=keys), first) as place:
        table = place.table
        table.append(_random(local.spark, columns, 10))
        table.append(_random(local.spark, columns, 10))
        table.delete("a > 0.9 OR a < 0.2")
        table.update({"b": "1D"}, "a > 0.5")
        own = f"{place.lake._attachment.catalog.path}/main/t/"
        written = [file.data.path for file in files(table)][place.inherited :]
        deletes = [file.delete.path for file in files(table) if file.delete is not None]
        assert deletes
        assert all(path.startswith(own) for path in [*written, *deletes])
        assert len(set(written)) == len(written) >= 3
        # What an update has taken out of no file is not there either.
        known = {local.data / path for path in [*written, *deletes]}
        assert known <= files_below(local.data / own)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_append_leaves_no_file_that_the_table_does_not_know(local: Lakehouse, layout: str) -> None:
    columns, keys = LAYOUTS[layout]
    table = local.lake.create_table("t", columns, partitioned_by=keys)
    table.append(_random(local.spark, columns, 10))
    table.append(_random(local.spark, columns, 10).toArrow())
    assert files_below(local.data) == set(paths(local, table))


NESTED = {
    "id": "bigint",
    "place": "struct(name varchar, at struct(x int, y int))",
    "tags": "varchar[]",
    "prices": "map(varchar, struct(amount decimal(9,2)))",
}
PLAIN = {name: NESTED[name] for name in ("id", "place")}


@pytest.mark.parametrize("columns", [PLAIN, NESTED], ids=["Spark's writer", "Arrow's writer"])
@pytest.mark.parametrize("rewritten", [False, True], ids=["as appended", "renamed and moved"])
def test_fields_at_every_level_carry_their_ids(local: Lakehouse, columns: dict[str, str], rewritten: bool) -> None:
    table = local.lake.create_table("t", columns)
    if rewritten:
        table.rename_column(("place", "at"), "spot")
        table.add_column(("place", "spot", "z"), "int")
        table.move_column("place")
        table.drop_column("id")
        table.add_column("id", "int")
    shown = local.spark.createDataFrame([], table.to_spark().schema)
    table.append(shown.unionByName(local.spark.sql("SELECT 1 AS id"), allowMissingColumns=True))
    [path] = paths(local, table)
    found = [_ids(field) for field in pq.read_schema(path)]
    assert found == [_expected_ids(column) for column in table.definition.columns]


def _ids(field: pa.Field) -> Any:
    inner: Sequence[pa.Field] = ()
    if pa.types.is_struct(field.type):
        inner = list(field.type)
    elif pa.types.is_list(field.type):
        inner = [field.type.value_field]
    elif pa.types.is_map(field.type):
        inner = [field.type.key_field, field.type.item_field]
    return int(field.metadata[b"PARQUET:field_id"]), [_ids(child) for child in inner]


def _expected_ids(column: Any) -> Any:
    return column.column_id, [_expected_ids(child) for child in column.children]


@pytest.mark.parametrize("extra", [False, True], ids=["Spark's writer", "Arrow's writer"])
@pytest.mark.parametrize("on_driver", [False, True], ids=["DataFrame", "rows"])
def test_the_metadata_know_bounds_and_counts_of_every_column(local: Lakehouse, extra: bool, on_driver: bool) -> None:
    types = {"i": "bigint", "f": "double", "s": "varchar", "n": "int", "d": "decimal(9,2)", "b": "boolean", "t": "date"}
    if extra:
        types["u"] = "ubigint"
    table = local.lake.create_table("t", {**types, "st": "struct(x int)"})
    values = local.spark.sql(
        "SELECT CAST(i AS BIGINT) AS i, CAST(i AS DOUBLE) AS f, concat('v', i) AS s, CAST(NULL AS INT) AS n,"
        " CAST(i AS DECIMAL(9,2)) AS d, i > 5 AS b, date_add(date'2024-01-01', i) AS t, named_struct('x', i) AS st"
        + (", CAST(i AS DECIMAL(20,0)) AS u" if extra else "")
        + " FROM VALUES (1), (5), (NULL), (9) AS v(i)"
    )
    table.append(values.toArrow() if on_driver else values.coalesce(1))
    bounds = {name: stats(table, name)[0][1:5] for name in types}
    assert bounds["i"] == (3, 1, "1", "9")
    assert bounds["f"] == (3, 1, "1.0", "9.0")
    assert bounds["s"] == (3, 1, "v1", "v9")
    assert bounds["n"] == (0, 4, None, None)
    assert bounds["d"] == (3, 1, "1.00", "9.00")
    assert bounds["b"] == (3, 1, "0", "1")
    assert bounds["t"] == (3, 1, "2024-01-02", "2024-01-10")
    assert stats(table, "st", "x")[0][1:5] == (3, 1, "1", "9")
    assert stats(table, "f")[0].contains_nan is False
    if extra:
        assert bounds["u"] == (3, 1, "1", "9")


@pytest.mark.parametrize("columns", [{"f": "double"}, {"f": "double", "u": "uinteger"}], ids=["Spark's", "Arrow's"])
@pytest.mark.parametrize("on_driver", [False, True], ids=["DataFrame", "rows"])
def test_a_column_with_nan_is_never_left_out_by_its_bounds(
    local: Lakehouse, columns: dict[str, str], on_driver: bool
) -> None:
    table = local.lake.create_table("t", columns)
    frame = local.spark.sql("SELECT explode(array(1D, double('NaN'), 2D)) AS f")
    table.append(frame.toArrow() if on_driver else frame)
    assert stats(table, "f")[0].contains_nan is not False
    assert len(rows(table, where="f > 100")) == 1
    assert table.delete("f > 100") == 1
    assert table.max("f") == 2.0


@pytest.mark.parametrize("columns", [{"s": "varchar"}, {"s": "varchar", "u": "uinteger"}], ids=["Spark's", "Arrow's"])
@pytest.mark.parametrize("on_driver", [False, True], ids=["DataFrame", "rows"])
def test_long_texts_have_bounds_that_hold(local: Lakehouse, columns: dict[str, str], on_driver: bool) -> None:
    table = local.lake.create_table("t", columns)
    texts = ["a" * 5000 + "x", "z" * 5000 + "y"]
    frame = local.spark.createDataFrame([(text,) for text in texts], "s string").coalesce(1)
    table.append(frame.toArrow() if on_driver else frame)
    [found] = stats(table, "s")
    assert found.min_value is None or found.min_value <= texts[0]
    assert found.max_value is None or found.max_value >= texts[1]
    assert all(rows(table, "s", where=f"s = '{text}'") == [(text,)] for text in texts)
    assert (table.min("s"), table.max("s")) == tuple(texts)


def test_the_smallest_and_the_largest_bytes_are_bytes(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"b": "blob"})
    table.append([(bytes([at, 0xFF]),) for at in range(20)])
    with no_spark_job(local.spark):
        assert (table.min("b"), table.max("b")) == (b"\x00\xff", b"\x13\xff")


def test_create_table_as_makes_the_columns_and_writes_the_rows(lakehouse: Lakehouse, in_fork: bool) -> None:
    lake = lakehouse.lake.fork("middle").fork("agent") if in_fork else lakehouse.lake
    made = lake.create_table_as("made", lakehouse.spark.sql("SELECT 1 AS id, array(struct(2 AS x)) AS l, NULL AS n"))
    assert made.columns == {"id": "INTEGER", "l": "STRUCT(x INTEGER)[]", "n": "VARCHAR"}
    assert rows(made) == [(1, [{"x": 2}], None)]
    again = lake.create_table_as("made", pa.table({"k": pa.array([7], pa.uint8())}), or_replace=True)
    assert again.columns == {"k": "UTINYINT"}
    assert rows(again) == [(7,)]
    assert lakehouse.lake.tables() == ([] if in_fork else ["made"])


def test_a_table_replaced_while_it_is_read_takes_what_was_there(lakehouse: Lakehouse) -> None:
    table = lakehouse.lake.create_table("t", [ColumnSpec("id", parse_type("bigint"))])
    table.append([(1,), (2,)])
    table.overwrite(table.to_spark().selectExpr("id + 10 AS id"))
    assert rows(table) == [(11,), (12,)]
    table.overwrite(table.to_spark().selectExpr("id + 10 AS id"), where="id = 11")
    assert rows(table) == [(12,), (21,), (22,)]


def test_the_data_path_may_have_any_characters(sqlite_place: Place, tmp_path: Path, spark: SparkSession) -> None:
    lakehouse = open_lakehouse(sqlite_place, tmp_path / "a b %41 {c,d}[e]*?#ü'", spark)
    flat = lakehouse.lake.create_table("flat", {"id": "bigint", "v": "varchar"})
    listed = lakehouse.lake.create_table("listed", {"id": "bigint", "v": "varchar", "l": "int[]"}, partitioned_by=["v"])
    for table in (flat, listed):
        assert table.append(spark.sql("SELECT id, 'x y%' AS v FROM range(3)")) == 3
        table.append([{"id": 3, "v": "z"}])
        table.delete("id = 1")
        table.update({"v": "'u'"}, "id = 2")
        table.merge(spark.sql("SELECT 3L AS id, 'm' AS v UNION ALL SELECT 4L, 'n'"), "id")
        assert rows(table, "id", "v") == [(0, "x y%"), (2, "u"), (3, "m"), (4, "n")]
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["a b %41 {c,d}[e]*?#ü'"]
    lakehouse.session.close()
