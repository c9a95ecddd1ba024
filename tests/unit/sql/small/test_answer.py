"""What Arrow makes of small queries, and what it leaves to Spark."""

import math
from decimal import Decimal

import pyarrow as pa
import pytest

from forklake.model.predicates import And, Comparison, In, IsNull, Not, Or, Predicate, StartsWith
from forklake.sql.small.answer import answer
from forklake.sql.small.small_query import NeedsSparkError, Output, SmallQuery, SortKey

ROWS = pa.table(
    {
        "i": pa.array([1, 2, None, 4], pa.int32()),
        "s": ["a", None, "ab", "b"],
        "d": pa.array([Decimal("1.50"), Decimal("2.00"), None, Decimal("-1.00")]),
        "b": [True, False, None, True],
        "f": [0.1, 1.5, -2.0, None],
    }
)
ID = Output("i", "i")
EVERY_ROW = And(())


def query(predicate: Predicate = EVERY_ROW, outputs: tuple[Output, ...] = (ID,), **given: object) -> SmallQuery:
    return SmallQuery(outputs, predicate, (), **given)  # type: ignore[arg-type]


def values(asked: SmallQuery, rows: pa.Table = ROWS) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in answer(asked, rows).to_pylist()]


@pytest.mark.parametrize(
    ("predicate", "kept"),
    [
        (Comparison(("i",), ">", 1), [2, 4]),
        (Not(Comparison(("i",), ">", 1)), [1]),
        (In(("i",), (1, 4, 300)), [1, 4]),
        (Not(In(("i",), (1, 4))), [2]),
        (IsNull(("i",)), [None]),
        (Comparison(("d",), "=", Decimal("1.5")), [1]),
        (Comparison(("d",), "<", 2), [1, 4]),
        (StartsWith(("s",), "a"), [1, None]),
        (Not(StartsWith(("s",), "a")), [4]),
        (Comparison(("b",), "=", True), [1, 4]),
        (Comparison(("f",), "<=", 0.1), [1, None]),
        (Or((Comparison(("s",), "=", "b"), Comparison(("i",), "=", 2))), [2, 4]),
        (And((Comparison(("s",), "<>", "b"), Not(IsNull(("i",))))), [1]),
        (Or(()), []),
    ],
)
def test_a_filter_keeps_the_rows_for_which_its_condition_is_true(predicate: Predicate, kept: list[int | None]) -> None:
    assert values(query(predicate)) == [(value,) for value in kept]


@pytest.mark.parametrize(
    "predicate",
    [
        Comparison(("i",), "=", 1.5),
        Comparison(("i",), "=", Decimal("1.5")),
        Comparison(("i",), "=", True),
        Comparison(("i",), "<", 2**63),
        Comparison(("d",), "=", Decimal("1.505")),
        Comparison(("d",), "<", 10**9),
        Comparison(("s",), "=", 1),
        Comparison(("s", "field"), "=", "a"),
        In(("d",), (Decimal("1.50"), Decimal("1.505"))),
    ],
)
def test_a_constant_that_is_no_value_of_the_column_is_left_to_spark(predicate: Predicate) -> None:
    with pytest.raises(NeedsSparkError):
        answer(query(predicate), ROWS)


def test_nan_is_left_to_spark_where_it_is_compared_ordered_or_grouped() -> None:
    rows = pa.table({"i": [1, 2], "f": [1.0, math.nan]})
    asked = [
        query(Comparison(("f",), ">", 0.5)),
        query(order=(SortKey("f", False, True),)),
        query(outputs=(Output("f", "f"), Output("n", None, "count")), group=("f",)),
        query(outputs=(Output("m", "f", "max"),)),
    ]
    for each in asked:
        with pytest.raises(NeedsSparkError, match="NaN"):
            answer(each, rows)
    assert values(query(Comparison(("i",), "=", 1)), rows) == [(1,)]


def test_zeros_of_floats_are_left_to_spark_where_rows_are_grouped_by_them() -> None:
    rows = pa.table({"f": [0.0, -0.0]})
    with pytest.raises(NeedsSparkError, match="zeros"):
        answer(query(outputs=(Output("f", "f"),), group=("f",)), rows)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (SortKey("i", False, True), [None, 1, 2, 4]),
        (SortKey("i", False, False), [1, 2, 4, None]),
        (SortKey("i", True, False), [4, 2, 1, None]),
        (SortKey("i", True, True), [None, 4, 2, 1]),
        (SortKey(0, False, False), [1, 2, 4, None]),
        (SortKey("f", False, False), [None, 1, 2, 4]),
    ],
)
def test_nulls_are_where_the_query_puts_them(key: SortKey, expected: list[int | None]) -> None:
    assert values(query(order=(key,))) == [(value,) for value in expected]


def test_limit_and_offset_cut_the_ordered_rows() -> None:
    asked = query(order=(SortKey("i", False, True),), limit=2, offset=1)
    assert values(asked) == [(1,), (2,)]
    assert values(query(limit=0)) == []


def test_aggregates_leave_out_nulls_and_count_rows() -> None:
    outputs = (Output("n", None, "count"), Output("c", "i", "count"), Output("m", "i", "max"), Output("s", "s", "min"))
    found = answer(query(outputs=outputs), ROWS)
    assert found.to_pylist() == [{"n": 4, "c": 3, "m": 4, "s": "a"}]
    assert [field.nullable for field in found.schema] == [False, False, True, True]
    assert values(query(Or(()), outputs)) == [(0, 0, None, None)]


def test_nulls_are_one_group() -> None:
    rows = pa.table({"g": ["x", None, None], "i": [1, 2, 3]})
    outputs = (Output("g", "g"), Output("n", None, "count"), Output("again", None, "count"))
    asked = query(outputs=outputs, group=("g",), order=(SortKey(0, False, True),))
    found = answer(asked, rows)
    assert found.column_names == ["g", "n", "again"]
    assert found["n"].to_pylist() == [2, 1]
