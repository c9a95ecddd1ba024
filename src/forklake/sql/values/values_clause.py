"""Parses VALUES that consist only of plain literals and parameters.

The text is parsed by a separate minimal grammar: whatever else may occur in a statement, now or in a later release of a
parser, is not a plain literal.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias

from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import cache_short_texts


@dataclass(frozen=True, slots=True)
class NumberLiteral:
    """A number: digits, a point and an exponent, with an optional minus."""

    text: str


@dataclass(frozen=True, slots=True)
class TextLiteral:
    """A string literal, also used for values of other types."""

    text: str


@dataclass(frozen=True, slots=True)
class DateLiteral:
    """A string literal preceded by the keyword DATE."""

    text: str


@dataclass(frozen=True, slots=True)
class ParameterValue:
    """The value of a parameter."""

    value: Any


class Default(Enum):
    """The keyword DEFAULT, for the default of a column."""

    DEFAULT = "default"


DEFAULT: Final = Default.DEFAULT
Written: TypeAlias = NumberLiteral | TextLiteral | DateLiteral | ParameterValue | Default | bool | None

_NUMBER = r"(?P<number>-?[ \t\r\n]*(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])"
_TEXT = {
    # A backslash escapes, unless a setting says otherwise; and `${…}` may be substituted by a variable.
    "spark": r"(?P<date>DATE[ \t]*)?'(?P<text>(?:[^'\\$]|''|\$(?!\{))*)'(?!['\"])",
    "duckdb": r"(?P<date>DATE[ \t]*)?'(?P<text>(?:[^']|'')*)'(?!')",
}
_PARAMETER = {
    "spark": r":(?P<name>[A-Za-z_]\w*)|(?P<place>\?)",
    "duckdb": r"[:$](?P<name>[A-Za-z_]\w*)|(?P<place>\?)",
}
_LITERALS = {
    dialect: re.compile(
        rf"{_NUMBER}|(?P<word>NULL|TRUE|FALSE|DEFAULT)\b|{text}|{_PARAMETER[dialect]}", re.ASCII | re.IGNORECASE
    )
    for dialect, text in _TEXT.items()
}
_SPACE = r"[ \t\r\n]*"
_START = re.compile(rf"{_SPACE}VALUES{_SPACE}\(", re.IGNORECASE)
_MARK = re.compile(rf"{_SPACE}(?:(?P<next_row>\){_SPACE},{_SPACE}\()|(?P<next_value>,)|(?P<end>\){_SPACE}\Z))")
_GAP = re.compile(_SPACE)
_WORDS: Mapping[str, Written] = {"null": None, "true": True, "false": False, "default": DEFAULT}


def parse_values(text: str, dialect: str, parameters: Parameters = None) -> Sequence[Sequence[Written]] | None:
    """The rows of VALUES; None if anything in the text is not a plain literal or a parameter with a value."""
    return _literals_alone(text, dialect) if parameters is None else _parse_rows(text, dialect, parameters)


@cache_short_texts
def _literals_alone(text: str, dialect: str) -> Sequence[Sequence[Written]] | None:
    return _parse_rows(text, dialect, None)


def _parse_rows(text: str, dialect: str, parameters: Parameters) -> Sequence[Sequence[Written]] | None:
    start = _START.match(text)
    if start is None:
        return None
    rows: list[list[Written]] = [[]]
    places = iter(
        () if parameters is None or isinstance(parameters, Mapping) else [ParameterValue(each) for each in parameters]
    )
    at = start.end()
    while True:
        found = _LITERALS[dialect].match(text, _skip_space(text, at))
        mark = None if found is None else _MARK.match(text, found.end())
        if found is None or mark is None:
            return None
        try:
            rows[-1].append(_parse_literal(found, parameters, places))
        except (LookupError, StopIteration):
            return None
        if mark["end"]:
            return rows if next(places, None) is None else None
        if mark["next_row"]:
            rows.append([])
        at = mark.end()


def _skip_space(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    return at if found is None else found.end()


def _parse_literal(found: re.Match[str], parameters: Parameters, places: Iterator[ParameterValue]) -> Written:
    if found["number"] is not None:
        return NumberLiteral("".join(found["number"].split()))
    if found["text"] is not None:
        text = found["text"].replace("''", "'")
        return TextLiteral(text) if found["date"] is None else DateLiteral(text)
    if found["word"] is not None:
        return _WORDS[found["word"].lower()]
    if found["place"] is not None:
        return next(places)
    return ParameterValue(_named_parameter(found["name"], parameters))


def _named_parameter(name: str, parameters: Parameters) -> Any:
    if isinstance(parameters, Mapping):
        return parameters[name]
    raise LookupError(name)
