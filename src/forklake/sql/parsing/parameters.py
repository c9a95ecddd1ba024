"""Converts positional parameters (`?`) to named ones, so that each is independent of its position in the text."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from sqlglot.tokenizer_core import Token, TokenType

from forklake.errors import InvalidInput
from forklake.model.encodable import check_encodable
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import tokens_of
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
_MOST_DIGITS = 38
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
    _check_values(parameters)
    parameters = _without_numpy(parameters)
    if isinstance(parameters, Mapping):
        texts = [_rewrite_names(statement, dialect, parameters) for statement in statements]
        return texts, {name: value for name, value in parameters.items() if not isinstance(value, date)}
    named: list[str] = []
    count = 0
    for statement in statements:
        text, count = _name_placeholders(statement, dialect, count, parameters)
        named.append(text)
    if count != len(parameters):
        raise InvalidInput(f"The text has {count} parameters (?), but {len(parameters)} values were given.")
    return named, {f"{_NAME}{at}": value for at, value in enumerate(parameters) if not isinstance(value, date)}


def _without_numpy(parameters: Mapping[str, Any] | Sequence[Any]) -> Mapping[str, Any] | Sequence[Any]:
    """Values of NumPy as those of Python, and tuples as lists; Spark does not take them."""
    if isinstance(parameters, Mapping):
        return {name: _python_value(value) for name, value in parameters.items()}
    return [_python_value(value) for value in parameters]


def _python_value(value: Any) -> Any:
    if isinstance(value, list | tuple):
        # Spark takes lists only.
        return [_python_value(item) for item in value]
    return value.tolist() if type(value).__module__ == "numpy" else value


def _check_values(parameters: Mapping[str, Any] | Sequence[Any]) -> None:
    """Raises InvalidInput for a value that not both engines support."""
    if isinstance(parameters, str | bytes) or not isinstance(parameters, Mapping | Sequence):
        raise InvalidInput("Parameters are a mapping with values for :name, or a list with values for each ? in turn.")
    if not isinstance(parameters, Mapping):
        parameters = {f"? number {at}": value for at, value in enumerate(parameters, 1)}
    for name, value in parameters.items():
        if not isinstance(name, str):
            raise InvalidInput(f"The name of a parameter must be a string, not {name!r}.")
        check_encodable(name, "The name of a parameter")
        check_value(value, name)


def check_value(value: Any, name: str) -> None:
    """Raises InvalidInput for a value that is none of SQL."""
    match value:
        case str():
            check_encodable(value, f"The parameter {name}")
        case int() if not -(2**63) <= value < 2**63:
            raise InvalidInput(f"The parameter {name} has more than 64 bits; give it as a Decimal.")
        case Decimal() if not value.is_finite() or _digits(value) > _MOST_DIGITS:
            raise InvalidInput(f"The parameter {name} is not a decimal of at most {_MOST_DIGITS} digits.")
        case list() | tuple():
            for item in value:
                check_value(item, name)
        case None | bool() | int() | float() | Decimal() | bytes() | bytearray() | date() | time() | timedelta():
            pass
        case _ if type(value).__module__.partition(".")[0] not in ("numpy", "pyspark"):
            raise InvalidInput(f"The parameter {name} cannot be a value of type {type(value).__name__}.")


def _digits(value: Decimal) -> int:
    """The number of digits of a decimal before and after its point."""
    _, digits, exponent = value.as_tuple()
    return max(len(digits), -exponent) if isinstance(exponent, int) and exponent < 0 else len(digits) + int(exponent)


def _rewrite_names(text: str, dialect: str, parameters: Mapping[str, Any]) -> str:
    """The text with date and time parameters replaced by literals, and others with a prefix that is no operator.

    PySpark would pass times through Java's legacy calendar, which differs before October 1582, and in the zone of the
    process, which may differ from that of the session.
    """
    tokens = tokens_of(text, dialect)
    edits = []
    for at, (token, name) in enumerate(pairwise(tokens)):
        is_sign = text[token.start : token.end + 1] in SIGNS[dialect] and name.start == token.end + 1
        if not is_sign or name.text not in parameters or (at and tokens[at - 1].token_type in ENDS):
            continue
        value = parameters[name.text]
        if isinstance(value, date):
            edits.append((token.start, name.end + 1, f" {time_literal(value, dialect)} "))
        elif dialect == "duckdb" and not _is_in_slice(tokens, at, at + 1):
            edits.append((token.start, name.end + 1, _parameter_text(name.text, dialect, text, tokens[max(at - 1, 0)])))
    return apply_edits(text, edits)


def time_literal(value: date, dialect: str) -> str:
    """A date or timestamp as a literal; without a zone, it is in that of the session."""
    if not isinstance(value, datetime):
        return f"DATE '{value.isoformat()}'"
    if value.tzinfo is not None and 1 < value.year < 9999:
        value = value.astimezone(UTC)
    of_zone = "TIMESTAMP_LTZ" if dialect == "spark" else "TIMESTAMPTZ" if value.tzinfo is not None else "TIMESTAMP"
    return f"{of_zone} '{value.isoformat(' ')}'"


def _name_placeholders(text: str, dialect: str, first: int, values: Sequence[Any]) -> tuple[str, int]:
    """The text with a name for each `?`, or a literal for a time; and the number of the next parameter."""
    tokens = tokens_of(text, dialect)
    places = [at for at, token in enumerate(tokens) if token.token_type == TokenType.PLACEHOLDER]
    edits = [
        (tokens[at].start, tokens[at].end + 1, _placeholder_text(number, values, tokens, at, dialect, text))
        for number, at in enumerate(places, first)
    ]
    return apply_edits(text, edits), first + len(places)


def _placeholder_text(
    number: int, values: Sequence[Any], tokens: Sequence[Token], at: int, dialect: str, text: str
) -> str:
    name, value = f"{_NAME}{number}", values[number] if number < len(values) else None
    if isinstance(value, date):
        return f" {time_literal(value, dialect)} "
    # In a single bracket, sqlglot would parse it as an alias.
    if _is_in_slice(tokens, at, at):
        return f"((:{name}))"
    return _parameter_text(name, dialect, text, tokens[max(at - 1, 0)])


def _is_in_slice(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether the colon of a name at these tokens would mean a slice or a cast."""
    around = (*tokens[max(first - 1, 0) : first], *tokens[last + 1 : last + 2])
    return any(token.token_type in _SLICES for token in around)


def _parameter_text(name: str, dialect: str, text: str, before: Token) -> str:
    """A named parameter; in the DuckDB dialect, a colon may belong to an alias, as in `SELECT name: value`."""
    if dialect != "duckdb":
        return f" :{name} "
    if "''" not in text:
        return f" ${name} "
    # Behind a dollar, sqlglot loses its place at doubled quotes. In a list, a colon belongs to no alias.
    return f" :{name} " if before.token_type in (TokenType.L_PAREN, TokenType.COMMA) else f"((:{name}))"
