"""Every column type, from everywhere rows can come from, and back."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import InvalidType
from forklake.spark.tasks.types.arrow_types import shown_schema
from tests.spark.conftest import Lakehouse
from tests.spark.type_samples import FLAT, FLAT_ROWS, NESTED, NESTED_ROWS, WKB, expected, values

SOURCES = ("rows", "arrow", "pandas", "frame")
KINDS = {"flat": (FLAT, FLAT_ROWS), "nested": (NESTED, NESTED_ROWS)}


def _table(lake: CatalogHandle, types: dict[str, str]) -> TableHandle:
    return lake.create_table("t", {"id": "int", **types})


def _given(table: TableHandle, rows: Sequence[Sequence[Any]], source: str, spark: SparkSession) -> Any:
    """The rows in the form that a user may have them in."""
    if source == "rows":
        return [tuple(row) for row in rows]
    schema = shown_schema(table.definition.columns)
    arrow = pa.table(
        [pa.array(list(of), kind) for of, kind in zip(zip(*rows, strict=True), schema.types, strict=True)],
        schema=schema,
    )
    if source == "arrow":
        return arrow
    return (
        arrow.to_pandas(types_mapper=import_module("pandas").ArrowDtype)
        if source == "pandas"
        else spark.createDataFrame(arrow)
    )


def _rows(table: TableHandle, **options: Any) -> list[Any]:
    return sorted(values(table.scan(**options).to_arrow()), key=lambda row: row[0])


def _numbered(rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    return [(at, *row) for at, row in enumerate(rows)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("limit", [0, 100], ids=["in files", "inlined"])
def test_values_of_every_type_come_back_as_they_were_written(
    local: Lakehouse, kind: str, source: str, limit: int
) -> None:
    types, rows = KINDS[kind]
    local.lake.set_option("data_inlining_row_limit", limit)
    table = _table(local.lake, types)
    written = _numbered(rows)
    assert table.append(_given(table, written, source, local.spark)) == len(written)
    assert _rows(table) == expected(written)
    assert sorted(values(table.to_spark().toArrow()), key=lambda row: row[0]) == expected(written)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [0, 100], ids=["in files", "inlined"])
def test_an_update_of_another_column_leaves_values_of_every_type_alone(
    lakehouse: Lakehouse, kind: str, limit: int
) -> None:
    types, rows = KINDS[kind]
    lakehouse.lake.set_option("data_inlining_row_limit", limit)
    table = _table(lakehouse.lake, types)
    table.append(_given(table, _numbered(rows), "rows", lakehouse.spark))
    assert table.update({"id": "id + 10"}) == len(rows)
    assert _rows(table) == expected([(at + 10, *row) for at, row in enumerate(rows)])


@pytest.mark.parametrize("type_text", ["timetz", "time with time zone", "time_ns", "timetz[]", "struct(a time_ns)"])
def test_a_type_that_spark_cannot_hold_is_refused_when_it_is_asked_for(local: Lakehouse, type_text: str) -> None:
    with pytest.raises(InvalidType, match="Spark has no type that can hold them"):
        local.lake.create_table("t", {"a": type_text})
    assert local.lake.tables() == []
    table = local.lake.create_table("t", {"a": "time"})
    with pytest.raises(InvalidType, match="Spark has no type that can hold them"):
        table.add_column("b", type_text)
    assert table.columns == {"a": "TIME"}


@pytest.mark.parametrize("source", SOURCES)
def test_geometries_come_back_as_well_known_binary(local: Lakehouse, source: str) -> None:
    # Tables with geometries are never inlined.
    local.lake.set_option("data_inlining_row_limit", 100)
    table = _table(local.lake, {"g": "geometry"})
    table.append(_given(table, [(1, WKB), (2, None)], source, local.spark))
    table.update({"id": "id + 1"}, where="id = 1")
    assert sorted(_rows(table), key=repr) == [[2, None], [2, WKB]]


@pytest.mark.parametrize("limit", [0, 100], ids=["in files", "inlined"])
def test_times_and_uuids_are_shown_in_one_way_however_they_were_written(local: Lakehouse, limit: int) -> None:
    local.lake.set_option("data_inlining_row_limit", limit)
    table = local.lake.create_table("t", {"t": "time", "u": "uuid"})
    upper = "01234567-89AB-4DEF-8123-456789ABCDEF"
    rows = pa.table({"t": ["12:34", "12:30:00.500000", "12:00:00.000"], "u": [upper] * 3})
    table.append(rows)
    table.append(rows.to_pylist())
    table.append(local.spark.createDataFrame(rows))
    shown = [(text, upper.lower()) for text in ("12:34:00", "12:30:00.5", "12:00:00")]
    assert sorted(table.scan().fetchall()) == sorted(shown * 3)


@pytest.mark.parametrize(
    ("type_text", "transform", "value"),
    [
        ("timestamp_ns", "day", "1577836800123456789"),
        ("time", "hour", "'12:34:56'"),
        ("timestamp_ms", "year", "TIMESTAMP_NTZ '2020-01-01 00:00:00.5'"),
        ("uuid", "bucket(4)", "'01234567-89ab-4def-8123-456789abcdef'"),
        ("blob", "identity", "X'01FF'"),
        ("uint64", "identity", "18446744073709551615"),
        ("float64", "identity", "double('NaN')"),
    ],
)
def test_rows_are_found_in_partitions_by_columns_of_many_types(
    local: Lakehouse, type_text: str, transform: str, value: str
) -> None:
    table = local.lake.create_table("t", {"c": type_text}, partitioned_by=[("c", transform)])
    table.append(local.spark.sql(f"SELECT {value} AS c UNION ALL SELECT NULL"))
    table.append(table.to_arrow())
    assert table.scan(f"c = {value}").to_spark().count() == 2
    assert table.scan("c IS NULL").to_spark().count() == 2
