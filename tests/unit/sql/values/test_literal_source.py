"""Rows of literals have the types that Spark gives them, or none."""

from decimal import Decimal

import pyarrow as pa
import pytest

from forklake.sql.values.literal_source import literal_source


def types(text: str, **parameters: object) -> dict[str, str] | None:
    found = literal_source(text, "spark", parameters or None)
    return None if found is None else {field.name: str(field.type) for field in found.schema}


@pytest.mark.parametrize(
    ("literals", "expected"),
    [
        ("(1), (-2147483648), (NULL)", "int32"),
        ("(1), (2147483648)", "int64"),
        ("(1.50), (-0.05)", "decimal128(3, 2)"),
        ("(0.05)", "decimal128(2, 2)"),
        ("(1), (0.5)", "decimal128(11, 1)"),
        ("(2147483648), (0.5)", "decimal128(21, 1)"),
        ("('a'), (NULL), ('it''s')", "string"),
        ("(true), (FALSE)", "bool"),
        ("(DATE '2024-02-29')", "date32[day]"),
        ("(NULL)", "null"),
    ],
)
def test_a_column_has_the_type_of_its_literals(literals: str, expected: str) -> None:
    assert types(f"VALUES {literals} AS v(a)") == {"a": expected}


@pytest.mark.parametrize(
    "literals",
    [
        "(1), ('a')",
        "(true), (1)",
        "(1e0)",
        "(99999999999999999999)",
        "(DATE '2024-02-30')",
        "(DATE '2024-01-01'), ('2024-01-01')",
        "(1 + 1)",
        "(DEFAULT)",
        "('a' 'b')",
        "(12345678901234567890123456789.0), (0.1234567890123)",
        "(1), (2, 3)",
    ],
)
def test_literals_of_which_only_spark_knows_the_type_are_left_to_it(literals: str) -> None:
    assert types(f"VALUES {literals} AS v(a)") is None


def test_columns_have_the_names_of_the_alias_or_of_their_own() -> None:
    assert types("VALUES (1, 'a')") == {"col1": "int32", "col2": "string"}
    assert types("VALUES (1, 'a') AS v") == {"col1": "int32", "col2": "string"}
    assert types("SELECT 1 AS id, 'a' AS `the item`") == {"id": "int32", "the item": "string"}
    assert types("SELECT 1, 'a' AS b") is None
    assert types("VALUES (1, 'a') AS v(a)") is None
    assert literal_source("VALUES (1, 'a')", "duckdb", None) is None


def test_the_alias_outside_names_the_columns() -> None:
    found = literal_source("VALUES (1, 'a')", "duckdb", None, ("id", "item"))
    assert found == pa.table({"id": pa.array([1], pa.int32()), "item": ["a"]})


def test_parameters_are_values() -> None:
    assert types("SELECT :a AS a, :b AS b", a=2**40, b="x") == {"a": "int64", "b": "string"}
    assert types("SELECT :a AS a", a=Decimal("1.5")) is None
