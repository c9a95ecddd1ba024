"""Arrays of Python values are those that Arrow makes."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as some

from forklake.spark.tasks.types.python_array import empty_table, mask, python_array, python_scalar

ZONE = timezone(timedelta(hours=5, minutes=30))
PLAIN: list[tuple[pa.DataType, list[Any]]] = [
    (pa.bool_(), [True, None, False, True, True, False, False, True, True]),
    (pa.int64(), [0, -1, None, 2**63 - 1, -(2**63)]),
    (pa.float64(), [0.0, -0.0, 1.5, None, float("inf"), 3e-320]),
    (pa.string(), ["", "a", None, "ä€😀", "\0"]),
    (pa.date32(), [date(1970, 1, 1), date(1, 1, 1), None, date(9999, 12, 31)]),
    (pa.timestamp("us"), [datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999999), None]),
    (pa.timestamp("us", "UTC"), [datetime(2026, 1, 2, tzinfo=UTC), datetime(1900, 1, 2, 3, 4, 5, 6, ZONE), None]),
    (pa.decimal128(9, 2), [Decimal("0"), Decimal("-1.5"), Decimal("9999999.99"), None, Decimal("1E+3")]),
    (pa.decimal128(38, 0), [Decimal(10**38 - 1), Decimal(1 - 10**38)]),
]
OTHERS: list[tuple[pa.DataType, list[Any]]] = [
    (pa.int32(), [1, None]),
    (pa.int64(), [np.int64(3), 4]),
    (pa.string(), [None] * 1001),
    (pa.list_(pa.int64()), [[1], None, []]),
    (pa.binary(), [b"\xff", None]),
    (pa.timestamp("ns"), [datetime(2026, 1, 1)]),
]
REFUSED: list[tuple[pa.DataType, Any]] = [
    (pa.int64(), 2**63),
    (pa.int64(), "one"),
    (pa.bool_(), "true"),
    (pa.string(), 5),
    (pa.string(), "\ud800"),
    (pa.decimal128(3, 1), Decimal("1.25")),
    (pa.decimal128(3, 1), Decimal("100")),
    (pa.decimal128(3, 1), Decimal("NaN")),
    (pa.date32(), "2026-01-01"),
]


@pytest.mark.parametrize(("type_", "values"), [*PLAIN, *OTHERS])
def test_they_are_the_same(type_: pa.DataType, values: list[Any]) -> None:
    for some_values in (values, [value for value in values if value is not None], [None], []):
        found = python_array(some_values, type_)
        found.validate(full=True)
        assert found.type == type_
        assert found.equals(pa.array(some_values, type_))
        assert found.null_count == some_values.count(None)


@pytest.mark.parametrize(("type_", "value"), REFUSED)
def test_what_arrow_refuses_is_refused_alike(type_: pa.DataType, value: object) -> None:
    with pytest.raises(Exception) as expected:  # noqa: PT011
        pa.array([value], type_)
    with pytest.raises(type(expected.value)):
        python_array([value], type_)


@given(some.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9))
def test_decimals_have_the_scale_of_their_type(value: Decimal) -> None:
    assert python_scalar(value, pa.decimal128(20, 4)) == pa.scalar(value, pa.decimal128(20, 4))


@given(some.lists(some.booleans()))
def test_masks_are_arrays_of_booleans(values: list[bool]) -> None:
    assert mask(np.array(values, bool)).equals(pa.array(values, pa.bool_()))


def test_a_table_without_rows_has_its_schema() -> None:
    schema = pa.schema(
        [*(pa.field(f"c{at}", type_) for at, (type_, _) in enumerate(PLAIN)), pa.field("n", pa.int8(), False)]
    )
    assert empty_table(schema).equals(schema.empty_table(), check_metadata=True)
