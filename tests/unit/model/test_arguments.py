"""Arguments are checked by the annotations of the functions that take them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.connect.session import SparkSession as ConnectSession

from forklake.errors import InvalidInput
from forklake.model.arguments import checked_arguments


class Shouts(Protocol):
    def shout(self) -> None: ...


@checked_arguments
def call(
    text: str = "",
    number: int | None = None,
    share: float = 0.5,
    names: str | Sequence[str] = (),
    versions: Collection[int] = (),
    values: Mapping[str, Any] | None = None,
    pairs: Sequence[str | tuple[str, str]] = (),
    kind: Literal["a", "b"] = "a",
    time: datetime | None = None,
    spark: SparkSession | None = None,
    loud: Shouts | None = None,
    anything: Any = None,
) -> str:
    return "called"


RIGHT: list[dict[str, Any]] = [
    {"text": "ä", "number": 5, "share": 1},
    {"names": "a"},
    {"names": ["a", "b"], "versions": {1, 2}},
    {"values": {"a": object()}, "pairs": ["a", ("b", "c")]},
    {"kind": "b", "time": datetime(2026, 1, 1), "anything": object(), "loud": object()},
    {"spark": object.__new__(SparkSession)},
    {"spark": object.__new__(ConnectSession)},
]
WRONG: list[dict[str, Any]] = [
    {"text": None},
    {"text": b"a"},
    {"text": "\udc00"},
    {"number": True},
    {"number": 1.0},
    {"share": "1"},
    {"share": False},
    {"names": 5},
    {"names": b"a"},
    {"names": ["a", 5]},
    {"names": ["\ud800"]},
    {"versions": "12"},
    {"versions": ["x"]},
    {"values": ["a"]},
    {"values": {5: 1}},
    {"values": {"a": "\ud800"}},
    {"pairs": [("a",)]},
    {"pairs": [("a", 5)]},
    {"kind": "c"},
    {"time": "2026-01-01"},
    {"spark": 5},
    {"anything": "\ud800"},
]


@pytest.mark.parametrize("arguments", RIGHT)
def test_what_the_annotations_say_is_taken(arguments: dict[str, Any]) -> None:
    assert call(**arguments) == "called"


@pytest.mark.parametrize("arguments", WRONG)
def test_anything_else_is_refused_with_the_name_of_the_argument(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=f"The argument {next(iter(arguments))} of call "):
        call(**arguments)


def test_an_argument_that_nobody_knows_is_told_by_python() -> None:
    unchecked: Any = call
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        unchecked(nothing=1)


def test_an_integer_in_place_of_several_is_refused_for_what_it_is() -> None:
    one: Any = 5
    with pytest.raises(InvalidInput, match=r"versions of call must be .*, not 5"):
        call(versions=one)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_an_integer_that_no_database_can_hold_is_refused_as_such(number: int) -> None:
    with pytest.raises(InvalidInput, match="number of call is beyond the range of 64-bit integers"):
        call(number=number)
