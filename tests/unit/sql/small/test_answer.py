"""What Arrow makes of small queries, and what it leaves to Spark."""

import math
from decimal import Decimal

import pyarrow as pa
import pytest

from forklake.model.predicates import And, Comparison, In, IsNull, Not, Or, Predicate, StartsWith
from forklake.sql.small.answer import answer
from forklake.sql.small.small_query import Function, NeedsSparkError, Output, SmallQuery, SortKey, having_name

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
        Comparison(("f",), "<", math.nan),
    ],
)
def test_a_constant_that_is_no_value_of_the_column_is_left_to_spark(predicate: Predicate) -> None:
    with pytest.raises(NeedsSparkError):
        answer(query(predicate), ROWS)


NAN = pa.table({"i": [1, 2, 3, 4], "f": [1.0, math.nan, None, math.inf]})


@pytest.mark.parametrize(
    ("predicate", "kept"),
    [
        (Comparison(("f",), ">", 0.5), [1, 2, 4]),
        (Not(Comparison(("f",), ">=", 2)), [1]),
        (Comparison(("f",), "<", 2.0), [1]),
        (Comparison(("f",), "=", 1.0), [1]),
        (Comparison(("f",), "<>", 1.0), [2, 4]),
        (Not(In(("f",), (1.0, 2.0))), [2, 4]),
    ],
)
def test_nan_is_greater_than_all_constants(predicate: Predicate, kept: list[int]) -> None:
    assert values(query(predicate), NAN) == [(value,) for value in kept]


def test_nan_is_the_greatest_in_every_order() -> None:
    def ordered(*, descending: bool) -> list[tuple[object, ...]]:
        return values(query(order=(SortKey("f", descending, True),)), NAN)

    assert ordered(descending=False) == [(3,), (1,), (4,), (2,)]
    assert ordered(descending=True) == [(3,), (2,), (4,), (1,)]


def test_all_nan_are_one_group_and_all_zeros_one_value() -> None:
    rows = pa.table({"f": [0.0, math.nan, 0.0, -math.nan, None]})
    outputs = (Output("f", "f"), Output("n", None, "count"))
    found = answer(query(outputs=outputs, group=("f",), order=(SortKey(0, False, True),)), rows)
    assert str(found["f"].to_pylist()) == "[None, 0.0, nan]"
    assert found["n"].to_pylist() == [1, 2, 2]
    signed = pa.table({"f": [0.0, math.nan, -0.0, -math.nan, None]})
    assert values(query(outputs=(Output("n", "f", "count distinct"),)), signed) == [(2,)]
    with pytest.raises(NeedsSparkError, match="negative zeros"):
        answer(query(outputs=outputs, group=("f",)), signed)


@pytest.mark.parametrize("number", [math.nan, -0.0])
def test_the_least_and_greatest_of_nan_and_negative_zeros_are_left_to_spark(number: float) -> None:
    rows = pa.table({"f": [1.0, number]})
    for group in ((), ("f",)):
        with pytest.raises(NeedsSparkError, match="negative zeros"):
            answer(query(outputs=(Output("m", "f", "max"),), group=group), rows)
    assert values(query(outputs=(Output("m", "f", "min"),)), pa.table({"f": [1.0, 0.0]})) == [(0.0,)]


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


SUMS = (Output("s", "i", "sum"), Output("a", "i", "avg"), Output("t", "d", "sum"), Output("b", "d", "avg"))


def test_sums_and_averages_have_the_types_of_spark() -> None:
    found = answer(query(outputs=SUMS), ROWS)
    assert found.to_pylist() == [{"s": 7, "a": 7 / 3, "t": Decimal("2.50"), "b": Decimal("0.833333")}]
    assert [str(field.type) for field in found.schema] == ["int64", "double", "decimal128(13, 2)", "decimal128(7, 6)"]
    assert values(query(Or(()), SUMS)) == [(None, None, None, None)]


def test_sums_and_averages_of_groups_are_those_of_their_rows() -> None:
    rows = pa.table({"g": [1, 2, 1], "i": [1, None, 4], "d": pa.array([Decimal("0.05"), None, Decimal("0.00")])})
    assert values(query(outputs=(Output("g", "g"), *SUMS), group=("g",)), rows) == [
        (1, 5, 2.5, Decimal("0.05"), Decimal("0.025000")),
        (2, None, None, None, None),
    ]


@pytest.mark.parametrize(
    ("function", "column"),
    [
        ("sum", pa.array([2**62, 2**62, -(2**62)])),
        ("avg", pa.array([2**53, 1])),
        ("sum", pa.array([Decimal(10**37)] * 10, pa.decimal128(38, 0))),
        ("avg", pa.array([Decimal(1)], pa.decimal128(26, 0))),
        ("sum", pa.array([1.5])),
        ("sum", pa.array(["1"])),
    ],
)
def test_sums_that_may_overflow_or_be_rounded_are_left_to_spark(function: Function, column: pa.Array) -> None:
    with pytest.raises(NeedsSparkError):
        answer(query(outputs=(Output("x", "x", function),)), pa.table({"x": column}))


def test_columns_may_be_named_like_aggregates() -> None:
    rows = pa.table({"x": [1, 1, 2], "distinct x": [1, None, None], "key": [1, 1, 1]})
    outputs = (Output("a", "x", "count distinct"), Output("b", "distinct x", "count"), Output("c", "key", "min"))
    assert values(query(outputs=outputs, group=("key",)), rows) == [(2, 1, 1)]


def test_groups_are_chosen_and_ordered_by_aggregates_that_are_not_shown() -> None:
    rows = pa.table({"g": ["x", "y", "x", "z"], "i": [1, 2, 3, 4]})
    asked = query(
        outputs=(Output("g", "g"),),
        group=("g",),
        hidden=(Output("", None, "count"), Output("", "i", "max")),
        having=Comparison((having_name(1),), "<", 2),
        order=(SortKey(2, True, False),),
    )
    assert values(asked, rows) == [("z",), ("y",)]
    assert answer(asked, rows).column_names == ["g"]


def test_constants_are_shown_in_every_row() -> None:
    outputs = (Output("1", None, constant=1), Output("a", None, constant="a"), ID)
    found = answer(query(outputs=outputs), ROWS.slice(0, 2))
    assert found.to_pylist() == [{"1": 1, "a": "a", "i": 1}, {"1": 1, "a": "a", "i": 2}]
    assert str(found.schema.field("1").type) == "int32"


CODED = pa.table(
    {
        "i": range(6),
        "s": pa.chunked_array(
            [
                pa.DictionaryArray.from_arrays([1, 0, None, 2], ["b", "zoë", "b"]),
                pa.DictionaryArray.from_arrays([0, 1], ["é", "a"]),
            ]
        ),
    }
)
PLAIN = CODED.set_column(1, "s", CODED["s"].cast(pa.string()))


@pytest.mark.parametrize(
    "asked",
    [
        query(),
        query(outputs=(ID, Output("s", "s")), order=(SortKey("s", True, False), SortKey("i", False, False))),
        query(Comparison(("s",), ">=", "b"), (ID, Output("s", "s"))),
        query(Not(In(("s",), ("b", "a"))), (Output("s", "s"),)),
        query(StartsWith(("s",), "z")),
        query(IsNull(("s",))),
        query(outputs=tuple(Output(f, "s", f) for f in ("min", "max", "count", "count distinct"))),
        query(outputs=(Output("s", "s"), Output("n", None, "count"), Output("m", "s", "max")), group=("s",)),
        query(outputs=(Output("i", "i"), Output("m", "s", "min")), group=("i",), order=(SortKey(1, False, True),)),
        query(
            outputs=(Output("n", None, "count"),),
            group=("s",),
            hidden=(Output("", "s"),),
            having=Comparison((having_name(1),), ">", "b"),
        ),
    ],
)
def test_strings_in_dictionaries_are_answered_like_plain_ones(asked: SmallQuery) -> None:
    assert answer(asked, CODED).equals(answer(asked, PLAIN))


def test_the_first_rows_of_many_are_those_of_the_whole_order() -> None:
    rows = pa.table({"i": range(3000), "k": [None if i % 500 == 0 else i * 7919 % 100 for i in range(3000)]})
    for descending in (True, False):
        for nulls_first in (True, False):
            order = (SortKey("k", descending, nulls_first), SortKey("i", True, True))
            whole = answer(query(order=order), rows)
            assert answer(query(order=order, limit=10, offset=3), rows) == whole.slice(3, 10)


@pytest.mark.parametrize("column", ["i", "s", "d", "b", "f"])
def test_many_values_of_in_choose_the_rows_that_comparisons_with_each_choose(column: str) -> None:
    many = {
        "i": [1, 4, *range(100, 200)],
        "s": ["a", "b", *map(str, range(100))],
        "d": [Decimal("1.5"), Decimal(-1), *(Decimal(number) / 100 for number in range(100))],
        "b": [True] * 100,
        "f": [0.1, *map(float, range(100))],
    }[column]
    found = In((column,), tuple(many))
    each = Or(tuple(Comparison((column,), "=", value) for value in many))
    for chosen, expected in ((found, each), (Not(found), Not(each))):
        assert values(query(chosen)) == values(query(expected))
