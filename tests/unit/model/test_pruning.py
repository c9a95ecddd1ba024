import math
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import cast
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forklake.model.column_types import ColumnType, parse_type
from forklake.model.ids import ColumnId, PartitionId, SnapshotId
from forklake.model.partitions import PartitionKey, PartitionSpec, transform_value
from forklake.model.predicates import (
    And,
    Comparison,
    In,
    IsNotNull,
    IsNull,
    Not,
    Operator,
    Or,
    Predicate,
    StartsWith,
    Unknown,
)
from forklake.model.pruning import (
    AllOf,
    AnyOf,
    Columns,
    Everything,
    FileFacts,
    HasNulls,
    HasValues,
    KeyRange,
    Nothing,
    NotOnly,
    PartitionIn,
    PrunableColumn,
    file_filter,
    may_match,
)
from forklake.model.statistics import ColumnStats, as_float32, max_text, min_text

COLUMN = ColumnId(1)
A = ("a",)
SPEC_ID = PartitionId(7)
NOW = SnapshotId(10)


# A small SQL engine: rows are single values, the answer is True, False or None (NULL).


def _order(value: object) -> tuple[int, object]:
    """SQL's order: NaN above all numbers, dates as midnights, moments in UTC."""
    match value:
        case float() if math.isnan(value):
            return 1, 0
        case datetime():
            return 0, value.replace(tzinfo=None)
        case date():
            return 0, datetime(value.year, value.month, value.day)
        case str():
            return 0, value.encode()
        case UUID():
            return 0, value.bytes
        case _:
            return 0, value


COMPARE: dict[Operator, Callable[[tuple[int, object], tuple[int, object]], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: cast("tuple[int, float]", a) < cast("tuple[int, float]", b),
    "<=": lambda a, b: a == b or COMPARE["<"](a, b),
    ">": lambda a, b: COMPARE["<"](b, a),
    ">=": lambda a, b: a == b or COMPARE["<"](b, a),
}


def _evaluate(predicate: Predicate, row: object) -> bool | None:
    match predicate:
        case Comparison(_, op, value):
            return None if row is None or value is None else COMPARE[op](_order(row), _order(value))
        case In(column, values):
            return _evaluate(Or(tuple(Comparison(column, "=", value) for value in values)), row)
        case IsNull():
            return row is None
        case IsNotNull():
            return row is not None
        case StartsWith(_, prefix):
            return row.startswith(prefix) if isinstance(row, str) else None
        case And(parts):
            answers = [_evaluate(part, row) for part in parts]
            return False if False in answers else None if None in answers else True
        case Or(parts):
            answers = [_evaluate(part, row) for part in parts]
            return True if True in answers else None if None in answers else False
        case Not(part):
            answer = _evaluate(part, row)
            return None if answer is None else not answer
        case Unknown():
            return True


def _stats(column_type: ColumnType, rows: Sequence[object]) -> ColumnStats:
    values = [row for row in rows if row is not None]
    nans = [value for value in values if isinstance(value, float) and math.isnan(value)]
    ordered = sorted((value for value in values if value not in nans), key=lambda v: cast("float", _order(v)[1]))
    return ColumnStats(
        COLUMN,
        value_count=len(values),
        null_count=len(rows) - len(values),
        min_value=min_text(column_type, ordered[0]) if ordered else None,
        max_value=max_text(column_type, ordered[-1]) if ordered else None,
        contains_nan=bool(nans) if column_type.name in ("float32", "float64") else None,
    )


def _facts(column_type: ColumnType, rows: Sequence[object], partition: str | None = None) -> FileFacts:
    return FileFacts(NOW, {COLUMN: _stats(column_type, rows)}, {COLUMN: column_type}, SPEC_ID, (partition,))


def _filter(predicate: Predicate, column_type: ColumnType, transform: str | None = None):
    spec = PartitionSpec(SPEC_ID, (PartitionKey(COLUMN, transform),)) if transform else None
    return file_filter(predicate, {A: PrunableColumn(COLUMN, column_type)}, spec)


def _keeps(predicate: Predicate, type_text: str, rows: Sequence[object]) -> bool:
    column_type = parse_type(type_text)
    return may_match(_filter(predicate, column_type), _facts(column_type, rows))


def _predicates(constants: st.SearchStrategy[object]) -> st.SearchStrategy[Predicate]:
    maybe_null = st.one_of(constants, st.none())
    leaves: st.SearchStrategy[Predicate] = st.one_of(
        st.builds(Comparison, st.just(A), st.sampled_from(list(COMPARE)), maybe_null),
        st.builds(In, st.just(A), st.lists(maybe_null, max_size=5).map(tuple)),
        st.builds(StartsWith, st.just(A), st.text("ab\0é\U0010ffff", max_size=8)),
        st.sampled_from([IsNull(A), IsNotNull(A), Unknown()]),
    )
    return st.recursive(leaves, _combine, max_leaves=4)


def _combine(parts: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
    several = st.lists(parts, max_size=3).map(tuple)
    return st.one_of(several.map(And), several.map(Or), parts.map(Not))


NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.integers(2**53 - 2, 2**53 + 3),
    st.integers(2**63 - 3, 2**63 - 1),
    st.integers(-(2**63), -(2**63) + 2),
)
DECIMALS = st.one_of(
    st.decimals("-2", "2", places=2),
    st.decimals("99999999999999999999.90", "99999999999999999999.99", places=2),
)
DOUBLES = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 0.1, 1.5, 2.0**53]))
STRINGS = st.one_of(
    st.text("ab\0é\U0010ffff", max_size=8),
    st.builds(
        lambda char, n, tail: char * n + tail,
        st.sampled_from(["a", "é", "\U0010ffff"]),
        st.integers(60, 300),
        st.text("ab", max_size=2),
    ),
)
DATES = st.one_of(st.dates(), st.dates(date(2020, 1, 1), date(2020, 1, 4)))
MOMENTS = st.one_of(st.datetimes(), st.datetimes(datetime(2020, 1, 1), datetime(2020, 1, 2)))
ZONED = st.datetimes(timezones=st.just(UTC))
ANY_NUMBER = st.one_of(NUMBERS, DECIMALS, DOUBLES)

ROWS: dict[str, tuple[st.SearchStrategy[object], st.SearchStrategy[object]]] = {
    "int64": (NUMBERS, ANY_NUMBER),
    "decimal(38,2)": (DECIMALS, ANY_NUMBER),
    "float64": (DOUBLES, ANY_NUMBER),
    "float32": (DOUBLES.map(as_float32), ANY_NUMBER),
    "boolean": (st.booleans(), st.booleans()),
    "varchar": (STRINGS, STRINGS),
    "blob": (st.binary(max_size=8), st.binary(max_size=8)),
    "date": (DATES, st.one_of(DATES, MOMENTS)),
    "timestamp": (MOMENTS, st.one_of(DATES, MOMENTS)),
    "timestamptz": (ZONED, ZONED),
    "time": (st.times(), st.times()),
    "uuid": (st.uuids(), st.uuids()),
}


@pytest.mark.parametrize("type_text", ROWS)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_a_file_with_a_matching_row_is_never_pruned(type_text: str, data: st.DataObject) -> None:
    values, constants = ROWS[type_text]
    rows = data.draw(st.lists(st.one_of(values, st.none()), min_size=1, max_size=4), "rows")
    # Constants taken from the rows reach the edges of the bounds.
    predicate = data.draw(_predicates(st.one_of(constants, st.sampled_from(rows))), "predicate")
    if any(_evaluate(predicate, row) is True for row in rows):
        assert _keeps(predicate, type_text, rows)


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
    ("date", "timestamp"): (DATES, lambda value: _order(value)[1]),
}


@pytest.mark.parametrize("promotion", PROMOTIONS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_file_written_before_a_promotion_is_never_pruned_wrongly(
    promotion: tuple[str, str], data: st.DataObject
) -> None:
    values, promote = PROMOTIONS[promotion]
    old, new = parse_type(promotion[0]), parse_type(promotion[1])
    written = data.draw(st.lists(values, min_size=1, max_size=3), "written")
    rows = [promote(value) for value in written]
    constants = ROWS["date"][1] if new.name == "timestamp" else ANY_NUMBER
    predicate = data.draw(_predicates(st.one_of(constants, st.sampled_from(rows))), "predicate")
    if any(_evaluate(predicate, row) is True for row in rows):
        assert may_match(_filter(predicate, new), _facts(old, written))


def test_an_integer_read_as_the_nearest_float32_is_found() -> None:
    column_type, facts = ColumnType("float32"), _facts(ColumnType("int32"), [2**24 + 1])
    assert may_match(_filter(Comparison(A, "=", 2.0**24), column_type), facts)
    assert may_match(_filter(Comparison(A, "<>", 2**24 + 1), column_type), facts)
    assert not may_match(_filter(Comparison(A, "=", 2.0**24 - 8), column_type), facts)


PARTITIONED = ["int64", "varchar", "date", "boolean", "uuid", "blob", "timestamp", "decimal(38,2)", "float64"]


@pytest.mark.parametrize("type_text", PARTITIONED)
@settings(max_examples=30, deadline=None)
@given(data=st.data(), transform=st.sampled_from(["identity", "bucket(3)"]))
def test_a_partition_with_a_matching_row_is_never_pruned(type_text: str, transform: str, data: st.DataObject) -> None:
    column_type = parse_type(type_text)
    row = data.draw(ROWS[type_text][0].filter(lambda value: not (isinstance(value, str) and "\0" in value)))
    predicate = data.draw(_predicates(st.one_of(ROWS[type_text][1], st.just(row))))
    facts = _facts(column_type, [row], transform_value(transform, column_type, row))
    if _evaluate(predicate, row) is True:
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
    assert not any(_evaluate(predicate, row) is True for row in rows if not isinstance(row, UUID))
    assert not _keeps(predicate, type_text, rows)


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
    bare = FileFacts(NOW, {}, {})
    unknown = FileFacts(NOW, {COLUMN: ColumnStats(COLUMN)}, {COLUMN: ColumnType("float64")})
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
    assert _filter(And((five, five, Unknown())), integer) == above
    assert _filter(And((five, null)), integer) == Nothing()
    assert _filter(Or((five, null)), integer) == above
    assert _filter(Or((five, Unknown())), integer) == Everything()
    assert _filter(And(()), integer) == Everything()
    assert _filter(Or(()), integer) == Nothing()
    nested = And((five, And((IsNull(A), IsNotNull(A)))))
    assert _filter(nested, integer) == AllOf((above, HasNulls(COLUMN), HasValues(COLUMN)))


def test_not_equal_is_exact_only_where_a_key_is_one_value() -> None:
    assert _filter(Comparison(A, "<>", 5), ColumnType("int32")) == NotOnly(COLUMN, 5.0)
    assert _filter(Comparison(A, "<>", 2**53 + 1), ColumnType("int64")) == HasValues(COLUMN)
    assert _filter(Comparison(A, "<>", "abcdefg"), ColumnType("varchar")) == HasValues(COLUMN)
    assert isinstance(_filter(Comparison(A, "<>", 1.5), ColumnType("float64")), AnyOf)


def test_equality_on_a_partition_key_names_the_partitions() -> None:
    integer = ColumnType("int64")
    equal = _filter(Comparison(A, "=", 34), integer, "identity")
    assert equal == AllOf((KeyRange(COLUMN, 34.0, 34.0), PartitionIn(SPEC_ID, 0, ("34",))))
    buckets = _filter(In(A, ("iceberg",)), ColumnType("varchar"), "bucket(100)")
    assert isinstance(buckets, AllOf)
    assert PartitionIn(SPEC_ID, 0, ("89",)) in buckets.parts
    assert isinstance(_filter(Comparison(A, "=", date(2020, 1, 1)), ColumnType("date"), "year"), KeyRange)


def test_files_of_another_partition_spec_are_kept() -> None:
    wanted = PartitionIn(SPEC_ID, 0, ("1",))
    facts = _facts(ColumnType("int32"), [1])
    assert not may_match(wanted, facts)
    assert may_match(wanted, FileFacts(NOW, {}, {}, PartitionId(8), ("2",)))
    assert may_match(wanted, FileFacts(NOW, {}, {}))


def test_a_string_with_a_nul_is_not_sent_to_a_database_as_text() -> None:
    for predicate in (Comparison(A, "=", "a\0"), StartsWith(A, "a\0")):
        wanted = _filter(predicate, ColumnType("varchar"), "identity")
        found = wanted.parts if isinstance(wanted, AllOf) else (wanted,)
        assert all("\0" not in repr(part).replace("\\x00", "\0") for part in found)
