"""Python values as SQL text, where Spark takes no parameters."""

from decimal import Decimal
from typing import Any

from sqlglot.tokenizer_core import TokenType

from forklake.errors import InvalidInput
from forklake.sql.parsing.constants import Parameters, parameter_value
from forklake.sql.parsing.cursor import tokens_of
from forklake.sql.parsing.parameter_values import written_literal
from forklake.sql.parsing.parameters import ENDS, SIGNS
from forklake.sql.parsing.table_references import apply_edits


def inline_parameters(text: str, dialect: str, parameters: Parameters) -> str:
    """The text with its parameters replaced by literals."""
    tokens = tokens_of(text, dialect)
    edits = []
    for at, token in enumerate(tokens):
        if token.token_type == TokenType.PLACEHOLDER:
            raise InvalidInput("The parameter ? has no value here.")
        is_sign = text[token.start : token.end + 1] in SIGNS[dialect]
        if not is_sign or at + 1 == len(tokens) or (at and tokens[at - 1].token_type in ENDS):
            continue
        if tokens[at + 1].start == token.end + 1:
            value = parameter_value(tokens[at + 1].text, parameters)
            edits.append((token.start, tokens[at + 1].end + 1, sql_literal(value, dialect)))
    return apply_edits(text, edits)


def sql_literal(value: Any, dialect: str) -> str:
    """A value as a literal of its type."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case int():
            return f"({value})"
        case float():
            return f"CAST('{value!r}' AS DOUBLE)"
        case Decimal():
            return f"({value:f})"
        case str():
            return _string_literal(value, dialect)
    written = written_literal(value, dialect)
    if written is not None:
        return written
    raise InvalidInput(f"A value of type {type(value).__name__} cannot be a parameter here.")


def _string_literal(value: str, dialect: str) -> str:
    if dialect == "spark":
        value = value.replace("\\", "\\\\")
    return "'" + value.replace("'", "''") + "'"
