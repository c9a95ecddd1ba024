"""Which columns of a query are nothing but texts: an argument that nobody knows makes a node none of them."""

import pytest
from sqlglot import exp

from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import parse_text
from forklake.sql.parsing.parameters import named_parameters
from forklake.sql.values import text_columns
from forklake.sql.values.text_columns import time_text_columns
from tests.unit.spark.tasks.samples import column

COLUMNS = [column("a", "integer"), column("b", "date")]


def test_texts_for_dates_are_found_in_values_and_in_select() -> None:
    for text in (
        "VALUES (1 + 1, '2020-1-1')",
        "VALUES (1, '2020-1-1'), (2, NULL) LIMIT 1",
        "(VALUES (1, '2020-1-1'))",
        "SELECT 1, '2020-1-1' AS b",
        "SELECT x, '2020-1-1' FROM t WHERE x > 1",
        "VALUES (1, :b)",
    ):
        assert time_text_columns(text, "spark", COLUMNS, {"b": "2020-1-1"}) == {1}
        assert time_text_columns(text, "duckdb", COLUMNS, {"b": "2020-1-1"}) == {1}


@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("VALUES (1, ?)", ["2020-1-1"]),
        ("VALUES (?, ?)", [1, "2020-1-1"]),
        ("VALUES (? + 1, ?), (2, ?)", [1, "2020-1-1", None]),
        ("SELECT '?', ? /* ? */", ["2020-1-1"]),
        ("WITH t AS (SELECT ? AS x) SELECT x, ? FROM t WHERE x > ? LIMIT ?", [1, "2020-1-1", 0, 5]),
        ("VALUES (1, :b), (2, :c)", {"b": "2020-1-1", "c": None}),
    ],
)
def test_a_parameter_whose_value_is_a_text_is_one(text: str, parameters: Parameters, dialect: str) -> None:
    [named], values = named_parameters([text], dialect, parameters)
    assert time_text_columns(named, dialect, COLUMNS, values) == {1}


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("VALUES (?, ?)", ["2020-1-1", 1]),
        ("WITH t AS (SELECT ? AS x) SELECT x, ? FROM t", ["2020-1-1", 1]),
        ("VALUES (1, ?)", None),
    ],
)
def test_a_parameter_of_another_value_or_of_none_is_no_text(text: str, parameters: Parameters) -> None:
    [named], values = named_parameters([text], "spark", parameters)
    assert time_text_columns(named, "spark", COLUMNS, values) == set()


@pytest.mark.parametrize(
    "text",
    [
        "VALUES (1, '2020-1-1'), (2, x)",
        "VALUES (1, '2020' || '-1-1')",
        "SELECT *, '2020-1-1' FROM t",
        "SELECT 1, '2020-1-1' UNION ALL SELECT 2, '2020-1-1'",
        "VALUES (1, :b)",
        "VALUES ('2020-1-1')",
    ],
)
def test_what_may_be_more_than_a_text_is_left_alone(text: str) -> None:
    assert time_text_columns(text, "spark", COLUMNS, {"b": 1}) == set()


@pytest.mark.parametrize("node", [exp.Values, exp.Select, exp.Literal, exp.Null])
def test_an_argument_that_is_not_known_makes_a_text_none(node: type[exp.Expr], monkeypatch: pytest.MonkeyPatch) -> None:
    text = "SELECT 1, '2020-1-1'" if node is exp.Select else "VALUES (1, '2020-1-1'), (2, NULL)"
    tree = parse_text(text, "spark").copy()
    for found in list(tree.find_all(node)):
        found.args["invented"] = True
    monkeypatch.setattr(text_columns, "parse_text", lambda *_: tree)
    assert time_text_columns(text, "spark", COLUMNS) == set()
