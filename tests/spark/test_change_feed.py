"""What happened to the rows of a table from one snapshot to another."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import InvalidInput, NoSuchSnapshot
from tests.conftest import Place
from tests.spark.conftest import Lakehouse, open_lakehouse
from tests.spark.inside import Row, head, rows, sort_key
from tests.spark.places import somewhere
from tests.spark.test_inlining import _flush
from tests.spark.test_plans import plan_of

FIRST = [(1, "a"), (2, "b")]
SECOND = [(3, "c"), (4, "d")]


def _table(lake: CatalogHandle) -> TableHandle:
    return lake.create_table("t", {"id": "bigint", "v": "varchar"})


def _inlining(lake: CatalogHandle) -> TableHandle:
    lake.set_option("data_inlining_row_limit", 3)
    return _table(lake)


def _changes(table: TableHandle, since: Any, until: Any = None, kind: Any = "changes") -> list[Row]:
    return sorted(table.changes(since, until, kind).fetchall(), key=sort_key)


def _told(lake: CatalogHandle, table: TableHandle) -> list[Row]:
    """The changes of the newest snapshot, without its number."""
    return [row[1:] for row in _changes(table, head(lake))]


@pytest.mark.parametrize("make", [_table, _inlining], ids=["files", "inlined"])
def test_every_kind_of_change_is_told(
    lakehouse: Lakehouse, in_fork: bool, make: Callable[[CatalogHandle], TableHandle]
) -> None:
    with somewhere(lakehouse, in_fork, make, FIRST, SECOND) as place:
        lake, table = place.lake, place.table
        assert _told(lake, table) == [(2, "insert", 3, "c"), (3, "insert", 4, "d")]
        start = head(lake)
        table.update({"v": "upper(v)"}, "id = 2")
        assert _told(lake, table) == [(1, "update_postimage", 2, "B"), (1, "update_preimage", 2, "b")]
        table.delete("id IN (1, 3)")
        assert _told(lake, table) == [(0, "delete", 1, "a"), (2, "delete", 3, "c")]
        table.merge([{"id": 4, "v": "m"}, {"id": 5, "v": "n"}], "id")
        merged = [(3, "update_postimage", 4, "m"), (3, "update_preimage", 4, "d"), (4, "insert", 5, "n")]
        assert _told(lake, table) == merged
        table.truncate()
        assert _told(lake, table) == [(1, "delete", 2, "B"), (3, "delete", 4, "m"), (4, "delete", 5, "n")]
        table.append([(7, "x")])
        table.overwrite([(8, "y")])
        assert _told(lake, table) == [(5, "delete", 7, "x"), (6, "insert", 8, "y")]
        inserted = [row[1:] for row in _changes(table, start, kind="insertions")]
        assert [(rowid, id) for rowid, id, _ in inserted] == [(2, 3), (3, 4), (1, 2), (3, 4), (4, 5), (5, 7), (6, 8)]
        deleted = [row[1:] for row in _changes(table, start, kind="deletions")]
        assert [id for _, id, _ in deleted] == [2, 1, 3, 4, 2, 4, 5, 7]


def test_a_range_may_begin_before_the_fork(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        place.table.delete("id IN (2, 4)")
        first = lakehouse.lake.snapshots()[2].snapshot_id
        found = _changes(place.table, first)
        assert [row[1:] for row in found] == [
            (0, "insert", 1, "a"),
            (1, "insert", 2, "b"),
            (2, "insert", 3, "c"),
            (3, "insert", 4, "d"),
            (1, "delete", 2, "b"),
            (3, "delete", 4, "d"),
        ]
        assert _changes(place.table, first, first) == found[:2]
        assert len({snapshot for snapshot, *_ in found}) == 3


def test_what_happens_in_the_parent_after_the_fork_is_not_told(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    table.append(FIRST)
    first = head(lakehouse.lake)
    fork = lakehouse.lake.fork("agent")
    table.delete("id = 1")
    fork.table("t").append(SECOND)
    assert [row[1:3] for row in _changes(table, first)] == [(0, "insert"), (1, "insert"), (0, "delete")]
    assert [row[1:3] for row in _changes(fork.table("t"), first)] == [(id, "insert") for id in range(4)]


def test_a_range_can_be_given_by_times(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        place.table.delete("id = 1")
        place.table.append([(9, "z")])
        times = [snapshot.snapshot_time for snapshot in place.lake.snapshots()]
        ids = [snapshot.snapshot_id for snapshot in place.lake.snapshots()]
        assert _changes(place.table, times[-2]) == _changes(place.table, ids[-2])
        assert _changes(place.table, times[-2], times[-2]) == _changes(place.table, ids[-2], ids[-2])
        assert _changes(place.table, times[-1] + timedelta(microseconds=1)) == []


def test_a_range_that_is_none_is_refused(local: Lakehouse) -> None:
    table = _table(local.lake)
    table.append(FIRST)
    last = head(local.lake)
    with pytest.raises(InvalidInput):
        table.changes(last, last - 1)
    with pytest.raises(NoSuchSnapshot):
        table.changes(last + 1)


@pytest.mark.parametrize("make", [_table, _inlining], ids=["files", "inlined"])
def test_changes_come_in_the_columns_of_the_end(
    lakehouse: Lakehouse, make: Callable[[CatalogHandle], TableHandle]
) -> None:
    table = make(lakehouse.lake)
    table.append(FIRST)
    first = head(lakehouse.lake)
    table.rename_column("v", "label")
    table.add_column("n", "int", default="7")
    table.update({"n": "1"}, "id = 2")
    table.drop_column("id")
    found = table.changes(first)
    assert found.columns == ["snapshot_id", "rowid", "change_type", "label", "n"]
    assert [row[1:] for row in sorted(found.fetchall(), key=sort_key)] == [
        (0, "insert", "a", 7),
        (1, "insert", "b", 7),
        (1, "update_postimage", "b", 1),
        (1, "update_preimage", "b", 7),
    ]
    assert table.changes(first, first).columns == ["snapshot_id", "rowid", "change_type", "id", "v"]


def test_columns_named_like_those_of_the_feed_are_told_too(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"rowid": "int", "change_type": "varchar", "c0": "int"})
    table.append([(5, "mine", 1)])
    assert table.changes(head(local.lake)).fetchall() == [(head(local.lake), 0, "insert", 5, "mine", 1)]


@pytest.mark.parametrize("make", [_table, _inlining], ids=["files", "inlined"])
def test_what_a_transaction_adds_and_removes_again_is_not_told(
    lakehouse: Lakehouse, make: Callable[[CatalogHandle], TableHandle]
) -> None:
    table = make(lakehouse.lake)
    table.append(FIRST)
    with lakehouse.session.transaction():
        table.append(SECOND)
        table.delete("id IN (1, 3)")
        table.update({"v": "'x'"}, "id IN (2, 4)")
    told = [row for row in _told(lakehouse.lake, table) if row[0] <= 1]
    assert told == [(0, "delete", 1, "a"), (1, "update_postimage", 2, "x"), (1, "update_preimage", 2, "b")]
    [new] = [row for row in _told(lakehouse.lake, table) if row[0] > 1]
    assert new[1:] == ("insert", 4, "x")


def test_what_one_transaction_does_to_a_row_is_told_as_one_change(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "bigint", "v": "varchar", "snapshot_id": "int", "change_type": "int"})
    table.append([(n, "a", n, n) for n in range(6)])
    with local.session.transaction():
        table.update({"v": "'b'"}, "id IN (1, 2, 3)")
        table.update({"v": "'c'"}, "id IN (2, 3)")
        table.delete("id IN (3, 4)")
        table.append([(9, "n", 9, 9)])
        table.update({"v": "'m'"}, "id = 9")
    before = {n: (n, "a", n, n) for n in range(6)}
    assert _told(local.lake, table) == [
        (1, "update_postimage", 1, "b", 1, 1),
        (1, "update_preimage", *before[1]),
        (2, "update_postimage", 2, "c", 2, 2),
        (2, "update_preimage", *before[2]),
        (3, "delete", *before[3]),
        (4, "delete", *before[4]),
        (6, "insert", 9, "m", 9, 9),
    ]


def test_rows_that_go_from_the_metadata_to_a_file_are_updated(local: Lakehouse) -> None:
    table = _inlining(local.lake)
    table.append([(n, "file") for n in range(10, 14)])
    table.append([(1, "a"), (2, "b")])
    local.lake.set_option("data_inlining_row_limit", 0)
    table.update({"v": "'new'"}, "id IN (1, 10)")
    assert _told(local.lake, table) == [
        (0, "update_postimage", 10, "new"),
        (0, "update_preimage", 10, "file"),
        (4, "update_postimage", 1, "new"),
        (4, "update_preimage", 1, "a"),
    ]


def test_only_where_some_rows_came_back_and_others_did_not_is_looked_for_them(local: Lakehouse) -> None:
    local.lake.set_option("data_inlining_row_limit", 0)
    table = local.lake.create_table("t", {"id": "bigint", "v": "varchar"})
    table.append([(n, "a") for n in range(6)])
    table.delete("id = 0")
    table.update({"v": "'b'"}, "id = 1")
    table.update({"v": "'c'"}, "id IN (1, 2)")
    assert [row[1:] for row in _told(local.lake, table)] == [
        ("update_postimage", 1, "c"),
        ("update_preimage", 1, "b"),
        ("update_postimage", 2, "c"),
        ("update_preimage", 2, "a"),
    ]
    assert "Join" not in plan_of(table.changes(head(local.lake)).to_spark())
    with local.session.transaction():
        table.update({"v": "'d'"}, "id = 3")
        table.delete("id = 4")
    assert [row[1:] for row in _told(local.lake, table)] == [
        ("update_postimage", 3, "d"),
        ("update_preimage", 3, "a"),
        ("delete", 4, "a"),
    ]
    assert "Join" in plan_of(table.changes(head(local.lake)).to_spark())


OPERATIONS: dict[str, Callable[[TableHandle, int], object]] = {
    "append": lambda t, n: t.append([(n, "one"), (n + 1, "two")]),
    "append many": lambda t, n: t.append([(n + at, "many") for at in range(6)]),
    "update": lambda t, n: t.update({"v": f"concat(v, '{n % 10}')"}, f"(id + {n}) % 3 = 0"),
    "delete": lambda t, n: t.delete(f"(id + {n}) % 4 = 0"),
    "delete half": lambda t, n: t.delete(f"id <= {n // 2}"),
    "merge": lambda t, n: t.merge([{"id": n // 2, "v": "m"}, {"id": n + 50, "v": "m"}], "id"),
    "truncate": lambda t, n: t.truncate(),
    "overwrite": lambda t, n: t.overwrite([(n, "over")], where=f"id % 2 = {n % 2}"),
    "flush": lambda t, n: _flush(t),
}


@settings(max_examples=8)
@given(
    make=st.sampled_from([_table, _inlining]),
    operations=st.lists(st.tuples(st.sampled_from(sorted(OPERATIONS)), st.integers(1, 40)), min_size=3, max_size=7),
)
def test_the_feed_is_the_difference_of_the_versions(
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
    make: Callable[[CatalogHandle], TableHandle],
    operations: list[tuple[str, int]],
) -> None:
    folder = tmp_path_factory.mktemp("lake")
    lakehouse = open_lakehouse(Place(f"sqlite:{folder / 'lake.db'}", None, "sqlite"), Path(folder), spark)
    try:
        table = make(lakehouse.lake)
        first = head(lakehouse.lake)
        for name, number in operations:
            OPERATIONS[name](table, number)
        last = head(lakehouse.lake)
        versions = [_by_row_id(table, version) for version in range(first, last + 1)]
        expected: list[Row] = []
        for at in range(1, len(versions)):
            expected += _difference(first + at, versions[at - 1], versions[at])
        if last > first:
            assert _changes(table, first + 1, last) == sorted(expected, key=sort_key)
        assert table.count() == len(versions[-1])
    finally:
        lakehouse.session.close()


def _by_row_id(table: TableHandle, version: int) -> dict[int, Row]:
    found = rows(table, "rowid", "snapshot_id", "id", "v", version=version)
    assert len({rowid for rowid, *_ in found}) == len(found)
    return {rowid: tuple(row) for rowid, *row in found}


def _difference(snapshot: int, before: dict[int, Row], after: dict[int, Row]) -> list[Row]:
    found: list[Row] = []
    for rowid in before.keys() | after.keys():
        old, new = before.get(rowid), after.get(rowid)
        if old == new:
            continue
        updated = old is not None and new is not None
        if old is not None:
            found.append((snapshot, rowid, "update_preimage" if updated else "delete", *old[1:]))
        if new is not None:
            assert new[0] == snapshot
            found.append((snapshot, rowid, "update_postimage" if updated else "insert", *new[1:]))
    return found
