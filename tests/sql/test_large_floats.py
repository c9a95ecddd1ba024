"""Numbers beyond the range of FLOAT are errors in the dialect duckdb, as in DuckDB."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.api.session import Session
from forklake.errors import ForklakeError
from tests.attached import attach_main
from tests.conftest import Place


@pytest.fixture
def session(sqlite_place: Place, tmp_path: Path, spark: SparkSession) -> Iterator[Session]:
    with forklake.connect(spark=spark, dialect="duckdb") as opened:
        attach_main(opened, sqlite_place, tmp_path)
        opened.sql("CREATE TABLE f (id INTEGER, x FLOAT, y DOUBLE)")
        opened.sql("INSERT INTO f VALUES (1, 1.5, 1e40), (2, 'inf'::DOUBLE, NULL), (3, 'nan'::DOUBLE, 3)")
        yield opened


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1e40::FLOAT",
        "SELECT (-1e40)::FLOAT",
        "SELECT 3.4028235677973366e38::FLOAT",
        "SELECT y::FLOAT FROM f",
        "SELECT [1e40]::FLOAT[]",
        "INSERT INTO f (id, x) VALUES (4, 1e40)",
        "INSERT INTO f (x) VALUES (1e40), (DEFAULT)",
        "INSERT INTO f SELECT id, y, y FROM f",
        "INSERT INTO f BY NAME SELECT y AS x, id FROM f",
        "UPDATE f SET x = 1e39 WHERE id = 1",
        "UPDATE f SET x = y",
        "MERGE INTO f USING (SELECT 1 AS id, 1e40 AS y) AS s ON f.id = s.id WHEN MATCHED THEN UPDATE SET x = s.y",
        "MERGE INTO f USING (SELECT 9 AS i, 1e40 AS y) AS s ON f.id = i WHEN NOT MATCHED THEN INSERT (x) VALUES (s.y)",
        "ALTER TABLE f ALTER COLUMN x SET DEFAULT 1e40",
    ],
)
def test_a_number_beyond_float_is_an_error(session: Session, text: str) -> None:
    before = session.sql("SELECT id, x::VARCHAR, y FROM f ORDER BY id").fetchall()
    with pytest.raises(ForklakeError, match=r"FLOAT"):
        session.sql(text).fetchall()
    assert session.sql("SELECT id, x::VARCHAR, y FROM f ORDER BY id").fetchall() == before


def test_what_float_holds_stays(session: Session) -> None:
    query = (
        "SELECT 3.4028235677973362e38::FLOAT, 'inf'::FLOAT, ('-inf'::DOUBLE)::FLOAT,"
        " ('nan'::DOUBLE)::FLOAT, TRY_CAST(1e40 AS FLOAT), CAST(NULL AS DOUBLE)::FLOAT, 0.1::DOUBLE::FLOAT"
    )
    assert repr(session.sql(query).fetchall()) == repr(duckdb.connect().sql(query).fetchall())
    assert session.sql("UPDATE f SET x = y WHERE id > 1").fetchall() == [(2,)]
    assert session.sql("INSERT INTO f VALUES (4, '-inf'::DOUBLE, 1), (5, 'inf'::FLOAT, 1)").fetchall() == [(2,)]
    found = session.sql("SELECT x FROM f ORDER BY id").fetchall()
    assert found == [(1.5,), (None,), (3.0,), (float("-inf"),), (float("inf"),)]


def test_infinities_are_told_as_duckdb_tells_them(session: Session) -> None:
    for name in ("isinf", "isfinite", "isnan"):
        floats = ("'inf'::DOUBLE", "'-inf'::FLOAT", "'nan'::DOUBLE", "1.5::FLOAT", "1e300", "NULL::DOUBLE")
        query = f"SELECT {', '.join(f'{name}({value})' for value in floats)}"
        assert session.sql(query).fetchall() == duckdb.connect().sql(query).fetchall()
    for name in ("isinf", "isfinite"):
        values = ("1", "1.5", "NULL", "DATE '2020-01-01'", "TIMESTAMP '2020-01-01'", "NULL::DATE", "NULL::INTEGER")
        query = f"SELECT {', '.join(f'{name}({value})' for value in values)}, NOT {name}(1e0)"
        assert session.sql(query).fetchall() == duckdb.connect().sql(query).fetchall()
        with pytest.raises(ForklakeError, match=f"{name} needs a number"):
            session.sql(f"SELECT {name}('inf')")
    assert session.sql("SELECT id FROM f WHERE isinf(x)").fetchall() == [(2,)]
    assert session.sql("SELECT id FROM f WHERE isfinite(x) AND NOT isnan(y)").fetchall() == [(1,)]
