"""Comparisons with ANY and ALL rows of a query, from DuckDB to Spark.

Spark reads ANY as the name of an aggregate function, so that one that is left as it is may mean something else.
"""

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb_ast import Rule

_IN: dict[type[exp.Expr], type[exp.Expr]] = {exp.EQ: exp.Any, exp.NEQ: exp.All}
"""The comparisons that are IN and NOT IN, with the quantifier of each."""


def _quantifier(node: exp.Expr) -> exp.Expr | None:
    comparison = node.parent
    is_in = comparison is not None and _IN.get(type(comparison)) is type(node) and comparison.expression is node
    if is_in and isinstance(node.this, exp.Query):
        return None
    raise Untranslatable(
        "ANY and ALL are supported as = ANY (query) and <> ALL (query) only; compare with min or max of the query,"
        " or use list_contains."
    )


def _comparison(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node.expression, exp.Any | exp.All):
        return None
    query = node.expression.this
    is_in = exp.In(this=node.this, query=query if isinstance(query, exp.Subquery) else exp.Subquery(this=query))
    return exp.Paren(this=is_in if type(node) is exp.EQ else exp.Not(this=is_in))


QUANTIFIERS: dict[type[exp.Expr], Rule] = {
    exp.Any: _quantifier,
    exp.All: _quantifier,
    exp.EQ: _comparison,
    exp.NEQ: _comparison,
}
