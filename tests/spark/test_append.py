"""Rows into a table, from everywhere they can come from."""

from collections.abc import Callable
from typing import Any

import pandas
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import InvalidInput, InvalidRows
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import ColumnType
from tests.spark.conftest import Lakehouse
from tests.spark.inside import files, files_below, head, rows
from tests.spark.places import another_session, somewhere

PEN, INK = (1, "pen", 2.5), (2, "ink", None)
AS_ARROW = pa.table({"id": [1, 2], "item": ["pen", "ink"], "price": [2.5, None]})
GIVEN: dict[str, Callable[[SparkSession], Any]] = {
    "DataFrame": lambda spark: spark.sql(
        "SELECT * FROM VALUES (1L, 'pen', 2.5D), (2L, 'ink', NULL) AS t(id, item, price)"
    ),
    "Arrow table": lambda _: AS_ARROW,
    "Arrow batch": lambda _: AS_ARROW.to_batches()[0],
    "Arrow reader": lambda _: AS_ARROW.to_reader(),
    "pandas": lambda _: pandas.DataFrame({"id": [1, 2], "item": ["pen", "ink"], "price": [2.5, None]}),
    "dictionaries": lambda _: [{"id": 1, "item": "pen", "price": 2.5}, {"item": "ink", "id": 2}],
    "tuples": lambda _: [PEN, INK],
}


def _orders(lake: CatalogHandle) -> TableHandle:
    return lake.create_table("orders", {"id": "bigint", "item": "varchar", "price": "double"})


@pytest.mark.parametrize("source", GIVEN)
def test_rows_can_be_given_as(lakehouse: Lakehouse, in_fork: bool, source: str) -> None:
    with somewhere(lakehouse, in_fork, _orders, [(7, "cup", 1.0)]) as place:
        assert place.table.append(GIVEN[source](lakehouse.spark)) == 2
        assert rows(place.table) == [PEN, INK, (7, "cup", 1.0)]
        assert rows(place.table, "rowid", "id") == [(0, 7), (1, 1), (2, 2)]
        assert place.table.count() == 3


@pytest.mark.parametrize("source", ["DataFrame", "Arrow table", "dictionaries"])
def test_columns_are_matched_by_name_in_any_order_and_case(local: Lakehouse, source: str) -> None:
    table = _orders(local.lake)
    given: dict[str, Any] = {
        "DataFrame": local.spark.sql("SELECT 'pen' AS ITEM, 2.5D AS price, 1L AS Id"),
        "Arrow table": pa.table({"ITEM": ["pen"], "price": [2.5], "Id": [1]}),
        "dictionaries": [{"ITEM": "pen", "price": 2.5, "Id": 1}],
    }
    table.append(given[source])
    assert rows(table) == [PEN]


@pytest.mark.parametrize("source", ["DataFrame", "Arrow table"])
def test_columns_can_be_matched_by_position_whatever_their_names(local: Lakehouse, source: str) -> None:
    table = _orders(local.lake)
    given = local.spark.sql("SELECT 1L AS price, 'pen' AS x, 2.5D AS x")
    table.append(given if source == "DataFrame" else given.toArrow(), by="position")
    assert rows(table) == [PEN]


@pytest.mark.parametrize("source", ["DataFrame", "Arrow table", "tuples"])
def test_by_position_every_column_needs_a_value(local: Lakehouse, source: str) -> None:
    table = _orders(local.lake)
    given: dict[str, Any] = {
        "DataFrame": local.spark.sql("SELECT 1L AS id, 'pen' AS item"),
        "Arrow table": AS_ARROW.select(["id", "item"]),
        "tuples": [(1, "pen")],
    }
    with pytest.raises(InvalidRows, match="3 columns but 2 values"):
        table.append(given[source], by="position")


@pytest.mark.parametrize("source", ["DataFrame", "Arrow table", "dictionaries"])
def test_columns_that_are_not_given_get_their_defaults(lakehouse: Lakehouse, source: str) -> None:
    table = lakehouse.lake.create_table(
        "t",
        [
            ColumnSpec("id", ColumnType("int64")),
            ColumnSpec("literal", ColumnType("varchar"), default_value="it's"),
            ColumnSpec("computed", ColumnType("int32"), True, "1 + 2 * 3", "expression", "spark"),
            ColumnSpec("none", ColumnType("date")),
        ],
    )
    given: dict[str, Any] = {
        "DataFrame": lakehouse.spark.range(1, 3),
        "Arrow table": pa.table({"id": [1, 2]}),
        "dictionaries": [{"id": 1}, {"id": 2}],
    }
    table.append(given[source])
    assert rows(table) == [(1, "it's", 7, None), (2, "it's", 7, None)]


def test_a_default_that_differs_for_every_row_does_so(local: Lakehouse) -> None:
    table = local.lake.create_table(
        "t",
        [
            ColumnSpec("id", ColumnType("int64")),
            ColumnSpec("key", ColumnType("uuid"), False, "uuid()", "expression", "spark"),
        ],
    )
    table.append([{"id": 1}, {"id": 2}, {"id": 3}])
    assert len({key for _, key in rows(table)}) == 3


def test_a_value_that_is_given_as_null_is_null_and_not_the_default(local: Lakehouse) -> None:
    table = local.lake.create_table(
        "t", [ColumnSpec("a", ColumnType("int32"), default_value="5"), ColumnSpec("b", ColumnType("int32"))]
    )
    table.append([{"a": None, "b": 1}])
    table.append(local.spark.sql("SELECT CAST(NULL AS INT) AS a, 2 AS b"))
    assert rows(table) == [(None, 1), (None, 2)]


@pytest.mark.parametrize("source", ["DataFrame", "Arrow table", "dictionaries"])
@pytest.mark.parametrize("missing", [True, False], ids=["not given", "given as NULL"])
def test_null_is_refused_where_none_may_be(local: Lakehouse, source: str, missing: bool) -> None:
    table = local.lake.create_table(
        "t", [ColumnSpec("id", ColumnType("int64")), ColumnSpec("v", ColumnType("varchar"), nulls_allowed=False)]
    )
    frame = local.spark.sql("SELECT 1L AS id, IF(rand() < 2, NULL, 'x') AS v")
    frame = frame.drop("v") if missing else frame
    before = head(local.lake)
    with pytest.raises(InvalidRows, match=r"NOT NULL constraint failed: t\.v"):
        table.append(
            frame
            if source == "DataFrame"
            else frame.toArrow()
            if source == "Arrow table"
            else frame.toArrow().to_pylist()
        )
    assert head(local.lake) == before
    assert rows(table) == []


@pytest.mark.parametrize("source", ["DataFrame", "Arrow table", "dictionaries"])
def test_a_column_that_the_table_does_not_have_is_refused_with_the_nearest(local: Lakehouse, source: str) -> None:
    table = _orders(local.lake)
    given: dict[str, Any] = {
        "DataFrame": local.spark.sql("SELECT 1L AS id, 'pen' AS itme"),
        "Arrow table": pa.table({"itme": ["pen"]}),
        "dictionaries": [{"itme": "pen"}],
    }
    with pytest.raises(InvalidRows, match=r"'orders' has no column 'itme'\. Did you mean 'item'"):
        table.append(given[source])


@pytest.mark.parametrize("source", ["DataFrame", "Arrow table", "dictionaries"])
def test_a_column_that_is_given_twice_is_refused(local: Lakehouse, source: str) -> None:
    table = _orders(local.lake)
    given: dict[str, Any] = {
        "DataFrame": local.spark.sql("SELECT 1L AS id, 2L AS ID"),
        "Arrow table": pa.table([pa.array([1]), pa.array([2])], ["id", "ID"]),
        "dictionaries": [{"id": 1, "ID": 2}],
    }
    with pytest.raises(InvalidRows, match="two columns named"):
        table.append(given[source])


@pytest.mark.parametrize("given", [5, "pen", None, [5], ["pen"], [(1, "pen", 2.5), {"id": 2}]], ids=repr)
def test_what_holds_no_rows_is_refused(local: Lakehouse, given: Any) -> None:
    with pytest.raises(InvalidInput):
        _orders(local.lake).append(given)


@pytest.mark.parametrize("source", ["DataFrame", "Arrow table", "list", "pandas"])
@pytest.mark.parametrize("limit", [0, 10])
def test_no_rows_make_no_snapshot(lakehouse: Lakehouse, source: str, limit: int) -> None:
    lakehouse.lake.set_option("data_inlining_row_limit", limit)
    table = _orders(lakehouse.lake)
    before = head(lakehouse.lake)
    given: dict[str, Any] = {
        "DataFrame": lakehouse.spark.range(0),
        "Arrow table": AS_ARROW.slice(0, 0),
        "list": [],
        "pandas": pandas.DataFrame({"id": []}, dtype="int64"),
    }
    assert table.append(given[source]) == 0
    assert head(lakehouse.lake) == before
    assert rows(table) == files(table) == []
    assert files_below(lakehouse.data) == set()


def test_nothing_is_visible_to_others_before_the_commit(lakehouse: Lakehouse, in_fork: bool) -> None:
    with (
        somewhere(lakehouse, in_fork, _orders, [PEN]) as place,
        another_session(lakehouse, place.table) as (_, elsewhere),
    ):
        with lakehouse.session.transaction():
            place.table.append([INK])
            place.table.append(lakehouse.spark.sql("SELECT 3L AS id"))
            assert place.table.count() == len(rows(place.table)) == 3
            assert elsewhere.count() == 1
            assert rows(elsewhere) == [PEN]
        assert rows(elsewhere) == [PEN, INK, (3, None, None)]


def test_what_is_rolled_back_never_was(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _orders, [PEN]) as place:
        before = head(place.lake)
        lakehouse.session.begin()
        place.table.append([INK])
        lakehouse.session.rollback()
        assert head(place.lake) == before
        assert rows(place.table) == [PEN]


@pytest.mark.parametrize("writer", ["Spark", "Arrow"])
def test_a_job_that_fails_leaves_the_table_as_it_was(lakehouse: Lakehouse, in_fork: bool, writer: str) -> None:
    first: list[tuple[Any, ...]] = [(1,)] if writer == "Spark" else [(1, ["y"])]
    columns = {"id": "bigint"} if writer == "Spark" else {"id": "bigint", "tags": "varchar[]"}
    failing = lakehouse.spark.range(0, 1000, 1, 4).selectExpr("IF(id = 990, raise_error('no'), id) AS id")
    with somewhere(lakehouse, in_fork, lambda lake: lake.create_table("t", columns), first) as place:
        before = head(place.lake)
        with pytest.raises(InvalidRows, match="no"):
            place.table.append(failing)
        assert head(place.lake) == before
        assert rows(place.table) == first
        assert place.table.append(first) == 1
