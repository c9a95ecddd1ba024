"""Query columns consisting only of texts, for date or time columns of a table: the engine parses them."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.model.column_types import TIMESTAMPS
from forklake.model.entities import Column
from forklake.spark.session.expression_text import user_expression as as_expression
from forklake.spark.values.assign_expression import parse_date_or_time
from forklake.spark.values.quoting import column_named
from forklake.sql.duckdb.translate import expression_to_spark
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import parse_text
from forklake.sql.parsing.known_nodes import Nodes, is_known

_READ_FROM_TEXT = TIMESTAMPS | {"date"}
_KEEP_COLUMNS = frozenset({"expressions", "from_", "where", "order", "limit", "offset", "distinct", "with_"})
"""Clauses that leave the value of a query's column as its expression says."""
_QUERIES: Nodes = {
    exp.Subquery: frozenset({"this"}),
    exp.Values: _KEEP_COLUMNS | {"alias"},
    exp.Select: _KEEP_COLUMNS,
}
_ALIAS: Nodes = {exp.Alias: frozenset({"this", "alias"})}
_TEXTS: Nodes = {
    exp.Null: frozenset(),
    exp.Literal: frozenset({"this", "is_string"}),
    exp.Placeholder: frozenset({"this"}),
}


def read_texts_as_times(
    rows: DataFrame, columns: Sequence[Column], query: str, dialect: str, parameters: Parameters = None
) -> DataFrame:
    """The rows of a query with texts in these columns parsed as dates and times, as in the dialect."""
    texts = time_text_columns(query, dialect, columns, parameters) if len(rows.columns) == len(columns) else set()
    if not texts:
        return rows
    # Column names of a query need not be unique.
    given = rows.toDF(*(f"c{at}" for at in range(len(columns))))
    read = [
        _text_as_time(f"c{at}", column, dialect) if at in texts else column_named(f"c{at}")
        for at, column in enumerate(columns)
    ]
    return given.select(*(value.alias(f"c{at}") for at, value in enumerate(read))).toDF(*rows.columns)


def _text_as_time(name: str, column: Column, dialect: str) -> Expression:
    if dialect == "duckdb" and column.type.name != "timestamp_ns":
        return as_expression(expression_to_spark(f"CAST({name} AS {column.type.sql()})", {name: "string"}))
    return parse_date_or_time(column_named(name), column.type, column.name)


def time_text_columns(text: str, dialect: str, columns: Sequence[Column], parameters: Parameters = None) -> set[int]:
    """Positions of columns that are dates or times in the table but only texts, literal or parameters, in the query."""
    try:
        rows = _row_expressions(text, dialect)
    except SqlglotError:
        return set()
    values = parameters if isinstance(parameters, Mapping) else {}
    return {
        at
        for at, column in enumerate(columns)
        if column.type.name in _READ_FROM_TEXT
        and rows
        and all(len(row) == len(columns) and _is_plain_text(row[at], values) for row in rows)
    }


def _row_expressions(text: str, dialect: str) -> list[list[exp.Expr]]:
    """The expressions of each row of VALUES, or of a single SELECT; empty for any other query."""
    tree = parse_text(text, dialect)
    while is_known(tree, _QUERIES) and type(tree) is exp.Subquery:
        tree = tree.this
    if not is_known(tree, _QUERIES):
        return []
    if type(tree) is exp.Values:
        return [row.expressions if type(row) is exp.Tuple else [row] for row in tree.expressions]
    if any(expression.find(exp.Star) for expression in tree.expressions):
        return []
    return [[expression.this if is_known(expression, _ALIAS) else expression for expression in tree.expressions]]


def _is_plain_text(value: exp.Expr, parameters: Mapping[str, Any]) -> bool:
    if not is_known(value, _TEXTS):
        return False
    if type(value) is exp.Placeholder:
        return value.this in parameters and isinstance(parameters[value.this], str | None)
    return type(value) is exp.Null or bool(value.is_string)
