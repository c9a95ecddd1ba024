"""Translation of comparisons with ANY and ALL of a query from DuckDB to Spark.

Spark reads ANY as the name of an aggregate function, so that one left unchanged may mean something else.
"""

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.syntax import Rule, kind, number, paren

_IN: dict[type[exp.Expr], type[exp.Expr]] = {exp.EQ: exp.Any, exp.NEQ: exp.All}
"""The comparisons equivalent to IN and NOT IN, with the quantifier of each."""
_VALUE = exp.to_identifier("_forklake_value")
_ALIAS = exp.TableAlias(this=exp.to_identifier("_forklake_in"), columns=[_VALUE])


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
    found = rewrite_in_query(is_in, node) or is_in
    return exp.Paren(this=found if type(node) is exp.EQ else exp.Not(this=found))


def rewrite_in_query(is_in: exp.In, place: exp.Expr) -> exp.Expr | None:
    """Translate IN over a query at a place in the tree; None leaves it to Spark, where it is never NULL.

    That makes no difference only where IN, or NOT IN, is by itself a condition that filters rows.
    """
    _refuse_texts(is_in)
    if _is_filter_condition(place):
        return None
    value, query = is_in.this, is_in.args["query"].unnest()
    if isinstance(value, exp.Tuple):
        raise Untranslatable("IN over a query of several columns is supported as a condition of WHERE only.")
    named = exp.Subquery(this=query.copy(), alias=_ALIAS.copy())
    nulls = exp.select(number(1)).from_(named).where(exp.Is(this=_VALUE.copy(), expression=exp.null()))
    unknown = exp.and_(exp.Is(this=paren(value.copy()), expression=exp.null()), exp.Exists(this=query.copy()))
    cases = [
        exp.If(this=is_in.copy(), true=exp.true()),
        exp.If(this=unknown, true=exp.null()),
        exp.If(this=exp.Exists(this=nulls), true=exp.null()),
    ]
    return exp.Case(ifs=cases, default=exp.false())


def _refuse_texts(is_in: exp.In) -> None:
    """Reject texts compared with other types, for which Spark has its own common type."""
    query = is_in.args["query"].unnest()
    columns = query.selects if isinstance(query, exp.Query) else []
    values = is_in.this.expressions if isinstance(is_in.this, exp.Tuple) else [is_in.this]
    for value, column in zip(values, columns, strict=False):
        kinds = {kind(value), kind(column.unalias())}
        if "text" in kinds and not kinds <= {"text", "json", None}:
            raise Untranslatable("IN compares text with values of another type; cast them explicitly.")


def _is_filter_condition(place: exp.Expr) -> bool:
    """Whether a condition, or its negation, is a conjunct of WHERE, HAVING or ON."""
    parent, child = _parent_past_parens(place)
    if isinstance(parent, exp.Not):
        parent, child = _parent_past_parens(parent)
    while isinstance(parent, exp.And):
        parent, child = _parent_past_parens(parent)
    is_condition = isinstance(parent, exp.Join) and child.arg_key == "on"
    return is_condition or isinstance(parent, exp.Where | exp.Having)


def _parent_past_parens(node: exp.Expr) -> tuple[exp.Expr | None, exp.Expr]:
    """The parent of a node, skipping parentheses, and its direct child."""
    while isinstance(node.parent, exp.Paren):
        node = node.parent
    return node.parent, node


QUANTIFIERS: dict[type[exp.Expr], Rule] = {
    exp.Any: _quantifier,
    exp.All: _quantifier,
    exp.EQ: _comparison,
    exp.NEQ: _comparison,
}
