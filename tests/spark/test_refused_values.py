"""Values that a column cannot hold: one clear error wherever they come from, and nothing written."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from forklake.errors import InvalidInput, InvalidRows
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from tests.spark.conftest import Lakehouse

BAD_VALUES: list[tuple[str, pa.Scalar]] = [
    ("int8", pa.scalar(128)),
    ("int16", pa.scalar(2**15)),
    ("int32", pa.scalar(-(2**31) - 1)),
    ("int64", pa.scalar(Decimal(2**63))),
    ("uint8", pa.scalar(256, pa.int16())),
    ("uint8", pa.scalar(-1, pa.int16())),
    ("uint16", pa.scalar(2**16)),
    ("uint32", pa.scalar(2**32)),
    ("uint64", pa.scalar(Decimal(2**64))),
    ("uint64", pa.scalar(-1)),
    ("uint128", pa.scalar(Decimal(-1))),
    ("decimal(4,2)", pa.scalar(Decimal("100.00"))),
    ("decimal(4,2)", pa.scalar(100)),
    ("uuid", pa.scalar("0123")),
    ("uuid", pa.scalar("")),
    ("json", pa.scalar("{")),
    ("json", pa.scalar("")),
    ("json", pa.scalar("NaN")),
    ("time", pa.scalar("25:00:00")),
    ("time", pa.scalar("noon")),
    ("interval", pa.scalar("soon")),
    ("timestamp_s", pa.scalar(datetime(2020, 1, 1, 0, 0, 0, 500_000))),
    ("timestamp_ms", pa.scalar(datetime(2020, 1, 1, 0, 0, 0, 500))),
    ("struct(a uint8)", pa.scalar({"a": 256})),
    ("uuid[]", pa.scalar(["0123"])),
    ("map(varchar, int8)", pa.scalar([("k", 128)], pa.map_(pa.string(), pa.int64()))),
]
BAD_TYPES: list[tuple[str, pa.Scalar]] = [
    ("int32", pa.scalar("1")),
    ("int32", pa.scalar(1.0)),
    ("decimal(9,2)", pa.scalar(1.0)),
    ("decimal(9,2)", pa.scalar(Decimal("1.000"))),
    ("float64", pa.scalar("1")),
    ("boolean", pa.scalar(1)),
    ("varchar", pa.scalar(1)),
    ("varchar", pa.scalar(b"a")),
    ("blob", pa.scalar("a")),
    ("date", pa.scalar("2020-01-01")),
    ("date", pa.scalar(datetime(2020, 1, 1))),
    ("timestamp", pa.scalar("2020-01-01")),
    ("time", pa.scalar(1)),
    ("uuid", pa.scalar(b"0" * 16)),
    ("int32[]", pa.scalar(1)),
    ("int32[]", pa.scalar(["a"])),
    ("struct(a int)", pa.scalar({"a": 1, "b": 2})),
    ("struct(a int)", pa.scalar({"a": "x"})),
    ("variant", pa.scalar("{}")),
]


def _ids(bad: list[tuple[str, pa.Scalar]]) -> list[str]:
    return [f"{type_text}-{value.as_py()!r}" for type_text, value in bad]


@pytest.mark.parametrize(("type_text", "bad"), [*BAD_VALUES, *BAD_TYPES], ids=_ids([*BAD_VALUES, *BAD_TYPES]))
def test_a_value_that_does_not_fit_is_refused_and_nothing_is_written(
    local: Lakehouse, type_text: str, bad: pa.Scalar
) -> None:
    table = local.lake.create_table("t", {"id": "int", "c": type_text})
    # NULLs before it, so that the value is met in the middle of the work.
    rows = pa.table({"id": pa.array([1, 2], pa.int32()), "c": pa.array([None, bad.as_py()], bad.type)})
    snapshots = len(local.lake.snapshots())
    with pytest.raises(InvalidRows, match=r"\bc\b"):
        table.append(rows)
    with pytest.raises(InvalidRows, match=r"\bc\b"):
        table.append(local.spark.createDataFrame(rows))
    assert table.count() == 0
    assert len(local.lake.snapshots()) == snapshots
    assert not list(local.data.rglob("*.parquet"))


@pytest.mark.parametrize(
    ("type_text", "bad"),
    [
        ("int8", 128),
        ("uint8", -1),
        ("int32", "1"),
        ("int32", 1.5),
        ("decimal(4,2)", Decimal("1.234")),
        ("uuid", "0123"),
        ("json", "{"),
        ("time", "noon"),
        ("interval", "soon"),
        ("date", "2020-01-01"),
        ("boolean", 1),
        ("timestamp_s", datetime(2020, 1, 1, 0, 0, 0, 1)),
        ("varchar", b"\xff"),
        ("varchar", 1),
        ("struct(a int)", {"a": 1, "b": 2}),
        ("int32[]", 1),
    ],
)
def test_a_literal_row_that_does_not_fit_is_refused(local: Lakehouse, type_text: str, bad: Any) -> None:
    table = local.lake.create_table("t", {"id": "int", "c": type_text})
    with pytest.raises(InvalidRows, match=r"\bc\b"):
        table.append([(1, None), (2, bad)])
    assert table.count() == 0


def test_a_null_is_refused_where_the_column_allows_none(local: Lakehouse) -> None:
    columns = [ColumnSpec("id", parse_type("int")), ColumnSpec("c", parse_type("varchar"), nulls_allowed=False)]
    table = local.lake.create_table("t", columns)
    rows = pa.table({"id": pa.array([1, 2], pa.int32()), "c": ["a", None]})
    for given in (rows, local.spark.createDataFrame(rows), [(1, "a"), (2, None)], [{"id": 1}]):
        with pytest.raises(InvalidRows, match=r"NOT NULL constraint failed: t\.c"):
            table.append(given)
    table.append([(1, "a")])
    with pytest.raises(InvalidRows, match=r"NOT NULL constraint failed: t\.c"):
        table.update({"c": "NULL"})
    assert table.scan().fetchall() == [(1, "a")]


def test_rows_must_have_the_columns_of_the_table(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int", "name": "varchar"})
    frame = local.spark.sql("SELECT 1 AS id, 'a' AS name, 2 AS extra")
    arrow = pa.table({"id": pa.array([1], pa.int32()), "nome": ["a"]})
    for given, message in ((frame, "no column 'extra'"), (arrow, "no column 'nome'. Did you mean 'name'")):
        with pytest.raises(InvalidRows, match=message):
            table.append(given)
    for given in (frame, frame.select("id"), frame.select("id").toArrow()):
        with pytest.raises(InvalidRows, match="has 2 columns but"):
            table.append(given, by="position")
    for row in ((1,), (1, "a", 2)):
        with pytest.raises(InvalidRows, match="has 2 columns but"):
            table.append([row])
    with pytest.raises(InvalidRows, match="two columns named 'ID'"):
        table.append(local.spark.sql("SELECT 1 AS id, 2 AS ID"))
    with pytest.raises(InvalidInput, match="Rows cannot be taken from int"):
        table.append(1)
    assert table.count() == 0


def test_what_is_not_given_is_null_and_names_do_not_care_about_case(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int", "name": "varchar"})
    table.append(local.spark.sql("SELECT 'a' AS NAME"))
    table.append(pa.table({"ID": pa.array([1], pa.int32())}))
    assert sorted(table.scan().fetchall(), key=repr) == [(1, None), (None, "a")]


def test_values_that_fit_are_taken_from_other_types(local: Lakehouse) -> None:
    table = local.lake.create_table(
        "t",
        {"a": "int8", "b": "uint64", "c": "decimal(9,2)", "d": "float64", "e": "timestamptz", "f": "timestamp_ns"},
    )
    moment = datetime(2020, 1, 1, 12)
    rows = pa.table(
        {
            "a": pa.array([127], pa.int64()),
            "b": pa.array([2**63 - 1], pa.int64()),
            "c": [Decimal("1.5")],
            "d": pa.array([0.5], pa.float32()),
            "e": pa.array([moment], pa.timestamp("us")),
            "f": pa.array([moment], pa.timestamp("s")),
        }
    )
    table.append(rows)
    table.append(local.spark.createDataFrame(rows))
    nanoseconds = int(moment.replace(tzinfo=UTC).timestamp()) * 10**9
    expected = (127, Decimal(2**63 - 1), Decimal("1.50"), 0.5, moment.replace(tzinfo=UTC), nanoseconds)
    assert table.scan().fetchall() == [expected, expected]
