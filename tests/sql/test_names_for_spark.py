"""A name that means something of ours is never looked for among the tables and views of Spark."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.api.session import Session
from forklake.errors import InvalidInput, NoSuchTable
from tests.attached import attach_main
from tests.conftest import Place

UNREAD = [
    "SELECT id FROM t UNION ALL TABLE t",
    "SELECT 1 AS id UNION ALL TABLE t",
    "SELECT 1 AS id UNION ALL TABLE `t`",
    "SELECT 1 AS id UNION ALL TABLE T",
    "SELECT 1 AS id UNION ALL TABLE /* ours */ t",
    "SELECT 1 AS id UNION ALL TABLE main.t",
    "SELECT 1 AS id UNION ALL TABLE lake.main.t",
    "SELECT 1 AS id UNION ALL TABLE v",
    "SELECT * FROM (TABLE t)",
    "WITH c AS (TABLE t) SELECT * FROM c",
    "SELECT 1 WHERE EXISTS (TABLE t)",
    "SELECT 1 WHERE 1 IN (TABLE t)",
    "SELECT * FROM f(TABLE(t))",
    "SELECT * FROM IDENTIFIER('t')",
    "SELECT * FROM IDENTIFIER('t' || '') x",
    "SELECT 1 AS id UNION ALL TABLE IDENTIFIER('t')",
    "EXECUTE IMMEDIATE 'SELECT * FROM t'",
    "CACHE TABLE t",
    "CACHE TABLE kept AS SELECT * FROM t",
    "UNCACHE TABLE t",
    "REFRESH TABLE t",
    "ANALYZE TABLE t COMPUTE STATISTICS",
    "MSCK REPAIR TABLE t",
    "FROM t INSERT INTO spare SELECT *",
    "WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c",
    "SELECT twice(1) AS id UNION ALL TABLE spare",
    "SELECT * FROM snapshots() UNION ALL TABLE spare",
]
"""Texts that sqlglot does not read, or not as a query, and that name something of ours."""

SPARKS = {
    "SELECT 1 AS id UNION ALL TABLE spare": [(1,), (-2,)],
    "SELECT id AS `x.t` FROM spare UNION ALL TABLE spare -- of t": [(-2,), (-2,)],
    "SELECT 't' AS a UNION ALL TABLE spare_text": [("t",), ("main.t",)],
    "SELECT * FROM (TABLE spare)": [(-2,)],
}
"""Texts of the same kinds that name nothing of ours."""


@pytest.fixture
def session(spark: SparkSession, place: Place, tmp_path: Path) -> Iterator[Session]:
    """A table, a view and a macro, and in Spark views of the same names with other rows."""
    with forklake.connect(spark=spark) as session:
        attach_main(session, place, tmp_path)
        session.sql("CREATE TABLE t (id BIGINT); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT id FROM t")
        session.sql("CREATE MACRO twice(x) AS 2 * x")
        for name in ("t", "v", "spare"):
            spark.sql("SELECT -2 AS id").createOrReplaceTempView(name)
        spark.sql("SELECT 'main.t' AS a").createOrReplaceTempView("spare_text")
        yield session
        for name in ("t", "v", "spare", "spare_text"):
            spark.catalog.dropTempView(name)


@pytest.mark.parametrize("text", UNREAD)
def test_a_text_that_cannot_be_read_is_refused_where_it_names_something_of_ours(session: Session, text: str) -> None:
    with pytest.raises(InvalidInput, match=r"cannot read this query|IDENTIFIER|EXECUTE IMMEDIATE"):
        session.sql(text).fetchall()


@pytest.mark.parametrize("text", SPARKS)
def test_a_text_that_cannot_be_read_is_sparks_where_it_names_nothing_of_ours(session: Session, text: str) -> None:
    assert session.sql(text).fetchall() == SPARKS[text]


def test_a_table_is_read_before_a_view_of_spark(session: Session) -> None:
    assert session.sql("SELECT id FROM t").fetchall() == [(1,)]
    session.sql("CREATE VIEW whole AS TABLE t")
    assert session.sql("TABLE whole").fetchall() == session.sql("TABLE t").fetchall() == [(1,)]
    joined = session.sql("SELECT t.id, v.id FROM v JOIN t ON true WHERE t.id IN (SELECT id FROM v)")
    assert joined.fetchall() == [(1, 1)]


@pytest.mark.parametrize("query", ["SELECT * FROM spare", "SELECT (SELECT max(id) FROM spare) AS n", "TABLE spare"])
def test_a_view_cannot_be_made_of_what_only_this_session_of_spark_knows(session: Session, query: str) -> None:
    with pytest.raises(NoSuchTable, match="spare"):
        session.sql(f"CREATE VIEW w AS {query}")


def test_a_view_of_a_dropped_table_does_not_read_a_view_of_spark(session: Session) -> None:
    session.sql("CREATE MACRO rows_of_t() AS TABLE SELECT id FROM t; CREATE MACRO largest() AS (SELECT max(id) FROM t)")
    session.sql("DROP TABLE t")
    for text in ("SELECT * FROM v", "SELECT * FROM rows_of_t()", "SELECT largest()"):
        with pytest.raises(NoSuchTable, match=r"'main\.t' does not exist"):
            session.sql(text).fetchall()


def test_a_view_may_read_files_and_tables_of_sparks_own_catalog(session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "some"
    session.sql("SELECT 5 AS id").to_spark().write.parquet(str(folder))
    session.sql(f"CREATE VIEW w AS SELECT * FROM parquet.`{folder}`")
    assert session.sql("SELECT * FROM w").fetchall() == [(5,)]


@pytest.mark.parametrize("text", ["SELECT id FROM t UNION ALL TABLE t", "SELECT * FROM (TABLE t)"])
def test_views_and_macros_that_cannot_be_read_are_not_kept(session: Session, text: str) -> None:
    with pytest.raises(InvalidInput, match="cannot read"):
        session.sql(f"CREATE VIEW w AS {text}")
    with pytest.raises(InvalidInput, match="cannot read"):
        session.sql(f"CREATE MACRO w() AS TABLE {text}; SELECT * FROM w()").fetchall()
