"""Texts that we cannot parse. Spark may, but would resolve our names among its own tables and views."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pyspark.sql import SparkSession
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from forklake.catalog.transaction.names import find_object, find_schema
from forklake.errors import InvalidInput
from forklake.model.entities import ObjectKind
from forklake.spark.session.provider import is_remote
from forklake.sql.binding.names import Context, attached_as, in_use, is_sparks, read_transaction
from forklake.sql.functions.metadata_tables import metadata_owner
from forklake.sql.functions.registry import is_function
from forklake.sql.parsing.cursor import tokens_of
from forklake.sql.parsing.table_references import ParsedQuery, is_name
from forklake.sql.session.state import SessionState

_ANY: tuple[ObjectKind, ...] = ("table", "view", "scalar_macro", "table_macro")


def check_unread(state: SessionState, context: Context, parsed: ParsedQuery) -> None:
    """Raises InvalidInput for a text that we cannot parse, unless no name in it can be ours, for Spark to parse."""
    if context.dialect != "spark":
        return  # Other dialects are translated, and must be parsed for that.
    tokens = tokens_of(parsed.text, context.dialect)
    _refuse_names_in_texts(tokens, parsed)
    if isinstance(parsed.tree, exp.Query | exp.Values):
        return
    if context.is_kept:
        raise InvalidInput("Forklake cannot read the text of this view or macro; write it in another way.")
    for name in _names_in(tokens):
        if _may_be_ours(state, context, name):
            _parse(state.provider.get(), parsed.text)
            raise InvalidInput(
                f"Forklake cannot read this query, so Spark does not know the table or function '{'.'.join(name)}' in"
                " it. It has an expression or an operator that is not supported, such as UNION ALL TABLE t, or is a"
                " statement of Spark about its own tables; write it in another way."
            )


def _parse(spark: SparkSession, text: str) -> None:
    """Let Spark report a syntax error in a text that it cannot parse either, without running it."""
    if not is_remote(spark):
        spark._jsparkSession.sessionState().sqlParser().parsePlan(text)


def _refuse_names_in_texts(tokens: Sequence[Token], parsed: ParsedQuery) -> None:
    """Reject texts that name tables dynamically: Spark would resolve them, and we do not see them."""
    words = [token.text.upper() if token.token_type != TokenType.STRING else "" for token in tokens]
    if words[:2] == ["EXECUTE", "IMMEDIATE"] or words[:1] == ["EXECUTE IMMEDIATE"]:
        raise InvalidInput("EXECUTE IMMEDIATE is not supported: run the statement itself.")
    is_called = any(found.arguments is not None and _is_identifier(found.name) for found in parsed.references)
    is_written = parsed.tree is None and ("IDENTIFIER", "(") in pairwise(words)
    if is_called or is_written:
        raise InvalidInput("IDENTIFIER(…) cannot stand for a table: write its name.")


def _is_identifier(name: Sequence[str]) -> bool:
    return len(name) == 1 and name[0].upper() == "IDENTIFIER"


def _names_in(tokens: Sequence[Token]) -> Iterator[tuple[str, ...]]:
    """All qualified names of a text, including keywords."""
    name: list[str] = []
    goes_on = False
    for token in tokens:
        is_dot = token.token_type == TokenType.DOT
        if name and not is_dot and not goes_on:
            yield tuple(name)
            name = []
        if is_name(token):
            name.append(token.text)
        goes_on = is_dot
    if name:
        yield tuple(name)


def _may_be_ours(state: SessionState, context: Context, name: tuple[str, ...]) -> bool:
    """Whether a name, or its first part, refers to something of ours."""
    own = in_use(state, context)
    if is_sparks(name):
        return False
    if len(name) > 1 and (attached_as(state, context, name[0]) or metadata_owner(state, context, name)):
        return True
    if is_function(state, context, name):
        return True
    if own is None:
        return False
    tx = read_transaction(state, context, own)
    schema = find_schema(tx, context.schema)
    if schema is not None and find_object(tx, schema, name[0], *_ANY) is not None:
        return True
    return len(name) > 1 and find_schema(tx, name[0]) is not None
