"""Values for `?`, counted through a whole text."""

from typing import Any

import pytest

from forklake.errors import InvalidInput
from forklake.sql.parsing.parameters import named_parameters

FIRST, SECOND = "__forklake_value_0", "__forklake_value_1"


def test_each_question_mark_of_a_text_has_a_value_of_its_own() -> None:
    texts, values = named_parameters(["SELECT ?", "SELECT '?', ?"], "spark", [5, 6])
    assert texts == [f"SELECT  :{FIRST} ", f"SELECT '?',  :{SECOND} "]
    assert values == {FIRST: 5, SECOND: 6}


def test_a_value_beside_a_colon_or_a_bracket_is_no_slice() -> None:
    texts, _ = named_parameters(["SELECT x[?:?]"], "duckdb", [1, 2])
    assert texts == [f"SELECT x[((:{FIRST})):((:{SECOND}))]"]


@pytest.mark.parametrize(
    ("texts", "values"),
    [(["SELECT ?"], [5, 6]), (["SELECT 1"], [5]), (["SELECT ?", "SELECT ?"], [1]), (["SELECT ?"], [])],
)
def test_more_or_fewer_values_than_question_marks_are_refused(texts: list[str], values: list[int]) -> None:
    with pytest.raises(InvalidInput, match=r"parameters \(\?\), but"):
        named_parameters(texts, "spark", values)


@pytest.mark.parametrize("values", ["ab", b"ab", 5, {1, 2}])
def test_parameters_that_are_neither_a_mapping_nor_a_list_are_refused(values: Any) -> None:
    with pytest.raises(InvalidInput, match="a mapping"):
        named_parameters(["SELECT ?, ?"], "spark", values)


def test_values_by_name_stay_as_they_are() -> None:
    assert named_parameters(["SELECT :a", "SELECT 5"], "spark", {"a": 1, "b": 2}) == (
        ["SELECT :a", "SELECT 5"],
        {"a": 1, "b": 2},
    )


def test_a_colon_is_no_alias_in_the_duckdb_dialect() -> None:
    text = "UPDATE t SET b = :a WHERE id = :a AND x[:a] AND {'a':a} AND '1'::a"
    [found], _ = named_parameters([text], "duckdb", {"a": 1})
    assert found == "UPDATE t SET b =  $a  WHERE id =  $a  AND x[:a] AND {'a':a} AND '1'::a"
    [found], _ = named_parameters(["SELECT ?, (?)"], "duckdb", [1, 2])
    assert found == f"SELECT  ${FIRST} , ( ${SECOND} )"


def test_tuples_are_lists_and_mappings_are_no_values() -> None:
    _, values = named_parameters(["SELECT ?, :b"], "spark", [(1, (2,))])
    assert values == {FIRST: [1, [2]]}
    refused: list[Any] = [{"a": 1}, [{"a": 1}], ({},)]
    for bad in refused:
        with pytest.raises(InvalidInput, match=r"The parameter \? number 1 cannot be a value of type dict"):
            named_parameters(["SELECT ?"], "spark", [bad])


def test_numbered_values_may_come_twice_and_in_any_order() -> None:
    texts, values = named_parameters(["SELECT $2, $1 + $1, '$1'"], "duckdb", [5, 6])
    assert texts == [f"SELECT  ${SECOND} ,  ${FIRST}  +  ${FIRST} , '$1'"]
    assert values == {FIRST: 5, SECOND: 6}


@pytest.mark.parametrize("text", ["SELECT $1, ?", "SELECT $1", "SELECT $3", "SELECT $0"])
def test_numbers_without_values_and_values_without_numbers_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="parameters"):
        named_parameters([text], "duckdb", [5, 6])


def test_a_mapping_for_question_marks_is_refused() -> None:
    with pytest.raises(InvalidInput, match="given as a list"):
        named_parameters(["SELECT ?"], "spark", {"a": 1})
