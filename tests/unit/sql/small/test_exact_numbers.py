"""Numbers are computed and stored where no digit is lost, and left to Spark elsewhere."""

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from forklake.model.column_types import ColumnType, decimal_of
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.tasks.types.arrow_types import shown_type
from forklake.sql.small.exact_numbers import compared_alike, computed, stored
from forklake.sql.small.small_query import NeedsSparkError

INT, LONG, BYTE, DOUBLE = (ColumnType(name) for name in ("int32", "int64", "int8", "float64"))
MONEY = decimal_of(9, 2)


def values(type_: ColumnType, *given: Any) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(given, shown_type(type_))])


def after(operator: str, left: Any, right: Any, column_type: ColumnType) -> list[Any]:
    column = Column(ColumnId(1), "c", column_type)
    operands = [each if isinstance(each, str) else (values(*each), each[0]) for each in (left, right)]
    found = stored(*computed(operator, operands[0], operands[1], column), column)
    assert found.type == shown_type(column_type)
    listed: list[Any] = found.to_pylist()
    return listed


def test_integers() -> None:
    assert after("+", (INT, 1, None, 2**31 - 2), "1", INT) == [2, None, 2**31 - 1]
    assert after("-", "1", (BYTE, 5), BYTE) == [-4]
    assert after("*", (INT, 7), (LONG, 6), LONG) == [42]
    assert after("+", (INT, 7), "1", MONEY) == [Decimal("8.00")]
    assert after("+", (ColumnType("uint8"), 254), "1", ColumnType("uint8")) == [255]


def test_decimals() -> None:
    assert after("+", (MONEY, Decimal("1.25"), None), "1", MONEY) == [Decimal("2.25"), None]
    assert after("-", (MONEY, Decimal("1.25")), "0.05", MONEY) == [Decimal("1.20")]
    assert after("*", (MONEY, Decimal("1.25")), "2", MONEY) == [Decimal("2.50")]
    assert after("+", (MONEY, Decimal("1.25")), (INT, 2), MONEY) == [Decimal("3.25")]


def test_doubles() -> None:
    assert after("*", (DOUBLE, 0.1, None), "3", DOUBLE) == [0.1 * 3, None]
    assert after("+", (DOUBLE, 0.1), "0.2", DOUBLE) == [0.1 + 0.2]


@pytest.mark.parametrize(
    ("operator", "left", "right", "column_type"),
    [
        ("+", (INT, 2**31 - 1), "1", INT),
        ("+", (INT, 2**31 - 1), "1", LONG),
        ("*", (LONG, 2**62), "2", LONG),
        ("-", (ColumnType("uint8"), 0), "1", ColumnType("uint8")),
        ("+", (BYTE, 1), "127", BYTE),
        ("+", (INT, 1), "0.5", INT),
        ("*", (MONEY, Decimal(1)), "1.1", MONEY),
        ("*", (MONEY, Decimal("9999999.99")), "2", MONEY),
        ("*", (decimal_of(38, 0), Decimal(1)), "2", decimal_of(38, 0)),
        ("+", (DOUBLE, 1.0), "1", MONEY),
        ("+", (DOUBLE, 1.0), (MONEY, Decimal(1)), DOUBLE),
        ("+", (LONG, 2**53 + 1), (DOUBLE, 1.0), DOUBLE),
        ("+", (ColumnType("varchar"), "a"), "1", ColumnType("varchar")),
    ],
)
def test_what_overflows_or_is_rounded_is_left_to_spark(
    operator: str, left: Any, right: Any, column_type: ColumnType
) -> None:
    with pytest.raises(NeedsSparkError, match="only Spark computes"):
        after(operator, left, right, column_type)


@pytest.mark.parametrize(
    ("given", "column", "value"),
    [
        (LONG, INT, 2**40),
        (MONEY, decimal_of(9, 1), Decimal("1.25")),
        (MONEY, decimal_of(4, 2), Decimal("100.00")),
        (LONG, DOUBLE, 2**53 + 1),
        (ColumnType("varchar"), ColumnType("uuid"), "01234567-89ab-4def-8123-456789abcdef"),
        (ColumnType("date"), ColumnType("timestamp"), None),
        (DOUBLE, ColumnType("float32"), 1.5),
    ],
)
def test_what_would_lose_something_or_is_converted_is_left_to_spark(
    given: ColumnType, column: ColumnType, value: Any
) -> None:
    with pytest.raises(NeedsSparkError):
        stored(values(given, value), given, Column(ColumnId(1), "c", column))


def test_only_values_of_one_kind_are_compared() -> None:
    assert compared_alike(INT, BYTE) == pa.int64()
    assert compared_alike(MONEY, decimal_of(10, 4)) == pa.decimal128(11, 4)
    assert compared_alike(ColumnType("varchar"), ColumnType("varchar")) == pa.string()
    for left, right in ((DOUBLE, DOUBLE), (INT, MONEY), (decimal_of(38, 0), decimal_of(4, 4)), (INT, None)):
        assert compared_alike(left, right) is None
    assert compared_alike(ColumnType("uuid"), ColumnType("uuid")) is None
