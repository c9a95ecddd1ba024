from datetime import UTC, date, datetime, time
from decimal import Decimal
from uuid import UUID

import pytest

from forklake.model.column_types import parse_type
from forklake.model.predicates import (
    And,
    Comparison,
    In,
    IsNotNull,
    IsNull,
    Not,
    Or,
    Predicate,
    StartsWith,
    UnknownPredicate,
    constant_value,
    negate,
)

A = ("a",)


@pytest.mark.parametrize(
    ("predicate", "negated"),
    [
        (Comparison(A, "=", 1), Comparison(A, "<>", 1)),
        (Comparison(A, "<", 1), Comparison(A, ">=", 1)),
        (Comparison(A, "<=", 1), Comparison(A, ">", 1)),
        (Comparison(A, "=", None), Comparison(A, "<>", None)),
        (IsNull(A), IsNotNull(A)),
        (IsNotNull(A), IsNull(A)),
        (In(A, (1, 2)), And((Comparison(A, "<>", 1), Comparison(A, "<>", 2)))),
        (In(A, (1, None)), UnknownPredicate()),
        (StartsWith(A, "x"), UnknownPredicate()),
        (UnknownPredicate(), UnknownPredicate()),
        (And((IsNull(A), UnknownPredicate())), Or((IsNotNull(A), UnknownPredicate()))),
        (Or((IsNull(A), Comparison(A, ">", 1))), And((IsNotNull(A), Comparison(A, "<=", 1)))),
        (Not(IsNull(A)), IsNull(A)),
        (Not(And((Not(IsNull(A)),))), And((IsNotNull(A),))),
    ],
)
def test_a_negation_is_pushed_down_to_the_columns(predicate: Predicate, negated: Predicate) -> None:
    assert negate(predicate) == negated


@pytest.mark.parametrize(
    ("type_text", "value", "same"),
    [
        ("int32", Decimal("2.0"), 2),
        ("decimal(9,2)", 2.5, Decimal("2.5")),
        ("timestamp", date(2020, 1, 1), datetime(2020, 1, 1)),
        ("date", datetime(2020, 1, 1), date(2020, 1, 1)),
        ("timestamp", "2020-01-01 10:00:00", datetime(2020, 1, 1, 10)),
        ("timestamp", "2020-01-01T10:00:00", datetime(2020, 1, 1, 10)),
        ("timestamptz", "2020-01-01 12:00:00+02", datetime(2020, 1, 1, 10, tzinfo=UTC)),
        ("timestamptz", "2020-01-01", datetime(2020, 1, 1, tzinfo=UTC)),
        ("date", "2020-01-01", date(2020, 1, 1)),
        ("time", "10:00:00", time(10)),
        ("uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7", UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")),
    ],
)
def test_a_constant_of_a_related_type_is_understood(type_text: str, value: object, same: object) -> None:
    column_type = parse_type(type_text)
    assert constant_value(column_type, value) is not None
    assert constant_value(column_type, value) == constant_value(column_type, same)


@pytest.mark.parametrize(
    ("type_text", "value"),
    [
        ("int32", "1"),
        ("int32", True),
        ("boolean", 1),
        ("varchar", 1),
        ("varchar", "\ud800"),
        ("blob", "a"),
        ("json", "{}"),
        ("date", "2020-01-01 10:00:00"),
        ("date", "today"),
        ("date", 5),
        ("timestamp", "2020-01-01 10:00:00+02"),
        ("timestamp", "2020-01-01 10:00:00.1234567"),
        ("timestamp_s", "2020-01-01 10:00:00.5"),
        ("timestamp", time(10)),
        ("time", datetime(2020, 1, 1)),
        ("uuid", "F79C3E09-677C-4BBD-A479-3F349CB785E7"),
        ("uuid", "f"),
    ],
)
def test_a_constant_that_an_engine_would_convert_in_its_own_way_is_not_used(type_text: str, value: object) -> None:
    assert constant_value(parse_type(type_text), value) is None
