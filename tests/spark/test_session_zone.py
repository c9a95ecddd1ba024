"""Moments in a session whose time zone is not UTC."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from forklake.api.table import TableHandle
from tests.spark.conftest import Lakehouse
from tests.spark.inside import is_uuid

ZONE = "America/New_York"
NOON = datetime(2020, 6, 1, 12)
IN_UTC = NOON.replace(tzinfo=UTC)
IN_ZONE = NOON.replace(tzinfo=ZoneInfo(ZONE))


@pytest.fixture
def elsewhere(local: Lakehouse) -> Iterator[Lakehouse]:
    """A lake in a session that shows the time of New York."""
    before = local.spark.conf.get("spark.sql.session.timeZone") or "UTC"
    local.spark.conf.set("spark.sql.session.timeZone", ZONE)
    yield local
    local.spark.conf.set("spark.sql.session.timeZone", before)


def _values(table: TableHandle, column: str = "t", **options: Any) -> list[Any]:
    rows = table.scan(columns=[column], **options).to_arrow()[column].to_pylist()
    return sorted(rows, key=lambda value: (value is None, value))


@pytest.mark.parametrize("limit", [0, 100], ids=["in files", "inlined"])
def test_moments_with_a_zone_are_the_same_moments(elsewhere: Lakehouse, limit: int) -> None:
    elsewhere.lake.set_option("data_inlining_row_limit", limit)
    table = elsewhere.lake.create_table("t", {"t": "timestamptz", "l": "timestamptz[]"})
    rows = pa.table({"t": [IN_UTC], "l": [[IN_UTC, None]]})
    table.append(rows)
    table.append(elsewhere.spark.createDataFrame(rows))
    table.append([(IN_UTC, [IN_UTC, None])])
    table.update({"l": "l"})
    assert _values(table) == [IN_UTC] * 3
    assert [row.n for row in table.to_spark().selectExpr("unix_seconds(t) AS n").collect()] == [IN_UTC.timestamp()] * 3
    assert table.scan(columns=["l"]).fetchall() == [([IN_UTC, None],)] * 3


@pytest.mark.parametrize("limit", [0, 100], ids=["in files", "inlined"])
def test_moments_without_a_zone_do_not_move(elsewhere: Lakehouse, limit: int) -> None:
    elsewhere.lake.set_option("data_inlining_row_limit", limit)
    types = {"t": "timestamp", "s": "timestamp_s", "ms": "timestamp_ms", "ns": "timestamp_ns", "d": "date"}
    table = elsewhere.lake.create_table("t", types)
    gap = datetime(2020, 3, 8, 2, 30)  # the clocks of New York skip this time
    rows = pa.table({"t": [gap], "s": [gap], "ms": [gap], "ns": [gap], "d": [gap.date()]})
    table.append(rows)
    table.append(
        elsewhere.spark.sql("SELECT TIMESTAMP_NTZ '2020-03-08 02:30:00' AS t, t AS s, t AS ms, t AS ns, DATE(t) AS d")
    )
    table.append([(gap, gap, gap, gap, gap.date())])
    table.update({"d": "d", "ns": "t"})
    nanoseconds = (gap - datetime(1970, 1, 1)) // timedelta(seconds=1) * 10**9
    assert table.scan().fetchall() == [(gap, gap, gap, nanoseconds, gap.date())] * 3


def test_moments_without_a_zone_do_not_move_on_their_way_through_spark(elsewhere: Lakehouse) -> None:
    gap = datetime(2020, 3, 8, 2, 30)
    # Arrow cannot sort by an expression, so Spark does.
    table = elsewhere.lake.create_table("t", {"id": "int", "t": "timestamp", "n": "timestamp_ns"}, sorted_by=["-id"])
    rows = pa.table({"id": pa.array([1], pa.int32()), "t": [gap], "n": pa.array([gap], pa.timestamp("ns"))})
    table.append(rows)
    table.merge(rows.set_column(0, "id", pa.array([2], pa.int32())), ["id"])
    table.merge([{"id": 2, "t": gap}], ["id"])
    nanoseconds = (gap - datetime(1970, 1, 1)) // timedelta(seconds=1) * 10**9
    assert sorted(table.scan().fetchall()) == [(1, gap, nanoseconds), (2, gap, nanoseconds)]


def test_a_moment_without_a_zone_meets_one_with_a_zone_in_that_of_the_session(elsewhere: Lakehouse) -> None:
    table = elsewhere.lake.create_table("t", {"t": "timestamptz", "n": "timestamp"})
    rows = pa.table({"t": [NOON], "n": [IN_ZONE]})
    table.append(rows)
    table.append(elsewhere.spark.createDataFrame(rows))
    table.append([(NOON, IN_ZONE)])
    assert table.scan().fetchall() == [(IN_ZONE, NOON)] * 3


def test_days_and_hours_of_partitions_are_those_of_utc(elsewhere: Lakehouse) -> None:
    late = datetime(2020, 1, 1, 2, tzinfo=UTC)  # still the day before in New York
    table = elsewhere.lake.create_table(
        "t", {"t": "timestamptz"}, partitioned_by=[("t", "year"), ("t", "day"), ("t", "hour")]
    )
    rows = pa.table({"t": [late, None]})
    table.append(rows)
    table.append(elsewhere.spark.createDataFrame(rows))
    files = [file.relative_to(elsewhere.data / "main/main/t") for file in elsewhere.data.rglob("*.parquet")]
    folders = {"/".join(part for part in file.parts[:-1] if not is_uuid(part)) for file in files}
    default = "__HIVE_DEFAULT_PARTITION__"
    assert folders == {
        "year=2020/day=1/hour=2",
        f"year={default}/day={default}/hour={default}",
    }
    assert _values(table, where="t = TIMESTAMP '2020-01-01 02:00:00+00:00'") == [late, late]
    assert _values(table, where="t = TIMESTAMP '2019-12-31 21:00:00'") == [late, late]


@pytest.mark.parametrize("limit", [0, 100], ids=["in files", "inlined"])
def test_older_rows_of_a_widened_column_are_moments_in_utc(elsewhere: Lakehouse, limit: int) -> None:
    elsewhere.lake.set_option("data_inlining_row_limit", limit)
    table = elsewhere.lake.create_table("t", {"a": "date", "b": "timestamp", "c": "date", "d": "timestamp"})
    table.append([(NOON.date(), NOON, NOON.date(), NOON)])
    for name, new_type in {"a": "timestamptz", "b": "timestamptz", "c": "timestamp_ns", "d": "timestamp_ns"}.items():
        table.set_type(name, new_type)
    midnight = IN_UTC.replace(hour=0)
    in_nanoseconds = [int(moment.timestamp()) * 10**9 for moment in (midnight, IN_UTC)]
    assert table.scan().fetchall() == [(midnight, IN_UTC, *in_nanoseconds)]


CONDITIONS = [
    "t = '2020-06-01 12:00:00'",
    "t = '2020-06-01 12:00:00Z'",
    "t > '2020-06-01'",
    "t >= DATE '2020-06-02'",
    "t < TIMESTAMP '2020-06-01 12:00:00'",
    "t <= TIMESTAMP '2020-06-01 12:00:00+00:00'",
    "t = TIMESTAMP_NTZ '2020-06-01 12:00:00'",
    "t IN ('2020-06-01 12:00:00', TIMESTAMP '2020-06-01 20:00:00Z')",
    "t BETWEEN '2020-06-01' AND '2020-06-01 23:59:59'",
    "n = TIMESTAMP '2020-06-01 12:00:00'",
    "n = TIMESTAMP '2020-06-01 12:00:00+00:00'",
    "n > TIMESTAMP '2020-06-01 16:00:00Z'",
    "n = '2020-06-01 12:00:00'",
    "n = TIMESTAMP_NTZ '2020-06-01 12:00:00'",
    "n >= DATE '2020-06-02'",
    "d = TIMESTAMP '2020-06-01 00:00:00+00:00'",
    "d = TIMESTAMP '2020-06-01 04:00:00Z'",
    "d > TIMESTAMP_NTZ '2020-06-01 00:00:00'",
    "d = '2020-06-01'",
    "d < DATE '2020-06-01'",
]


def test_conditions_find_in_chosen_files_what_they_find_in_all(elsewhere: Lakehouse) -> None:
    table = elsewhere.lake.create_table("t", {"t": "timestamptz", "n": "timestamp", "d": "date"})
    for hours in range(-48, 49, 4):
        moment = NOON + timedelta(hours=hours)
        table.append([(moment.replace(tzinfo=UTC), moment, moment.date())])
    everything = table.to_spark().cache()
    try:
        for condition in CONDITIONS:
            expected = sorted(map(tuple, everything.where(condition).collect()))
            found = sorted(map(tuple, table.scan(condition).to_spark().collect()))
            assert found == expected, condition
    finally:
        everything.unpersist()
    assert date(2020, 6, 1) in _values(table, "d")
