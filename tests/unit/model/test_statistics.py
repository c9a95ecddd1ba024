import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.errors import InvalidInput
from forklake.model.column_types import ColumnType, parse_type
from forklake.model.ids import ColumnId
from forklake.model.statistics import (
    ColumnStats,
    compare_text,
    is_exact_bound,
    max_text,
    merge_stats,
    min_text,
    pruning_key,
    text_successor,
    value_text,
)

TEXT = ColumnType("varchar")
COLUMN = ColumnId(1)


@pytest.mark.parametrize(
    ("type_text", "value", "text"),
    [
        ("boolean", True, "1"),
        ("boolean", False, "0"),
        ("int64", -(2**63), "-9223372036854775808"),
        ("uint64", 2**64 - 1, "18446744073709551615"),
        ("float64", 0.1, "0.1"),
        ("float64", 1e300, "1e+300"),
        ("float64", -0.0, "0.0"),
        ("float64", -math.inf, "-inf"),
        ("float64", math.nan, None),
        ("float32", 1.5, "1.5"),
        ("decimal(10,2)", Decimal("1.5"), "1.50"),
        ("decimal(10,2)", Decimal("-0"), "0.00"),
        ("decimal(38,0)", Decimal(10) ** 37, "1" + "0" * 37),
        ("decimal(10,2)", Decimal("1.555"), None),
        ("date", date(1969, 12, 31), "1969-12-31"),
        ("time", time(1, 2, 3, 4), "01:02:03.000004"),
        ("time", time(1, 2, 3), "01:02:03"),
        ("timestamp", datetime(2020, 1, 1, 1, 2, 3), "2020-01-01 01:02:03"),
        ("timestamp", datetime(2020, 1, 1, 1, 2, 3, 500000), "2020-01-01 01:02:03.5"),
        ("timestamptz", datetime(2020, 1, 1, 1, 2, 3, tzinfo=UTC), "2020-01-01 01:02:03+00"),
        (
            "timestamptz",
            datetime(2020, 1, 1, 1, tzinfo=timezone(timedelta(hours=2))),
            "2019-12-31 23:00:00+00",
        ),
        ("varchar", "", ""),
        ("varchar", "a\0b", None),
        ("varchar", "\ud800", None),
        ("blob", b"\x00\xff", "00FF"),
        (
            "uuid",
            UUID("F79C3E09-677C-4BBD-A479-3F349CB785E7"),
            "f79c3e09-677c-4bbd-a479-3f349cb785e7",
        ),
        ("int32", None, None),
        ("int32", "1", None),
        ("interval", timedelta(1), None),
    ],
)
def test_a_value_is_written_in_the_text_form_of_its_type(type_text: str, value: object, text: str | None) -> None:
    assert value_text(parse_type(type_text), value) == text


def test_the_text_of_a_float32_stays_right_when_the_column_becomes_a_float64() -> None:
    text = value_text(ColumnType("float32"), 0.1)
    assert text == "0.10000000149011612"
    assert pruning_key(ColumnType("float64"), text, "max") == pruning_key(ColumnType("float32"), text, "max")


def test_a_short_float32_text_means_the_float32() -> None:
    assert pruning_key(ColumnType("float32"), "0.1", "max") == 0.10000000149011612


def test_a_long_string_is_cut_as_minimum_and_rounded_up_as_maximum() -> None:
    assert value_text(TEXT, "z" * 300) == "z" * 300
    assert min_text(TEXT, "z" * 300) == "z" * 256
    assert max_text(TEXT, "z" * 300) == "z" * 255 + "{"
    assert max_text(TEXT, "z" * 256) == "z" * 256
    assert min_text(TEXT, "a" + "é" * 200) == "a" + "é" * 127


def test_a_maximum_that_cannot_be_rounded_up_is_unknown() -> None:
    assert max_text(TEXT, "\U0010ffff" * 100) is None
    assert max_text(ColumnType("blob"), b"\xff" * 300) is None
    assert max_text(ColumnType("blob"), b"a" * 300) == "61" * 255 + "62"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9), st.integers(1, 90))
def test_the_bounds_of_a_string_enclose_it(part: str, times: int) -> None:
    value = part * times
    low, high = min_text(TEXT, value), max_text(TEXT, value)
    assert low is not None
    assert low.encode() <= value.encode()
    assert len(low.encode()) <= 256
    if high is not None:
        assert high.encode() >= value.encode()
        assert len(high.encode()) <= 256
    for bound in (low, high):
        assert bound is None or bound == value or not is_exact_bound(TEXT, bound)


def test_the_successor_of_a_string_skips_what_cannot_be_encoded() -> None:
    assert text_successor("a\ud7ff") == "a\ue000"
    assert text_successor("") is None


def test_long_strings_are_bounds_and_not_values() -> None:
    assert is_exact_bound(TEXT, "a" * 200)
    assert not is_exact_bound(TEXT, "a" * 255)
    assert is_exact_bound(ColumnType("int32"), "5")


@pytest.mark.parametrize(
    ("type_text", "text", "low", "high"),
    [
        ("int64", "9223372036854775807", 9223372036854774784.0, 9223372036854775808.0),
        ("int64", "42", 42.0, 42.0),
        ("boolean", "true", 1.0, 1.0),
        ("boolean", "0", 0.0, 0.0),
        ("decimal(3,1)", "0.1", math.nextafter(0.1, 0), 0.1),
        ("float64", "inf", math.inf, math.inf),
        ("float64", "-inf", -math.inf, -math.inf),
        ("float64", "nan", -math.inf, math.inf),
        ("date", "1970-01-02", 86400e6, 86400e6),
        ("date", "infinity", math.inf, math.inf),
        ("timestamp", "1970-01-01 00:00:00.000001", 1.0, 1.0),
        ("timestamp_ns", "1970-01-01 00:00:00.0000005", 0.5, 0.5),
        ("timestamptz", "1970-01-01 02:00:00+02", 0.0, 0.0),
        ("timestamp", "1970-01-02", 86400e6, 86400e6),
        ("timestamp", "10000-01-01 00:00:00", 253402300800e6, 253402300800e6),
        ("date", "0001-01-01 (BC)", -719528 * 86400e6, -719528 * 86400e6),
        ("time", "00:00:01", 1e6, 1e6),
        ("varchar", "", 0.0, 0.0),
        ("varchar", "\x01", 2.0**40, 2.0**40),
        ("varchar", "abcdef", float(0x616263646566), float(0x616263646566)),
        ("varchar", "abcdefg", float(0x616263646566), float(0x616263646567)),
        ("blob", "FFFFFFFFFFFFFF", float(0xFFFFFFFFFFFF), float(0x1000000000000)),
        ("uuid", "00000000-0001-4000-8000-000000000000", 1.0, 2.0),
    ],
)
def test_a_key_is_rounded_outward(type_text: str, text: str, low: float, high: float) -> None:
    assert pruning_key(parse_type(type_text), text, "min") == low
    assert pruning_key(parse_type(type_text), text, "max") == high


@pytest.mark.parametrize(
    ("type_text", "text"),
    [
        ("int32", None),
        ("int32", "x"),
        ("int32", "inf"),
        ("date", "2020-02-31"),
        ("date", "yesterday"),
        ("uuid", "f"),
        ("blob", "\\x00"),
        ("json", "{}"),
        ("interval", "1 day"),
        ("timetz", "01:00:00+00"),
        ("int32[]", "[1]"),
        ("varchar", "\ud800"),
    ],
)
def test_what_cannot_be_understood_has_an_unknown_key(type_text: str, text: str | None) -> None:
    assert pruning_key(parse_type(type_text), text, "min") == -math.inf
    assert pruning_key(parse_type(type_text), text, "max") == math.inf


@given(
    st.sampled_from(["int64", "float64", "float32", "date", "varchar", "uuid", "timestamp", "decimal(9,2)"]),
    st.text(),
)
def test_no_text_makes_a_key_fail(type_text: str, text: str) -> None:
    assert pruning_key(parse_type(type_text), text, "min") <= pruning_key(parse_type(type_text), text, "max")


@given(st.integers(-(2**127), 2**127), st.integers(-(2**127), 2**127))
def test_keys_of_integers_keep_their_order(a: int, b: int) -> None:
    huge = ColumnType("int128")
    low, high = sorted((a, b))
    assert pruning_key(huge, str(low), "min") <= low
    assert pruning_key(huge, str(high), "max") >= high
    assert pruning_key(huge, str(low), "min") <= pruning_key(huge, str(high), "min")


def test_texts_are_compared_as_their_type() -> None:
    assert compare_text(ColumnType("int32"), "9", "10") < 0
    assert compare_text(TEXT, "9", "10") > 0
    assert compare_text(parse_type("decimal(9,2)"), "1.50", "1.5") == 0
    assert compare_text(ColumnType("date"), "10000-01-01", "9999-12-31") > 0
    assert compare_text(ColumnType("float64"), "1e+2", "99.0") > 0
    with pytest.raises(InvalidInput):
        compare_text(ColumnType("int32"), "x", "1")


def test_merging_adds_counts_and_widens_bounds_as_the_type() -> None:
    a = ColumnStats(COLUMN, 2, 1, "9", "10", None, 100)
    b = ColumnStats(COLUMN, 3, 0, "-5", "9", None, 50)
    assert merge_stats(ColumnType("int32"), [a, b]) == ColumnStats(COLUMN, 5, 1, "-5", "10", None, 150)


def test_an_unknown_stays_unknown_when_merged() -> None:
    merged = merge_stats(ColumnType("int32"), [ColumnStats(COLUMN, 1, 0, "1", "1"), ColumnStats(COLUMN)])
    assert merged == ColumnStats(COLUMN)
    assert merge_stats(ColumnType("int32"), [ColumnStats(COLUMN, 1, 0, "x", "1"), merged]).min_value is None


@pytest.mark.parametrize("others", [[], ["x"], ["1"], ["1", "2"]])
def test_a_malformed_bound_makes_the_merged_one_unknown(others: list[str]) -> None:
    sides = [ColumnStats(COLUMN, 1, 0, low, "3") for low in ["x", *others]]
    for ordered in (sides, sides[::-1]):
        assert merge_stats(ColumnType("int32"), ordered)[3:5] == (None, "3")


def test_of_equal_bounds_the_first_is_kept() -> None:
    sides = [ColumnStats(COLUMN, 1, 0, text, text) for text in ("1.0", "1", "1.00")]
    assert merge_stats(ColumnType("float64"), sides)[3:5] == ("1.0", "1.0")
    assert merge_stats(ColumnType("float64"), sides[:2])[3:5] == ("1.0", "1.0")


def test_a_side_without_values_leaves_the_bounds_of_the_other() -> None:
    filled = ColumnStats(COLUMN, 2, 0, "1", "2", False)
    empty = ColumnStats(COLUMN, 0, 7)
    assert merge_stats(ColumnType("float64"), [filled, empty]) == ColumnStats(COLUMN, 2, 7, "1", "2", False)
    assert merge_stats(ColumnType("float64"), [empty, filled]) == ColumnStats(COLUMN, 2, 7, "1", "2", False)
    assert merge_stats(ColumnType("float64"), [empty, empty]) == ColumnStats(COLUMN, 0, 14)


def test_a_nan_on_one_side_is_a_nan_in_both() -> None:
    double = ColumnType("float64")
    with_nan = ColumnStats(COLUMN, 1, 0, "1.0", "1.0", True)
    without = ColumnStats(COLUMN, 1, 0, "2.0", "2.0", False)
    unknown = ColumnStats(COLUMN, 1, 0, "2.0", "2.0")
    assert merge_stats(double, [with_nan, without]).contains_nan is True
    assert merge_stats(double, [without, without]).contains_nan is False
    assert merge_stats(double, [without, unknown]).contains_nan is None
