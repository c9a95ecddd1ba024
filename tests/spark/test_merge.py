"""Merge: one source, several clauses, every row changed once."""

from typing import Any

import pytest
from pyspark.sql import functions as F

from forklake import when_matched, when_not_matched, when_not_matched_by_source
from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import CommitConflict, InvalidInput, InvalidRows
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import ColumnType
from tests.spark.conftest import Lakehouse
from tests.spark.inside import files, files_below, head, rows
from tests.spark.places import another_session, somewhere

FIRST = [(1, "a", 10), (2, "b", 20)]
SECOND = [(3, "c", 30), (4, "d", 40)]


def _table(lake: CatalogHandle) -> TableHandle:
    return lake.create_table("t", {"id": "bigint", "v": "varchar", "n": "int"})


def _source(lakehouse: Lakehouse, kind: str, given: list[tuple[Any, ...]]) -> Any:
    frame = lakehouse.spark.createDataFrame(given, "id bigint, v string, n int")
    arrow = frame.toArrow()
    return {"DataFrame": frame, "Arrow": arrow, "rows": arrow.to_pylist()}[kind]


@pytest.mark.parametrize("kind", ["DataFrame", "Arrow", "rows"])
def test_without_clauses_what_matches_is_updated_and_the_rest_added(
    lakehouse: Lakehouse, in_fork: bool, kind: str
) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        before = head(place.lake)
        merged = place.table.merge(_source(lakehouse, kind, [(2, "B", 21), (4, "D", 41), (5, "E", 51)]), "id")
        assert (merged.changed, merged.inserted) == (2, 1)
        assert rows(place.table) == [FIRST[0], (2, "B", 21), SECOND[0], (4, "D", 41), (5, "E", 51)]
        assert rows(place.table, "rowid", "id") == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
        assert rows(place.table, version=before) == [*FIRST, *SECOND]
        assert head(place.lake) == before + 1


def test_of_several_clauses_the_first_that_holds_is_taken(lakehouse: Lakehouse, in_fork: bool) -> None:
    source = [(id, f"s{id}", id) for id in (1, 2, 3, 6, 7, 8)]
    with somewhere(lakehouse, in_fork, _table, FIRST, [*SECOND, (5, "e", 50)]) as place:
        merged = place.table.merge(
            _source(lakehouse, "DataFrame", source),
            "target.id = source.id",
            when_matched("target.v = 'a'").delete(),
            when_matched("source.n = 2").update({"v": "concat(target.v, source.v)", "n": "target.n + source.n"}),
            when_matched().do_nothing(),
            when_not_matched("source.n = 6").insert({"id": "source.id", "n": "-1"}),
            when_not_matched("source.n = 7").do_nothing(),
            when_not_matched().insert(),
            when_not_matched_by_source("target.id = 4").delete(),
            when_not_matched_by_source().update({"v": "'alone'"}),
        )
        assert (merged.changed, merged.inserted) == (4, 2)
        expected = [(2, "bs2", 22), (3, "c", 30), (5, "alone", 50), (6, None, -1), (8, "s8", 8)]
        assert rows(place.table) == expected
        assert rows(place.table, "rowid", "id")[:3] == [(1, 2), (2, 3), (4, 5)]


@pytest.mark.parametrize("clauses", ["only inserts", "only deletes", "only updates", "only by source"])
def test_clauses_of_one_kind_alone(lakehouse: Lakehouse, clauses: str) -> None:
    table = _table(lakehouse.lake)
    table.append([*FIRST, *SECOND])
    clause, expected = {
        "only inserts": (when_not_matched().insert(), [*FIRST, *SECOND, (9, "s", 0)]),
        "only deletes": (when_matched().delete(), [FIRST[0], *SECOND]),
        "only updates": (when_matched().update(), [FIRST[0], (2, "s", 0), *SECOND]),
        "only by source": (when_not_matched_by_source().delete(), [FIRST[1]]),
    }[clauses]
    table.merge(_source(lakehouse, "DataFrame", [(2, "s", 0), (9, "s", 0)]), "id", clause)
    assert rows(table) == expected


@pytest.mark.parametrize("kind", ["DataFrame", "rows"])
def test_a_row_that_would_be_changed_twice_is_an_error_and_nothing_changes(
    lakehouse: Lakehouse, in_fork: bool, kind: str
) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        before = head(place.lake), files_below(lakehouse.data)
        with pytest.raises(InvalidRows, match="changed twice"):
            place.table.merge(_source(lakehouse, kind, [(2, "x", 1), (2, "y", 2), (9, "z", 3)]), "id")
        assert rows(place.table) == [*FIRST, *SECOND]
        assert (head(place.lake), files_below(lakehouse.data)) == before


def test_two_rows_that_match_none_are_both_added(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    table.append(FIRST)
    assert table.merge([{"id": 9, "v": "x"}, {"id": 9, "v": "y"}], "id").inserted == 2
    assert rows(table) == [*FIRST, (9, "x", None), (9, "y", None)]


def test_a_match_that_no_clause_changes_may_occur_twice(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    table.append(FIRST)
    source = [{"id": 2, "n": 1}, {"id": 2, "n": 2}]
    table.merge(source, "id", when_matched("source.n = 2").update({"n": "source.n"}))
    assert rows(table) == [FIRST[0], (2, "b", 2)]


def test_a_source_that_differs_each_time_is_evaluated_once(lakehouse: Lakehouse, in_fork: bool) -> None:
    def make(lake: CatalogHandle) -> TableHandle:
        return lake.create_table("t", {"id": "bigint", "x": "double", "y": "double"})

    given = [(id, None, None) for id in range(100)]
    with somewhere(lakehouse, in_fork, make, given[:50], given[50:]) as place:
        source = lakehouse.spark.range(0, 200, 1, 4).where("rand() < 0.5").selectExpr("id", "rand() AS x")
        both = {"id": "source.id", "x": "source.x", "y": "source.x"}
        merged = place.table.merge(
            source, "id", when_matched().update({"x": "source.x", "y": "source.x"}), when_not_matched().insert(both)
        )
        found = rows(place.table)
        assert len(found) == len({id for id, _, _ in found}) == 100 + merged.inserted
        assert sum(x is not None for id, x, _ in found if id < 100) == merged.changed
        assert all(x == y for _, x, y in found)
        assert 0 < merged.changed < 100 > merged.inserted > 0


def test_the_source_may_read_the_target(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        source = place.table.to_spark().selectExpr("id + 2 AS id", "concat('from ', v) AS v", "n")
        merged = place.table.merge(source, "id")
        assert (merged.changed, merged.inserted) == (2, 2)
        assert rows(place.table) == [*FIRST, (3, "from a", 10), (4, "from b", 20), (5, "from c", 30), (6, "from d", 40)]


def test_conditions_may_hold_a_subquery_of_the_target(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    table.append([*FIRST, *SECOND])
    average = table.to_spark().agg(F.avg("n")).scalar()
    source = [{"id": id, "v": "new"} for id in range(1, 5)]
    table.merge(source, "id", when_matched(F.col("target.n") > average).update({"v": "source.v"}))
    assert rows(table, "id", "v") == [(1, "a"), (2, "b"), (3, "new"), (4, "new")]


@pytest.mark.parametrize("kind", ["DataFrame", "rows"])
def test_an_empty_table_takes_all_of_the_source(lakehouse: Lakehouse, kind: str) -> None:
    table = _table(lakehouse.lake)
    merged = table.merge(_source(lakehouse, kind, FIRST), "id")
    assert (merged.changed, merged.inserted) == (0, 2)
    assert rows(table) == FIRST


@pytest.mark.parametrize("kind", ["DataFrame", "Arrow"])
def test_an_empty_source_changes_only_what_it_does_not_match(lakehouse: Lakehouse, in_fork: bool, kind: str) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place:
        before = head(place.lake)
        source = _source(lakehouse, kind, [])
        assert place.table.merge(source, "id").changed == 0
        assert head(place.lake) == before
        assert place.table.merge(source, "id", when_not_matched_by_source("target.id > 1").delete()).changed == 3
        assert rows(place.table) == FIRST[:1]


def test_a_null_key_matches_nothing(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, [(None, "a", 1)], [(2, "b", 2)]) as place:
        merged = place.table.merge(_source(lakehouse, "rows", [(None, "x", 7), (2, "y", 8)]), "id")
        assert (merged.changed, merged.inserted) == (1, 1)
        assert rows(place.table) == [(None, "a", 1), (None, "x", 7), (2, "y", 8)]
        place.table.merge(
            _source(lakehouse, "rows", [(None, "z", 9)]),
            "target.id <=> source.id AND target.n = 7",
            when_matched().update({"v": "source.v"}),
        )
        assert rows(place.table) == [(None, "a", 1), (None, "z", 7), (2, "y", 8)]


def test_several_columns_can_be_the_key(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse.lake)
    table.append([(1, "a", 1), (1, "b", 2)])
    table.merge(_source(lakehouse, "rows", [(1, "b", 20), (2, "b", 30)]), ["id", "V"])
    assert rows(table) == [(1, "a", 1), (1, "b", 20), (2, "b", 30)]


def test_columns_that_the_source_does_not_have_stay_or_get_their_default(lakehouse: Lakehouse) -> None:
    columns = [ColumnSpec("id", ColumnType("int64")), ColumnSpec("v", ColumnType("varchar"), default_value="none")]
    table = lakehouse.lake.create_table("t", [*columns, ColumnSpec("n", ColumnType("int32"), default_value="7")])
    table.append([(1, "a", 1)])
    table.merge([{"id": 1, "n": 5}, {"id": 2, "n": 6}], "id")
    table.merge([{"id": 3}], "id", when_not_matched().insert())
    assert rows(table) == [(1, "a", 5), (2, "none", 6), (3, "none", 7)]


@pytest.mark.parametrize(
    ("source", "clauses"),
    [
        ([{"id": 1, "n": 2**40}], ()),
        ([{"id": 1, "other": 1}], ()),
        ([{"id": 1, "v": "x"}], (when_matched().update({"nope": "1"}),)),
        ([{"id": 1, "v": "x"}], (when_matched().insert(),)),
        ([{"id": 1, "v": "x"}], (when_not_matched().delete(),)),
        (
            [{"id": 1, "v": "x"}, {"id": 9, "v": "x"}],
            (when_not_matched().insert({"id": "bigint(raise_error('bad'))"}),),
        ),
    ],
    ids=["too large", "unknown column", "unknown target", "insert when matched", "delete when not", "failing value"],
)
def test_what_cannot_be_merged_is_refused_and_nothing_changes(
    local: Lakehouse, source: list[dict[str, Any]], clauses: Any
) -> None:
    table = _table(local.lake)
    table.append(FIRST)
    before = head(local.lake)
    with pytest.raises(InvalidInput):
        table.merge(source, "id", *clauses)
    assert head(local.lake) == before
    assert rows(table) == FIRST


@pytest.mark.parametrize("kind", ["DataFrame", "Arrow"])
def test_a_source_with_two_columns_of_one_name_is_refused(local: Lakehouse, kind: str) -> None:
    table = _table(local.lake)
    frame = local.spark.sql("SELECT 1L AS id, 'x' AS v, 'y' AS V")
    with pytest.raises(InvalidInput, match="several columns 'v'"):
        table.merge(frame if kind == "DataFrame" else frame.toArrow(), "id")
    with pytest.raises(InvalidInput, match="several columns 'id'"):
        local.session.sql("MERGE INTO lake.t USING (SELECT 1L AS id, 2L AS id) s ON t.v = 'x' WHEN MATCHED THEN DELETE")


def test_rows_of_the_own_transaction_are_merged_with(lakehouse: Lakehouse, in_fork: bool) -> None:
    with somewhere(lakehouse, in_fork, _table, FIRST) as place:
        with lakehouse.session.transaction():
            place.table.append(SECOND)
            place.table.merge(_source(lakehouse, "rows", [(2, "B", 1), (4, "D", 2), (5, "E", 3)]), "id")
            place.table.merge(_source(lakehouse, "DataFrame", [(5, "EE", 4)]), "id")
        assert rows(place.table) == [FIRST[0], (2, "B", 1), SECOND[0], (4, "D", 2), (5, "EE", 4)]
        ids = dict(rows(place.table, "id", "rowid"))
        assert (ids[1], ids[2]) == (0, 1)
        assert len(set(ids.values())) == 5


def test_two_sessions_cannot_merge_into_the_same_file(lakehouse: Lakehouse, in_fork: bool) -> None:
    with (
        somewhere(lakehouse, in_fork, _table, FIRST, SECOND) as place,
        another_session(lakehouse, place.table) as (other, same),
    ):
        other.begin()
        same.merge([{"id": 4, "v": "late"}], "id")
        place.table.delete("id = 3")
        with pytest.raises(CommitConflict):
            other.commit()
        assert rows(place.table, "id", "v") == [(1, "a"), (2, "b"), (4, "d")]


def test_a_merge_leaves_only_files_that_the_table_knows(local: Lakehouse) -> None:
    table = _table(local.lake)
    table.append([*FIRST, *SECOND])
    before = files_below(local.data)
    table.merge(_source(local, "DataFrame", [(1, "x", 1), (9, "y", 2)]), "id")
    new = files_below(local.data) - before
    known = {local.data / file.data.path for file in files(table)}
    assert {path for path in new if not path.name.endswith("-delete.parquet")} <= known
