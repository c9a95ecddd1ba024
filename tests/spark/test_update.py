"""Rows that change and keep their ids."""

from typing import Any

import pytest
from pyspark.sql import functions as F

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import CommitConflict, InvalidInput, InvalidRows
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import ColumnType
from tests.spark.conftest import Lakehouse
from tests.spark.inside import files, files_below, head, rows
from tests.spark.places import another_session, somewhere

FIRST = [(id, id * 10, f"v{id}") for id in range(5)]
SECOND = [(id, id * 10, f"v{id}") for id in range(5, 10)]
BOTH = [*FIRST, *SECOND]


def _table(lake: CatalogHandle) -> TableHandle:
    return lake.create_table("t", {"a": "bigint", "b": "int", "c": "varchar"})


def test_values_are_made_from_the_row_as_it_was(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        before = head(place.lake)
        assert place.table.update({"a": "b", "b": "CAST(a AS INT)", "C": "concat(c, a)"}, "a >= 3") == 7
        assert rows(place.table) == sorted([*FIRST[:3], *((b, a, f"{c}{a}") for a, b, c in BOTH[3:])])
        assert rows(place.table, version=before) == BOTH
        assert place.table.count() == 10


def test_rows_keep_their_ids_and_get_the_snapshot_of_the_update(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        before = dict(rows(place.table, "rowid", "snapshot_id"))
        place.table.update({"b": "b + 1"}, "a IN (2, 7)")
        place.table.update({"b": "b + 1"}, "a IN (2, 8)")
        last = head(place.lake)
        assert rows(place.table, "rowid", "a") == [(id, id) for id in range(10)]
        assert rows(place.table, "b", where="a IN (2, 7, 8)") == [(22,), (71,), (81,)]
        after = dict(rows(place.table, "rowid", "snapshot_id"))
        assert after == before | {2: last, 7: last - 1, 8: last}


def test_without_a_condition_every_row_is_updated(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        assert place.table.update({"c": "'same'"}) == 10
        assert rows(place.table) == [(a, b, "same") for a, b, _ in BOTH]
        assert all(file.delete is None for file in files(place.table))
        assert rows(place.table, "rowid", "a") == [(id, id) for id in range(10)]


@pytest.mark.parametrize("value", [7, None, F.lit, "b + 7"], ids=["number", "None", "expression", "text"])
def test_values_can_be_given_as(local: Lakehouse, value: Any) -> None:
    table = _table(local.lake)
    table.append([(1, 0, "x")])
    table.update({"b": value(7) if callable(value) else value})
    assert rows(table) == [(1, None if value is None else 7, "x")]


@pytest.mark.parametrize("where", ["a = 100", "a + 0 = 100"])
def test_a_condition_that_nothing_meets_makes_no_snapshot(lakehouse: Lakehouse, in_fork: bool, where: str) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        before = head(place.lake), files_below(lakehouse.data)
        assert place.table.update({"b": "1"}, where) == 0
        assert (head(place.lake), files_below(lakehouse.data)) == before


def test_condition_and_values_may_read_the_table_itself(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        now = place.table.to_spark()
        largest, average = now.agg(F.max("a")).scalar(), now.agg(F.avg("a")).scalar()
        assert place.table.update({"a": F.col("a") + largest}, F.col("a") > average) == 5
        assert rows(place.table, "a") == [(id,) for id in [0, 1, 2, 3, 4, 14, 15, 16, 17, 18]]


def test_rows_of_the_own_transaction_are_updated_too(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST) as place:
        with lakehouse.session.transaction():
            place.table.append(SECOND)
            assert place.table.update({"c": "'once'"}, "a IN (1, 6)") == 2
            assert place.table.update({"c": "concat(c, ' more')"}, "a IN (1, 6, 7)") == 3
            expected = ["v0", "once more", "v2", "v3", "v4", "v5", "once more", "v7 more", "v8", "v9"]
            assert [c for _, _, c in rows(place.table)] == expected
        assert [c for _, _, c in rows(place.table)] == expected
        ids = dict(rows(place.table, "a", "rowid"))
        assert [ids[a] for a in range(5)] == [0, 1, 2, 3, 4]
        assert len(set(ids.values())) == 10


def test_what_a_column_does_not_allow_is_refused_and_nothing_changes(lakehouse: Lakehouse, in_fork: bool) -> None:
    def make(lake: CatalogHandle) -> TableHandle:
        return lake.create_table(
            "t", [ColumnSpec("a", ColumnType("int8"), False), ColumnSpec("b", ColumnType("int32"))]
        )

    with somewhere(lakehouse, in_fork, make, [(1, 1)], [(2, None)]) as place:
        before = head(place.lake), files_below(lakehouse.data)
        with pytest.raises(InvalidRows, match=r"NOT NULL constraint failed: t\.a"):
            place.table.update({"a": "CAST(b AS TINYINT)"})
        with pytest.raises(InvalidRows, match="cannot hold"):
            place.table.update({"a": "a + 1000"})
        with pytest.raises(InvalidInput):
            place.table.update({"a": "'x'"})
        with pytest.raises(InvalidRows, match="Did you mean 'b'"):
            place.table.update({"bb": "1"})
        assert rows(place.table) == [(1, 1), (2, None)]
        assert (head(place.lake), files_below(lakehouse.data)) == before


def test_two_sessions_cannot_change_the_same_file(lakehouse: Lakehouse, in_fork: bool) -> None:
    with (
        somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place,
        another_session(lakehouse, place.table) as (other, same),
    ):
        other.begin()
        assert same.update({"c": "'late'"}, "a = 8") == 1
        assert place.table.update({"c": "'first'"}, "a = 8") == 1
        with pytest.raises(CommitConflict):
            other.commit()
        assert rows(place.table, "a", "c", where="a >= 7") == [(7, "v7"), (8, "first"), (9, "v9")]


def test_nested_values_are_updated_as_a_whole(local: Lakehouse) -> None:
    table = local.lake.create_table(
        "t", {"id": "int", "s": "struct(x int, y varchar)", "l": "int[]", "m": "map(varchar, int)"}
    )
    table.append([(1, {"x": 1, "y": "a"}, [1, None], {"k": 1}), (2, None, None, None)])
    table.update(
        {"s": "named_struct('y', 'z', 'x', s.x + 1)", "l": "array_append(l, 9)", "m": "map_concat(m, map('n', 2))"}
    )
    assert rows(table) == [
        (1, {"x": 2, "y": "z"}, [1, None, 9], [("k", 1), ("n", 2)]),
        (2, {"x": None, "y": "z"}, None, None),
    ]


def test_a_large_update_is_written_by_the_workers(local: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forklake.spark.verbs.row_changes.DRIVER_BYTES", 0)
    table = local.lake.create_table("t", {"a": "int", "k": "int", "tags": "varchar[]"}, partitioned_by=["k"])
    table.append(
        local.spark.range(100).selectExpr("CAST(id AS INT) AS a", "CAST(id % 2 AS INT) AS k", "array('x') AS tags")
    )
    assert table.update({"tags": "array_append(tags, 'y')", "k": "k + 1"}, "a % 10 = 3") == 10
    assert [(k, tags) for _, k, tags in rows(table, where="a IN (13, 15)")] == [(2, ["x", "y"]), (1, ["x"])]
    assert rows(table, "rowid", "a")[0][0] == 0
    assert len({rowid for rowid, _ in rows(table, "rowid", "a")}) == 100
