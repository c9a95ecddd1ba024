import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import cast
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forklake.model.column_types import ColumnType, parse_type
from forklake.model.ids import PartitionId, SnapshotId
from forklake.model.partitions import PartitionKey, PartitionSpec, transform_value
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
)
from forklake.model.pruning import (
    AllOf,
    AnyOf,
    Columns,
    Everything,
    FileFilter,
    HasNulls,
    HasValues,
    KeyRange,
    Nothing,
    NotOnly,
    PartitionIn,
    PrunableColumn,
    PruningFacts,
    file_filter,
    key_width,
    may_match,
    sought_values,
)
from forklake.model.statistics import ColumnStats, as_float32
from tests.effort import examples
from tests.unit.model.small_engine import (
    ANY_NUMBER,
    COLUMN,
    DATES,
    DECIMALS,
    DOUBLES,
    NUMBERS,
    ROWS,
    A,
    evaluate,
    order,
    predicates,
    stats_of,
)

SPEC_ID = PartitionId(7)
NOW = SnapshotId(10)


def _facts(column_type: ColumnType, rows: Sequence[object], partition: str | None = None) -> PruningFacts:
    return PruningFacts(NOW, {COLUMN: stats_of(column_type, rows)}, {COLUMN: column_type}, SPEC_ID, (partition,))


def _filter(predicate: Predicate, column_type: ColumnType, transform: str | None = None):
    spec = PartitionSpec(SPEC_ID, (PartitionKey(COLUMN, transform),)) if transform else None
    return file_filter(predicate, {A: PrunableColumn(COLUMN, column_type)}, spec)


def _keeps(predicate: Predicate, type_text: str, rows: Sequence[object]) -> bool:
    column_type = parse_type(type_text)
    return may_match(_filter(predicate, column_type), _facts(column_type, rows))


def _all_absent(wanted: FileFilter, column_type: ColumnType, rows: Sequence[object]) -> PruningFacts:
    """All that can be known about a file: also which of the values that are looked for are not in it."""
    present = {constant_value(column_type, row) for row in rows}
    absent = {column: values - present for column, values in sought_values(wanted).items()}
    return replace(_facts(column_type, rows), absent=absent)


@pytest.mark.parametrize("type_text", ROWS)
@settings(max_examples=examples(8))
@given(data=st.data())
def test_a_file_with_a_matching_row_is_never_pruned(type_text: str, data: st.DataObject) -> None:
    values, constants = ROWS[type_text]
    rows = data.draw(st.lists(st.one_of(values, st.none()), min_size=1, max_size=4), "rows")
    # Constants taken from the rows reach the edges of the bounds.
    predicate = data.draw(predicates(st.one_of(constants, st.sampled_from(rows))), "predicate")
    if any(evaluate(predicate, row) is True for row in rows):
        wanted = _filter(predicate, parse_type(type_text))
        assert may_match(wanted, _all_absent(wanted, parse_type(type_text), rows))


PROMOTIONS: dict[tuple[str, str], tuple[st.SearchStrategy[object], Callable[[object], object]]] = {
    ("int64", "float32"): (NUMBERS, lambda value: as_float32(float(cast("int", value)))),
    ("int64", "float64"): (NUMBERS, lambda value: float(cast("int", value))),
    ("uint128", "float32"): (
        st.integers(2**128 - 3, 2**128 - 1),
        lambda value: as_float32(float(cast("int", value))),
    ),
    ("decimal(38,2)", "float32"): (DECIMALS, lambda value: as_float32(float(cast("Decimal", value)))),
    ("decimal(38,2)", "float64"): (DECIMALS, lambda value: float(cast("Decimal", value))),
    ("boolean", "int32"): (st.booleans(), lambda value: int(cast("bool", value))),
    ("float32", "float64"): (DOUBLES.map(as_float32), lambda value: value),
    ("date", "timestamp"): (DATES, lambda value: order(value)[1]),
}


@pytest.mark.parametrize("promotion", PROMOTIONS)
@settings(max_examples=examples(6))
@given(data=st.data())
def test_a_file_written_before_a_promotion_is_never_pruned_wrongly(
    promotion: tuple[str, str], data: st.DataObject
) -> None:
    values, promote = PROMOTIONS[promotion]
    old, new = parse_type(promotion[0]), parse_type(promotion[1])
    written = data.draw(st.lists(values, min_size=1, max_size=3), "written")
    rows = [promote(value) for value in written]
    constants = ROWS["date"][1] if new.name == "timestamp" else ANY_NUMBER
    predicate = data.draw(predicates(st.one_of(constants, st.sampled_from(rows))), "predicate")
    if any(evaluate(predicate, row) is True for row in rows):
        wanted = _filter(predicate, new)
        assert may_match(wanted, _all_absent(wanted, old, written))


def test_an_integer_read_as_the_nearest_float32_is_found() -> None:
    column_type, facts = ColumnType("float32"), _facts(ColumnType("int32"), [2**24 + 1])
    assert may_match(_filter(Comparison(A, "=", 2.0**24), column_type), facts)
    assert may_match(_filter(Comparison(A, "<>", 2**24 + 1), column_type), facts)
    assert not may_match(_filter(Comparison(A, "=", 2.0**24 - 8), column_type), facts)


PARTITIONED = ["int64", "varchar", "date", "boolean", "uuid", "blob", "timestamp", "decimal(38,2)", "float64"]


@pytest.mark.parametrize("type_text", PARTITIONED)
@settings(max_examples=examples(6))
@given(data=st.data(), transform=st.sampled_from(["identity", "bucket(3)"]))
def test_a_partition_with_a_matching_row_is_never_pruned(type_text: str, transform: str, data: st.DataObject) -> None:
    column_type = parse_type(type_text)
    row = data.draw(ROWS[type_text][0].filter(lambda value: not (isinstance(value, str) and "\0" in value)))
    predicate = data.draw(predicates(st.one_of(ROWS[type_text][1], st.just(row))))
    facts = _facts(column_type, [row], transform_value(transform, column_type, row))
    if evaluate(predicate, row) is True:
        assert may_match(_filter(predicate, column_type, transform), facts)


@pytest.mark.parametrize(
    ("predicate", "type_text", "rows"),
    [
        (Comparison(A, "=", 10), "int32", [8, 9]),
        (Comparison(A, "<", 9), "int32", [10, 11]),
        (Comparison(A, "<", 10), "int32", [10, 11]),
        (Comparison(A, ">", 9), "int32", [8, 9]),
        (Comparison(A, "=", 2.5), "int32", [3, 9]),
        (Comparison(A, "=", 2**63 - 1), "int64", [2**63 - 5000]),
        (Comparison(A, "<>", 5), "int32", [5, 5, None]),
        (Comparison(A, "<>", "abc"), "varchar", ["abc"]),
        (Comparison(A, "<>", True), "boolean", [True]),
        (Comparison(A, "=", ""), "varchar", ["a"]),
        (Comparison(A, "=", "common prefix b"), "varchar", ["common prefix a"]),
        (Comparison(A, ">=", "common prefix b"), "varchar", ["common prefix a", "common prefix az"]),
        (Comparison(A, "=", "z" * 300), "varchar", ["y" * 300]),
        (StartsWith(A, "ab"), "varchar", ["ad", "b"]),
        (StartsWith(A, "ab"), "varchar", ["aa"]),
        (Comparison(A, "=", None), "int32", [1]),
        (In(A, (1, None)), "int32", [2]),
        (In(A, ()), "int32", [2]),
        (In(A, tuple(range(100, 200))), "int32", [99]),
        (In(A, tuple(f"k{n:03}" for n in range(100))), "varchar", ["k1000"]),
        (IsNull(A), "int32", [1]),
        (IsNotNull(A), "int32", [None]),
        (Comparison(A, ">", 0), "int32", [None, None]),
        (Comparison(A, "<", 0.0), "float64", [-0.0, 0.0]),
        (Comparison(A, "=", math.nan), "float64", [1.0]),
        (Comparison(A, ">", 5.0), "float64", [1.0]),
        (Comparison(A, "<", 0.5), "float64", [1.0, math.nan]),
        (Comparison(A, ">", math.nan), "float64", [math.nan]),
        (Comparison(A, "<", date(2020, 2, 1)), "timestamp", [datetime(2020, 2, 1)]),
        (Comparison(A, "=", "2020-01-01"), "date", [date(2020, 1, 2)]),
        (Comparison(A, ">", datetime(2020, 1, 1, 12)), "date", [date(2020, 1, 1)]),
        (
            Comparison(A, "=", datetime(2020, 1, 1, tzinfo=UTC)),
            "timestamptz",
            [datetime(2020, 1, 2, tzinfo=UTC)],
        ),
        (Comparison(A, "<", time(1)), "time", [time(2)]),
        (Comparison(A, "=", "00000000-0000-0000-0000-000000000000"), "uuid", [UUID(int=2**120)]),
        (Not(Or((Comparison(A, "<", 5), IsNull(A)))), "int32", [1, 4, None]),
        (And((Comparison(A, ">", 1), Comparison(A, "<", 3))), "int32", [7]),
    ],
)
def test_a_file_that_cannot_match_is_pruned(predicate: Predicate, type_text: str, rows: Sequence[object]) -> None:
    assert not any(evaluate(predicate, row) is True for row in rows if not isinstance(row, UUID))
    assert not _keeps(predicate, type_text, rows)


@pytest.mark.parametrize(
    ("predicate", "type_text", "pruned"),
    [
        (Comparison(A, "=", 5), "int64", True),
        (Comparison(A, "=", Decimal(5)), "int64", True),
        (In(A, (5, 7)), "int64", True),
        (In(A, (5, None)), "int64", True),
        (In(A, (5, 6)), "int64", False),
        (Or((Comparison(A, "=", 5), Comparison(A, ">", 100))), "int64", True),
        (Or((Comparison(A, "=", 5), Comparison(A, ">", 8))), "int64", False),
        (And((Comparison(A, "=", 5), UnknownPredicate())), "int64", True),
        (Or((Comparison(A, "=", 5), UnknownPredicate())), "int64", False),
        (Not(Comparison(A, "<>", 5)), "int64", True),
        (Not(Comparison(A, "=", 5)), "int64", False),
        (In(A, tuple(range(5, 100))), "int64", False),
        # Compared as doubles, integers and decimals may equal a constant that is another number.
        (Comparison(A, "=", 5.0), "int64", False),
        (Comparison(A, "=", 5), "float64", False),
    ],
)
def test_a_file_without_the_values_that_a_row_needs_is_pruned(
    predicate: Predicate, type_text: str, pruned: bool
) -> None:
    column_type = parse_type(type_text)
    facts = replace(_facts(column_type, [1, 6, 10, None]), absent={COLUMN: {Decimal(5), Decimal(7)}})
    assert may_match(_filter(predicate, column_type), facts) is not pruned


@pytest.mark.parametrize(
    ("predicate", "type_text", "rows"),
    [
        (Comparison(A, "=", 10), "int32", [9, 100]),
        (Comparison(A, "=", 2**63 - 1), "int64", [2**63 - 1]),
        (Comparison(A, ">", 2**53), "int64", [2**53 + 1]),
        (Comparison(A, "<", -(2**53)), "int64", [-(2**53) - 1]),
        (Comparison(A, "<>", 2**53), "int64", [2**53 + 1]),
        (Comparison(A, "<>", "abcdef"), "varchar", ["abcdefg"]),
        (Comparison(A, "=", 0.0), "float64", [-0.0]),
        (Comparison(A, "=", ""), "varchar", [""]),
        (Comparison(A, ">", 5.0), "float64", [1.0, math.nan]),
        (Comparison(A, "<>", 5.0), "float64", [5.0, math.nan]),
        (Comparison(A, "=", math.nan), "float64", [1.0, math.nan]),
        (Comparison(A, "=", "5"), "int32", [9]),
        (Comparison(A, "=", 1), "json", ["1"]),
        (StartsWith(A, ""), "varchar", ["x"]),
        (IsNull(A), "interval", [None]),
    ],
)
def test_a_file_that_may_match_is_kept(predicate: Predicate, type_text: str, rows: Sequence[object]) -> None:
    assert _keeps(predicate, type_text, rows)


def test_a_file_older_than_the_column_is_kept() -> None:
    columns: Columns = {A: PrunableColumn(COLUMN, ColumnType("int32"), added=SnapshotId(11))}
    facts = _facts(ColumnType("int32"), [1])
    for predicate in (Comparison(A, "=", 5), Comparison(A, "<>", 1), IsNull(A)):
        assert may_match(file_filter(predicate, columns), facts)
        assert not may_match(_filter(predicate, ColumnType("int32")), facts)


def test_a_file_without_statistics_is_kept() -> None:
    bare = PruningFacts(NOW, {}, {})
    unknown = PruningFacts(NOW, {COLUMN: ColumnStats(COLUMN)}, {COLUMN: ColumnType("float64")})
    for predicate in (Comparison(A, "=", 5), Comparison(A, "<>", 1), IsNull(A), IsNotNull(A)):
        assert may_match(_filter(predicate, ColumnType("float64")), bare)
        assert may_match(_filter(predicate, ColumnType("float64")), unknown)


def test_columns_are_found_whatever_their_case_and_depth() -> None:
    columns: Columns = {("a", "b"): PrunableColumn(COLUMN, ColumnType("int32"))}
    assert file_filter(IsNull(("A", "B")), columns) == HasNulls(COLUMN)
    assert file_filter(IsNull(("A",)), columns) == Everything()


def test_filters_are_simplified() -> None:
    five, null = Comparison(A, ">", 5), Comparison(A, "=", None)
    integer = ColumnType("int32")
    above = KeyRange(COLUMN, math.nextafter(5, 6), math.inf)
    assert _filter(five, integer) == above
    assert _filter(And((five, five, UnknownPredicate())), integer) == above
    assert _filter(And((five, null)), integer) == Nothing()
    assert _filter(Or((five, null)), integer) == above
    assert _filter(Or((five, UnknownPredicate())), integer) == Everything()
    assert _filter(And(()), integer) == Everything()
    assert _filter(Or(()), integer) == Nothing()
    nested = And((five, And((IsNull(A), IsNotNull(A)))))
    assert _filter(nested, integer) == AllOf((above, HasNulls(COLUMN), HasValues(COLUMN)))


def test_not_equal_is_exact_only_where_a_key_is_one_value() -> None:
    assert _filter(Comparison(A, "<>", 5), ColumnType("int32")) == NotOnly(COLUMN, 5.0)
    assert _filter(Comparison(A, "<>", 2**53 + 1), ColumnType("int64")) == HasValues(COLUMN)
    of_text = _filter(Comparison(A, "<>", "abcdefg"), ColumnType("varchar"))
    assert isinstance(of_text, NotOnly)
    assert of_text.text == "abcdefg"
    assert _filter(Comparison(A, "<>", "a" * 300), ColumnType("varchar")) == HasValues(COLUMN)
    assert isinstance(_filter(Comparison(A, "<>", 1.5), ColumnType("float64")), AnyOf)


def test_equality_on_a_partition_key_names_the_partitions() -> None:
    integer = ColumnType("int64")
    equal = _filter(Comparison(A, "=", 34), integer, "identity")
    assert equal == AllOf((KeyRange(COLUMN, 34.0, 34.0, value=Decimal(34)), PartitionIn(SPEC_ID, 0, ("34",))))
    buckets = _filter(In(A, ("iceberg",)), ColumnType("varchar"), "bucket(100)")
    assert isinstance(buckets, AllOf)
    assert PartitionIn(SPEC_ID, 0, ("89",)) in buckets.parts
    assert isinstance(_filter(Comparison(A, "=", date(2020, 1, 1)), ColumnType("date"), "year"), KeyRange)


def test_files_of_another_partition_spec_are_kept() -> None:
    wanted = PartitionIn(SPEC_ID, 0, ("1",))
    facts = _facts(ColumnType("int32"), [1])
    assert not may_match(wanted, facts)
    assert may_match(wanted, PruningFacts(NOW, {}, {}, PartitionId(8), ("2",)))
    assert may_match(wanted, PruningFacts(NOW, {}, {}))


def test_a_string_with_a_nul_is_not_sent_to_a_database_as_text() -> None:
    for predicate in (Comparison(A, "=", "a\0"), StartsWith(A, "a\0")):
        wanted = _filter(predicate, ColumnType("varchar"), "identity")
        found = wanted.parts if isinstance(wanted, AllOf) else (wanted,)
        # The value itself is for filters in files.
        found = tuple(replace(part, value=None) if isinstance(part, KeyRange) else part for part in found)
        assert all("\0" not in repr(part).replace("\\x00", "\0") for part in found)


def test_an_interval_as_wide_as_doubles_go_has_no_width() -> None:
    largest = sys.float_info.max
    assert key_width((0.0, largest)) is None
    assert key_width((-largest, largest)) is None
    assert key_width((1.0, 3.0)) == math.nextafter(2.0, math.inf)
