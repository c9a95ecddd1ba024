"""Which VALUES are read without an engine: plain literals in brackets, and nothing else."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from forklake.model.column_types import parse_type
from forklake.sql.values.literal_values import UNKNOWN, literal_value
from forklake.sql.values.values_clause import (
    DEFAULT,
    DateLiteral,
    NumberLiteral,
    ParameterValue,
    TextLiteral,
    parse_values,
)


def test_rows_of_literals_are_read() -> None:
    text = " values ( 1, - 2.5e-3 ,'it''s', NULL),\n(tRue, FALSE, DATE '2020-01-01', .5) "
    for dialect in ("spark", "duckdb"):
        assert parse_values(text, dialect) == [
            [NumberLiteral("1"), NumberLiteral("-2.5e-3"), TextLiteral("it's"), None],
            [True, False, DateLiteral("2020-01-01"), NumberLiteral(".5")],
        ]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "VALUES",
        "VALUES ()",
        "VALUES 1, 2",
        "VALUES (1) LIMIT 1",
        "VALUES (1) ORDER BY 1",
        "VALUES (1) AS t(a)",
        "VALUES (1) t",
        "VALUES (1) UNION ALL VALUES (2)",
        "VALUES (1), (2) -- a comment",
        "VALUES (1 /* one */)",
        "(VALUES (1))",
        "VALUES (1), (1 + 1)",
        "VALUES ((1))",
        "VALUES (1,)",
        "VALUES (+1)",
        "VALUES (- -1)",
        "VALUES (1L)",
        "VALUES (1.5BD)",
        "VALUES (1e)",
        "VALUES (0x1F)",
        "VALUES (1_000)",
        "VALUES (1 2)",
        "VALUES ('a' 'b')",
        "VALUES (r'a')",
        "VALUES (E'a')",
        "VALUES (X'1F')",
        'VALUES ("a")',
        "VALUES (a)",
        "VALUES (DEFAULT + 1)",
        "VALUES (DEFAULTS)",
        "VALUES (now())",
        "VALUES (current_date)",
        "VALUES (TIMESTAMP '2020-01-01')",
        "VALUES (INTERVAL 1 DAY)",
        "VALUES (CAST(1 AS INT))",
        "VALUES (1::INT)",
        "VALUES ((SELECT 1))",
        "VALUES ([1])",
        "VALUES (NULLIF)",
        "VALUES (:name)",
        "VALUES (?)",
        "VALUES (1); VALUES (2)",
        "VALUES (\u0661)",
        "VALUES\u00a0(1)",
    ],
)
def test_anything_else_is_for_the_engine(text: str) -> None:
    assert parse_values(text, "spark") is None
    assert parse_values(text, "duckdb") is None


def test_text_that_settings_of_spark_can_change_is_for_spark() -> None:
    for text in (r"VALUES ('a\n')", "VALUES ('${x}')"):
        assert parse_values(text, "spark") is None
        assert parse_values(text, "duckdb") is not None
    assert parse_values("VALUES ('$x')", "spark") == [[TextLiteral("$x")]]


def test_parameters_have_the_values_that_are_given() -> None:
    assert parse_values("VALUES (:a, 1, :b)", "spark", {"a": 7, "b": None}) == [
        [ParameterValue(7), NumberLiteral("1"), ParameterValue(None)]
    ]
    found = parse_values("VALUES (?, 1), (?, 2)", "spark", [7, "x"])
    assert found == [[ParameterValue(7), NumberLiteral("1")], [ParameterValue("x"), NumberLiteral("2")]]
    for text, given in (
        ("VALUES (:a)", {"b": 1}),
        ("VALUES (?)", []),
        ("VALUES (?)", [1, 2]),
        ("VALUES (?)", {"a": 1}),
        ("VALUES (:a)", [1]),
    ):
        assert parse_values(text, "spark", given) is None


def value(text: str, column_type: str, **given: Any) -> Any:
    rows = parse_values(f"VALUES ({text})", "duckdb", given or None)
    assert rows is not None
    return literal_value(rows[0][0], parse_type(column_type), zone_is_utc=True)


@pytest.mark.parametrize(
    ("text", "column_type", "expected"),
    [
        ("-128", "TINYINT", -128),
        ("255", "UTINYINT", 255),
        ("1.25", "DECIMAL(4,2)", Decimal("1.25")),
        ("007", "DECIMAL(3,2)", Decimal(7)),
        ("0.1", "DOUBLE", 0.1),
        ("1e22", "DOUBLE", 1e22),
        ("7", "FLOAT", 7.0),
        ("true", "BOOLEAN", True),
        ("'x'", "VARCHAR", "x"),
        ("'1969-12-31'", "DATE", date(1969, 12, 31)),
        ("DATE '0001-01-01'", "DATE", date(1, 1, 1)),
        ("'1969-12-31 23:59:59.5'", "TIMESTAMP", datetime(1969, 12, 31, 23, 59, 59, 500_000)),
        ("'2020-01-01T00:00:00+01:00'", "TIMESTAMPTZ", datetime(2019, 12, 31, 23, tzinfo=UTC)),
        ("'2020-01-01 00:00:00.000000001'", "TIMESTAMP_NS", 1_577_836_800_000_000_001),
        ("NULL", "INTEGER[]", None),
    ],
)
def test_a_literal_of_the_columns_own_kind_is_its_value(text: str, column_type: str, expected: Any) -> None:
    assert value(text, column_type) == expected


@pytest.mark.parametrize(
    ("text", "column_type"),
    [
        ("128", "TINYINT"),
        ("-1", "UTINYINT"),
        ("1.0", "INTEGER"),
        ("1e0", "INTEGER"),
        ("'1'", "INTEGER"),
        ("true", "INTEGER"),
        ("1", "BOOLEAN"),
        ("'true'", "BOOLEAN"),
        ("1.250", "DECIMAL(4,2)"),
        ("123", "DECIMAL(4,2)"),
        ("1e0", "DECIMAL(4,2)"),
        ("-0.0", "DOUBLE"),
        ("1e400", "DOUBLE"),
        ("1e99999999999999999999", "DOUBLE"),
        ("1e-400", "DOUBLE"),
        ("9007199254740993", "DOUBLE"),
        ("0.12345678901234567", "DOUBLE"),
        ("16777217.3", "FLOAT"),
        ("1e39", "FLOAT"),
        ("1", "VARCHAR"),
        ("DATE '2020-01-01'", "VARCHAR"),
        ("DATE '2020-01-01'", "TIMESTAMP"),
        ("'2020-1-1'", "DATE"),
        ("'2020-01-01 00:00:00'", "DATE"),
        ("'0000-01-01'", "DATE"),
        ("'10000-01-01'", "DATE"),
        ("'2023-02-29'", "DATE"),
        ("'2020-01-01 00:00:60'", "TIMESTAMP"),
        ("'2020-01-01 24:00:00'", "TIMESTAMP"),
        ("'2020-01-01 00:00:00Z'", "TIMESTAMP"),
        ("'2020-01-01 00:00:00.1234567'", "TIMESTAMP"),
        ("'2020-01-01 00:00:00.5'", "TIMESTAMP_S"),
        ("'9999-12-31 23:59:59-05:00'", "TIMESTAMPTZ"),
        ("'2020-01-01 00:00:00 Europe/Paris'", "TIMESTAMPTZ"),
        ("'2500-01-01'", "TIMESTAMP_NS"),
        ("'x'", "UUID"),
        ("'12:00:00\n'", "TIME"),
        ('\'{"a": 1, "a": 2}\'', "JSON"),
        ("'x'", "BLOB"),
        ("'x'", "INTEGER[]"),
    ],
)
def test_a_literal_of_another_kind_is_for_the_engine(text: str, column_type: str) -> None:
    assert value(text, column_type) is UNKNOWN


def test_a_text_without_a_zone_is_for_the_engine_where_the_session_has_another() -> None:
    found = literal_value(TextLiteral("2020-01-01 00:00:00"), parse_type("TIMESTAMPTZ"), zone_is_utc=False)
    assert found is UNKNOWN


@pytest.mark.parametrize(
    ("given", "column_type"),
    [
        (2**63, "HUGEINT"),
        (1.5, "FLOAT"),
        (1.5, "DECIMAL(4,2)"),
        (Decimal("1.5"), "DOUBLE"),
        (Decimal("NaN"), "DECIMAL(4,2)"),
        (datetime(2020, 1, 1), "DATE"),
        (datetime(2020, 1, 1), "TIMESTAMP"),
        (date(2020, 1, 1), "TIMESTAMP"),
        (True, "INTEGER"),
        (b"x", "BLOB"),
        ([1], "INTEGER[]"),
    ],
)
def test_a_parameter_of_another_kind_is_for_the_engine(given: Any, column_type: str) -> None:
    assert value(":a", column_type, a=given) is UNKNOWN


def test_a_parameter_of_the_columns_own_kind_is_its_value() -> None:
    assert value(":a", "DOUBLE", a=0.1) == 0.1
    assert value(":a", "DECIMAL(4,2)", a=Decimal("1.5")) == Decimal("1.5")
    assert value(":a", "DATE", a=date(2020, 1, 1)) == date(2020, 1, 1)
    assert value(":a", "VARCHAR", a="it's \\n ${x}") == "it's \\n ${x}"
    assert value(":a", "BIGINT", a=-(2**63)) == -(2**63)


def test_the_word_default_is_no_value_of_its_own() -> None:
    assert parse_values("VALUES (default, 1)", "spark") == [[DEFAULT, NumberLiteral("1")]]


def test_both_prefixes_of_names_are_parameters_in_the_dialect_duckdb() -> None:
    assert parse_values("VALUES (:a, $b)", "duckdb", {"a": 1, "b": "x"}) == [[ParameterValue(1), ParameterValue("x")]]
    assert parse_values("VALUES ($a)", "spark", {"a": 1}) is None
