"""Arguments and options as values: only what means the same to every engine, or nothing."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from forklake.catalog.retention.expiry import LocalClockTime
from forklake.errors import InvalidInput
from forklake.sql.parsing.constants import parse_constant

DIALECTS = pytest.mark.parametrize("dialect", ["spark", "duckdb"])


@DIALECTS
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(1)", 1),
        ("-1.50", Decimal("-1.50")),
        ("'a'", "a"),
        ("NULL", None),
        ("CAST(NULL AS INT)", None),
        ("true", True),
        ("zstd", "zstd"),
        ("[1, 2]", [1, 2]),
        ("1 + 2 - 4", -1),
        ("INTERVAL '1 day'", timedelta(days=1)),
        ("INTERVAL 1 DAY + INTERVAL 2 DAY", timedelta(days=3)),
        ("CAST('12' AS BIGINT)", 12),
        ("CAST(7 AS SMALLINT)", 7),
        ("CAST(12 AS VARCHAR)", "12"),
        ("CAST(0.5 AS DOUBLE)", 0.5),
        ("CAST('false' AS BOOLEAN)", False),
        ("DATE '2024-02-29'", date(2024, 2, 29)),
        ("TIMESTAMP '2024-01-01 01:00:00' - INTERVAL 1 HOUR", datetime(2024, 1, 1)),
        ("DATE '2024-01-02' - INTERVAL 1 HOUR", datetime(2024, 1, 1, 23)),
        ("INTERVAL 1 HOUR + TIMESTAMP '2024-01-01 00:00:00'", datetime(2024, 1, 1, 1)),
    ],
)
def test_a_constant_has_its_value(dialect: str, text: str, value: Any) -> None:
    found = parse_constant(text, dialect)
    assert (type(found), found) == (type(value), value)


@DIALECTS
@pytest.mark.parametrize(
    "text",
    [
        "TRY_CAST('x' AS INT)",
        "TRY_CAST('1' AS INT)",
        "CAST(1.7 AS INT)",
        "CAST(true AS VARCHAR)",
        "CAST(1.5 AS VARCHAR)",
        "CAST('no' AS BOOLEAN)",
        "CAST(2 AS BOOLEAN)",
        "CAST(3000000000 AS INT)",
        "CAST('1_000' AS INT)",
        "CAST('x' AS DOUBLE)",
        "CAST(1 AS DECIMAL(5, 2))",
        "CAST('a' AS TINYINT)",
        "CAST('2024-01-01 00:00:00+05:00' AS TIMESTAMP_NTZ)",
        "current_timestamp(3)",
        "now(1)",
        "a.zstd",
        "'a' + 'b'",
        "[1] + [2]",
        "true + 1",
        "0.1 + 0.2",
    ],
)
def test_what_engines_may_read_otherwise_is_no_constant(dialect: str, text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_constant(text, dialect)


@DIALECTS
def test_now_is_the_time_of_this_clock_in_every_dialect(dialect: str) -> None:
    assert isinstance(parse_constant("now()", dialect), LocalClockTime)
    assert isinstance(parse_constant("now() - INTERVAL 7 DAYS", dialect), LocalClockTime)
