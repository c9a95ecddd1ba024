import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.errors import InvalidChange, InvalidInput
from forklake.model.column_types import ColumnType, parse_type
from forklake.model.ids import ColumnId
from forklake.model.partitions import (
    PartitionKey,
    directory_names,
    hive_segment,
    murmur3,
    parse_transform,
    possible_values,
    transform_accepts,
    transform_value,
)
from forklake.model.predicates import constant_value

ALL_BUCKETS = "bucket(2147483647)"


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("Year", "year"),
        ("months", "month"),
        (" identity ", "identity"),
        ("BUCKET( 16 )", "bucket(16)"),
        ("hour", "hour"),
    ],
)
def test_a_transform_is_stored_in_one_form(text: str, stored: str) -> None:
    assert parse_transform(text) == stored


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("truncate(3)", "Unsupported partition function truncate - only year, month, day, hour, and bucket"),
        ("week", "Unsupported partition function week"),
        ("bucket(0)", "Bucket count must be positive"),
        ("bucket(-1)", "Bucket count must be positive"),
        ("bucket(2147483648)", "Bucket count cannot exceed 2147483647"),
        ("bucket", "Expected bucket"),
        ("bucket(a)", "Expected bucket"),
    ],
)
def test_a_transform_that_does_not_exist_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidChange, match=message):
        parse_transform(text)


def test_the_hash_is_murmur3() -> None:
    assert murmur3((34).to_bytes(8, "little")) == 2017239379
    assert murmur3(b"iceberg") == 1210000089
    assert murmur3(b"") == 0


# The numbers were read from the metadata of a lake that DuckLake wrote.
@pytest.mark.parametrize(
    ("type_text", "value", "bucket"),
    [
        ("int8", 34, 2017239379),
        ("int64", -34, 29870797),
        ("uint8", 34, 1719925257),
        ("uint64", 2**64 - 1, 1590701963),
        ("int128", 34, 1719925257),
        ("boolean", True, 1392991556),
        ("boolean", False, 1669671676),
        ("float32", 1.5, 1887077339),
        ("float64", 1.5, 1887077339),
        ("float64", math.nan, 1428788237),
        ("float64", -0.0, 1669671676),
        ("decimal(4,2)", Decimal("14.20"), 1525056465),
        ("decimal(10,2)", Decimal("-3.25"), 1406897530),
        ("decimal(38,2)", Decimal("-14.20"), 2004101098),
        ("date", date(2017, 11, 16), 1494153226),
        ("date", date(1960, 1, 1), 393446718),
        ("timestamp", datetime(2017, 11, 16, 22, 31, 8), 99539207),
        ("timestamp_s", datetime(2017, 11, 16, 22, 31, 8), 1904221379),
        ("timestamp_ms", datetime(2017, 11, 16, 22, 31, 8), 975699510),
        ("timestamp_ns", datetime(2017, 11, 16, 22, 31, 8), 1409733579),
        ("timestamptz", datetime(2017, 11, 16, 22, 31, 8, tzinfo=UTC), 99539207),
        ("time", time(22, 31, 8), 1484720659),
        ("uuid", UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7"), 980414783),
        ("varchar", "é漢abc", 1385998696),
        ("varchar", "", 0),
        ("blob", bytes([0, 1, 2, 3]), 1958800441),
        ("json", '{"a":1}', 1599071781),
    ],
)
def test_buckets_are_those_of_ducklake(type_text: str, value: object, bucket: int) -> None:
    column_type = parse_type(type_text)
    assert transform_accepts(ALL_BUCKETS, column_type)
    assert transform_value(ALL_BUCKETS, column_type, value) == str(bucket)
    assert transform_value("bucket(7)", column_type, value) == str(bucket % 7)


@pytest.mark.parametrize(
    ("transform", "type_text", "value", "text"),
    [
        ("year", "date", date(2020, 3, 4), "2020"),
        ("month", "timestamp", datetime(2020, 3, 4), "3"),
        ("day", "timestamptz", datetime(2020, 3, 4, 23, tzinfo=UTC), "4"),
        ("hour", "timestamp", datetime(2020, 3, 4, 5), "5"),
        ("hour", "time", time(6), "6"),
        ("hour", "date", date(2020, 3, 4), "0"),
        ("identity", "int32", 5, "5"),
        ("identity", "boolean", True, "true"),
        ("identity", "varchar", "", ""),
        ("identity", "timestamp", datetime(2017, 11, 16, 22, 31, 8), "2017-11-16 22:31:08"),
        ("identity", "float64", math.nan, "nan"),
        ("identity", "blob", b"a\x00\\", "a\\x00\\x5C"),
        ("identity", "varchar", None, None),
        ("bucket(4)", "varchar", None, None),
        ("year", "date", None, None),
    ],
)
def test_a_partition_value_is_raw_text(transform: str, type_text: str, value: object, text: str | None) -> None:
    assert transform_value(transform, parse_type(type_text), value) == text


def test_a_value_without_partition_value_is_refused_rather_than_taken_for_null() -> None:
    with pytest.raises(InvalidInput):
        transform_value("identity", ColumnType("varchar"), "a\0b")
    assert transform_value("bucket(4)", ColumnType("varchar"), "a\0b") is not None


def test_transforms_accept_the_types_they_can_be_computed_of() -> None:
    assert transform_accepts("year", ColumnType("date"))
    assert not transform_accepts("year", ColumnType("time"))
    assert not transform_accepts("hour", ColumnType("varchar"))
    assert not transform_accepts("identity", parse_type("int[]"))
    assert not transform_accepts("bucket(4)", ColumnType("interval"))


def _names(*keys: tuple[str, str]) -> tuple[str, ...]:
    return directory_names([(PartitionKey(ColumnId(1), transform), column) for transform, column in keys])


def test_folders_are_named_after_the_column_or_the_transform() -> None:
    assert _names(("identity", "Region"), ("year", "d"), ("bucket(4)", "id")) == ("Region", "year", "bucket")


def test_a_folder_name_that_is_taken_gets_the_columns_name() -> None:
    assert _names(("year", "d"), ("identity", "Year"), ("year", "d2")) == ("year", "Year_Year", "year_d2")
    assert _names(("identity", "year_d2"), ("year", "d"), ("year", "d2")) == ("year_d2", "year", "year_d2_2")


def test_a_folder_is_url_encoded() -> None:
    assert hive_segment("r", "a b/c") == "r=a%20b%2Fc"
    assert hive_segment("r", "") == "r="
    assert hive_segment("r", None) == "r=__HIVE_DEFAULT_PARTITION__"
    assert hive_segment("a=b", "é") == "a%3Db=%C3%A9"


VALUES = st.one_of(
    st.tuples(st.sampled_from(["int8", "int64", "uint32", "uint128", "int128"]), st.integers(0, 127)),
    st.tuples(st.just("boolean"), st.booleans()),
    st.tuples(st.just("date"), st.dates()),
    st.tuples(st.just("varchar"), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))),
    st.tuples(st.just("uuid"), st.uuids()),
    st.tuples(st.just("blob"), st.binary()),
)


@given(VALUES, st.sampled_from(["identity", "bucket(7)", ALL_BUCKETS]))
def test_the_possible_partition_values_include_the_one_a_value_gets(typed: tuple[str, object], transform: str) -> None:
    column_type = parse_type(typed[0])
    exact = constant_value(column_type, typed[1])
    assert exact is not None
    possible = possible_values(transform, column_type, exact)
    assert possible is not None
    assert transform_value(transform, column_type, typed[1]) in possible


@pytest.mark.parametrize(("old", "value"), [("boolean", True), ("uint8", 1), ("int8", 1)])
@pytest.mark.parametrize("transform", ["identity", ALL_BUCKETS])
def test_a_promoted_column_still_finds_the_partitions_of_its_old_type(old: str, value: object, transform: str) -> None:
    possible = possible_values(transform, ColumnType("int64"), Decimal(1))
    assert possible is not None
    assert transform_value(transform, ColumnType(old), value) in possible


def test_partition_values_of_types_with_many_forms_are_not_guessed() -> None:
    assert possible_values("identity", ColumnType("float64"), Decimal(1)) is None
    assert possible_values("identity", ColumnType("int32"), Decimal("1.5")) is None
    assert possible_values("year", ColumnType("date"), Decimal(0)) is None
