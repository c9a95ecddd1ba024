"""Text of users in which Spark would put variables."""

import pytest

from forklake.spark.session.expression_text import without_variables


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1 /* ${x} */ + 1", "1   + 1"),
        ("1 /* a /* ${x} */ ' */ + '${y}'", r"1   + '\u0024{y}'"),
        ("1 /* a /* b */ ' ${x} */ + '${y}'", r"1   + '\u0024{y}'"),
        ("1 /* a /*+ ${x} */ + '${y}'", r"1   + '\u0024{y}'"),
        ("1 /* ' /* b */ */ + '${y}'", r"1 /* ' /* b */ */ + '\u0024{y}'"),
        ("SELECT /*+ h('${x}') */ 1", r"SELECT /*+ h('\u0024{x}') */ 1"),
        ("1 -- it's\r + '${y}'", "1 -- it's\r + '\\u0024{y}'"),
        ("1 -- ${x}\\\n it's\n + '${y}'", "1  \n + '\\u0024{y}'"),
    ],
)
def test_comments_are_those_of_spark(text: str, plain: str) -> None:
    assert without_variables(text) == plain


def test_a_comment_that_is_never_closed_is_left_to_spark() -> None:
    assert without_variables("'${x}' /* a /* '${y}' */") == r"'\u0024{x}' /* a /* '${y}' */"
