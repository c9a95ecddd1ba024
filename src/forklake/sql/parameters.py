"""Values for `?` as values for names, so that each means the same wherever in the text it stands."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot.tokenizer_core import Token, TokenType

from forklake.errors import InvalidInput
from forklake.sql.constants import Parameters
from forklake.sql.cursor import tokens_of
from forklake.sql.references import edited

_NAME = "__forklake_value_"
_SLICES = {TokenType.L_BRACKET, TokenType.COLON, TokenType.DCOLON}
"""Beside these, the colon of a name would mean a slice or a cast."""
_STARTS = {TokenType.SELECT, TokenType.DISTINCT, TokenType.ALL}
"""Behind these, a colon belongs to an alias in DuckDB's dialect, which has another sign for names."""


def named_parameters(
    statements: Sequence[str], dialect: str, parameters: Parameters
) -> tuple[list[str], Mapping[str, Any] | None]:
    """The statements with a name for each `?`, counted through all of them, and the values by name.

    InvalidInput if there are more or fewer values than that.
    """
    if parameters is None or isinstance(parameters, Mapping):
        return list(statements), parameters
    if isinstance(parameters, str | bytes) or not isinstance(parameters, Sequence):
        raise InvalidInput("Parameters are a mapping with values for :name, or a list with values for each ? in turn.")
    named: list[str] = []
    count = 0
    for statement in statements:
        text, count = _named(statement, dialect, count)
        named.append(text)
    if count != len(parameters):
        raise InvalidInput(f"The text has {count} parameters (?), but {len(parameters)} values were given.")
    return named, {f"{_NAME}{at}": value for at, value in enumerate(parameters)}


def _named(text: str, dialect: str, first: int) -> tuple[str, int]:
    """The text with a name for each `?`, and the number of the next."""
    tokens = tokens_of(text, dialect)
    places = [at for at, token in enumerate(tokens) if token.token_type == TokenType.PLACEHOLDER]
    edits = [
        (tokens[at].start, tokens[at].end + 1, _written(f"{_NAME}{number}", tokens, at, dialect))
        for number, at in enumerate(places, first)
    ]
    return edited(text, edits), first + len(places)


def _written(name: str, tokens: Sequence[Token], at: int, dialect: str) -> str:
    before = {token.token_type for token in tokens[max(at - 1, 0) : at]}
    behind = {token.token_type for token in tokens[at + 1 : at + 2]}
    if (before | behind) & _SLICES:
        return f"(:{name})"
    return f" ${name} " if dialect == "duckdb" and before & _STARTS else f" :{name} "
