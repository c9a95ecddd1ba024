"""Rows out of a table: which, of when, with which columns, and what happens to files that are not as they were."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import DamagedFile, InvalidInput, InvalidName, NoSuchColumn, NoSuchSnapshot
from tests.conftest import Place
from tests.spark.conftest import Lakehouse, open_lakehouse
from tests.spark.inside import files, head, no_spark_job, paths, rows
from tests.spark.places import somewhere

FIRST = [(1, "a", 1.5), (2, "b", None)]
SECOND = [(3, None, 3.5), (4, "d", 4.5)]


def _table(lake: CatalogHandle) -> TableHandle:
    return lake.create_table("t", {"id": "bigint", "v": "varchar", "x": "double"})


def test_every_row_has_virtual_columns(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        place.table.update({"x": "0D"}, "id = 3")
        place.lake.set_option("data_inlining_row_limit", 1)
        place.table.append([(5, "inlined", None)])
        snapshots = [snapshot.snapshot_id for snapshot in place.lake.snapshots() if snapshot.snapshot_id]
        found = rows(place.table, "id", "rowid", "snapshot_id", "file_row_number", "filename")
        assert [(id, rowid, number) for id, rowid, _, number, _ in found] == [
            (1, 0, 0),
            (2, 1, 1),
            (3, 2, 0),
            (4, 3, 1),
            (5, 4, None),
        ]
        begun = [snapshot for _, _, snapshot, _, _ in found]
        assert begun[0] == begun[1] < begun[3] < begun[2] < begun[4] == snapshots[-1]
        names = {Path(name).name for *_, name in found if name is not None}
        assert names == {path.name for path in paths(lakehouse, place.table)}


def test_some_columns_can_be_chosen_in_any_order(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    table.append([*FIRST, *SECOND])
    assert table.to_spark(columns=["x", "ID"]).columns == ["x", "id"]
    assert table.scan(columns=["rowid", "v"]).columns == ["rowid", "v"]
    assert rows(table, "x", "rowid", "id", where="v = 'a'") == [(1.5, 0, 1)]
    assert table.columns == {"id": "BIGINT", "v": "VARCHAR", "x": "DOUBLE"}
    with pytest.raises(NoSuchColumn, match="Did you mean 'rowid'"):
        table.scan(columns=["row_id"])


def test_columns_may_have_odd_names_but_none_that_spark_takes_for_a_variable(local: Lakehouse) -> None:
    columns = ["$1", "forklake", "{env:HOME}", "a.b", "a`b", "select"]
    table = local.lake.create_table("t", dict.fromkeys(columns, "int"))
    table.append(local.spark.range(1).selectExpr(*(f"CAST({at} AS INT) AS c{at}" for at in range(6))).toDF(*columns))
    frame = table.to_spark()
    assert frame.columns == columns
    assert [tuple(row) for row in frame.collect()] == [tuple(range(6))]
    for name in ("${env:HOME}", "a${spark.app.name}"):
        with pytest.raises(InvalidName, match="variable"):
            local.lake.create_table("u", {name: "int"})
        with pytest.raises(InvalidName, match="variable"):
            table.rename_column("select", name)


def test_a_column_of_the_table_hides_the_virtual_one_of_its_name(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"rowid": "varchar", "_metadata": "int", "filename": "int"})
    table.append([("mine", 1, 2)])
    table.append(local.spark.sql("SELECT 'yours' AS rowid, 3 AS _metadata, 4 AS filename"))
    assert rows(table) == [("mine", 1, 2), ("yours", 3, 4)]
    assert rows(table, "rowid", "filename", "snapshot_id", where="rowid = 'mine'") == [("mine", 2, 3)]
    assert table.update({"filename": "_metadata"}, "rowid = 'yours'") == 1
    assert rows(table, "rowid", "filename") == [("mine", 2), ("yours", 3)]


def test_conditions_may_name_virtual_columns(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        table = place.table
        assert rows(table, "id", where="rowid >= 1 AND file_row_number = 1") == [(2,), (4,)]
        assert rows(table, "id", where=f"snapshot_id = {head(place.lake)}") == [(3,), (4,)]
        name = paths(lakehouse, table)[0].name
        assert rows(table, "id", where=f"filename LIKE '%{name}'") == [(1,), (2,)]
        assert table.count("rowid < 3") == 3
        assert table.to_spark(columns=["rowid", "id"]).where("rowid = 2").collect() == [(2, 3)]


def test_conditions_can_be_text_or_expressions(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    table.append([*FIRST, *SECOND])
    for where in ("id > 2", F.col("id") > 2, "x > 3 OR v = 'd'", F.expr("id + 0 > 2")):
        assert rows(table, "id", where=where) == [(3,), (4,)]
        assert table.count(where) == 2
    average = table.to_spark().agg(F.avg("id")).scalar()
    assert rows(table, "id", where=F.col("id") > average) == [(3,), (4,)]


def test_rows_can_be_read_as_of_a_version_or_a_time(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        table, known = place.table, {head(place.lake): rows(place.table)}
        for change in (lambda: table.delete("id = 1"), lambda: table.update({"v": "'u'"}, "id = 4"), table.truncate):
            change()
            known[head(place.lake)] = rows(table)
        times = {int(snapshot.snapshot_id): snapshot.snapshot_time for snapshot in place.lake.snapshots()}
        for version, expected in known.items():
            assert rows(table, version=version) == expected
            assert rows(table, timestamp=times[version]) == expected
            assert table.count(version=version) == len(expected)
            assert table.to_spark(version).count() == len(expected)
        assert rows(table, timestamp=times[head(place.lake)] + timedelta(days=1)) == []
        with pytest.raises(NoSuchSnapshot):
            table.scan(version=head(place.lake) + 1)


def test_a_version_of_before_the_table_has_no_table(lakehouse: Lakehouse) -> None:
    before = head(lakehouse.lake)
    table = _table(lakehouse.lake)
    with pytest.raises(forklake.ForklakeError, match="t"):
        table.scan(version=before)


def test_a_dataframe_stays_what_it_was(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        frame = place.table.to_spark(columns=["id"])
        place.table.delete("id IN (1, 3)")
        place.table.append([(9, None, None)])
        assert sorted(frame.collect()) == [(1,), (2,), (3,), (4,)]


def test_a_transaction_reads_what_it_has_changed_and_nothing_that_others_do(
    lakehouse: Lakehouse, in_fork: bool
) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        own = lakehouse.session.cursor()
        handle = own.catalog("lake")
        if in_fork:
            handle = handle.fork("middle", if_not_exists=True).fork("agent", if_not_exists=True)
        table = handle.table("t")
        with own.transaction():
            table.delete("id = 1")
            table.append([(5, "own", None)])
            place.table.append([(6, "other", None)])
            assert rows(table, "id") == [(2,), (3,), (4,), (5,)]
            assert rows(table, "snapshot_id", where="id = 5") == [(None,)]
            assert (table.count(), table.min("id"), table.max("id")) == (4, 2, 5)
            own.rollback()
            own.begin()
        assert rows(place.table, "id") == [(1,), (2,), (3,), (4,), (6,)]


def test_numbers_that_the_metadata_know_need_no_job(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place, no_spark_job(lakehouse.spark):
        assert place.table.count() == 4
        assert (place.table.min("id"), place.table.max("id")) == (1, 4)
        assert (place.table.min("v"), place.table.max("x")) == ("a", 4.5)


CHANGES: dict[str, Callable[[TableHandle, int], object]] = {
    "append": lambda t, n: t.append([(n, f"v{n}", n / 2), (n - 50, None, None)]),
    "append nothing but NULL": lambda t, n: t.append([(None, None, None)]),
    "append NaN": lambda t, n: t.append([(n, "", float("nan"))]),
    "append long": lambda t, n: t.append([(n, "x" * 300 + str(n), -0.0), (n, "é" * 200, float("inf"))]),
    "append few": lambda t, n: t.append([(n, "few", float(n))]),
    "delete": lambda t, n: t.delete(f"id % 3 = {n % 3}"),
    "update": lambda t, n: t.update({"id": "id + 1", "x": "-x"}, f"id % 2 = {n % 2}"),
    "truncate": lambda t, n: t.truncate(),
}


@settings(max_examples=6)
@given(
    limit=st.sampled_from([0, 1]),
    changes=st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.integers(1, 99)), min_size=1, max_size=5),
)
def test_count_min_and_max_are_those_of_the_rows(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, limit: int, changes: list[tuple[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("lake")
    lakehouse = open_lakehouse(Place(f"sqlite:{folder / 'lake.db'}", None, "sqlite"), folder, spark)
    try:
        lakehouse.lake.set_option("data_inlining_row_limit", limit)
        table = _table(lakehouse.lake)
        for name, number in changes:
            CHANGES[name](table, number)
        names = ["id", "v", "x"]
        wanted = [F.count("*"), *(each(name) for name in names for each in (F.min, F.max))]
        [expected] = table.to_spark().agg(*wanted).collect()
        found = [table.count(), *(each(name) for name in names for each in (table.min, table.max))]
        assert all(_same(*each) for each in zip(found, expected, strict=True)), (found, expected)
    finally:
        lakehouse.session.close()


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal; NaN is like NaN."""
    return bool(one == other or (one != one and other != other))


def _remove(path: Path) -> None:
    path.unlink()
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def _truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _overwrite(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


DAMAGES = {"missing": _remove, "truncated": _truncate, "overwritten": _overwrite}
READS: dict[str, Callable[[TableHandle], Any]] = {
    "scan": lambda t: t.scan().fetchall(),
    "count": lambda t: t.count("id + 0 > 0"),
    "max": lambda t: t.max("x"),
    "delete": lambda t: t.delete("id + 0 = 2"),
    "update": lambda t: t.update({"v": "'x'"}, "id + 0 = 2"),
    "merge": lambda t: t.merge([{"id": 2, "v": "x"}], "id"),
    "changes": lambda t: t.changes(3).fetchall(),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("which", ["data", "delete"])
def test_a_damaged_file_is_named_with_its_table_and_version(
    local: Lakehouse, damage: str, read: str, which: str
) -> None:
    table = local.lake.create_table("damaged", {"id": "bigint", "v": "varchar", "x": "double"})
    table.append([*FIRST, *SECOND, (5, "e", 5.5)])
    table.delete("id = 1")
    [file] = files(table)
    assert file.delete is not None
    path = local.data / (file.data.path if which == "data" else file.delete.path)
    before = head(local.lake)
    DAMAGES[damage](path)
    with pytest.raises(DamagedFile) as caught:
        READS[read](table)
    for part in ("'damaged'", path.name, f"version {before}"):
        assert part in str(caught.value)
    assert head(local.lake) == before


def test_a_session_that_is_given_keeps_its_settings(spark: SparkSession, sqlite_place: Place, tmp_path: Path) -> None:
    mine = spark.newSession()
    wanted = {
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
        "spark.sql.parquet.outputTimestampType": "INT96",
        "spark.sql.ansi.enabled": "false",
        "spark.sql.caseSensitive": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "3",
        "spark.sql.parquet.compression.codec": "gzip",
    }
    for name, value in wanted.items():
        mine.conf.set(name, value)
    lakehouse = open_lakehouse(sqlite_place, tmp_path, mine)
    table = lakehouse.lake.create_table("t", {"id": "bigint", "at": "timestamptz", "local": "timestamp"})
    moments = "TIMESTAMP_LTZ'2024-01-01 12:00:00' AS at, TIMESTAMP_NTZ'2024-01-01 12:00:00' AS local"
    table.append(mine.sql(f"SELECT 1L AS id, {moments}"))
    table.append(table.to_spark().selectExpr("id + 1 AS id", "at", "local").toArrow())
    assert table.update({"id": "id + 10"}, "local = '2024-01-01 12:00:00'") == 2
    assert table.delete("at > '2024-01-01 12:00:00'") == 0
    assert table.delete("id = 12 AND at >= '2024-01-01 12:00:00'") == 1
    [(_, at, local)] = rows(table)
    assert (at.isoformat(), local.isoformat()) == ("2024-01-01T17:00:00+00:00", "2024-01-01T12:00:00")
    assert [dtype for _, dtype in table.to_spark().dtypes] == ["bigint", "timestamp", "timestamp_ntz"]
    assert {name: mine.conf.get(name) for name in wanted} == wanted
    assert lakehouse.session.spark is mine
    lakehouse.session.close()


def test_writing_to_a_view_of_the_rows_does_not_write_into_the_table(local: Lakehouse) -> None:
    table = _table(local.lake)
    table.append([*FIRST, *SECOND])
    local.spark.catalog.dropTempView("shown")
    for frame in (table.to_spark(), table.scan("id > 0").to_spark(), table.to_spark(columns=["id", "v", "x"])):
        frame.createOrReplaceTempView("shown")
        with pytest.raises(Exception, match="not allowed"):
            local.spark.sql("INSERT INTO shown VALUES (9L, 'z', 9D)")
    local.spark.catalog.dropTempView("shown")
    assert len(rows(table)) == 4


def test_results_can_be_fetched_in_parts_and_forms(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    table.append([*FIRST, *SECOND])
    result = table.scan("id >= 1")
    assert result.columns == ["id", "v", "x"]
    first = result.fetchone()
    assert first is not None
    rest = [*result.fetchmany(2), *result.fetchall()]
    assert sorted([first, *rest]) == sorted([*FIRST, *SECOND])
    assert result.fetchone() is None
    assert result.fetchall() == []
    assert sorted(table.to_pandas()["id"]) == sorted(table.to_arrow()["id"].to_pylist()) == [1, 2, 3, 4]
    empty = lakehouse.lake.create_table("empty", {"id": "int"})
    assert (empty.scan().fetchall(), empty.to_spark().collect(), empty.count(), empty.max("id")) == ([], [], 0, None)


def test_rows_of_any_statement_are_a_dataframe_on_demand(local: Lakehouse) -> None:
    local.lake.create_table("t", {"id": "bigint"})
    assert [row[0] for row in local.session.sql("SHOW TABLES").to_spark().collect()] == ["t"]
    assert local.session.sql("SELECT snapshot_id FROM lake.snapshots()").to_spark().count() == 2


def test_a_condition_cannot_have_a_star(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int"})
    table.append([{"id": 1}])
    for where in ("to_json(struct(*)) = '{}'", "hash(t.*) = 1"):
        with pytest.raises(InvalidInput, match="list the columns"):
            table.delete(where)
    assert table.delete("id * 2 = 2") == 1


@pytest.mark.parametrize("text", ["SELECT array() AS x", "SELECT map() AS x", "SELECT named_struct('a', array()) AS x"])
def test_values_of_no_type_are_given_back(local: Lakehouse, text: str) -> None:
    [(found,)] = local.session.sql(text).fetchall()
    assert found in ([], {"a": []})
