"""Settings of the user's Spark session: they change neither rows nor text behind our back."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime

import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.errors import DamagedFile, InvalidOption
from forklake.spark.session.session_settings import REFUSED, settings_from
from tests.spark.conftest import CONNECT, Lakehouse
from tests.spark.inside import rows

ANCIENT = [(1, date(1, 1, 1), datetime(1, 1, 1, 0, 0, 0, 123456)), (2, date(1582, 10, 10), datetime(1500, 3, 1))]


@contextmanager
def setting(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    """The session with a setting, as a user would change it."""
    before = spark.conf.get(name, None)
    spark.conf.set(name, value)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, before)


@pytest.fixture
def ancient(local: Lakehouse) -> Lakehouse:
    """A table of dates from before the calendar of today, in files."""
    local.lake.set_option("data_inlining_row_limit", 0)
    local.lake.create_table("t", {"id": "int", "d": "date", "ts": "timestamp"}).append(ANCIENT)
    return local


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.sql.parquet.datetimeRebaseModeInRead", "LEGACY"),
        ("spark.sql.parquet.datetimeRebaseModeInRead", "EXCEPTION"),
        ("spark.sql.parquet.datetimeRebaseModeInWrite", "LEGACY"),
        ("spark.sql.parquet.int96RebaseModeInWrite", "LEGACY"),
        ("spark.sql.parquet.outputTimestampType", "INT96"),
        ("spark.sql.parquet.writeLegacyFormat", "true"),
        ("spark.sql.parquet.fieldId.read.enabled", "true"),
        ("spark.sql.parquet.fieldId.write.enabled", "false"),
        ("spark.sql.parquet.binaryAsString", "true"),
        ("spark.sql.parquet.inferTimestampNTZ.enabled", "false"),
        ("spark.sql.parquet.int96AsTimestamp", "false"),
    ],
)
def test_dates_stay_what_they_are(ancient: Lakehouse, name: str, value: str) -> None:
    with setting(ancient.spark, name, value):
        table = ancient.lake.table("t")
        assert rows(table) == ANCIENT
        table.update({"id": "id + 10"}, "d < DATE'1000-01-01'")
        ancient.session.sql("INSERT INTO lake.t SELECT id + 20, d, ts FROM lake.t WHERE id = 2")
        ancient.session.sql(
            "MERGE INTO lake.t USING (SELECT * FROM lake.t WHERE id = 2) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET d = s.d, ts = s.ts"
        )
    expected = [(2, *ANCIENT[1][1:]), (11, *ANCIENT[0][1:]), (22, *ANCIENT[1][1:])]
    assert sorted(rows(ancient.lake.table("t"))) == expected


@pytest.mark.parametrize("name", ["spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles"])
def test_no_rows_are_left_out_because_a_file_is_gone(ancient: Lakehouse, name: str) -> None:
    [file] = ancient.data.rglob("*.parquet")
    if "Missing" in name:
        file.unlink()
    else:
        file.write_bytes(b"PAR1 no parquet")
    with setting(ancient.spark, name, "true"), pytest.raises(DamagedFile):
        rows(ancient.lake.table("t"))


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_setting_that_we_cannot_work_with_is_refused_for_as_long_as_it_is_set(ancient: Lakehouse, name: str) -> None:
    with setting(ancient.spark, name, "true"):
        for act in (
            lambda: ancient.session.sql("SELECT 1 AS x"),
            lambda: ancient.session.sql("SELECT * FROM lake.t"),
            lambda: ancient.session.sql("INSERT INTO lake.t (id) VALUES (7)"),
            lambda: ancient.lake.table("t").delete("id = 1"),
            lambda: forklake.connect(spark=ancient.spark),
        ):
            with pytest.raises(InvalidOption, match=name):
                act()
        ancient.session.sql(f"SET {name} = false")
        assert len(ancient.session.sql("SELECT * FROM lake.t").fetchall()) == 2


def test_names_in_double_quotes_are_strings_without_ansi() -> None:
    quotes = "spark.sql.ansi.doubleQuotedIdentifiers"
    assert settings_from({quotes: "true"}).problem is not None
    assert settings_from({quotes: "true", "spark.sql.ansi.enabled": "false"}).problem is None


@pytest.mark.parametrize(
    ("name", "value", "where"),
    [
        ("spark.sql.legacy.typeCoercion.datetimeToString.enabled", "true", "ts > '2024-01-02'"),
        ("spark.sql.timestampType", "TIMESTAMP_NTZ", "ts >= TIMESTAMP'2024-01-02 00:00:00'"),
        ("spark.sql.ansi.enabled", "false", "id = '1x'"),
    ],
)
def test_spark_alone_decides_under_settings_that_change_what_expressions_mean(
    local: Lakehouse, name: str, value: str, where: str
) -> None:
    local.lake.set_option("data_inlining_row_limit", 0)
    table = local.lake.create_table("t", {"id": "int", "ts": "timestamp"})
    for day in (1, 2, 3):
        table.append([(day, datetime(2024, 1, day))])
    plain = local.spark.createDataFrame(table.to_arrow())
    with setting(local.spark, name, value):
        plain.createOrReplaceTempView("plain_rows")
        expected = local.spark.sql(f"SELECT id FROM plain_rows WHERE {where}").count()
        assert local.session.sql(f"SELECT count(id) FROM lake.t WHERE {where}").fetchall() == [(expected,)]
        assert local.session.sql(f"DELETE FROM lake.t WHERE {where}").fetchall() == [(expected,)]


def test_what_looks_like_a_variable_stays_as_it_is(local: Lakehouse) -> None:
    variable = "${spark.app.name}"
    table = local.lake.create_table("t", {"id": "int", "v": "varchar"})
    local.lake.set_option("data_inlining_row_limit", 0)
    sql = local.session.sql
    sql(f"INSERT INTO lake.t SELECT 1, '{variable}'")
    sql(f"INSERT INTO lake.t VALUES (2, '\\\\{variable} it''s')")
    assert rows(table, "id", where=f"v = '{variable}'") == [(1,)]
    assert sql(
        f"SELECT id, r'{variable}', \"{variable}\" /* {variable} */ FROM lake.t WHERE v = '{variable}'"
    ).fetchall() == [(1, variable, variable)]
    assert sql(f"SELECT id AS `a{variable}` FROM lake.t WHERE id = 1").to_arrow().column_names == [f"a{variable}"]
    sql(f"UPDATE lake.t SET v = concat(v, '\\{variable}') WHERE v = '{variable}'")
    table.update({"v": f"concat(v, '{variable}')"}, "id = 1")
    sql(
        "MERGE INTO lake.t USING (SELECT 1 AS id) s ON t.id = s.id "
        f"WHEN MATCHED THEN UPDATE SET v = concat('{variable}', v)"
    )
    assert rows(table, "v", where="id = 1") == [(variable * 4,)]
    assert sql(f"DELETE FROM lake.t WHERE v LIKE '%{variable}%'").fetchall() == [(2,)]
    assert local.spark.conf.get("spark.sql.variable.substitute") == "true"


def test_what_looks_like_a_variable_stays_as_it_is_in_the_dialect_of_duckdb(local: Lakehouse) -> None:
    duckdb = forklake.connect(dialect="duckdb", spark=local.spark)
    assert duckdb.sql("SELECT '${spark.app.name}' || '\\${spark.app.name}' AS v").fetchall() == [
        ("${spark.app.name}\\${spark.app.name}",)
    ]


def test_settings_are_left_as_they_were(ancient: Lakehouse) -> None:
    before = dict(ancient.spark.conf.getAll)
    ancient.session.sql("CREATE TABLE lake.c AS SELECT * FROM lake.t")
    ancient.session.sql("UPDATE lake.c SET id = 1")
    assert dict(ancient.spark.conf.getAll) == before


@pytest.mark.skipif(CONNECT, reason="a client has no session that is active by itself")
def test_settings_of_a_session_that_is_active_count_before_it_is_used(local: Lakehouse) -> None:
    name = "spark.sql.legacy.consecutiveStringLiterals.enabled"
    local.session.sql("CREATE TABLE lake.t (v STRING)")
    with setting(local.spark, name, "true"), forklake.connect() as other:
        other.attach(local.place.url, "lake", catalog="main")
        with pytest.raises(InvalidOption, match=name):
            other.sql("INSERT INTO lake.t VALUES ('a''b')")
    with setting(local.spark, "spark.sql.caseSensitive", "true"), forklake.connect() as other:
        assert not other._state.takes_shortcuts
