"""Values of Python in rows: each column type takes the types on its list, and nothing is lost in silence."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import Row

from forklake.errors import InvalidRows
from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.values.assign_array import assigned_array
from forklake.spark.values.literal_rows import literal_rows

NANOSECONDS = pd.Timestamp("2020-01-01 00:00:00.123456789")
MOMENTS = ("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamptz")
NO_MOMENTS = (1.5, Decimal("1.5"), UUID(int=1), np.True_, np.array(5), "2020-01-01", time(1), timedelta(1), True)


def stored(type_text: str, *values: Any) -> list[Any]:
    """What a column of the type holds when these values are appended."""
    column = Column(ColumnId(1), "c", parse_type(type_text))
    rows = literal_rows([{"c": value} for value in values], [column], "UTC")
    found: list[Any] = assigned_array(rows.column("c"), column.type, "c").to_pylist()
    return found


def _all(type_names: Iterable[str], values: Iterable[Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name in type_names for value in values]


REFUSED = [
    *_all(("date",), (*NO_MOMENTS, 1, np.int64(3), datetime(2020, 1, 1, 5), NANOSECONDS)),
    *_all(MOMENTS, NO_MOMENTS),
    *_all(("timestamp", "timestamptz"), (1, np.int64(3), NANOSECONDS, np.datetime64("2020-01-01T00:00:00.123456789"))),
    ("date", np.datetime64("2020-01-01T05")),
    ("integer", 1.0),
    ("integer", np.float64(1.0)),
    ("integer", Decimal("1.5")),
    ("boolean", 1),
    ("double", True),
    ("double", "1"),
    ("double", Decimal(1)),
    ("decimal(5,2)", 1.5),
    ("decimal(5,2)", True),
    ("decimal(38,2)", Decimal("1E-5000000")),
    ("decimal(38,2)", Decimal("1E+5000000")),
    ("varchar", bytearray(b"x")),
    ("varchar", memoryview(b"x")),
    ("blob", "x"),
    ("uuid", 1),
    ("date[]", [1.5]),
    ("integer[]", b"ab"),
    ("integer[]", bytearray(b"ab")),
    ("varchar[]", "nope"),
    ("varchar[]", {"a": 1}),
    ("struct(d date)", (1,)),
    ("struct(d date)", [("a", 5)]),
    ("struct(d date)", {"d": 1.5}),
    ("struct(a integer)", ""),
    ("struct(a integer)", [("a", 1), ("a", 2)]),
    ("struct(a integer)", {"a": 1, "A": 2}),
    ("struct(a integer)", {1: 2}),
    ("map(varchar, integer)", "ab"),
    ("map(varchar, integer)", [("a", 1), ("a", 2)]),
    ("map(varchar, integer)", ["ab"]),
    ("map(uuid, integer)", {str(UUID(int=10)): 1, UUID(int=10): 2, str(UUID(int=10)).upper(): 2}),
    ("map(double, integer)", [(float("nan"), 1), (float("nan"), 2)]),
    ("map(integer[], integer)", [([1], 1), ([1], 2)]),
    ("map(varchar, date)", {"a": 1.5}),
    ("struct(l struct(d date)[])", {"l": [{"d": 1.5}]}),
]


@pytest.mark.parametrize(("type_text", "bad"), REFUSED, ids=[f"{name}-{bad!r}" for name, bad in REFUSED])
def test_a_value_of_another_kind_is_refused(type_text: str, bad: Any) -> None:
    with pytest.raises(InvalidRows, match=r"\bc\b"):
        stored(type_text, None, bad)


@pytest.mark.parametrize(
    ("type_text", "value", "expected"),
    [
        ("boolean", np.True_, True),
        ("integer", np.int64(3), 3),
        ("integer", Decimal(3), 3),
        ("integer", True, 1),
        ("double", np.float32(1.5), 1.5),
        ("double", np.int64(3), 3.0),
        ("float", 1e40, float("inf")),
        ("decimal(5,2)", np.int64(3), Decimal("3.00")),
        ("date", np.datetime64("2020-01-01"), date(2020, 1, 1)),
        ("date", pd.NaT, None),
        ("timestamp", np.datetime64("NaT"), None),
        ("timestamp", date(2020, 1, 1), datetime(2020, 1, 1)),
        ("timestamp", pd.Timestamp("2020-01-01 05:00"), datetime(2020, 1, 1, 5)),
        ("timestamp", np.datetime64("1969-12-31T23:59:59.999999"), datetime(1969, 12, 31, 23, 59, 59, 999_999)),
        ("timestamptz", pd.Timestamp("2020-01-01 05:00+02:00"), datetime(2020, 1, 1, 3, tzinfo=UTC)),
        ("timestamp_ns", NANOSECONDS, NANOSECONDS.value),
        ("timestamp_ns", np.datetime64("1969-12-31T23:59:59.999999999"), -1),
        ("timestamp_ns", 7, 7),
        ("time", time(1, 2, 3), "01:02:03"),
        ("varchar", np.str_("a"), "a"),
        ("blob", memoryview(b"x"), b"x"),
        ("uuid", UUID(int=1), str(UUID(int=1))),
        ("integer[]", np.array([1, 2]), [1, 2]),
        ("date[]", np.array(["2020-01-01"], "datetime64[D]"), [date(2020, 1, 1)]),
        ("integer[][]", np.array([[1], [2]]), [[1], [2]]),
        ("varchar[]", ("a", None), ["a", None]),
        ("struct(a integer, b varchar)", {"B": "x"}, {"a": None, "b": "x"}),
        ("struct(a integer)", Row(a=1), {"a": 1}),
        ("map(varchar, integer)", {"a": 1, "b": None}, [("a", 1), ("b", None)]),
        ("map(varchar, integer)", [("a", 1), ("b", 2)], [("a", 1), ("b", 2)]),
    ],
)
def test_a_value_of_the_columns_own_kind_is_kept(type_text: str, value: Any, expected: Any) -> None:
    assert stored(type_text, None, value) == [None, expected]


def test_the_same_key_in_several_rows_is_no_duplicate() -> None:
    rows = [{"a": 1}, None, {}, {"a": 2, "b": 3}, {"b": 4}]
    expected = [None if row is None else list(row.items()) for row in rows]
    assert stored("map(varchar, integer)", *rows) == expected


def test_the_error_names_row_and_column() -> None:
    with pytest.raises(InvalidRows, match=r"'c' has in row 3 a value that cannot be stored as type DATE: 1\.5 of"):
        stored("date", None, date(2020, 1, 1), 1.5, 2.5)
    with pytest.raises(InvalidRows, match="Column 'c' has in row 2 a value that cannot be stored as type TINYINT"):
        stored("tinyint", 1, 300)


def test_maps_of_arrow_with_a_key_twice_are_refused_too() -> None:
    maps = pa.array([[("z", 1)], [("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int32()))
    for given in (maps, maps.slice(1)):
        with pytest.raises(InvalidRows, match="the key a twice"):
            assigned_array(pa.chunked_array([given]), parse_type("map(varchar, integer)"), "c")
