"""Values that are given beside the text: in every kind of statement, and of every kind."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.api.session import Session
from forklake.errors import ForklakeError, InvalidInput
from tests.attached import attach_main
from tests.conftest import Place

STRANGE = "it's; -- {x} \\n %s ` \" ä"


@pytest.fixture
def session(sqlite_place: Place, tmp_path: Path, spark: SparkSession) -> Iterator[Session]:
    with forklake.connect(spark=spark) as opened:
        opened.attach(sqlite_place.url, "lake", catalog="main", data_path=str(tmp_path), create_if_not_exists=True)
        opened.sql("CREATE TABLE t (id BIGINT, v STRING, d DATE)")
        opened.sql("INSERT INTO t VALUES (1, 'a', DATE '2026-01-01'), (2, 'b', NULL)")
        yield opened


@pytest.fixture
def without_spark() -> Iterator[Session]:
    with forklake.connect() as opened:
        yield opened


def rows(session: Session, text: str, parameters: Any = None) -> list[tuple[Any, ...]]:
    return session.sql(text, parameters).fetchall()


def test_a_query_takes_parameters_by_name_and_by_place(session: Session) -> None:
    assert rows(session, "SELECT id, :x AS x FROM t WHERE id = :id", {"x": STRANGE, "id": 2}) == [(2, STRANGE)]
    assert rows(session, "SELECT id, ? AS x FROM t WHERE id = ?", [STRANGE, 1]) == [(1, STRANGE)]
    assert rows(session, "SELECT id FROM t WHERE d = :day", {"day": date(2026, 1, 1)}) == [(1,)]
    assert rows(session, "SELECT :a, :b, :c", {"a": None, "b": 0.5, "c": Decimal("1.25")}) == [
        (None, 0.5, Decimal("1.25"))
    ]


def test_an_insert_takes_parameters(session: Session) -> None:
    assert rows(session, "INSERT INTO t VALUES (:id, :v, :d)", {"id": 3, "v": STRANGE, "d": date(2026, 2, 3)}) == [(1,)]
    assert rows(session, "INSERT INTO t (id, v) VALUES (?, ?), (?, ?)", [4, STRANGE, 5, None]) == [(2,)]
    assert rows(session, "INSERT INTO t (id, v) SELECT id + :n, :v FROM t WHERE id = 1", {"n": 10, "v": STRANGE}) == [
        (1,)
    ]
    assert rows(session, "SELECT id, v, d FROM t WHERE id > 2 ORDER BY id") == [
        (3, STRANGE, date(2026, 2, 3)),
        (4, STRANGE, None),
        (5, None, None),
        (11, STRANGE, None),
    ]


@pytest.mark.parametrize("shortcuts", ["true", "false"])
@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
def test_texts_by_place_are_dates_and_times(
    session: Session, sqlite_place: Place, spark: SparkSession, shortcuts: str, dialect: Any
) -> None:
    text, moment = "2024-01-01 00:00:00", datetime(2024, 1, 1)
    with forklake.connect(spark=spark, dialect=dialect) as opened:
        opened.attach(sqlite_place.url, "lake", catalog="main")
        opened.catalog("lake").create_table("m", {"at": "timestamp", "n": "int"})
        opened.sql(f"SET forklake_shortcuts = {shortcuts}")
        opened.sql("INSERT INTO m VALUES (?, 1)", [text])
        opened.sql("INSERT INTO m VALUES (?, 1 + 1)", [text])
        opened.sql("INSERT INTO m SELECT ?, ? + 1 FROM m WHERE n = ?", [text, 2, 1])
        assert rows(opened, "SELECT at, n FROM m ORDER BY n") == [(moment, 1), (moment, 2), (moment, 3)]


def test_an_update_takes_parameters(session: Session) -> None:
    assert rows(session, "UPDATE t SET v = :v WHERE id = :id", {"v": STRANGE, "id": 1}) == [(1,)]
    assert rows(session, "UPDATE t SET v = ?, d = ? WHERE id = ?", ["x", date(2026, 3, 4), 2]) == [(1,)]
    assert rows(session, "SELECT v, d FROM t ORDER BY id") == [(STRANGE, date(2026, 1, 1)), ("x", date(2026, 3, 4))]


def test_a_delete_takes_parameters(session: Session) -> None:
    assert rows(session, "DELETE FROM t WHERE v = :v OR id = :id", {"v": STRANGE, "id": 2}) == [(1,)]
    assert rows(session, "DELETE FROM t WHERE id = ?", [1]) == [(1,)]


def test_a_merge_takes_parameters_in_its_source_conditions_and_values(session: Session) -> None:
    text = (
        "MERGE INTO t USING (SELECT :id AS id) s ON t.id = s.id AND t.id < :most"
        " WHEN MATCHED AND t.v <> :old THEN UPDATE SET v = :v, d = :d"
        " WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, :v)"
    )
    given = {"id": 2, "most": 10, "old": STRANGE, "v": STRANGE, "d": date(2026, 5, 6)}
    assert rows(session, text, given) == [(1,)]
    assert rows(session, text, {**given, "id": 12}) == [(1,)]
    assert rows(session, "SELECT * FROM t WHERE id > 1 ORDER BY id") == [
        (2, STRANGE, date(2026, 5, 6)),
        (12, STRANGE, None),
    ]


def test_points_in_the_past_and_functions_take_parameters(session: Session) -> None:
    session.sql("DELETE FROM t")
    now = datetime.now(UTC)
    assert rows(session, "SELECT count(*) FROM t AT (VERSION => :v)", {"v": 3}) == [(2,)]
    assert rows(session, "SELECT count(*) FROM t AT (TIMESTAMP => :t)", {"t": now}) == [(0,)]
    assert rows(session, "SELECT count(*) FROM lake.table_changes(:t, :a, :b)", {"t": "t", "a": 3, "b": 4}) == [(4,)]
    session.sql("CALL lake.set_option(:name, :value)", {"name": "parquet_compression", "value": "zstd"})
    assert rows(session, "SELECT value FROM lake.options() WHERE option_name = :o", {"o": "parquet_compression"}) == [
        ("zstd",)
    ]


def test_attach_takes_parameters(session: Session, sqlite_place: Place) -> None:
    session.sql(f"ATTACH '{sqlite_place.url}' AS again (CATALOG :c, READ_ONLY :r)", {"c": "main", "r": True})
    assert rows(session, "SELECT count(*) FROM again.t") == [(2,)]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("SELECT :a", None),
        ("SELECT :a", {"b": 1}),
        ("SELECT ?", []),
        ("SELECT ? + ?", [1]),
        ("INSERT INTO t (id) VALUES (:missing)", {"b": 1}),
        ("SELECT count(*) FROM t AT (VERSION => :missing)", {}),
        ("CALL lake.set_option('parquet_compression', :missing)", {}),
        ("DELETE FROM t WHERE id = :missing", {}),
    ],
)
def test_a_parameter_without_a_value_is_an_error(session: Session, text: str, given: Any) -> None:
    with pytest.raises(ForklakeError):
        rows(session, text, given)
    assert rows(session, "SELECT count(*) FROM t") == [(2,)]


def test_a_merge_takes_parameters_by_place(session: Session) -> None:
    text = "MERGE INTO t USING (SELECT ? AS id) s ON t.id = s.id WHEN MATCHED AND t.id < ? THEN UPDATE SET v = ?"
    assert rows(session, text, [1, 5, STRANGE]) == [(1,)]
    assert rows(session, "SELECT v FROM t WHERE id = ?", [1]) == [(STRANGE,)]


def test_several_statements_take_their_values_in_turn(session: Session) -> None:
    assert rows(session, "INSERT INTO t (id) VALUES (?); SELECT count(*) FROM t WHERE id = ?", [7, 2]) == [(1,)]
    assert rows(session, "SELECT id FROM t WHERE id = ?", [7]) == [(7,)]


def test_functions_and_points_in_the_past_take_values_by_place(session: Session) -> None:
    session.sql("DELETE FROM t")
    text = "SELECT count(*), ? FROM lake.table_changes(?, ?, ?) WHERE id = ?"
    assert rows(session, text, ["x", "t", 3, 4, 1]) == [(2, "x")]
    assert rows(session, "SELECT count(*) FROM t AT (VERSION => ?) WHERE id < ?", [3, 2]) == [(1,)]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("CREATE VIEW p AS SELECT * FROM t WHERE id = :i", {"i": 1}),
        ("CREATE VIEW p AS SELECT * FROM t WHERE id = ?", [1]),
        ("CREATE VIEW p AS SELECT * FROM t AT (VERSION => :i)", {"i": 1}),
        ("CREATE MACRO p(x) AS x + :i", {"i": 1}),
        ("CREATE MACRO p(x) AS TABLE SELECT * FROM t WHERE id = ?", [1]),
    ],
)
def test_a_view_or_macro_takes_no_parameters(session: Session, text: str, given: Any) -> None:
    with pytest.raises(InvalidInput, match="param"):
        session.sql(text, given)
    assert rows(session, "SHOW VIEWS") == []


@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
def test_a_parameter_may_be_cast(session: Session, sqlite_place: Place, spark: SparkSession, dialect: Any) -> None:
    text = "STRING" if dialect == "spark" else "VARCHAR"
    with forklake.connect(dialect=dialect, spark=spark) as other:
        other.attach(sqlite_place.url, "lake", catalog="main")
        assert rows(other, "SELECT ?::int, CAST(? AS INT) + ?::bigint", ["5", "6", 1]) == [(5, 7)]
        assert rows(other, "SELECT ?::decimal(5,2), ? ::date", ["1.5", "2026-01-01"]) == [
            (Decimal("1.50"), date(2026, 1, 1))
        ]
        insert = f"INSERT INTO t (id, v) VALUES (?::int, ?::{text}), (CAST(? AS INT), CAST(? AS {text}))"
        assert rows(other, insert, ["7", "a", "8", 9]) == [(2,)]
        assert rows(other, f"UPDATE t SET v = ?::{text} WHERE id = ?::int", [5, "7"]) == [(1,)]
        assert rows(other, "DELETE FROM t WHERE id = ?::int", ["1"]) == [(1,)]
        merge = "MERGE INTO t USING (SELECT ?::int AS id) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = ?"
        assert rows(other, f"{merge}::{text}", ["8", 1]) == [(1,)]
        assert rows(other, "SELECT id, v FROM t WHERE id > ?::int ORDER BY id", ["2"]) == [(7, "5"), (8, "1")]


@pytest.mark.parametrize(
    "value",
    [
        object(),
        2**63,
        -(2**63) - 1,
        2**200,
        {1},
        complex(1, 2),
        "\ud800",
        ["\udfff"],
        [object()],
        {"a": 2**64},
        Decimal("NaN"),
        Decimal("1e50"),
        Decimal("1e-50"),
    ],
)
@pytest.mark.parametrize("text", ["SELECT ?", "INSERT INTO t (id) VALUES (?)", "SELECT 1; SET x = ?"])
def test_a_value_that_no_engine_knows_is_refused(without_spark: Session, text: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match="param"):
        without_spark.sql(text, [value])
    with pytest.raises(InvalidInput, match="param"):
        without_spark.sql(text.replace("?", ":x"), {"x": value})


@pytest.mark.parametrize("parameters", [5, "x", {1: 2}, {"\ud800": 1}, object()])
def test_parameters_that_are_none_are_refused(without_spark: Session, parameters: Any) -> None:
    with pytest.raises(InvalidInput):
        without_spark.sql("SELECT ?", parameters)


@pytest.mark.parametrize(
    "text", [None, 5, b"SELECT 1", "SELECT '\ud800'", "CALL ducklake_file_holders('lake', '\ud800')"]
)
def test_a_statement_that_is_no_text_is_refused(without_spark: Session, text: Any) -> None:
    with pytest.raises(InvalidInput, match=r"str|UTF-8"):
        without_spark.sql(text)


def test_a_text_beside_another_type_is_read_as_duckdb_reads_it(sqlite_place: Place, spark: SparkSession) -> None:
    name = "abcdef01-2345-6789-abcd-ef0123456789"
    with forklake.connect(spark=spark, dialect="duckdb") as opened:
        opened.attach(sqlite_place.url, "lake", catalog="main", create_if_not_exists=True)
        opened.sql("CREATE TABLE ids (id INT, u UUID, n DECIMAL(9,2))")
        opened.sql("INSERT INTO ids VALUES (1, ?, 1.50)", [name])
        assert rows(opened, "SELECT id FROM ids WHERE u = ? AND n = ?", [name.upper(), "1.501"]) == [(1,)]
        with pytest.raises(ForklakeError, match="read differently"):
            rows(opened, "SELECT id FROM ids WHERE id = ?", ["1.0"])
        with pytest.raises(ForklakeError, match="of unknown type"):
            rows(opened, "SELECT id FROM ids WHERE try_element_at([id], 1) = ?", ["1"])


def test_a_merge_takes_parameters_by_name_in_both_spellings(sqlite_place: Place, spark: SparkSession) -> None:
    with forklake.connect(spark=spark, dialect="duckdb") as opened:
        opened.attach(sqlite_place.url, "lake", catalog="main", create_if_not_exists=True)
        opened.sql("CREATE TABLE counts (id INTEGER, n INTEGER)")
        opened.sql("INSERT INTO counts VALUES (1, 1), (2, 2)")
        merge = "MERGE INTO counts USING (SELECT 1 AS id) AS s ON counts.id = s.id AND counts.n < {}"
        for name, value in (("$most", 5), (":most", 50)):
            text = merge.format(name) + " WHEN MATCHED THEN UPDATE SET n = n * 10"
            assert rows(opened, text, {"most": value}) == [(1,)]
        assert rows(opened, "SELECT n FROM counts ORDER BY id") == [(100,), (2,)]


def test_values_of_numpy_are_values(session: Session) -> None:
    found = rows(session, "SELECT ? + 1, ? = 'a', ?", [np.int64(1), np.str_("a"), np.bool_(True)])
    assert found == [(2, True, True)]
    assert rows(session, "DELETE FROM t WHERE id = ?", [np.int32(1)]) == [(1,)]


@pytest.mark.parametrize("value", [7, 0.5, "it's", b"x", True, None, Decimal("1.25"), date(2026, 1, 2)])
def test_parameters_stand_anywhere_in_the_duckdb_dialect(
    sqlite_place: Place, tmp_path: Path, spark: SparkSession, value: Any
) -> None:
    kind = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR", bytes: "BLOB", bool: "BOOLEAN", date: "DATE"}
    with forklake.connect(spark=spark, dialect="duckdb") as opened:
        attach_main(opened, sqlite_place, tmp_path)
        opened.sql(f"CREATE TABLE t (id BIGINT, b {kind.get(type(value), 'DECIMAL(5,2)')})")
        opened.sql("INSERT INTO t VALUES (1, NULL), (2, NULL)")
        spelled: list[tuple[str, Any]] = [("?", [value]), (":x", {"x": value}), ("$x", {"x": value})]
        # How a parameter is spelled has nothing to do with its type: three types try all spellings.
        for text, named in spelled if value in (7, "it's", None) else spelled[:1]:
            assert rows(opened, f"UPDATE t SET b = {text} WHERE id = 2", named) == [(1,)]
            assert rows(opened, "SELECT b FROM t WHERE id = 2") == [(value,)]
            assert rows(opened, f"INSERT INTO t SELECT 3, {text}", named) == [(1,)]
            assert rows(opened, f"SELECT {text}", named) == [(value,)]
            assert rows(opened, f"SELECT DISTINCT {text} AS y", named) == [(value,)]
            assert rows(opened, f"WITH c AS (SELECT {text} AS v) SELECT * FROM c", named) == [(value,)]
            assert rows(opened, f"SELECT a: {text}", named) == [(value,)]
            assert rows(opened, f"DELETE FROM t WHERE id = 3 AND b IS NOT DISTINCT FROM {text}", named) == [(1,)]
        assert rows(opened, "INSERT INTO t SELECT :a, :b", {"a": 4, "b": value}) == [(1,)]
        assert rows(opened, "UPDATE t SET b = :b, id = :a WHERE id = :c", {"a": 5, "b": None, "c": 4}) == [(1,)]


@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
def test_parameters_stand_beside_empty_and_quoted_texts(dialect: str, sqlite_place: Place, spark: SparkSession) -> None:
    with forklake.connect(spark=spark, dialect=dialect) as opened:
        opened.attach(sqlite_place.url, "lake", catalog="main", create_if_not_exists=True)
        opened.sql("CREATE TABLE texts (id INT, v VARCHAR, w VARCHAR)")
        opened.sql("INSERT INTO texts VALUES (:id, '', :w), (2, :w, '')", {"id": 1, "w": "x"})
        opened.sql("UPDATE texts SET v = :v, w = '' WHERE id = :id AND v = ''", {"v": "y", "id": 1})
        opened.sql("DELETE FROM texts WHERE ? <= id AND v LIKE ? OR v = ''", [3, "q"])
        assert rows(opened, "SELECT :a, v, '' FROM texts WHERE id = :id", {"a": 7, "id": 1}) == [(7, "y", "")]
        assert rows(opened, "SELECT ?, concat(v, '''') FROM texts WHERE v IN (?, '')", ["a", "x"]) == [("a", "x'")]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("SELECT $a AS x, 'it''s' AS y", {"a": 1}),
        ("SELECT $a + $b AS x, '' AS y", {"a": 1, "b": 2}),
        ("SELECT $a+$b AS x, '' AS y", {"a": 1, "b": 2}),
        ('SELECT $a AS "x""y", \'\'', {"a": 1}),
        ("SELECT $é AS x, $a AS y, ''", {"é": 1, "a": "it's"}),
        ("SELECT $a AS x, '$b$' AS y, '' AS z", {"a": 1}),
        ("SELECT $$a''b$$ AS x, $a AS y", {"a": 1}),
        ("SELECT $a AS x, $$a''b$$ AS y", {"a": 1}),
        ("SELECT $2 AS x, $1 AS y, ''", [1, 2]),
        ("SELECT [1, 2, 3][$1:$2] AS x, $1::VARCHAR || '' AS y", [1, 2]),
        ("SELECT x FROM (SELECT $1 AS x) WHERE x = $1", ["it's"]),
    ],
)
def test_named_and_numbered_parameters_stand_beside_any_text_of_duckdb(
    text: str, given: Any, spark: SparkSession
) -> None:
    with forklake.connect(spark=spark, dialect="duckdb") as opened:
        assert rows(opened, text, given) == duckdb.execute(text, given).fetchall()


@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
def test_a_time_of_day_is_a_parameter(dialect: str, sqlite_place: Place, tmp_path: Path, spark: SparkSession) -> None:
    with forklake.connect(spark=spark, dialect=dialect) as opened:
        attach_main(opened, sqlite_place, tmp_path)
        opened.sql("CREATE TABLE t (id INT, c TIME)")
        opened.sql("INSERT INTO t VALUES (?, ?)", [1, time(10)])
        opened.sql("INSERT INTO t SELECT :id, :c", {"id": 2, "c": time(11, 30, 0, 500_000)})
        opened.sql("INSERT INTO t SELECT ?, NULL", [3])
        assert rows(opened, "SELECT id FROM t WHERE c = ?", [time(10)]) == [(1,)]
        assert rows(opened, "SELECT id FROM t WHERE c > :c", {"c": time(11)}) == [(2,)]
        assert rows(opened, "SELECT id FROM t WHERE c IN (?, ?)", [time(10), time(12)]) == [(1,)]
        assert rows(opened, "UPDATE t SET c = ? WHERE c = ?", [time(12, 0, 0, 5), time(10)]) == [(1,)]
        merge = "MERGE INTO t USING (SELECT ? AS c) AS s ON t.c = s.c WHEN MATCHED THEN UPDATE SET c = ?"
        assert rows(opened, merge, [time(11, 30, 0, 500_000), time(13)]) == [(1,)]
        assert rows(opened, "SELECT c FROM t ORDER BY id") == [("12:00:00.000005",), ("13:00:00",), (None,)]
        assert rows(opened, "SELECT ?", [[time(10), None]]) == [(["10:00:00", None],)]


@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
def test_moments_in_lists_are_those_that_were_given(dialect: str, spark: SparkSession) -> None:
    with forklake.connect(spark=spark, dialect=dialect) as opened:
        for moment in (datetime(1, 1, 1, tzinfo=UTC), datetime(1582, 10, 10, tzinfo=UTC), datetime(2020, 1, 1)):
            assert rows(opened, "SELECT ?", [[moment, None]]) == [(list(*rows(opened, "SELECT ?, NULL", [moment])),)]
