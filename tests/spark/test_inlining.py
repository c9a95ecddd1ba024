"""Rows in the metadata database: like any other, but without files and without Spark."""

from collections.abc import Sequence
from typing import Any

import pytest

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import QueryFailed
from forklake.maintenance.compaction.flush_tables import flush_inlined
from tests.spark.conftest import Lakehouse
from tests.spark.inside import Row, batches, files, files_below, head, no_spark_job, rows
from tests.spark.places import another_session, somewhere

FIRST = [(1, "a"), (2, "b")]
SECOND = [(3, "c"), (4, "d")]


def _table(lake: CatalogHandle) -> TableHandle:
    lake.set_option("data_inlining_row_limit", 3)
    return lake.create_table("t", {"id": "bigint", "v": "varchar"})


def _flush(table: TableHandle) -> int:
    with table._writing() as (work, found):
        return flush_inlined(work, found)


def _history(table: TableHandle, versions: Sequence[int]) -> list[Any]:
    """Everything that can be read of a table: each version, and what changed in and since each."""
    then = [rows(table, "rowid", "snapshot_id", *table.columns, version=version) for version in versions]
    changes = sorted(table.changes(versions[0], versions[-1]).fetchall(), key=repr)
    return [then, changes, rows(table, "rowid", "snapshot_id", *table.columns)]


@pytest.mark.parametrize("source", ["rows", "Arrow", "DataFrame"])
@pytest.mark.parametrize(("count", "inlined"), [(2, True), (3, True), (4, False)])
def test_up_to_the_limit_rows_go_into_the_metadata(
    lakehouse: Lakehouse, source: str, count: int, inlined: bool
) -> None:
    table = _table(lakehouse.lake)
    frame = lakehouse.spark.range(0, count, 1, 2).selectExpr("id", "concat('v', id) AS v")
    arrow = frame.toArrow()
    assert table.append({"rows": arrow.to_pylist(), "Arrow": arrow, "DataFrame": frame}[source]) == count
    assert [batch.row_count for batch in batches(table)] == ([count] if inlined else [])
    assert bool(files(table)) is not inlined
    assert bool(files_below(lakehouse.data)) is not inlined
    assert rows(table, "rowid", "id", "v") == [(id, id, f"v{id}") for id in range(count)]


def test_a_limit_of_zero_inlines_nothing_and_a_table_may_have_its_own(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    other = lakehouse.lake.create_table("other", {"id": "int"})
    lakehouse.lake.set_option("data_inlining_row_limit", 0, table="t")
    table.append([(1, "a")])
    other.append([(1,)])
    assert (len(batches(table)), len(batches(other))) == (0, 1)


def test_the_limit_can_be_given_to_an_attachment(lakehouse: Lakehouse) -> None:
    table = lakehouse.lake.create_table("t", {"id": "int"})
    place = lakehouse.place
    with forklake.connect() as session:
        lake = session.attach(
            place.url, "lake", catalog="main", metadata_schema=place.metadata_schema, data_inlining_row_limit=1
        )
        lake.table("t").append([(1,)])
        lake.table("t").append([(2,), (3,)])
        assert not session._spark_provider.is_running
    assert len(batches(table)) == len(files(table)) == 1
    assert rows(table) == [(1,), (2,), (3,)]


def test_inlined_rows_are_inserted_and_read_without_spark(lakehouse: Lakehouse, in_fork: bool) -> None:
    with (
        somewhere(lakehouse, in_fork, _table, FIRST) as place,
        another_session(lakehouse, place.table, with_spark=False) as (session, table),
    ):
        assert table.append([SECOND[0]]) == 1
        table.append([{"id": 4, "v": "d"}])
        assert rows(table) == [*FIRST, *SECOND]
        assert rows(table, "rowid", "id") == [(0, 1), (1, 2), (2, 3), (3, 4)]
        assert (table.count(), table.to_arrow().num_rows) == (4, 4)
        with session.transaction():
            table.append([(5, "e")])
            assert len(rows(table)) == 5
        assert table.delete() == 5
        assert rows(table) == []
        assert not session._spark_provider.is_running


def test_inlined_rows_are_inserted_and_read_without_a_job(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    with no_spark_job(lakehouse.spark):
        table.append([(1, "a")])
        table.append([{"id": 2}])
        assert rows(table) == [(1, "a"), (2, None)]
        assert rows(table, version=head(lakehouse.lake) - 1) == [(1, "a")]


def test_inlined_rows_are_changed_and_travelled_to(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        table, versions = place.table, [head(place.lake)]
        assert table.update({"v": "upper(v)"}, "id IN (2, 3)") == 2
        versions.append(head(place.lake))
        assert table.delete("id = 4 OR v = 'B'") == 2
        versions.append(head(place.lake))
        table.merge([{"id": 1, "v": "merged"}, {"id": 9, "v": "new"}], "id")
        assert rows(table, "rowid", "id", "v") == [(0, 1, "merged"), (2, 3, "C"), (4, 9, "new")]
        assert rows(table, version=versions[0]) == [*FIRST, *SECOND]
        assert rows(table, version=versions[1]) == [(1, "a"), (2, "B"), (3, "C"), (4, "d")]
        assert rows(table, version=versions[2]) == [(1, "a"), (3, "C")]
        assert files_below(lakehouse.data) == set()
        assert table.count() == 3


def test_inlined_rows_of_the_own_transaction_are_changed(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST) as place:
        with lakehouse.session.transaction():
            place.table.append(SECOND)
            assert place.table.update({"v": "'x'"}, "id IN (1, 3)") == 2
            assert place.table.delete("id IN (2, 4)") == 2
            assert rows(place.table) == [(1, "x"), (3, "x")]
        assert rows(place.table) == [(1, "x"), (3, "x")]
        assert rows(place.table, "rowid", "id")[0] == (0, 1)


def test_files_and_inlined_rows_are_read_and_changed_together(lakehouse: Lakehouse, in_fork: bool) -> None:
    many = [(id, "file") for id in range(10, 20)]
    with somewhere(lakehouse, in_fork, _table, many, FIRST) as place:
        table = place.table
        assert (len(files(table)), len(batches(table))) == (1, 1)
        assert rows(table) == [*FIRST, *many]
        assert table.update({"v": "'both'"}, "id IN (1, 11)") == 2
        assert table.delete("id IN (2, 12, 13)") == 3
        assert table.update({"v": "'many'"}, "id >= 14") == 6
        expected = [(1, "both"), (10, "file"), (11, "both"), *((id, "many") for id in range(14, 20))]
        assert rows(table) == expected
        assert dict(rows(table, "id", "rowid"))[11] == 1
        assert rows(table, where="v = 'both'") == [(1, "both"), (11, "both")]
        assert table.max("id") == 19
        assert table.count() == 9


def test_flushed_rows_keep_their_ids_and_their_history(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        table = place.table
        table.update({"v": "upper(v)"}, "id IN (2, 3)")
        table.append([(5, "e"), (6, "f")])
        table.delete("id IN (1, 5)")
        versions = [snapshot.snapshot_id for snapshot in place.lake.snapshots()][2:]
        before = _history(table, versions)
        assert _flush(table) == 4
        assert batches(table) == []
        assert len(files(table)) == 1
        assert _history(table, versions) == before
        assert table.changes(head(place.lake)).fetchall() == []
        assert table.count() == 4
        # And everything goes on.
        assert table.update({"v": "'later'"}, "id = 2") == 1
        assert table.delete("id = 4") == 1
        assert rows(table, "rowid", "id", "v") == [(1, 2, "later"), (2, 3, "C"), (5, 6, "f")]
        assert _history(table, versions)[0] == before[0]


def test_there_may_be_nothing_to_flush(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    before = head(lakehouse.lake)
    assert _flush(table) == 0
    assert head(lakehouse.lake) == before
    table.append(FIRST)
    table.delete("id > 0")
    assert _flush(table) == 0
    assert rows(table) == files(table) == []


def test_flushed_rows_go_to_their_partitions_in_order(lakehouse: Lakehouse) -> None:
    lakehouse.lake.set_option("data_inlining_row_limit", 3)
    table = lakehouse.lake.create_table("t", {"id": "int", "k": "int"}, partitioned_by=["k"], sorted_by=["id DESC"])
    given: list[Row] = [(1, 1), (2, 2), (3, 1), (4, None)]
    for row in given:
        table.append([row])
    assert _flush(table) == 4
    assert len(files(table)) == 3
    assert rows(table) == given
    assert rows(table, "file_row_number", "id", where="k = 1") == [(0, 3), (1, 1)]
    assert rows(table, "rowid", "id") == [(0, 1), (1, 2), (2, 3), (3, 4)]


@pytest.mark.parametrize("flushed", [False, True], ids=["inlined", "flushed"])
def test_inlined_rows_follow_changes_of_the_table(lakehouse: Lakehouse, in_fork: bool, flushed: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        table, version = place.table, head(place.lake)
        table.add_column("n", "int", default="7")
        table.rename_column("v", "label")
        table.append([(5, "e", 1)])
        table.set_type("n", "bigint")
        table.move_column("n")
        table.add_column("v", "int")
        table.append([(2**40, 6, "f", 2)])
        if flushed:
            assert _flush(table) == 6
        expected: list[Row] = [(7, id, v, None) for id, v in [*FIRST, *SECOND]]
        assert rows(table) == [(1, 5, "e", None), *expected, (2**40, 6, "f", 2)]
        assert rows(table, version=version) == [*FIRST, *SECOND]
        table.drop_column("label")
        assert table.update({"v": "id + 1"}, "n = 7") == 4
        assert rows(table, where="id <= 2") == [(7, 1, 2), (7, 2, 3)]


@pytest.mark.parametrize("limit", [0, 100], ids=["in files", "inlined"])
def test_a_condition_that_keeps_no_row_fails_at_none(local: Lakehouse, limit: int) -> None:
    local.lake.set_option("data_inlining_row_limit", limit)
    local.lake.create_table("t", {"id": "int", "s": "varchar"}).append([(1, "a"), (2, "b")])
    sql = local.session.sql
    assert sql("SELECT * FROM lake.t WHERE s < 1 AND false").fetchall() == []
    assert sql("SELECT * FROM lake.t WHERE 1 / (id - 1) > 0 AND NULL").fetchall() == []
    assert sql("SELECT * FROM lake.t WHERE s < 1 LIMIT 0").fetchall() == []
    assert sql("DELETE FROM lake.t WHERE s < 1 AND false").fetchall() == [(0,)]
    assert sql("UPDATE lake.t SET id = 3 WHERE s < 1 AND false").fetchall() == [(0,)]
    assert sql("SELECT snapshot_id FROM lake.snapshots() WHERE commit_message < 1 AND false").fetchall() == []
    with pytest.raises(QueryFailed):
        sql("SELECT * FROM lake.t WHERE s < 1").fetchall()
