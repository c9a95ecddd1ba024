"""Errors point at the place, say what is wrong in a few lines, and show everything only when asked to."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import forklake
from forklake.api.session import Session
from forklake.errors import ForklakeError, QueryFailed, SyntaxProblem
from tests.conftest import Place


@pytest.fixture
def session(sqlite_place: Place, tmp_path: Path, spark: SparkSession) -> Iterator[Session]:
    with forklake.connect(spark=spark) as opened:
        opened.attach(sqlite_place.url, "lake", catalog="main", data_path=str(tmp_path), create_if_not_exists=True)
        opened.sql("CREATE TABLE t (id BIGINT, v STRING)")
        opened.sql("INSERT INTO t VALUES (1, 'x')")
        yield opened


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("CREATE TABLE u\n  (id BIGINT,, v STRING)", "LINE 2:   (id BIGINT,, v STRING)\n                     ^"),
        ("INSERT INTO t VALUSE (1)", None),
        ("UPDATE t\nSET v 'x'", "LINE 2: SET v 'x'\n              ^"),
        ("ALTER TABLE t ADD COLUMN", "LINE 1: ALTER TABLE t ADD COLUMN\n                                ^"),
        ("SELECT 1; DROP TABLE", "LINE 1: DROP TABLE\n                  ^"),
    ],
)
def test_a_syntax_error_points_at_the_place(session: Session, text: str, marked: str | None) -> None:
    with pytest.raises(ForklakeError) as raised:
        session.sql(text)
    if marked is not None:
        assert isinstance(raised.value, SyntaxProblem)
        assert str(raised.value).endswith(marked)
    assert session.sql("SELECT count(*) FROM t").fetchall() == [(1,)]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT nothing FROM t",
        "SELECT FROM WHERE",
        "SELECT CAST(v AS INT) FROM t",
        "SELECT id / 0 FROM t",
        "SELECT no_such_function(id) FROM t",
        "UPDATE t SET id = CAST(v AS BIGINT)",
        "DELETE FROM t WHERE CAST(v AS INT) = 1",
        "MERGE INTO t USING t AS s ON t.id = s.nothing WHEN MATCHED THEN DELETE",
        "CREATE TABLE u AS SELECT id / 0 AS x FROM t",
    ],
)
def test_what_spark_refuses_is_told_in_short(session: Session, text: str) -> None:
    with pytest.raises(ForklakeError) as raised:
        session.sql(text).fetchall()
    message = str(raised.value)
    assert len(message.splitlines()) < 10
    assert "\tat " not in message
    assert "java." not in message
    assert "Traceback" not in message
    assert raised.value.__cause__ is None


def test_with_debug_spark_speaks_for_itself(session: Session) -> None:
    with pytest.raises(PySparkException):
        session.sql("SELECT nothing FROM t", debug=True)
    with pytest.raises(PySparkException):
        session.sql("SELECT id / 0 FROM t", debug=True).fetchall()
    with pytest.raises(QueryFailed, match="nothing"):
        session.sql("SELECT nothing FROM t")
