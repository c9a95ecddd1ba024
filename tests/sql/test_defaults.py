"""Defaults are checked when they are set, and give what an INSERT of the same expression stores."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.api.session import Session
from forklake.errors import ForklakeError, InvalidInput
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from tests.attached import attach_main
from tests.conftest import Place
from tests.ducklake_oracle import connect_oracle


@pytest.fixture
def session(sqlite_place: Place, tmp_path: Path, spark: SparkSession) -> Iterator[Session]:
    with forklake.connect(spark=spark) as opened:
        attach_main(opened, sqlite_place, tmp_path)
        yield opened


@pytest.fixture
def without_spark(sqlite_place: Place, tmp_path: Path) -> Iterator[Session]:
    """A session that starts no Spark for what is tested with it."""
    with forklake.connect() as opened:
        attach_main(opened, sqlite_place, tmp_path)
        yield opened


def test_a_default_may_hold_any_word(without_spark: Session) -> None:
    without_spark.sql("CREATE TABLE t (id INT, s STRING DEFAULT 'unknown', p STRING DEFAULT 'current_today')")
    without_spark.sql("ALTER TABLE t ADD COLUMN n STRING DEFAULT 'known now'")
    without_spark.sql("INSERT INTO t (id) VALUES (1)")
    found = without_spark.catalog("lake").table("t").definition.columns
    assert [column.default_value for column in found] == [None, "unknown", "current_today", "known now"]
    assert {column.default_value_type for column in found} == {None, "literal"}


def test_a_struct_may_have_a_field_named_timestamp(without_spark: Session) -> None:
    without_spark.sql(
        "CREATE TABLE t (s STRUCT<timestamp: TIMESTAMP, `a timestamp`: ARRAY<TIMESTAMP_NTZ>>, m TIMESTAMP)"
    )
    assert without_spark.catalog("lake").table("t").columns == {
        "s": 'STRUCT(timestamp TIMESTAMP WITH TIME ZONE, "a timestamp" TIMESTAMP[])',
        "m": "TIMESTAMP WITH TIME ZONE",
    }


@pytest.mark.parametrize(
    ("column_type", "value", "text"),
    [
        ("integer", 7, "7"),
        ("integer", "7", "7"),
        ("double", 0.5, "0.5"),
        ("boolean", True, "true"),
        ("decimal(5,2)", Decimal("1.5"), "1.50"),
        ("varchar", "it's", "it's"),
        ("date", date(1969, 12, 31), "1969-12-31"),
        ("timestamp", datetime(1969, 12, 31, 23, 59, 59, 5), "1969-12-31 23:59:59.000005"),
        ("timestamptz", datetime(2020, 1, 1, tzinfo=UTC), "2020-01-01 00:00:00+00"),
        ("timestamp_ns", datetime(1969, 12, 31, 12), "1969-12-31 12:00:00"),
        ("blob", b"a\\\x00", r"a\x5C\x00"),
        ("integer", None, None),
        ("timestamp_ns", pd.Timestamp("2020-01-01 00:00:00.000000001"), "2020-01-01 00:00:00.000000001"),
        ("json", '{"a": 1}', '{"a": 1}'),
        ("utinyint", "255", "255"),
    ],
)
def test_a_default_from_python_is_a_value_of_the_column(
    without_spark: Session, column_type: str, value: Any, text: str | None
) -> None:
    lake = without_spark.catalog("lake")
    specs = [ColumnSpec("id", parse_type("int")), ColumnSpec("c", parse_type(column_type), default_value=value)]
    table = lake.create_table("t", specs)
    table.add_column("d", column_type, default=value)
    table.add_column("e", column_type)
    table.set_default("e", value)
    table.append([{"id": 1}])
    assert [column.default_value for column in table.definition.columns] == [None, text, text, text]


@pytest.mark.parametrize(
    ("column_type", "value"),
    [
        ("integer", "abc"),
        ("integer", 1.5),
        ("tinyint", 300),
        ("boolean", "maybe"),
        ("date", "2023-02-29"),
        ("timestamp", "2020-01-01 25:00:00"),
        ("varchar", 7),
        ("date", datetime(2020, 1, 1)),
        ("utinyint", 300),
        ("utinyint", "-1"),
        ("usmallint", 70_000),
        ("uinteger", "4294967296"),
        ("ubigint", -1),
        ("uhugeint", -1),
        ("timestamp_s", "2020-01-01 05:00:00.7"),
        ("timestamp_ms", "2020-01-01 05:00:00.0007"),
        ("timestamp_ms", datetime(2020, 1, 1, 0, 0, 0, 7)),
        ("json", "nope"),
        ("variant", "nope"),
        ("interval", "nope"),
        ("geometry", b"x"),
        ("timestamp", Decimal("1.5")),
        ("date", 1.5),
        ("timestamp_ns", 1.5),
    ],
)
def test_a_default_that_is_no_value_of_the_column_is_refused_from_python(
    without_spark: Session, column_type: str, value: Any
) -> None:
    lake = without_spark.catalog("lake")
    table = lake.create_table("t", {"id": "int", "c": column_type})
    with pytest.raises(InvalidInput, match="c"):
        lake.create_table("u", [ColumnSpec("c", parse_type(column_type), default_value=value)])
    with pytest.raises(InvalidInput, match="d"):
        table.add_column("d", column_type, default=value)
    with pytest.raises(InvalidInput, match="c"):
        table.set_default("c", value)
    assert list(table.columns) == ["id", "c"]
    assert lake.tables() == ["t"]


def test_a_default_of_an_older_release_is_read_in_one_way_everywhere(session: Session) -> None:
    """Texts that Spark would read in another way than Arrow, or not at all."""
    session.sql("CREATE TABLE t (id INT)")
    table = session.catalog("lake").table("t")
    table.append([{"id": 1}])
    table.add_column("n", "integer", default="1.0")
    table.add_column("b", "utinyint", default="true")
    table.add_column("m", "timestamp", default="2020-01-01 00:00:00+02")
    table.append([{"id": 2}])
    table.append(session.spark.range(3, 4).selectExpr("CAST(id AS INT) AS id"))
    expected = [(at, 1, 1, datetime(2019, 12, 31, 22)) for at in (1, 2, 3)]
    assert session.sql("SELECT * FROM t ORDER BY id").fetchall() == expected
    session.catalog("lake").flush_inlined_data()
    session.catalog("lake").merge_adjacent_files()
    assert session.sql("SELECT * FROM t ORDER BY id").fetchall() == expected


def test_a_default_of_a_variant_from_python_is_a_value_like_json(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    table = session.catalog("lake").table("t")
    table.append([{"id": 1}])
    table.add_column("v", "variant", default={"a": [1]})
    table.append([{"id": 2}])
    assert session.sql("SELECT id, to_json(v) FROM t ORDER BY id").fetchall() == [(1, '{"a":[1]}'), (2, '{"a":[1]}')]


def test_a_default_that_the_column_cannot_hold_is_refused_when_it_is_set(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, c INT)")
    for text in ("'abc'", "id + 1", "(SELECT 1)", "max(1)", "1.7", "CAST('x' AS INT)", "3000000000", "1 AS x"):
        for statement in (
            f"ALTER TABLE t ADD COLUMN d INT DEFAULT {text}",
            f"ALTER TABLE t ALTER COLUMN c SET DEFAULT {text}",
            f"CREATE TABLE u (c INT DEFAULT {text})",
        ):
            with pytest.raises(ForklakeError):
                session.sql(statement)
    session.sql("INSERT INTO t (id) VALUES (1)")
    assert session.sql("SELECT * FROM t").fetchall() == [(1, None)]


def test_a_constant_is_worked_out_by_the_engine_once_and_an_expression_for_each_insert(session: Session) -> None:
    session.sql(
        "CREATE TABLE t (id INT, b BOOLEAN DEFAULT CAST('false' AS BOOLEAN), n SMALLINT DEFAULT CAST(1.7 AS SMALLINT),"
        " s STRING DEFAULT CAST(true AS STRING), d DATE DEFAULT '1969-12-31 12:00:00', m TIMESTAMP DEFAULT now(),"
        " u STRING DEFAULT uuid(), k TIMESTAMP DEFAULT CAST('now' AS TIMESTAMP))"
    )
    kinds = {column.name: column.default_value_type for column in session.catalog("lake").table("t").definition.columns}
    assert kinds == {
        "id": None,
        "b": "literal",
        "n": "literal",
        "s": "literal",
        "d": "literal",
        "m": "expression",
        "u": "expression",
        "k": "expression",
    }
    session.sql("INSERT INTO t (id) VALUES (1)")
    session.sql("INSERT INTO t (id) SELECT 2")
    found = session.sql("SELECT b, n, s, d, m IS NOT NULL FROM t").fetchall()
    assert found == [(False, 1, "true", date(1969, 12, 31), True)] * 2
    assert session.sql("SELECT count(DISTINCT u) FROM t").fetchall() == [(2,)]


@pytest.mark.parametrize("text", ["now()", "random()", "uuid()"])
def test_a_column_cannot_be_added_with_a_default_that_changes_as_in_ducklake(
    session: Session, text: str, tmp_path: Path
) -> None:
    oracle = connect_oracle()
    oracle.execute(f"ATTACH 'ducklake:{tmp_path}/theirs.ducklake' AS theirs (DATA_PATH '{tmp_path}/theirs')")
    oracle.execute("CREATE TABLE theirs.t (id INTEGER)")
    session.sql("CREATE TABLE t (id INTEGER)")
    kind = {"now()": "TIMESTAMP WITH TIME ZONE", "random()": "DOUBLE", "uuid()": "VARCHAR"}[text]
    with pytest.raises(Exception, match="non-literal default"):
        oracle.execute(f"ALTER TABLE theirs.t ADD COLUMN c {kind} DEFAULT {text}")
    with pytest.raises(ForklakeError, match="non-literal default"):
        session.sql(f"ALTER TABLE t ADD COLUMN c {kind} DEFAULT {text}")
