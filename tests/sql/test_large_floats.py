"""Numbers beyond the range of FLOAT are errors in the dialect duckdb, as in DuckDB."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.api.session import Session
from forklake.api.table import TableHandle
from forklake.errors import ForklakeError, InvalidInput, InvalidRows
from tests.attached import attach_main
from tests.conftest import Place


@pytest.fixture
def session(sqlite_place: Place, tmp_path: Path, spark: SparkSession) -> Iterator[Session]:
    yield from with_floats(sqlite_place, tmp_path, spark)


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[Session]:
    """The same for all statements that change nothing."""
    folder = tmp_path_factory.mktemp("unchanged")
    yield from with_floats(Place(f"sqlite:{folder / 'lake.db'}", None, "sqlite"), folder, spark)


def with_floats(place: Place, folder: Path, spark: SparkSession) -> Iterator[Session]:
    with forklake.connect(spark=spark, dialect="duckdb") as opened:
        attach_main(opened, place, folder)
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
def test_a_number_beyond_float_is_an_error(unchanged: Session, text: str) -> None:
    with pytest.raises(ForklakeError, match=r"FLOAT"):
        unchanged.sql(text).fetchall()
    stored = repr(unchanged.sql("SELECT * FROM f ORDER BY id").fetchall())
    assert stored == "[(1, 1.5, 1e+40), (2, inf, None), (3, nan, 3.0)]"


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


NESTED: dict[str, tuple[str, str, Any]] = {
    "l": ("FLOAT[]", "[0.5, {}]", [0.5, 1e40]),
    "s": ("STRUCT(a FLOAT, b INTEGER)", "{{'b': 1, 'a': {}}}", {"b": 1, "a": 1e40}),
    "m": ("MAP(VARCHAR, FLOAT)", "MAP {{'k': {}}}", {"k": 1e40}),
    "k": ("MAP(FLOAT, INTEGER)", "MAP {{{}: 1}}", {1e40: 1}),
    "d": ("STRUCT(a FLOAT[])[]", "[{{'a': [{}]}}]", [{"a": [1e40]}]),
}


@pytest.fixture
def nested(session: Session) -> Session:
    session.sql(f"CREATE TABLE n (id INTEGER, {', '.join(f'{name} {kind}' for name, (kind, _, _) in NESTED.items())})")
    session.sql("INSERT INTO n (id) VALUES (1)")
    return session


@pytest.mark.parametrize("name", NESTED)
def test_a_number_beyond_float_is_an_error_at_every_depth(nested: Session, name: str) -> None:
    _, written, value = NESTED[name]
    large, fitting = written.format("1e40"), written.format("'inf'::DOUBLE")
    table = nested.catalog("lake").table("n")
    entries = list(value.items()) if name in "mk" else value

    def source(number: int) -> pa.Table:
        return pa.table({"id": [number], name: pa.array([entries], _doubles(name))})

    merge = "MERGE INTO n USING (SELECT 1 AS i) AS s ON n.id = s.i WHEN"
    writes: list[Callable[[], object]] = [
        lambda: nested.sql(f"INSERT INTO n (id, {name}) SELECT 2, {large}"),
        lambda: nested.sql(f"UPDATE n SET {name} = {large}"),
        lambda: table.append([{"id": 2, name: value}]),
        lambda: table.append(source(2)),
    ]
    # How rows get into a table has nothing to do with the types of its columns: one of them tries every way.
    others: list[Callable[[], object]] = [
        lambda: nested.sql(f"INSERT INTO n BY NAME SELECT 2 AS id, {large} AS {name}"),
        lambda: nested.sql(f"{merge} MATCHED THEN UPDATE SET {name} = {large}"),
        lambda: nested.sql(f"{merge} NOT MATCHED BY SOURCE THEN DELETE WHEN MATCHED THEN UPDATE SET {name} = {large}"),
        lambda: table.overwrite([{"id": 2, name: value}]),
        lambda: table.merge(source(1), on="id"),
    ]
    for write in writes + others if name == "d" else writes:
        with pytest.raises(InvalidRows, match="FLOAT"):
            write()
    assert nested.sql(f"SELECT id, {name} FROM n").fetchall() == [(1, None)]
    assert nested.sql(f"UPDATE n SET {name} = {fitting}").fetchall() == [(1,)]


def _doubles(name: str) -> pa.DataType:
    of_struct = pa.struct([("a", pa.list_(pa.float64()))])
    return {
        "l": pa.list_(pa.float64()),
        "s": pa.struct([("b", pa.int32()), ("a", pa.float64())]),
        "m": pa.map_(pa.string(), pa.float64()),
        "k": pa.map_(pa.float64(), pa.int32()),
        "d": pa.list_(of_struct),
    }[name]


def test_values_of_python_beyond_float_are_errors_as_in_sql(session: Session, tmp_path: Path) -> None:
    table = session.catalog("lake").table("f")
    (tmp_path / "in.json").write_text('{"id": 4, "x": 1e40}\n')
    writes: list[Callable[[], object]] = [
        lambda: table.append([(4, 1e40, 0.5)]),
        lambda: table.append([{"x": np.float64(1e40)}]),
        lambda: table.update({"x": 1e40}),
        lambda: table.update({"x": "1e40D"}),
        lambda: session.sql("INSERT INTO f (x) VALUES (?)", [1e40]),
        lambda: session.sql("UPDATE f SET x = $x", {"x": 1e40}),
        lambda: table.set_default("x", 1e40),
        lambda: table.add_column("z", "float", default="1e40"),
        lambda: session.sql(f"COPY f (id, x) FROM '{tmp_path}/in.json'"),
    ]
    for write in writes:
        with pytest.raises(ForklakeError, match="FLOAT"):
            write()
    assert table.append([{"id": 5, "x": float("inf")}, {"id": 6, "x": np.float32(1.5)}, {"id": 7, "x": 1}]) == 3
    assert session.sql("SELECT x FROM f WHERE id > 4 ORDER BY id").fetchall() == [(float("inf"),), (1.5,), (1.0,)]


def test_in_the_dialect_of_spark_a_number_beyond_float_is_an_infinity(
    nested: Session, spark: SparkSession, sqlite_place: Place
) -> None:
    with forklake.connect(spark=spark) as other:
        table = attach_main_again(other, sqlite_place)
        assert table.append([{"id": 2, "l": [1e40], "s": {"a": -1e40}}]) == 1
        assert other.sql("INSERT INTO lake.n (id, l) SELECT 3, array(1e40D)").fetchall() == [(1,)]
        found = other.sql("SELECT l[0], s.a FROM lake.n WHERE id > 1 ORDER BY id").fetchall()
        assert found == [(float("inf"), float("-inf")), (float("inf"), None)]


def attach_main_again(session: Session, place: Place) -> TableHandle:
    return session.attach(place.url, "lake", catalog="main").table("n")


def test_infinite_dates_of_others_are_told_as_duckdb_tells_them(session: Session, tmp_path: Path) -> None:
    rows = "('infinity', '-infinity', 'infinity'), ('-infinity', 'infinity', '-infinity'), ('2020-01-01', NULL, NULL)"
    file = tmp_path / "others.parquet"
    given = f"SELECT d::DATE AS d, t::TIMESTAMP AS t, z::TIMESTAMPTZ AS z FROM (VALUES {rows}) AS v (d, t, z)"
    duckdb.sql(f"COPY ({given}) TO '{file}' (FORMAT parquet)")
    session.sql("CREATE TABLE others (d DATE, t TIMESTAMP, z TIMESTAMPTZ)")
    session.sql(f"CALL ducklake_add_data_files('lake', 'others', '{file}')")
    tests = ", ".join(
        f"{name}({column}), {name}({column}) IS NULL" for name in ("isinf", "isfinite") for column in "dtz"
    )
    assert (
        session.sql(f"SELECT {tests} FROM others").fetchall() == duckdb.sql(f"SELECT {tests} FROM '{file}'").fetchall()
    )
    for extreme in (session.catalog("lake").table("others").max, session.catalog("lake").table("others").min):
        for column in "dtz":
            with pytest.raises(InvalidInput, match=f"The value of {column} is a date or time outside"):
                extreme(column)
