"""A file is deleted as a whole only if every row of it is one that the predicate keeps."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forklake.model.column_types import ColumnType, parse_type
from forklake.model.ids import SnapshotId
from forklake.model.predicates import (
    And,
    CalendarPartIn,
    Comparison,
    In,
    IsNotNull,
    IsNull,
    Not,
    Or,
    Predicate,
    StartsWith,
    UnknownPredicate,
)
from forklake.model.pruning import PrunableColumn, PruningFacts, may_match
from forklake.model.whole_files import survivor_filter
from tests.effort import examples
from tests.unit.model.small_engine import ANY_NUMBER, COLUMN, ROWS, A, evaluate, predicates, stats_of
from tests.unit.model.test_pruning import PROMOTIONS

NOW = SnapshotId(10)


def facts(column_type: ColumnType, rows: Sequence[object]) -> PruningFacts:
    return PruningFacts(NOW, {COLUMN: stats_of(column_type, rows)}, {COLUMN: column_type})


def is_whole(predicate: Predicate, column_type: ColumnType, known: PruningFacts) -> bool:
    return not may_match(survivor_filter(predicate, {A: PrunableColumn(COLUMN, column_type)}), known)


def always_true(predicate: Predicate, rows: Sequence[object]) -> bool:
    return all(evaluate(predicate, row, unknown) is True for row in rows for unknown in (True, False, None))


@pytest.mark.parametrize("type_text", ROWS)
@settings(max_examples=examples(15))
@given(data=st.data())
def test_no_row_is_deleted_that_the_predicate_does_not_keep(type_text: str, data: st.DataObject) -> None:
    values, constants = ROWS[type_text]
    rows = data.draw(st.lists(st.one_of(values, st.none()), min_size=1, max_size=4), "rows")
    # Constants taken from the rows reach the edges of the bounds.
    predicate = data.draw(predicates(st.one_of(constants, st.sampled_from(rows))), "predicate")
    column_type = parse_type(type_text)
    if is_whole(predicate, column_type, facts(column_type, rows)):
        assert always_true(predicate, rows)


@pytest.mark.parametrize("promotion", PROMOTIONS)
@settings(max_examples=examples(10))
@given(data=st.data())
def test_the_same_holds_for_files_from_before_a_promotion(promotion: tuple[str, str], data: st.DataObject) -> None:
    values, promote = PROMOTIONS[promotion]
    written = data.draw(st.lists(values, min_size=1, max_size=3), "written")
    rows = [promote(value) for value in written]
    constants = ROWS["date"][1] if promotion[1] == "timestamp" else ANY_NUMBER
    predicate = data.draw(predicates(st.one_of(constants, st.sampled_from(rows))), "predicate")
    if is_whole(predicate, parse_type(promotion[1]), facts(parse_type(promotion[0]), written)):
        assert always_true(predicate, rows)


@pytest.mark.parametrize(
    ("predicate", "type_text", "rows"),
    [
        (Comparison(A, ">", 4), "int32", [5, 9]),
        (Comparison(A, "=", 5), "int32", [5, 5]),
        (Comparison(A, "<>", 5), "int32", [6, 9]),
        (Comparison(A, "=", "a long name"), "varchar", ["a long name"]),
        (Comparison(A, "<", date(2021, 1, 1)), "date", [date(2020, 1, 1), date(2020, 12, 31)]),
        (In(A, (4, 5)), "int32", [5]),
        (IsNull(A), "int32", [None, None]),
        (IsNotNull(A), "int32", [1]),
        (Not(StartsWith(A, "b")), "varchar", ["a", "az"]),
        (And(()), "int32", [1, None]),
        (Not(Comparison(A, ">", 9)), "int32", [5, 9]),
    ],
)
def test_a_file_of_which_every_row_matches_is_whole(predicate: Predicate, type_text: str, rows: list[object]) -> None:
    column_type = parse_type(type_text)
    assert always_true(predicate, rows)
    assert is_whole(predicate, column_type, facts(column_type, rows))


@pytest.mark.parametrize(
    ("predicate", "type_text", "rows"),
    [
        (Comparison(A, ">", 4), "int32", [5, None]),
        (Comparison(A, "<", 5.0), "float64", [1.0, math.nan]),
        (Comparison(A, ">", 5.0), "float64", [6.0, math.nan]),
        (Comparison(A, "<", 5.0), "float32", [1.0]),
        (Comparison(A, "<", datetime(2021, 1, 1)), "timestamp", [datetime(2020, 1, 1)]),
        (Comparison(A, "<", datetime(2021, 1, 1, tzinfo=UTC)), "timestamptz", [datetime(2020, 1, 1, tzinfo=UTC)]),
        (Comparison(A, "<", "12:00:00"), "time", [time(10)]),
        (CalendarPartIn(A, "year", (2020,)), "date", [date(2020, 1, 1)]),
        (Or((Comparison(A, ">", 4), UnknownPredicate())), "int32", [5, 9]),
        (Or((Not(UnknownPredicate()), Comparison(A, ">", 4))), "int32", [5, 9]),
        (Comparison(A, "=", None), "int32", [5]),
        (Comparison(A, "<>", None), "int32", [5]),
        (Not(Comparison(A, "=", None)), "int32", [5]),
        (Not(In(A, (1, None))), "int32", [5]),
        (In(A, ()), "int32", [5]),
        (Or((Comparison(A, ">", 4), Comparison(A, "=", None))), "int32", [3, 5]),
        (And((Comparison(A, ">", 4), UnknownPredicate())), "int32", [5]),
        (Not(UnknownPredicate()), "int32", [5]),
        (StartsWith(A, "a"), "varchar", ["ab", "ac"]),
        (Comparison(("other",), ">", 4), "int32", [5]),
        (Or(()), "int32", [5]),
        (IsNull(A), "interval", [None]),
    ],
)
def test_a_file_with_a_doubtful_row_is_not(predicate: Predicate, type_text: str, rows: list[object]) -> None:
    column_type = parse_type(type_text)
    assert not is_whole(predicate, column_type, facts(column_type, rows))


def test_nothing_is_proven_without_statistics() -> None:
    column_type = ColumnType("int32")
    known = facts(column_type, [5])
    stats = known.column_stats[COLUMN]
    for less in (
        replace(known, column_stats={}),
        replace(known, column_stats={COLUMN: stats._replace(null_count=None)}),
        replace(known, column_stats={COLUMN: stats._replace(min_value=None)}),
    ):
        assert not is_whole(Comparison(A, ">", 4), column_type, less)


def test_a_file_older_than_the_column_is_never_whole() -> None:
    column = PrunableColumn(COLUMN, ColumnType("int32"), added=SnapshotId(11))
    for predicate in (Comparison(A, ">", 4), IsNull(A), IsNotNull(A), Not(IsNull(A))):
        assert may_match(survivor_filter(predicate, {A: column}), facts(column.type, [5]))
