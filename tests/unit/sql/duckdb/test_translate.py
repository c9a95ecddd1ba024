"""The Spark SQL that DuckDB's SQL becomes, without running it."""

import pytest
from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.translate import expression_to_spark, parse_duckdb, spark_text, to_spark

COLUMNS: dict[str, str | exp.DataType] = {
    "id": "int",
    "l": "array<int>",
    "s": "struct<a:int>",
    "t": "tinyint",
    "v": "string",
    "x": "double",
    **{
        name: exp.DataType.build(type_, dialect="duckdb")
        for name, type_ in {"h": "HUGEINT", "ut": "UTINYINT", "ub": "UBIGINT", "u": "UUID"}.items()
    },
}
NESTED = "array|struct|map"


def translated(text: str) -> str:
    return spark_text(to_spark(parse_duckdb(text), lambda table: COLUMNS if table.name == "n" else None))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM n ORDER BY list_reverse(l)",
        "SELECT id FROM n ORDER BY array_append(l, 1)",
        "SELECT list_reverse(l) AS id FROM n ORDER BY id",
        "SELECT list_reverse(l) FROM n ORDER BY ALL",
        "SELECT list_reverse(l) FROM n ORDER BY 1",
        "SELECT list_reverse(l) AS r FROM n UNION SELECT l FROM n ORDER BY 1",
        "SELECT a FROM unknown ORDER BY a",
        "SELECT max(list_reverse(l)), arg_min(id, list_reverse(l)) FROM n",
        "SELECT sum(id) OVER (ORDER BY list_reverse(l)) FROM n",
        "SELECT list(id ORDER BY list_reverse(l)) FROM n",
        "SELECT id FROM n WHERE list_reverse(l) < array_append(l, 1)",
        "SELECT id FROM n WHERE list_reverse(l) BETWEEN array_append(l, 1) AND array_append(l, 2)",
        "SELECT greatest(list_reverse(l), array_append(l, 1)) FROM n",
        "SELECT list_sort(list_reverse(l)), list_min(array_append(l, 1)) FROM n",
    ],
)
def test_a_value_of_unknown_type_is_ordered_only_if_it_is_not_nested_in_spark(text: str) -> None:
    assert NESTED in translated(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM n WHERE (s.a, 1) < (2, 1)",
        "SELECT id FROM n WHERE (s.a, 1) BETWEEN (1, 1) AND (2, 1)",
        "SELECT id FROM n ORDER BY (s.a, 1)",
        "SELECT id FROM n ORDER BY row(s.a)",
        "SELECT id FROM n ORDER BY l || [1]",
        "SELECT max(row(s.a)) FROM n",
        "SELECT l FROM n ORDER BY ALL",
        "SELECT * FROM n ORDER BY ALL",
        "SELECT l FROM n ORDER BY 1",
        "SELECT l FROM n UNION SELECT l FROM n ORDER BY 1",
        "SELECT l FROM n UNION SELECT l FROM n ORDER BY l",
        "SELECT c FROM (SELECT l || [1] AS c FROM n) ORDER BY c",
    ],
)
def test_rows_and_lists_are_ordered_by_keys_with_null_last(text: str) -> None:
    assert "NAMED_STRUCT('n0', " in translated(text)


@pytest.mark.parametrize(
    "text", ["SELECT id, v FROM n ORDER BY ALL", "SELECT id FROM n ORDER BY 1", "SELECT id FROM n WHERE id < foo(id)"]
)
def test_values_that_are_not_nested_are_ordered_by_spark(text: str) -> None:
    assert NESTED not in translated(text)
    assert "NAMED_STRUCT" not in translated(text)


def test_a_number_in_order_by_needs_a_name_if_its_column_may_be_nested() -> None:
    with pytest.raises(Untranslatable, match="of different names"):
        translated("SELECT list_reverse(l) AS a, id AS a FROM n ORDER BY 1")


@pytest.mark.parametrize("text", ["12345678901234567890123 // 7", "99999999999999999999999999999999999999 // 1"])
def test_a_large_literal_is_not_divided_by_the_division_of_spark_that_wraps_around(text: str) -> None:
    assert " DIV " not in translated(f"SELECT {text}")


@pytest.mark.parametrize("operator", ["+", "-", "*", "%", "&", "//", "<<"])
def test_a_literal_of_more_than_38_digits_is_refused(operator: str) -> None:
    with pytest.raises(Untranslatable, match="more than 38 digits"):
        translated(f"SELECT id {operator} 170141183460469231731687303715884105727 FROM n")


def test_a_value_of_unknown_type_is_checked_once_in_a_long_sum() -> None:
    assert expression_to_spark("a" + " + 1" * 30).count("RAISE_ERROR") == 1
    assert expression_to_spark("a + b + 1").count("RAISE_ERROR") == 1
