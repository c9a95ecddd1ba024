"""Ordering of lists and structs, from DuckDB to Spark.

Within a nested value, NULL sorts last in DuckDB and first in Spark. Such values are compared by keys in which each part
is preceded by whether it is NULL.
"""

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.syntax import (
    TYPE,
    call,
    element_kind,
    if_else,
    kind,
    lambda_of,
    mark_type,
    paren,
    type_of,
    variable,
)

_NESTED = ("list", "struct", "map")
_ROWS = frozenset({"ROW", "STRUCT"})
_NESTED_IN_SPARK = "^(?:array|struct|map)<"
_NOT_KNOWN = "A {} has another order in Spark, and its type is not known here; cast it, or order by its parts."


def is_nested(value: exp.Expr) -> bool:
    """Whether a value is known to be nested, with parts that may be NULL."""
    return kind(value) in _NESTED or row_values(value) is not None


def order_key(value: exp.Expr) -> exp.Expr:
    """An expression that sorts in Spark as the value does in DuckDB: the value itself if it is not nested.

    A value of unknown type is checked at run time not to be nested.
    """
    found = type_of(value)
    row = row_values(value)
    if row is not None:
        return _row_key(row)
    if kind(value) is None:
        return _refused_if_nested(value)
    if not is_nested(value):
        return value
    if found is None:
        raise Untranslatable(_NOT_KNOWN.format(kind(value)))
    return _key(value, found, 0)


def row_values(value: exp.Expr) -> list[exp.Expr] | None:
    """The values of a row such as `(a, b)` or `row(a, b)`, before or after its translation."""
    inner = value.unnest()
    is_row = isinstance(inner, exp.Tuple) or (isinstance(inner, exp.Anonymous) and inner.name.upper() in _ROWS)
    return list(inner.expressions) if is_row else None


def _row_key(values: list[exp.Expr]) -> exp.Expr:
    parts: list[exp.Expr | str] = []
    for place, value in enumerate(values):
        parts += [f"n{place}", _is_null(value), f"v{place}", order_key(value.copy())]
    return call("NAMED_STRUCT", *parts)


def _refused_if_nested(value: exp.Expr, pattern: str = _NESTED_IN_SPARK) -> exp.Expr:
    """The value, with an error at run time if its type in Spark, which is known only then, is nested."""
    if isinstance(value.unnest(), exp.Null | exp.Star):
        return value
    is_nested_type = call("REGEXP_LIKE", call("TYPEOF", value.copy()), pattern)
    return if_else(is_nested_type, call("RAISE_ERROR", _NOT_KNOWN.format("list or struct")), value)


def _key(value: exp.Expr, type_: exp.DataType, depth: int) -> exp.Expr:
    of_kind = kind(mark_type(variable("_"), type_))
    if of_kind == "map" or (of_kind in _NESTED and not type_.expressions):
        raise Untranslatable(_NOT_KNOWN.format(of_kind))
    if of_kind == "list":
        name = f"_k{depth}"
        return call("TRANSFORM", value, lambda_of(_parts([(variable(name), type_.expressions[0])], depth), name))
    if of_kind == "struct":
        fields = [(_field(value, part), _type_of_field(part)) for part in type_.expressions]
        return if_else(_is_null(value), exp.null(), _parts(fields, depth))
    return value


def _parts(values: list[tuple[exp.Expr, exp.DataType]], depth: int) -> exp.Expr:
    parts: list[exp.Expr | str] = []
    for place, (value, type_) in enumerate(values):
        parts += [f"n{place}", _is_null(value), f"v{place}", _key(value, type_, depth + 1)]
    return call("NAMED_STRUCT", *parts)


def _field(value: exp.Expr, part: exp.Expr) -> exp.Expr:
    return exp.Bracket(this=paren(value.copy()), expressions=[exp.Literal.string(part.name)])


def _type_of_field(part: exp.Expr) -> exp.DataType:
    found = part.args.get("kind")
    if not isinstance(found, exp.DataType):
        raise Untranslatable(_NOT_KNOWN.format("struct"))
    return found


def _is_null(value: exp.Expr) -> exp.Expr:
    return exp.Is(this=paren(value.copy()), expression=exp.null())


def with_plain_elements(value: exp.Expr, what: str) -> exp.Expr:
    """A list whose elements are put in order; rejects elements that are nested."""
    found = element_kind(value)
    if found in _NESTED:
        raise Untranslatable(f"{what} of lists, structs or maps is not supported: Spark has another order for them.")
    return _refused_if_nested(value, f"^array<{_NESTED_IN_SPARK[1:]}") if found is None else value


def compare_keys(node: exp.Expr) -> exp.Expr | None:
    """A comparison of two values, by their keys if they are nested or may be."""
    assert isinstance(node, exp.Binary)
    sides = (node.left, node.right)
    if not _may_be_nested(*sides):
        return None
    left, right = (order_key(side) for side in sides)
    return type(node)(this=left, expression=right)


def _may_be_nested(*values: exp.Expr) -> bool:
    """Whether values that are compared may be nested: not if one is known to be something else."""
    kinds = {kind(value) for value in values if not is_nested(value)}
    return any(is_nested(value) for value in values) or kinds == {None}


def between_keys(node: exp.Expr) -> exp.Expr | None:
    values = (node.this, node.args["low"], node.args["high"])
    if not _may_be_nested(*values):
        return None
    value, low, high = (order_key(each) for each in values)
    return exp.Between(this=value, low=low, high=high)


def refuse_nested(node: exp.Expr) -> exp.Expr | None:
    """Reject greatest and least of nested values."""
    values = (node.this, *node.expressions)
    if any(is_nested(value) for value in values):
        raise Untranslatable("greatest and least of lists, structs or maps are not supported; use CASE.")
    if not _may_be_nested(*values):
        return None
    return type(node)(**{**node.args, "this": order_key(node.this)})


def sort_key(node: exp.Expr) -> exp.Expr | None:
    """A sort key; a name may refer to a column of the SELECT."""
    value = node.this
    if isinstance(value, exp.Var):
        # ORDER BY ALL, of columns that are all known not to be nested.
        return node
    query = node.parent.parent if node.parent is not None else None
    shown = _select_expression(value, query) if isinstance(query, exp.Select) else None
    if shown is not None:
        value.meta.pop(TYPE, None)
        found = type_of(shown)
        if found is not None:
            mark_type(value, found)
        elif kind(shown) not in (None, *_NESTED):
            return node
    node.set("this", order_key(value))
    return node


def _select_expression(value: exp.Expr, select: exp.Select) -> exp.Expr | None:
    """The expression of a SELECT that a name refers to."""
    if not isinstance(value, exp.Column) or value.table:
        return None
    names = (each for each in select.expressions if isinstance(each, exp.Alias))
    found = next((each for each in names if each.alias.lower() == value.name.lower()), None)
    return None if found is None else found.unalias()
