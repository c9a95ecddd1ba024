from datetime import UTC, date, datetime, time
from decimal import Decimal
from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forklake.errors import InvalidInput
from forklake.model.partitions import murmur3, transform_accepts, transform_value
from forklake.spark.tasks.partitions.bucket_hash import murmur3_all
from forklake.spark.tasks.partitions.partition_values import CodedValues, combine_codes, partition_values
from forklake.spark.tasks.types.to_physical import physical_array
from forklake.spark.tasks.types.type_forms import shown_type
from forklake.spark.tasks.types.uuid_text import binary_data
from tests.effort import examples
from tests.unit.spark.tasks.samples import column

# Text without NUL, which has no partition value.
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
VALUES: dict[str, st.SearchStrategy[object]] = {
    "boolean": st.booleans(),
    "int8": st.integers(-128, 127),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "int128": st.integers(-(10**37), 10**37),
    "uint8": st.integers(0, 255),
    "uint64": st.integers(0, 2**64 - 1),
    "float32": st.floats(width=32),
    "float64": st.floats(),
    "decimal(9,2)": st.decimals(-1000000, 1000000, places=2),
    "decimal(18,18)": st.decimals(0, Decimal("0.9"), places=18),
    "decimal(25,10)": st.decimals(-1000, 1000, places=10),
    "date": st.dates(),
    "time": st.times(),
    "timestamp": st.datetimes(),
    "timestamp_s": st.datetimes().map(lambda moment: moment.replace(microsecond=0)),
    "timestamp_ms": st.datetimes().map(lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)),
    "timestamp_ns": st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1)),
    "timestamptz": st.datetimes(timezones=st.just(UTC)),
    "varchar": TEXT,
    "json": TEXT,
    "blob": st.binary(max_size=12),
    "uuid": st.uuids(),
}
CASES = [
    (type_text, transform)
    for type_text in VALUES
    for transform in ("identity", "year", "month", "day", "hour", "bucket(7)", "bucket(2147483647)")
    if transform_accepts(transform, column("c", type_text).type)
]


@pytest.mark.parametrize(("type_text", "transform"), CASES, ids=[f"{a}-{b}" for a, b in CASES])
@settings(max_examples=examples(6))
@given(data=st.data())
def test_rows_get_the_partition_value_of_their_value(type_text: str, transform: str, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.none() | VALUES[type_text], min_size=1, max_size=8))
    start = data.draw(st.integers(0, len(values) - 1))
    field = column("c", type_text)
    if type_text == "timestamp_ns":
        shown = pa.array(values, pa.timestamp("ns")).cast(pa.int64())
    else:
        shown = pa.array([_shown(value) for value in values], shown_type(field.type))
    found = partition_values(transform, field.type, physical_array(shown[start:], field))
    assert _decoded(found) == [transform_value(transform, field.type, value) for value in values[start:]]


def _shown(value: object) -> object:
    if isinstance(value, time):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


def _decoded(coded: CodedValues) -> list[str | None]:
    return [coded.values[code] for code in coded.codes]


@given(st.lists(st.binary(max_size=21), max_size=20))
def test_the_hash_of_many_values_is_the_hash_of_each(values: list[bytes]) -> None:
    found = murmur3_all(*binary_data(pa.array(values, pa.binary())))
    assert found.tolist() == [murmur3(value) for value in values]


def test_moments_that_python_does_not_have_are_parted_too() -> None:
    moments = pa.array([-62_198_755_200 * 10**6, 253_402_300_800 * 10**6], pa.timestamp("us"))
    of_type = column("c", "timestamp").type
    assert _decoded(partition_values("year", of_type, moments)) == ["-1", "10000"]
    assert _decoded(partition_values("identity", of_type, moments)) == [
        "0002-01-01 (BC) 00:00:00",
        "10000-01-01 00:00:00",
    ]
    assert _decoded(partition_values("month", column("c", "date").type, pa.array([-(10**6)], pa.date32()))) == ["2"]


def test_nanoseconds_are_not_lost() -> None:
    moments = pa.array([1, 2], pa.timestamp("ns"))
    of_type = column("c", "timestamp_ns").type
    assert _decoded(partition_values("identity", of_type, moments)) == [
        "1970-01-01 00:00:00.000000001",
        "1970-01-01 00:00:00.000000002",
    ]


def test_a_string_with_nul_has_no_partition_value() -> None:
    with pytest.raises(InvalidInput, match="has no partition value"):
        partition_values("identity", column("c", "varchar").type, pa.array(["a\0"]))


def test_several_values_are_combined() -> None:
    text = column("c", "varchar").type
    first = partition_values("identity", text, pa.array(["a", "b", None, "a"]))
    second = partition_values("identity", text, pa.array(["x", "x", "y", "x"]))
    codes, values = combine_codes([first, second])
    assert [values[code] for code in codes] == [("a", "x"), ("b", "x"), (None, "y"), ("a", "x")]
    assert len(values) == 3


def test_equal_dates_are_one_value() -> None:
    days = pa.array([date(2020, 1, 1), date(2020, 1, 2)] * 3)
    assert partition_values("month", column("c", "date").type, days).values == ["1", None]
