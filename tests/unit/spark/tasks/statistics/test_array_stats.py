"""Statistics of rows that are not written to a file: a single value has those of the same value twice."""

from datetime import UTC, date, datetime
from decimal import Decimal
from math import inf, nan
from typing import Any

import pyarrow as pa
import pytest

from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.tasks.statistics.array_stats import array_stats
from forklake.spark.tasks.types.arrow_types import shown_type

VALUES: dict[str, list[Any]] = {
    "boolean": [True, False],
    "bigint": [-(2**63), 0, 7],
    "uint64": [Decimal(2**64 - 1)],
    "double": [1.5, 0.0, -0.0, nan, inf, -inf, 5e-324],
    "float": [1.5, nan],
    "decimal(9,2)": [Decimal("-1.50"), Decimal(0)],
    "varchar": ["", "ä", "x" * 10_000, "\U0001f986", "\x00"],
    "date": [date(1, 1, 1), date(9999, 12, 31)],
    "timestamp": [datetime(1969, 12, 31, 23, 59, 59, 999_999)],
    "timestamptz": [datetime(2024, 1, 1, tzinfo=UTC)],
    "blob": [b"", b"\xff"],
    "uuid": ["01234567-89ab-4def-8123-456789abcdef"],
}


@pytest.mark.parametrize(
    ("type_", "value"), [(type_, value) for type_, values in VALUES.items() for value in [*values, None]]
)
def test_a_single_value_has_the_bounds_of_many_equal_ones(type_: str, value: Any) -> None:
    column = Column(ColumnId(1), "c", parse_type(type_))
    one = pa.array([value], shown_type(column.type))
    [single] = array_stats(pa.table({"c": one}), [column])
    [double] = array_stats(pa.table({"c": pa.concat_arrays([one, one])}), [column])
    assert single.value_count == (value is not None)
    assert single._replace(value_count=0, null_count=0) == double._replace(value_count=0, null_count=0)


def test_a_date_that_python_does_not_have_has_no_bounds() -> None:
    column = Column(ColumnId(1), "c", parse_type("date"))
    for days in ([10**8], [10**8, 10**8]):
        [found] = array_stats(pa.table({"c": pa.array(days, pa.int32()).cast(pa.date32())}), [column])
        assert (found.value_count, found.min_value, found.max_value) == (len(days), None, None)
