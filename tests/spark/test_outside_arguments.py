"""What Spark must judge of what users give: it works, or is refused in our words before anything is written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake.api.table import TableHandle
from forklake.errors import (
    ForklakeError,
    InvalidChange,
    InvalidInput,
    InvalidRows,
    NoSuchTable,
    QueryFailed,
    SyntaxProblem,
)
from forklake.model.entities import SortKey
from tests.spark.conftest import Lakehouse


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.count("nope = 1"),
        lambda t: t.count("1 +"),
        lambda t: t.count("1 / (id - id) = 1"),
        lambda t: t.min("m"),
        lambda t: t.max("m"),
    ],
)
def test_errors_of_spark_are_told_as_ours(local: Lakehouse, call: Callable[[TableHandle], object]) -> None:
    table = local.lake.create_table("t", {"id": "bigint", "m": "map(int, int)"})
    table.append([{"id": 1, "m": None}])
    with pytest.raises(QueryFailed):
        call(table)


def test_a_merge_of_an_empty_list_is_one_of_no_rows(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "bigint"})
    table.append([{"id": 1}])
    merged = table.merge([], "id")
    assert (merged.changed, merged.inserted, table.count()) == (0, 0, 1)
    path: Any = ("id", "a")
    with pytest.raises(InvalidInput, match="must be a mapping of str"):
        table.update({path: "1"})


@pytest.mark.parametrize("key", ["a b c", "nofunc(a)", "sum(a)", "m", "nope + 1", "*", "rank() OVER (ORDER BY a)"])
def test_what_rows_cannot_be_sorted_by_is_refused_when_it_is_set(local: Lakehouse, key: str) -> None:
    session, lake = local.session, local.lake
    session.sql("CREATE TABLE t (a INT, m MAP<INT, INT>)")
    before = len(lake.snapshots())
    with pytest.raises(InvalidChange):
        session.sql(f"CREATE TABLE s (a INT, m MAP<INT, INT>) SORTED BY ({key})")
    with pytest.raises(InvalidChange):
        session.sql(f"ALTER TABLE t SET SORTED BY ({key})")
    with pytest.raises(InvalidChange):
        lake.create_table("s", {"a": "int", "m": "map(int, int)"}, sorted_by=[key])
    with pytest.raises(InvalidChange):
        lake.table("t").set_sort_order([key])
    assert len(lake.snapshots()) == before


@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
@pytest.mark.parametrize(
    "key", ["a DECS", "a BOGUS", "a b", "lower(v) AS x", "a + 1 dsc NULLS LAST", "v, a DESCENDING"]
)
def test_a_misspelt_direction_is_no_alias(local: Lakehouse, key: str, dialect: str) -> None:
    session = forklake.connect(dialect=dialect, spark=local.spark)
    lake = session.attach(local.place.url, "lake", catalog="main")
    table = lake.create_table("t", {"a": "int", "v": "varchar"})
    before = len(lake.snapshots())
    for text in (
        f"CREATE TABLE lake.s (a INT, v VARCHAR) SORTED BY ({key})",
        f"CREATE TABLE lake.s SORTED BY ({key}) AS SELECT 1 AS a, 'x' AS v",
        f"ALTER TABLE lake.t SET SORTED BY ({key})",
    ):
        with pytest.raises(SyntaxProblem, match="or the end of the sort key, not"):
            session.sql(text)
    for keys in ([key], [SortKey(key, dialect=dialect)]):
        with pytest.raises(InvalidInput):
            lake.create_table("s", {"a": "int", "v": "varchar"}, sorted_by=keys)
        with pytest.raises(InvalidInput):
            table.set_sort_order(keys)
    assert len(lake.snapshots()) == before


def test_a_table_is_sorted_by_an_expression(local: Lakehouse) -> None:
    local.session.sql("CREATE TABLE t (a INT, s STRUCT<b: INT>) SORTED BY (a % 2 DESC, s.b)")
    local.session.sql("INSERT INTO t SELECT id, named_struct('b', -id) FROM range(4)")
    assert local.session.sql("SELECT a FROM t").fetchall() == [(3,), (1,), (2,), (0,)]


@pytest.mark.parametrize("query", ["FROM piped |> UNION ALL TABLE piped", "SELECT 1 AS a UNION ALL TABLE piped"])
def test_a_query_that_is_not_understood_is_not_said_to_lack_its_table(local: Lakehouse, query: str) -> None:
    # Not `t`: Spark may know a view of that name from another test.
    local.lake.create_table("piped", {"a": "int", "b": "int"})
    with pytest.raises(InvalidInput, match="not supported"):
        local.session.sql(query)
    with pytest.raises(NoSuchTable):
        local.session.sql("SELECT * FROM nowhere")


def test_quartiles_lie_between_the_bounds(local: Lakehouse) -> None:
    local.session.sql("CREATE TABLE t (x TIMESTAMP_NTZ, y UBIGINT, b BINARY)")
    local.session.sql(
        "INSERT INTO t VALUES (TIMESTAMP_NTZ '9999-12-31 23:59:59.999999', 18446744073709551615, X'00ff')"
    )
    found = local.session.sql("SUMMARIZE t").to_arrow().to_pydict()
    assert found["q25"][:2] == found["q75"][:2] == ["9999-12-31 23:59:59.999999", "18446744073709551615"]
    assert found["min"][2] == found["max"][2] == "\0\ufffd"
    assert local.session.sql("SELECT CAST(b AS STRING) FROM t").fetchall() == [("\0\ufffd",)]


def test_changes_may_name_their_table_with_its_schema_and_catalog(local: Lakehouse) -> None:
    session = local.session
    session.sql("CREATE TABLE u (id INT, main STRUCT<u: STRUCT<id: INT>>)")
    session.sql("INSERT INTO u SELECT id, named_struct('u', named_struct('id', 7)) FROM range(1, 5)")
    assert session.sql("DELETE FROM main.u WHERE main.u.id = 1").fetchall() == [(1,)]
    assert session.sql("UPDATE main.u SET id = main.u.id + 10 WHERE lake.main.u.id = 2").fetchall() == [(1,)]
    assert session.sql("DELETE FROM u WHERE main.u.id = 7").fetchall() == [(0,)]
    assert session.sql("DELETE FROM u AS z WHERE main.u.id = 7 AND z.id = 3").fetchall() == [(1,)]
    assert session.sql("SELECT id FROM u ORDER BY id").fetchall() == [(4,), (12,)]


def test_a_column_is_set_once_whatever_its_case(local: Lakehouse) -> None:
    local.lake.create_table("t", {"a": "int"}).append([{"a": 1}])
    with pytest.raises(InvalidInput, match="set twice"):
        local.session.sql("UPDATE t SET a = 1, A = 2")


@pytest.mark.parametrize("options", ["QUOTE ''''", "QUOTE '''', NULL 'none'", "NULL 'none'"])
def test_csv_files_keep_empty_texts_whatever_the_quotes(local: Lakehouse, tmp_path: Path, options: str) -> None:
    session, file = local.session, tmp_path / "out.csv"
    session.sql("CREATE TABLE t (id INT, s STRING)")
    session.sql("INSERT INTO t VALUES (1, ''), (2, NULL), (3, 'it''s'), (4, '\"\"'), (5, 'a,b'), (6, '''''')")
    session.sql(f"COPY t TO '{file}' ({options})")
    session.sql("CREATE TABLE back (id INT, s STRING)")
    session.sql(f"COPY back FROM '{file}' ({options})")
    assert session.sql("SELECT * FROM back ORDER BY id").fetchall() == session.sql("SELECT * FROM t").fetchall()


def test_a_value_that_stands_for_null_is_not_written(local: Lakehouse, tmp_path: Path) -> None:
    with pytest.raises(InvalidRows, match="would come back as NULL"):
        local.session.sql(f"COPY (SELECT 'NULL' AS s, 1 AS i) TO '{tmp_path}/out.csv' (NULL 'NULL')")
    with pytest.raises(ForklakeError, match="one character"):
        local.session.sql(f"COPY (SELECT 1 AS i) TO '{tmp_path}/other.csv' (QUOTE '')")


def test_a_view_cannot_replace_one_that_it_is_made_of(local: Lakehouse) -> None:
    session = local.session
    session.sql("CREATE VIEW p AS SELECT 1 AS x")
    session.sql("CREATE VIEW q AS SELECT * FROM p")
    for source in ("p", "q"):
        with pytest.raises(InvalidInput, match="refers to itself"):
            session.sql(f"CREATE OR REPLACE VIEW p AS SELECT * FROM {source}")
    session.sql("CREATE OR REPLACE VIEW p AS SELECT 2 AS x")
    assert session.sql("SELECT * FROM q").fetchall() == [(2,)]


@pytest.mark.parametrize("value", [object(), 2**70, {"a": 1}, {1, 2}])
def test_values_that_no_column_takes_are_refused(local: Lakehouse, value: Any) -> None:
    table = local.lake.create_table("t", {"id": "bigint", "n": "int"})
    table.append([{"id": 1, "n": 2}])
    with pytest.raises(InvalidInput):
        table.update({"n": value})
    with pytest.raises(InvalidInput):
        table.merge([{"id": 1, "n": 5}], "id", forklake.when_matched().update({"n": value}))
    with pytest.raises(InvalidInput, match="at least one column"):
        table.update({})
    assert table.scan().fetchall() == [(1, 2)]
