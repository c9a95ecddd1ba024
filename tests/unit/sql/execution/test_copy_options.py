"""Options of COPY that make no file which can be read back are refused before Spark sees them."""

from typing import Any

import pytest

from forklake.errors import InvalidOption
from forklake.sql.execution.copy import _spark_options


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"DELIMITER": ""}, "DELIMITER"),
        ({"SEP": '"'}, "DELIMITER"),
        ({"DELIM": 'a"'}, "DELIMITER"),
        ({"DELIMITER": "'", "QUOTE": "'"}, "DELIMITER"),
        ({"DELIMITER": "|", "ESCAPE": "|"}, "DELIMITER"),
        ({"ESCAPE": ""}, "ESCAPE"),
        ({"ESCAPE": "ab"}, "ESCAPE"),
        ({"HEADER": "maybe"}, "HEADER"),
        ({"HEADER": 2}, "HEADER"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_by_name(options: dict[str, Any], name: str) -> None:
    with pytest.raises(InvalidOption, match=name):
        _spark_options(options)


def test_other_options_are_those_of_spark() -> None:
    assert _spark_options({"HEADER": 1, "DELIM": "\\t", "ESCAPE": "\\"}) == {
        "header": "true",
        "sep": "\\t",
        "escape": "\\",
    }
    assert _spark_options({"HEADER": False, "QUOTE": "'"}) == {"header": "false", "quote": "'"}
