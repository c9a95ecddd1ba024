"""VALUES stores what SELECT of the same expressions stores, whether we read the literals ourselves or Spark does."""

import random
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
from forklake.model.column_types import parse_type
from forklake.sql.values.literal_values import UNKNOWN, literal_value
from forklake.sql.values.values_clause import parse_values
from tests.attached import attach_main
from tests.conftest import Place
from tests.sql.literals import TYPES, literals

SEED = 20
DIALECTS = ("spark", "duckdb")


def _open(dialect: str, place: Place, folder: Path, spark: SparkSession) -> Session:
    opened = forklake.connect(spark=spark, dialect=dialect)
    attach_main(opened, place, folder)
    return opened


@pytest.fixture(params=DIALECTS)
def session(
    request: pytest.FixtureRequest, sqlite_place: Place, tmp_path: Path, spark: SparkSession
) -> Iterator[Session]:
    """A session in each dialect in turn."""
    with _open(request.param, sqlite_place, tmp_path, spark) as opened:
        yield opened


@pytest.fixture
def in_spark(sqlite_place: Place, tmp_path: Path, spark: SparkSession) -> Iterator[Session]:
    with _open("spark", sqlite_place, tmp_path, spark) as opened:
        yield opened


def spelled(column_type: str, dialect: str) -> str:
    """To Spark, a TIMESTAMP is one with a zone."""
    return "TIMESTAMP_NTZ" if column_type == "TIMESTAMP" and dialect == "spark" else column_type


def known(dialect: str, count: int) -> list[tuple[str, str, Any]]:
    """Types, literals for them that are read here, and what they mean."""
    found = []
    for text in dict.fromkeys(literals(SEED, count)):
        rows = parse_values(f"VALUES ({text})", dialect) or []
        for column_type in TYPES if rows else ():
            value = literal_value(rows[0][0], parse_type(column_type), zone_is_utc=True)
            if value is not UNKNOWN and value is not None:
                found.append((column_type, text, value))
    return found


@pytest.mark.parametrize("dialect", DIALECTS)
def test_literals_that_are_read_here_are_what_spark_stores(
    dialect: str, sqlite_place: Place, tmp_path: Path, spark: SparkSession
) -> None:
    cases = random.Random(SEED).sample(known(dialect, 700), 50)
    names = ", ".join(f"c{at} {spelled(column_type, dialect)}" for at, (column_type, _, _) in enumerate(cases))
    texts = ", ".join(text for _, text, _ in cases)
    with _open(dialect, sqlite_place, tmp_path, spark) as opened:
        opened.sql(f"CREATE TABLE t ({names})")
        opened.sql(f"INSERT INTO t VALUES ({texts})")
        [fast] = opened.sql("SELECT * FROM t").fetchall()
        opened.sql("TRUNCATE t")
        opened.sql(f"INSERT INTO t SELECT {texts}")
        [slow] = opened.sql("SELECT * FROM t").fetchall()
    differing = [(case, a, b) for case, a, b in zip(cases, fast, slow, strict=True) if repr(a) != repr(b)]
    assert not differing


def test_literals_that_are_read_here_are_what_duckdb_stores() -> None:
    oracle = duckdb.connect()
    oracle.execute("SET TimeZone = 'UTC'")
    shown = {"TIMESTAMP_NS": "epoch_ns(c)", "TIME": "c", "UUID": "c::VARCHAR", "INTERVAL": "c", "JSON": "c"}
    for column_type, text, value in known("duckdb", 1000):
        oracle.execute(f"CREATE OR REPLACE TABLE t (c {column_type})")
        oracle.execute(f"INSERT INTO t SELECT {text}")
        [[found]] = oracle.execute(f"SELECT {shown.get(column_type, 'c')} FROM t").fetchall()
        assert column_type in ("INTERVAL", "JSON") or _plain(found) == _plain(value, column_type), (column_type, text)


def _plain(value: Any, column_type: str = "") -> Any:
    if column_type == "TIME":
        return time.fromisoformat(value)
    if column_type == "FLOAT":
        return float(np.float32(value))
    return value.lower() if isinstance(value, str) else value


STORED = {
    "spark": [
        ("BOOLEAN", "CAST('false' AS BOOLEAN)", False),
        ("BOOLEAN", "CAST('no' AS BOOLEAN)", False),
        ("DECIMAL(5,2)", "CAST(1.2345 AS DECIMAL(5,2))", Decimal("1.23")),
        ("DECIMAL(5,2)", "-7", Decimal("-7.00")),
        ("SMALLINT", "CAST(1.7 AS SMALLINT)", 1),
        ("INTEGER", "CAST(2.5 AS INT)", 2),
        ("INTEGER", "1 + 1", 2),
        ("INTEGER", "(7)", 7),
        ("INTEGER", "- -1", 1),
        ("INTEGER", "1L", 1),
        ("FLOAT", "CAST(0.1 AS FLOAT)", float(np.float32(0.1))),
        ("DOUBLE", "CAST(0.1 AS FLOAT)", float(np.float32(0.1))),
        ("FLOAT", "0.1", float(np.float32(0.1))),
        ("FLOAT", "16777217.3", 16777218.0),
        ("DOUBLE", "-0.0", 0.0),
        ("DOUBLE", "-0e0", -0.0),
        ("VARCHAR", "CAST(true AS STRING)", "true"),
        ("VARCHAR", "CAST(1.50 AS STRING)", "1.50"),
        ("VARCHAR", "'a' 'b'", "ab"),
        ("VARCHAR", r"'a\tb\'c'", "a\tb'c"),
        ("VARCHAR", r"r'a\tb'", r"a\tb"),
        ("VARCHAR", "'it''s'", "it's"),
        ("VARCHAR", '"x"', "x"),
        ("TINYINT", "-128", -128),
        ("DATE", "CAST('1969-12-31 12:00:00' AS DATE)", date(1969, 12, 31)),
        ("DATE", "'1969-12-31 12:00:00'", date(1969, 12, 31)),
        ("DATE", "'0001-01-01'", date(1, 1, 1)),
        ("DATE", "DATE '1582-10-10'", date(1582, 10, 10)),
        ("TIMESTAMP", "'2024-01-01 00:00:00+05:00'", datetime(2024, 1, 1)),
        ("TIMESTAMP", "'1969-12-31 23:59:59.999999'", datetime(1969, 12, 31, 23, 59, 59, 999999)),
        ("TIMESTAMP", "'1969-12-31'", datetime(1969, 12, 31)),
        ("TIMESTAMP WITH TIME ZONE", "'2024-01-01 00:00:00+05:00'", datetime(2023, 12, 31, 19, tzinfo=UTC)),
        ("TIMESTAMP_NS", "'1969-12-31 23:59:59.123456789'", -876543211),
    ],
    "duckdb": [
        ("DECIMAL(5,2)", "-7", Decimal("-7.00")),
        ("INTEGER", "1 + 1", 2),
        ("FLOAT", "0.1", float(np.float32(0.1))),
        ("VARCHAR", "'it''s'", "it's"),
        ("VARCHAR", r"'a\tb'", r"a\tb"),
        ("DATE", "'0001-01-01'", date(1, 1, 1)),
        ("DATE", "DATE '1582-10-10'", date(1582, 10, 10)),
        ("TIMESTAMP", "'1969-12-31 23:59:59.999999'", datetime(1969, 12, 31, 23, 59, 59, 999999)),
        ("TIMESTAMP WITH TIME ZONE", "'2024-01-01 00:00:00+05:00'", datetime(2023, 12, 31, 19, tzinfo=UTC)),
        ("TIMESTAMP_NS", "'1969-12-31 23:59:59.123456789'", -876543211),
    ],
}
REFUSED = [
    # By the types alone:
    ("BOOLEAN", "'true'"),
    ("BOOLEAN", "1"),
    ("DECIMAL(5,2)", "1.2345"),
    ("DECIMAL(5,2)", "1.500"),
    ("DECIMAL(5,2)", "1e1"),
    ("INTEGER", "'1'"),
    ("INTEGER", "1.0"),
    ("DOUBLE", "'1'"),
    ("VARCHAR", "1"),
    # By the values:
    ("TINYINT", "CAST(300 AS TINYINT)"),
    ("UTINYINT", "-1"),
    ("DATE", "'2023-02-29'"),
    ("TIMESTAMP", "'2024-12-01 23:59:60'"),
    ("TIMESTAMP_NS", "'2500-01-01 00:00:00'"),
    ("TIMESTAMP_S", "'2024-01-01 00:00:00.5'"),
    ("TIME", "'12:00:00\n'"),
    ("JSON", '\'{"a": 1, "a": 2}\''),
]


def create(session: Session, cases: list[Any]) -> None:
    columns = ", ".join(f"c{at} {spelled(case[0], session.dialect)}" for at, case in enumerate(cases))
    session.sql(f"CREATE TABLE t ({columns})")


def test_an_expression_in_values_is_what_it_is_in_select(session: Session) -> None:
    cases = STORED[session.dialect]
    create(session, cases)
    texts = ", ".join(text for _, text, _ in cases)
    for insert in (f"VALUES ({texts})", f"SELECT {texts}", f"(VALUES ({texts}))", f"VALUES ({texts}) LIMIT 1"):
        session.sql(f"INSERT INTO t {insert}")
    expected = tuple(value for _, _, value in cases)
    found = session.sql("SELECT * FROM t").fetchall()
    assert found == [expected] * 4
    # A zero has a sign, which no comparison sees.
    assert {str(row[at]) for row in found for at, case in enumerate(cases) if case[1] == "-0e0"} <= {"-0.0"}


def test_what_a_column_cannot_hold_is_refused_in_values_and_in_select(session: Session) -> None:
    create(session, REFUSED)
    for at, (_, text) in enumerate(REFUSED):
        for insert in (f"VALUES ({text})", f"SELECT {text}"):
            with pytest.raises(ForklakeError, match=r"."):
                session.sql(f"INSERT INTO t (c{at}) {insert}")
    assert session.sql("SELECT count(*) FROM t").fetchall() == [(0,)]


def test_a_year_beyond_those_of_python_is_stored_and_shown(in_spark: Session) -> None:
    in_spark.sql("CREATE TABLE t (d DATE, n TIMESTAMP_NTZ, z TIMESTAMP)")
    in_spark.sql("INSERT INTO t VALUES ('10000-01-01', '10000-01-01 00:00:00', '9999-12-31 23:59:59-05:00')")
    shown = "SELECT year(d), year(n), year(z) FROM t"
    assert in_spark.sql(shown).fetchall() == [(10000, 10000, 10000)]
    with pytest.raises(InvalidInput, match="years 1 to 9999"):
        in_spark.sql("SELECT d FROM t").fetchall()
    with pytest.raises(InvalidInput, match="years 1 to 9999"):
        in_spark.sql("SELECT z FROM t").fetchone()


@pytest.mark.parametrize("behind", ["LIMIT 1", "ORDER BY 1 DESC LIMIT 1", "LIMIT 1 OFFSET 1", "UNION SELECT 1"])
def test_what_stands_behind_values_counts(session: Session, behind: str) -> None:
    session.sql("CREATE TABLE t (a INTEGER)")
    oracle = duckdb.connect()
    oracle.execute("CREATE TABLE t (a INTEGER)")
    insert, read = f"INSERT INTO t VALUES (1), (2) {behind}", "SELECT a FROM t ORDER BY a"
    session.sql(insert)
    oracle.execute(insert)
    assert session.sql(read).fetchall() == oracle.execute(read).fetchall()


def test_values_take_the_place_of_any_query(in_spark: Session) -> None:
    in_spark.sql("CREATE TABLE t (a INTEGER)")
    for insert in (
        "VALUES (2)",
        "(VALUES (3))",
        "VALUES (4) -- the last",
        "VALUES /* one */ (5)",
        "VALUES 6, 7",
        "WITH x AS (VALUES (8)) SELECT * FROM x",
        "TABLE t",
    ):
        in_spark.sql(f"INSERT INTO t {insert}")
    assert in_spark.sql("SELECT a, count(*) FROM t GROUP BY a ORDER BY a").fetchall() == [
        (number, 2) for number in range(2, 9)
    ]


@pytest.mark.parametrize("zone", ["America/New_York", "UTC"])
def test_texts_without_a_zone_are_in_that_of_the_session(in_spark: Session, zone: str) -> None:
    before = in_spark.spark.conf.get("spark.sql.session.timeZone") or "UTC"
    texts = ("2020-03-08 02:30:00", "2020-11-01 01:30:00", "1883-11-18 12:01:00", "1582-10-10 00:00:00", "2020-06-01")
    rows = ", ".join(f"('{text}')" for text in texts)
    in_spark.spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        in_spark.sql("CREATE TABLE t (z TIMESTAMP)")
        in_spark.sql(f"INSERT INTO t VALUES {rows}")
        casts = ", ".join(f"CAST('{text}' AS TIMESTAMP)" for text in texts)
        moments = f"SELECT unix_micros(z) FROM (SELECT explode(array({casts})) AS z) ORDER BY 1"
        expected = in_spark.sql(moments).fetchall()
        assert in_spark.sql("SELECT unix_micros(z) FROM t ORDER BY 1").fetchall() == expected
    finally:
        in_spark.spark.conf.set("spark.sql.session.timeZone", before)
