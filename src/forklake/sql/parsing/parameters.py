"""Converts positional parameters (`?`, `$1`) to named ones, so that each is independent of its position in the text."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from sqlglot.tokenizer_core import Token, TokenType

from forklake.errors import InvalidInput
from forklake.model.encodable import check_encodable
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import has_dollar_quotes, tokens_of
from forklake.sql.parsing.parameter_values import plain_value, written_literal
from forklake.sql.parsing.table_references import apply_edits

ENDS = {
    TokenType.NUMBER,
    TokenType.STRING,
    TokenType.VAR,
    TokenType.IDENTIFIER,
    TokenType.R_PAREN,
    TokenType.R_BRACKET,
}
"""After the end of an expression, a colon starts no parameter: `x[1:3]`, `{'a':1}`."""
_NAME = "__forklake_value_"
_SLICES = {TokenType.L_BRACKET, TokenType.COLON, TokenType.DCOLON}
"""Next to these, the colon of a name would mean a slice or a cast."""
SIGNS = {"spark": (":",), "duckdb": (":", "$")}
"""Prefixes of parameter names."""


def named_parameters(
    statements: Sequence[str], dialect: str, parameters: Parameters
) -> tuple[list[str], Mapping[str, Any] | None]:
    """The statements with a name for each `?`, numbered across all of them, and the values by name.

    Raises InvalidInput if the number of values differs.
    """
    if parameters is None:
        return list(statements), None
    parameters = _plain_values(parameters)
    if isinstance(parameters, Mapping):
        if any(token.token_type == TokenType.PLACEHOLDER for each in statements for token in tokens_of(each, dialect)):
            raise InvalidInput("The values for ? are given as a list, and not by name.")
        texts = [_rewrite_names(statement, dialect, parameters) for statement in statements]
        return texts, _passed(parameters.items(), dialect)
    named: list[str] = []
    count = 0
    for statement in statements:
        text, count = _name_placeholders(statement, dialect, count, parameters)
        named.append(text)
    if count != len(parameters):
        raise InvalidInput(f"The text has {count} parameters (?), but {len(parameters)} values were given.")
    return named, _passed(((f"{_NAME}{at}", value) for at, value in enumerate(parameters)), dialect)


def _plain_values(parameters: Mapping[str, Any] | Sequence[Any]) -> Mapping[str, Any] | Sequence[Any]:
    """The values as those of Python; raises InvalidInput for a value that not both engines support."""
    if isinstance(parameters, str | bytes) or not isinstance(parameters, Mapping | Sequence):
        raise InvalidInput("Parameters are a mapping with values for :name, or a list with values for each ? in turn.")
    if not isinstance(parameters, Mapping):
        return [plain_value(value, f"? number {at}") for at, value in enumerate(parameters, 1)]
    for name in parameters:
        if not isinstance(name, str):
            raise InvalidInput(f"The name of a parameter must be a string, not {name!r}.")
        check_encodable(name, "The name of a parameter")
    return {name: plain_value(value, name) for name, value in parameters.items()}


def _passed(values: Iterable[tuple[str, Any]], dialect: str) -> Mapping[str, Any]:
    """The values that are not written into the text."""
    return {name: value for name, value in values if written_literal(value, dialect) is None}


def _rewrite_names(text: str, dialect: str, parameters: Mapping[str, Any]) -> str:
    """The text with date and time parameters replaced by literals, and others with a prefix that is no operator."""
    tokens = tokens_of(text, dialect)
    edits = []
    for at, (token, name) in enumerate(pairwise(tokens)):
        is_sign = text[token.start : token.end + 1] in SIGNS[dialect] and name.start == token.end + 1
        if not is_sign or name.text not in parameters or (at and tokens[at - 1].token_type in ENDS):
            continue
        literal = written_literal(parameters[name.text], dialect)
        if literal is not None:
            edits.append((token.start, name.end + 1, f" {literal} "))
        elif dialect == "duckdb" and not _is_in_slice(tokens, at, at + 1):
            edits.append((token.start, name.end + 1, _parameter_text(name.text, dialect, text, tokens[max(at - 1, 0)])))
    return apply_edits(text, edits)


def _name_placeholders(text: str, dialect: str, first: int, values: Sequence[Any]) -> tuple[str, int]:
    """The text with a name for each `?` or `$1`, or a literal for a time; and the number of values used so far."""
    tokens = tokens_of(text, dialect)
    unnumbered = [at for at, token in enumerate(tokens) if token.token_type == TokenType.PLACEHOLDER]
    numbered = _numbered_places(tokens) if dialect == "duckdb" else {}
    if unnumbered and numbered:
        raise InvalidInput("A statement has parameters of the form ? or of the form $1, not of both.")
    places = [(at, at, number) for number, at in enumerate(unnumbered, first)]
    places += [(at, at + 1, number) for at, number in numbered.items()]
    edits = [
        (tokens[at].start, tokens[end].end + 1, _placeholder_text(number, values, tokens, (at, end), dialect, text))
        for at, end, number in places
    ]
    return apply_edits(text, edits), max([first, *(number + 1 for _, _, number in places)])


def _numbered_places(tokens: Sequence[Token]) -> dict[int, int]:
    """The positions of parameters such as `$1`, with the number of their value, counted from 0."""
    return {
        at: int(number.text) - 1
        for at, (sign, number) in enumerate(pairwise(tokens))
        if sign.token_type == TokenType.PARAMETER
        and number.token_type == TokenType.NUMBER
        and number.start == sign.end + 1
        and number.text.isdecimal()
        and int(number.text)
    }


def _placeholder_text(
    number: int, values: Sequence[Any], tokens: Sequence[Token], place: tuple[int, int], dialect: str, text: str
) -> str:
    name, value = f"{_NAME}{number}", values[number] if number < len(values) else None
    literal = written_literal(value, dialect)
    if literal is not None:
        return f" {literal} "
    # In a single bracket, sqlglot would parse it as an alias.
    if _is_in_slice(tokens, *place):
        return f"((:{name}))"
    return _parameter_text(name, dialect, text, tokens[max(place[0] - 1, 0)])


def _is_in_slice(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether the colon of a name at these tokens would mean a slice or a cast."""
    around = (*tokens[max(first - 1, 0) : first], *tokens[last + 1 : last + 2])
    return any(token.token_type in _SLICES for token in around)


def _parameter_text(name: str, dialect: str, text: str, before: Token) -> str:
    """A named parameter; in the DuckDB dialect, a colon may belong to an alias, as in `SELECT name: value`."""
    if dialect != "duckdb":
        return f" :{name} "
    if not has_dollar_quotes(text):
        return f" ${name} "
    # Before a dollar quote, sqlglot may take a name for another. In a list, a colon belongs to no alias.
    return f" :{name} " if before.token_type in (TokenType.L_PAREN, TokenType.COMMA) else f"((:{name}))"
