"""Rows that end: in delete files, with their whole file, or in the metadata."""

import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import CommitConflict
from tests.spark.conftest import Lakehouse
from tests.spark.inside import files, files_below, head, no_spark_job, rows
from tests.spark.places import another_session, somewhere

FIRST = [(id, f"v{id}") for id in range(10)]
SECOND = [(id, f"v{id}") for id in range(10, 20)]


def _table(lake: CatalogHandle) -> TableHandle:
    return lake.create_table("t", {"id": "bigint", "v": "varchar"})


def _ids(table: TableHandle, **when: int) -> list[int]:
    return [id for (id,) in rows(table, "id", **when)]


@pytest.mark.parametrize("form", ["text", "expression"])
def test_rows_are_deleted_where_the_condition_is_true(lakehouse: Lakehouse, in_fork: bool, form: str) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        before = head(place.lake)
        place.table.append([(None, "null")])
        where = "id % 3 = 0" if form == "text" else F.col("id") % 3 == 0
        assert place.table.delete(where) == 7
        kept = [id for id in range(20) if id % 3]
        assert rows(place.table, "id") == [(None,), *((id,) for id in kept)]
        assert place.table.count() == 14
        assert rows(place.table, "rowid", "id")[:3] == [(1, 1), (2, 2), (4, 4)]
        assert _ids(place.table, version=before) == list(range(20))


def test_each_delete_file_holds_all_that_is_deleted_from_its_file(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        versions = [head(place.lake)]
        for id in (3, 8, 5):
            assert place.table.delete(f"id = {id}") == 1
            versions.append(head(place.lake))
        first, second = files(place.table)
        assert second.delete is None
        assert first.delete is not None
        assert first.delete.delete_count == 3
        found = pq.ParquetFile(lakehouse.data / first.delete.path).read().to_pydict()
        assert found == {"file_path": [str(lakehouse.data / first.data.path)] * 3, "pos": [3, 5, 8]}
        for version, gone in zip(versions, ([], [3], [3, 8], [3, 5, 8]), strict=True):
            assert _ids(place.table, version=version) == [id for id in range(20) if id not in gone]
        assert place.table.delete("id = 3") == 0


def test_a_file_without_rows_left_ends_in_the_metadata(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        place.table.delete("v LIKE '%4'")
        before = files_below(lakehouse.data)
        assert place.table.delete("upper(v) < 'V2' AND length(v) = 3 OR id + 0 = 1") == 10
        place.table.delete("id + 0 >= 10")
        assert len(files(place.table)) == 1
        written = files_below(lakehouse.data) - before
        assert all(path.name.endswith("-delete.parquet") for path in written)
        assert _ids(place.table) == [0, 2, 3, 5, 6, 7, 8, 9]


@pytest.mark.parametrize(
    "where", ["id < 10", "id BETWEEN 0 AND 9", "v IS NOT NULL AND id <= 9", "id IN (0) OR id < 15 AND id < 10"]
)
def test_a_file_that_the_bounds_prove_to_be_deleted_is_not_read(
    lakehouse: Lakehouse, in_fork: bool, where: str
) -> None:
    with (
        somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place,
        another_session(lakehouse, place.table, with_spark=False) as (session, table),
    ):
        before = files_below(lakehouse.data)
        assert table.delete(where) == 10
        assert not session._spark_provider.is_running
        assert files_below(lakehouse.data) == before
        assert _ids(place.table) == list(range(10, 20))


def test_an_overwrite_does_not_read_files_that_the_bounds_prove_to_be_replaced(lakehouse: Lakehouse) -> None:
    made = _table(lakehouse.lake)
    for each in (FIRST, SECOND):
        made.append(each)
    with another_session(lakehouse, made, with_spark=False) as (session, table):
        assert table.overwrite([(30, "new")], where="id < 10") == 1
        assert not session._spark_provider.is_running
    assert _ids(made) == [*range(10, 20), 30]


def test_a_file_with_deleted_rows_is_ended_whole_as_well(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        place.table.delete("id = 4")
        with no_spark_job(lakehouse.spark):
            assert place.table.delete("id < 10") == 9
        assert _ids(place.table) == list(range(10, 20))


def test_a_null_among_the_values_keeps_a_file_from_being_proven(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    table.append([(1, "a"), (None, "b"), (2, "c")])
    assert table.delete("id < 10") == 2
    assert rows(table) == [(None, "b")]


@pytest.mark.parametrize("how", ["delete", "truncate"])
def test_everything_is_deleted_without_spark(lakehouse: Lakehouse, in_fork: bool, how: str) -> None:
    with (
        somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place,
        another_session(lakehouse, place.table, with_spark=False) as (session, table),
    ):
        version = head(place.lake)
        assert getattr(table, how)() == 20
        assert rows(table) == []
        assert table.count() == 0
        assert not session._spark_provider.is_running
        assert len(rows(place.table, version=version)) == 20
        place.table.append([(1, "again")])
        assert rows(place.table, "rowid", "v") == [(20, "again")]


@pytest.mark.parametrize("where", ["id = 100", "id + 0 = 100", "id IS NULL", "id = NULL", "false"])
def test_a_condition_that_nothing_meets_makes_no_snapshot(lakehouse: Lakehouse, in_fork: bool, where: str) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        before = head(place.lake), files_below(lakehouse.data)
        assert place.table.delete(where) == 0
        assert (head(place.lake), files_below(lakehouse.data)) == before


def test_a_condition_may_read_the_table_itself(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        average = place.table.to_spark().agg(F.avg("id")).scalar()
        assert place.table.delete(F.col("id") > average) == 10
        assert _ids(place.table) == list(range(10))


def test_rows_of_the_own_transaction_are_deleted_too(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST) as place:
        with lakehouse.session.transaction():
            place.table.append(SECOND)
            assert place.table.delete("id IN (3, 13)") == 2
            assert place.table.delete("id IN (4, 14)") == 2
            assert place.table.delete("id >= 15") == 5
            assert _ids(place.table) == [0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12]
            assert place.table.count() == 11
        assert _ids(place.table) == [0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12]
        assert rows(place.table, "rowid", "id") == [(id, id) for id in _ids(place.table)]


def test_a_transaction_can_delete_all_it_has_added(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    before = head(lakehouse.lake)
    with lakehouse.session.transaction():
        table.append(FIRST)
        assert table.delete("id + 0 < 100") == 10
    assert head(lakehouse.lake) == before
    assert rows(table) == []


def test_two_sessions_can_delete_from_different_files(lakehouse: Lakehouse, in_fork: bool) -> None:
    with (
        somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place,
        another_session(lakehouse, place.table) as (other, same),
    ):
        lakehouse.session.begin()
        other.begin()
        assert place.table.delete("id = 3") == 1
        assert same.delete("id = 13") == 1
        assert same.delete("id = 14") == 1
        lakehouse.session.commit()
        other.commit()
        assert _ids(place.table) == [id for id in range(20) if id not in (3, 13, 14)]


@pytest.mark.parametrize("how", ["rows", "the whole file"])
def test_two_sessions_cannot_delete_from_the_same_file(lakehouse: Lakehouse, in_fork: bool, how: str) -> None:
    with (
        somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place,
        another_session(lakehouse, place.table) as (other, same),
    ):
        other.begin()
        assert same.delete("id = 4" if how == "rows" else "id < 10") > 0
        assert place.table.delete("id = 3") == 1
        with pytest.raises(CommitConflict):
            other.commit()
        assert _ids(place.table) == [id for id in range(20) if id != 3]


def test_many_files_with_deletes_are_read_right(local: Lakehouse) -> None:
    table = _table(local.lake)
    local.lake.set_option("target_file_size", "1KB")
    table.append(local.spark.range(0, 5000, 1, 2).selectExpr("id", "concat('v', id) AS v"))
    assert len(files(table)) > 20
    assert table.delete("id % 7 = 3 OR id BETWEEN 1000 AND 1500") == sum(
        i % 7 == 3 or 1000 <= i <= 1500 for i in range(5000)
    )
    expected = [i for i in range(5000) if i % 7 != 3 and not 1000 <= i <= 1500]
    assert _ids(table) == expected
    assert rows(table, "id", where="id > 4900") == [(i,) for i in expected if i > 4900]
