"""Column defaults: values stored as text, or expressions evaluated on insert.

Each is checked when it is set. A plain literal of the column's own kind is parsed here; anything else is evaluated once
by Spark, as in an INSERT, and rejected if the column cannot hold it.
"""

import re
from dataclasses import replace
from typing import Any, Literal

import pyarrow as pa
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.errors import ForklakeError, InvalidInput
from forklake.model.alterations import ColumnSpec
from forklake.model.assignment import check_assignable
from forklake.model.column_types import ColumnType, parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.spark.session.failures import translate_query_errors
from forklake.spark.session.time_zones import is_utc
from forklake.spark.tasks.types.default_literals import literal_text
from forklake.spark.values.assign_expression import assignment_cast
from forklake.spark.values.collect import collect
from forklake.spark.values.default_text import default_text
from forklake.spark.values.float_range import refuse_large_floats
from forklake.spark.values.quoting import column_named
from forklake.spark.values.type_mapping import type_in_spark
from forklake.sql.binding.names import Context, context_of
from forklake.sql.definitions.macro_calls import find_calls, find_macro
from forklake.sql.duckdb.translate import expression_to_spark
from forklake.sql.parsing.cursor import DIALECTS, parse_text
from forklake.sql.parsing.known_nodes import Nodes, is_known
from forklake.sql.parsing.statements import ColumnText
from forklake.sql.queries.bind_query import query_frame
from forklake.sql.session.state import SessionState
from forklake.sql.values.literal_values import UNKNOWN, literal_value
from forklake.sql.values.text_columns import read_texts_as_times
from forklake.sql.values.values_clause import TextLiteral, parse_values

Default = tuple[str | None, Literal["literal", "expression"] | None]

_CONSTANT: Nodes = {
    exp.Literal: frozenset({"this", "is_string"}),
    exp.Null: frozenset(),
    exp.Boolean: frozenset({"this"}),
    exp.Neg: frozenset({"this"}),
    exp.Paren: frozenset({"this"}),
    exp.Cast: frozenset({"this", "to"}),
    exp.DataType: frozenset({"this", "expressions", "nested"}),
    exp.DataTypeParam: frozenset({"this"}),
}
"""Nodes of expressions whose value never changes, with all arguments that are known."""
_STANDING = re.compile(r"[-+\d\s:.TZ]*", re.ASCII)
"""Matches texts that are not words such as now or today."""
_WRITTEN_AS_TEXT = frozenset({"blob", "variant"})


def column_spec(state: SessionState, column: ColumnText) -> ColumnSpec:
    """A column in the form that the catalog takes."""
    if not column.type:
        raise InvalidInput(f"Column '{column.name}' needs a type.")
    column_type = parse_column_type(column.type, context_of(state).dialect)
    default, kind = stored_default(state, column.default, column.name, column_type)
    return ColumnSpec(column.name, column_type, column.nullable, default, kind, "spark", column.comment)


def stored_spec(state: SessionState, column: ColumnSpec) -> ColumnSpec:
    """A column given in Python, with its default in the form that is stored; raises if the column cannot hold it."""
    value, kind = column.default_value, column.default_value_type
    if kind != "expression":
        text = python_default(state, value, column.name, column.type)
        return replace(column, default_value=text, default_value_dialect=column.default_value_dialect or "spark")
    if not isinstance(value, str):
        return column
    context = context_of(state)
    if column.default_value_dialect is not None:
        dialect = fold(column.default_value_dialect)
        if dialect not in DIALECTS:
            raise InvalidInput(
                f"The default of column '{column.name}' is in the dialect '{column.default_value_dialect}';"
                f" use one of {', '.join(DIALECTS)}."
            )
        context = replace(context, dialect=dialect)
    text, kind = stored_default(state, value, column.name, column.type, context)
    return replace(column, default_value=text, default_value_type=kind, default_value_dialect="spark")


def python_default(state: SessionState, value: Any, name: str, column_type: ColumnType) -> str | None:
    """The stored text of a default given in Python; raises InvalidInput if the column cannot hold it."""
    return default_text(value, name, column_type, state.provider.zone, refuses_large_floats=state.refuses_large_floats)


def parse_column_type(text: str, dialect: str) -> ColumnType:
    """Parse a type in a dialect: in Spark, TIMESTAMP is an instant, and TIMESTAMP_NTZ a local time."""
    return parse_type(text, timestamp="timestamptz" if dialect == "spark" else "timestamp")


def stored_default(
    state: SessionState, text: str | None, name: str, column_type: ColumnType, context: Context | None = None
) -> Default:
    """The stored form of a DEFAULT; NULL is none. Raises InvalidInput if the column cannot hold it."""
    if text is None:
        return None, None
    context = context or context_of(state)
    dialect = context.dialect
    plain = _literal_default(text, dialect, column_type, is_utc(state.provider.zone))
    if plain is not UNKNOWN:
        found = default_text(plain, name, column_type)
        return found, None if found is None else "literal"
    expression = _parse_default(text, dialect, name)
    if any(find_macro(state, context, macro_call) for macro_call in find_calls(expression)):
        raise InvalidInput(f"The default of column '{name}' must not call a macro, which may change: {text}")
    if not column_type.is_nested:
        value = _compute_default(state, context, text, name, column_type)
        if _is_constant(expression):
            return (literal_text(value, column_type), "literal") if value.is_valid else (None, None)
    return (expression_to_spark(text) if dialect == "duckdb" else text), "expression"


def _literal_default(text: str, dialect: str, column_type: ColumnType, zone_is_utc: bool) -> object:
    rows = parse_values(f"VALUES ({text})", dialect)
    if rows is None or len(rows) != 1 or len(rows[0]) != 1:
        return UNKNOWN
    [[written]] = rows
    if isinstance(written, TextLiteral) and column_type.name in _WRITTEN_AS_TEXT:
        return written.text
    return literal_value(written, column_type, zone_is_utc=zone_is_utc)


def _parse_default(text: str, dialect: str, name: str) -> exp.Expr:
    try:
        found = parse_text(text, dialect)
    except SqlglotError:
        raise InvalidInput(f"The default of column '{name}' is not an expression: {text}") from None
    if found.find(exp.Query, exp.Alias, exp.Command, exp.AggFunc, exp.Window, exp.Placeholder, exp.Parameter):
        raise InvalidInput(f"The default of column '{name}' must not contain a query or an aggregate: {text}")
    return found


def _is_constant(expression: exp.Expr) -> bool:
    if not all(is_known(node, _CONSTANT) for node in expression.walk()):
        return False
    times = any(cast.to.this in exp.DataType.TEMPORAL_TYPES for cast in expression.find_all(exp.Cast))
    texts = [literal.name for literal in expression.find_all(exp.Literal) if literal.is_string]
    return not times or all(_STANDING.fullmatch(text) for text in texts)


def _compute_default(state: SessionState, context: Context, text: str, name: str, column_type: ColumnType) -> pa.Scalar:
    """The value that an INSERT of the expression would store."""
    column, query = Column(ColumnId(0), name, column_type), f"SELECT {text}\n"
    try:
        with translate_query_errors():
            rows = read_texts_as_times(query_frame(state, context, query), [column], query, context.dialect)
            source = type_in_spark(rows.schema.fields[0].dataType)
            check_assignable(source, column_type, name)
            given = column_named("c")
            value = assignment_cast(given, source, column_type, name)
            if state.refuses_large_floats:
                value = refuse_large_floats(value, given, source, column_type, name)
            [found] = collect(rows.toDF("c").select(value.alias("c")))["c"]
            return found
    except (ForklakeError, ValueError) as error:
        raise InvalidInput(f"{text} cannot be the default of column '{name}': {error}") from None
