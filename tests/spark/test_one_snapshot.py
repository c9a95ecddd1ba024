"""A statement reads one snapshot of each catalog, whoever commits while it runs.

An interloper adds a row to the tables `a` and `b`, in one transaction, each time that the session has read metadata: as
many rows are in the one as in the other, in every snapshot.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import forklake
from forklake.api.session import Session
from tests.attached import attach_main
from tests.interloper import interrupted
from tests.spark.conftest import Lakehouse

MOST_COMMITS = 10
"""More than a statement reads metadata until it comes to the second table."""
COUNTS = "(SELECT count(*) FROM a) AS n, (SELECT count(*) FROM b) AS m"
UNMATCHED = (
    "SELECT count(*) AS n, 0 AS m FROM a AS x FULL JOIN a AS y ON x.id = y.id WHERE x.id IS NULL OR y.id IS NULL"
)

QUERIES = {
    "two subqueries": f"SELECT {COUNTS}",
    "a join with itself": UNMATCHED,
    "a view over two tables": "SELECT * FROM both_counts",
    "a view and a table": "SELECT (SELECT max(n) FROM both_counts) AS n, (SELECT count(*) FROM b) AS m",
    "a union": "SELECT count(*) AS n, 1 AS m FROM (SELECT count(*) FROM a UNION SELECT count(*) FROM b) AS u",
    "a common expression": "WITH x AS (SELECT count(*) AS n FROM a) SELECT n, (SELECT count(*) FROM b) AS m FROM x",
    "another attachment": "SELECT (SELECT count(*) FROM a) AS n, (SELECT count(*) FROM again.b) AS m",
    "a macro": "SELECT rows_of_a() AS n, (SELECT count(*) FROM b) AS m",
    "a time that has not come": (
        "SELECT (SELECT count(*) FROM a AT (TIMESTAMP => '2999-01-01')) AS n,"
        " (SELECT count(*) FROM b AT (TIMESTAMP => '2999-01-01')) AS m"
    ),
    "a function": (
        "SELECT (SELECT max(id) FROM lake.current_snapshot()) AS n,"
        " (SELECT max(snapshot_id) FROM lake.snapshots()) AS m"
    ),
    "metadata": (
        "SELECT (SELECT max(snapshot_id) FROM __ducklake_metadata_lake.ducklake_snapshot) AS n,"
        " (SELECT max(snapshot_id) FROM __ducklake_metadata_lake.ducklake_snapshot_changes) AS m"
    ),
    "a change feed": (
        "SELECT (SELECT count(*) FROM lake.table_insertions('a', TIMESTAMP '2000-01-01', TIMESTAMP '2999-01-01')) AS n,"
        " (SELECT count(*) FROM b) AS m"
    ),
}
STATEMENTS = {
    "INSERT SELECT": f"INSERT INTO c SELECT {COUNTS}",
    "INSERT OVERWRITE": f"INSERT OVERWRITE c SELECT {COUNTS}",
    "CREATE TABLE AS": f"CREATE OR REPLACE TABLE c AS SELECT {COUNTS}",
    "UPDATE with subqueries": "UPDATE c SET n = (SELECT count(*) FROM a), m = (SELECT count(*) FROM b)",
    "UPDATE FROM": f"UPDATE c SET n = s.n, m = s.m FROM (SELECT {COUNTS}) AS s",
    "MERGE": (
        f"MERGE INTO c USING (SELECT {COUNTS}) AS s ON c.n < 0 WHEN MATCHED THEN UPDATE SET n = s.n, m = s.m"
        " WHEN NOT MATCHED THEN INSERT (n, m) VALUES (s.n, s.m)"
    ),
}


@pytest.fixture(params=["spark", "duckdb"])
def busy(request: pytest.FixtureRequest, lakehouse: Lakehouse, tmp_path: Path) -> Iterator[Session]:
    """A session in each dialect, on a lake with a table `c` whose one row says that something went wrong."""
    setup = lakehouse.session
    for name in ("a", "b"):
        lakehouse.lake.create_table(name, {"id": "bigint"}).append([(0,)])
    lakehouse.lake.create_table("c", {"n": "bigint", "m": "bigint"}).append([(-1, -2)])
    setup.sql(f"CREATE VIEW both_counts AS SELECT {COUNTS}")
    setup.sql("CREATE MACRO rows_of_a() AS (SELECT count(*) FROM a)")
    with forklake.connect(spark=lakehouse.spark, dialect=request.param) as session:
        attach_main(session, lakehouse.place, tmp_path)
        attach_main(session, lakehouse.place, tmp_path, "again")
        yield session


@contextmanager
def interloper(session: Session, lakehouse: Lakehouse) -> Iterator[list[int]]:
    """Rows come into `a` and `b` whenever the session has read metadata; gives their numbers."""
    added: list[int] = []

    def commit() -> None:
        if len(added) == MOST_COMMITS:
            return
        added.append(len(added) + 1)
        with lakehouse.session.transaction():
            for name in ("a", "b"):
                lakehouse.lake.table(name).append([(added[-1],)])

    with interrupted(session, commit):
        yield added


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_a_query_reads_one_snapshot(busy: Session, lakehouse: Lakehouse, query: str) -> None:
    with interloper(busy, lakehouse) as added:
        [(n, m)] = busy.sql(query).fetchall()
    assert n == m
    assert added


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_a_statement_that_writes_reads_one_snapshot(busy: Session, lakehouse: Lakehouse, statement: str) -> None:
    with interloper(busy, lakehouse) as added:
        busy.sql(statement)
    rows = lakehouse.session.sql("SELECT n, m FROM c WHERE n <> -1").fetchall()
    assert rows
    assert all(n == m for n, m in rows)
    assert added


def test_a_delete_reads_one_snapshot(busy: Session, lakehouse: Lakehouse) -> None:
    with interloper(busy, lakehouse) as added:
        busy.sql("DELETE FROM c WHERE (SELECT count(*) FROM a) = (SELECT count(*) FROM b)")
    assert lakehouse.lake.table("c").count() == 0
    assert added


def test_rows_that_are_copied_to_a_file_are_of_one_snapshot(
    busy: Session, lakehouse: Lakehouse, tmp_path: Path
) -> None:
    with interloper(busy, lakehouse) as added:
        busy.sql(f"COPY (SELECT {COUNTS}) TO '{tmp_path}/out.parquet'")
    [(n, m)] = lakehouse.spark.read.parquet(f"{tmp_path}/out.parquet").collect()
    assert n == m
    assert added


def test_what_a_transaction_has_handed_out_keeps_its_snapshot(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "bigint"})
    table.append([(1,)])
    with local.session.transaction():
        table.append([(2,)])
        handed_out = [table.scan(), table.scan("id > 0"), local.session.sql("SELECT * FROM t WHERE id > 0")]
    table.append([(3,)])
    assert [result.to_arrow().num_rows for result in handed_out] == [2, 2, 2]
