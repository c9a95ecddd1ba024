"""The same statements here and in the real DuckLake leave the same rows at every snapshot, and the same changes."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import forklake
from forklake.api.session import Session
from forklake.errors import ForklakeError
from tests.ducklake_oracle import connect_oracle

KEYS = st.integers(1, 6)
WORDS = st.sampled_from(["'a'", "'b'", "'it''s'", "''", "NULL"])
NUMBERS = st.sampled_from(["0", "1", "-7", "2147483647", "NULL"])
TABLES = st.sampled_from(["t", "s.u"])
CONDITIONS = st.one_of(
    KEYS.map(lambda key: f"id = {key}"),
    KEYS.map(lambda key: f"id % 2 = {key % 2}"),
    st.just("v IS NULL"),
    st.just("v >= 'b' OR n < 0"),
    st.just("id IN (SELECT max(id) FROM t)"),
    st.just("true"),
)
SOURCES = st.lists(st.tuples(KEYS, WORDS), min_size=1, max_size=3, unique_by=lambda row: row[0]).map(
    lambda rows: " UNION ALL ".join(f"SELECT {key} AS id, CAST({word} AS VARCHAR) AS v" for key, word in rows)
)


def _rows(values: list[tuple[int, str, str]]) -> str:
    return ", ".join(f"({key}, {word}, {number})" for key, word, number in values)


INSERTS = st.builds(
    lambda table, values: f"INSERT INTO {table} (id, v, n) VALUES {_rows(values)}",
    TABLES,
    st.lists(st.tuples(KEYS, WORDS, NUMBERS), min_size=1, max_size=3),
)
STATEMENTS = st.one_of(
    INSERTS,
    INSERTS,
    st.builds("INSERT INTO {} (id, v) SELECT id + 1, v FROM t WHERE {}".format, TABLES, CONDITIONS),
    st.builds("UPDATE {} SET v = {} WHERE {}".format, TABLES, WORDS, CONDITIONS),
    st.builds("UPDATE {} SET n = id, v = concat(v, '!') WHERE {}".format, TABLES, CONDITIONS),
    st.builds("DELETE FROM {} WHERE {}".format, TABLES, CONDITIONS),
    st.builds(
        "MERGE INTO {} AS x USING ({}) AS y ON x.id = y.id"
        " WHEN MATCHED THEN UPDATE SET v = y.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (y.id, y.v)".format,
        TABLES,
        SOURCES,
    ),
    st.builds("TRUNCATE {}".format, TABLES),
    st.builds("ALTER TABLE {} ADD COLUMN extra{} INTEGER DEFAULT {}".format, TABLES, KEYS, st.sampled_from([3, 4])),
    st.builds("ALTER TABLE {} DROP COLUMN extra{}".format, TABLES, KEYS),
    st.builds("ALTER TABLE {} RENAME COLUMN extra{} TO extra{}".format, TABLES, KEYS, KEYS),
    st.builds("ALTER TABLE {} ALTER COLUMN n SET DATA TYPE BIGINT".format, TABLES),
    st.just("CREATE OR REPLACE TABLE s.u AS SELECT * FROM t"),
)
BEGINNING = (
    "CREATE SCHEMA s",
    "CREATE TABLE t (id BIGINT, v VARCHAR, n INTEGER)",
    "CREATE TABLE s.u (id BIGINT, v VARCHAR, n INTEGER)",
)


@contextmanager
def both(spark: SparkSession) -> Iterator[tuple[Session, duckdb.DuckDBPyConnection]]:
    with tempfile.TemporaryDirectory() as name, forklake.connect(dialect="duckdb", spark=spark) as session:
        folder = Path(name)
        session.attach(f"{folder}/ours.db", "lake", catalog="main", create_if_not_exists=True)
        oracle = connect_oracle()
        oracle.execute(f"ATTACH 'ducklake:{folder}/theirs.db' AS lake (DATA_PATH '{folder}/theirs/')")
        oracle.execute("USE lake")
        yield session, oracle
        oracle.close()


def ours(session: Session, text: str) -> list[tuple[Any, ...]] | None:
    """The rows of a statement; None if it is refused."""
    try:
        return session.sql(text).fetchall()
    except ForklakeError:
        return None


def theirs(oracle: duckdb.DuckDBPyConnection, text: str) -> list[tuple[Any, ...]] | None:
    try:
        return oracle.execute(text).fetchall()
    except duckdb.Error:
        return None


def sorted_rows(rows: list[tuple[Any, ...]] | None) -> list[tuple[Any, ...]] | None:
    return None if rows is None else sorted(rows, key=repr)


@given(statements=st.lists(STATEMENTS, min_size=4, max_size=9))
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_and_changes_are_those_of_ducklake(statements: list[str], spark: SparkSession) -> None:
    with both(spark) as (session, oracle):
        for statement in BEGINNING:
            session.sql(statement)
            oracle.execute(statement)
        # By statement, the versions behind it: what changes nothing is a snapshot there, and none here.
        versions = [(newest(session), newest(oracle))]
        for statement in statements:
            here, there = ours(session, statement), theirs(oracle, statement)
            assert (here is None) == (there is None), statement
            versions.append((newest(session), newest(oracle)))
        for here_version, there_version in versions:
            for table in ("t", "s.u"):
                here = ours(session, f"SELECT * FROM {table} AT (VERSION => {here_version})")
                there = theirs(oracle, f"SELECT * FROM {table} AT (VERSION => {there_version})")
                assert here is not None
                assert sorted_rows(here) == sorted_rows(there), (table, here_version)
        assert changes(session, [here for here, _ in versions]) == changes(oracle, [there for _, there in versions])


def newest(side: Session | duckdb.DuckDBPyConnection) -> int:
    [(version,)] = side.sql("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')").fetchall()
    return int(version)


def changes(side: Session | duckdb.DuckDBPyConnection, versions: list[int]) -> list[tuple[Any, ...]]:
    """The rows of a table that each statement changed, and how."""
    feed = f"ducklake_table_changes('lake', 'main', 't', {versions[0]}, {versions[-1]})"
    rows = side.sql(f"SELECT snapshot_id, change_type, id, v FROM {feed}").fetchall()
    return sorted(((versions.index(version), *row) for version, *row in rows), key=repr)
