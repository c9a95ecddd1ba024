"""Translation of list and map functions from DuckDB to Spark."""

from collections.abc import Callable
from typing import TypeAlias

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.nested_values import with_plain_elements
from forklake.sql.duckdb.operators import contains, element_for, element_of, slice_of
from forklake.sql.duckdb.series import series_list
from forklake.sql.duckdb.syntax import (
    Rule,
    call,
    cast_to,
    constant_text,
    element_kind,
    if_else,
    integer_value,
    kind,
    lambda_of,
    number,
    paren,
    plus,
    type_of,
    variable,
)
from forklake.sql.duckdb.texts import list_of_texts, raise_if

NameRule: TypeAlias = Callable[[list[exp.Expr]], exp.Expr]
"""Translates a function call, given its arguments."""


def _compact(value: exp.Expr) -> exp.Expr:
    """A list without NULLs, which DuckDB skips."""
    return call("ARRAY_COMPACT", value)


def _contains(node: exp.Expr) -> exp.Expr | None:
    return contains(node.this, node.expression)


def _contains_any_kind(node: exp.Expr) -> exp.Expr | None:
    match kind(node.this):
        case "list":
            return _contains(node)
        case "map":
            return call("MAP_CONTAINS_KEY", node.this, node.expression)
    return call("CONTAINS", node.this, node.expression)


def _length(node: exp.Expr) -> exp.Expr | None:
    if kind(node.this) in ("list", "map"):
        return call("SIZE", node.this)
    return call("LENGTH", node.this)


def _size(node: exp.Expr) -> exp.Expr | None:
    if node.expression is not None and integer_value(node.expression) != 1:
        raise Untranslatable("array_length of an inner dimension is not supported.")
    return call("SIZE", node.this)


def _sort(node: exp.Expr) -> exp.Expr | None:
    values = with_plain_elements(node.this, "An order")
    descending = node.args.get("asc") is not None
    nulls_first = bool(node.args.get("nulls_first") and node.args["nulls_first"].this)
    if descending == nulls_first:
        # These two orders are those of Spark's functions: ascending with NULLs last, descending with NULLs first.
        return call("ARRAY_SORT", values) if not descending else call("REVERSE", call("ARRAY_SORT", values))
    return call("SORT_ARRAY", values, exp.false() if descending else exp.true())


def _distinct(node: exp.Expr) -> exp.Expr | None:
    return call("ARRAY_DISTINCT", _compact(node.this))


def concat_lists(arguments: list[exp.Expr]) -> exp.Expr:
    """Concatenate lists; a NULL is treated as an empty list."""
    lists = [part for part in arguments if not isinstance(part.unnest(), exp.Null)]
    if not lists:
        return exp.null()
    return call(
        "CONCAT",
        *(part if isinstance(part, exp.Array) else call("COALESCE", part, call("ARRAY")) for part in lists),
    )


def _overlaps(node: exp.Expr) -> exp.Expr | None:
    return call("ARRAYS_OVERLAP", _compact(node.this), _compact(node.expression))


def _intersect(arguments: list[exp.Expr]) -> exp.Expr:
    """Values in both lists; empty if the second list is NULL."""
    left, right = _compact(arguments[0]), arguments[1]
    none = call("SLICE", left.copy(), 1, 0)
    if isinstance(right.unnest(), exp.Null):
        return none
    return call("COALESCE", call("ARRAY_INTERSECT", left, right), none)


def _has_all(arguments: list[exp.Expr]) -> exp.Expr:
    missing = call("ARRAY_EXCEPT", _compact(arguments[1]), arguments[0])
    return exp.EQ(this=call("SIZE", missing), expression=number(0))


def _position(value: exp.Expr, wanted: exp.Expr) -> exp.Expr:
    """The position of a value in a list; NULL can be found as well."""
    wanted = element_for(value, wanted)
    if isinstance(wanted, exp.Literal):
        return call("NULLIF", call("ARRAY_POSITION", value, wanted), 0)
    is_null = exp.Is(this=variable("_x"), expression=exp.null())
    of_null = call("ARRAY_POSITION", call("TRANSFORM", value.copy(), lambda_of(is_null, "_x")), exp.true())
    if not isinstance(wanted.unnest(), exp.Null):
        is_wanted = exp.Is(this=paren(wanted.copy()), expression=exp.null())
        of_null = if_else(is_wanted, of_null, call("ARRAY_POSITION", value, wanted))
    return call("NULLIF", of_null, 0)


def _comprehension(node: exp.Expr) -> exp.Expr | None:
    if len(node.expressions) != 1 or not isinstance(node.expressions[0], exp.Comprehension):
        return None
    found = node.expressions[0]
    name, values, condition = found.expression.name, found.args["iterator"], found.args.get("condition")
    if condition is not None:
        values = call("FILTER", values, lambda_of(condition, name))
    return call("TRANSFORM", values, lambda_of(found.this, name))


def _higher_order(name: str) -> Rule:
    def rule(node: exp.Expr) -> exp.Expr | None:
        return call(name, node.this, _count_index_from_one(node.expression))

    return rule


def _count_index_from_one(function: exp.Expr) -> exp.Expr:
    """Make the second argument of a lambda, the element index, 1-based."""
    if isinstance(function, exp.Lambda) and len(function.expressions) == 2:
        index = function.expressions[1].name
        for use in list(function.this.find_all(exp.Identifier)):
            if use.name == index:
                use.replace(plus(use.copy(), number(1)))
    return function


def _is_empty(values: exp.Expr) -> exp.Expr:
    return exp.EQ(this=call("SIZE", values), expression=number(0))


def _reduce(arguments: list[exp.Expr]) -> exp.Expr:
    values, function = arguments[:2]
    if len(arguments) == 3:
        return call("AGGREGATE", values, arguments[2], function)
    values = raise_if(values, _is_empty, "list_reduce needs an initial value for an empty list")
    rest = call("SLICE", values.copy(), 2, call("GREATEST", call("SIZE", values.copy()), 0))
    return call("AGGREGATE", rest, call("TRY_ELEMENT_AT", values, 1), function)


def _sum(value: exp.Expr) -> exp.Expr:
    target = {"int": "decimal(38, 0)", "decimal": _decimal_sum_type(value)}.get(element_kind(value) or "", "double")
    added = cast_to(plus(variable("_a"), cast_to(variable("_x"), target)), target)
    total = call("AGGREGATE", _compact(value), cast_to(number(0), target), lambda_of(added, "_a", "_x"))
    return if_else(exp.EQ(this=call("SIZE", _compact(value.copy())), expression=number(0)), exp.null(), total)


def _decimal_sum_type(value: exp.Expr) -> str:
    found = type_of(value)
    scale = found.expressions[0].expressions[1].name if found is not None and element_kind(value) == "decimal" else "0"
    return f"decimal(38, {scale})"


def _average(value: exp.Expr) -> exp.Expr:
    total = cast_to(_sum(value), "double")
    return exp.Paren(this=exp.Div(this=total, expression=call("SIZE", _compact(value.copy()))))


def _extreme(name: str, value: exp.Expr) -> exp.Expr:
    return call(name, with_plain_elements(value, "The least or greatest"))


def _of_some(value: exp.Expr, found: exp.Expr) -> exp.Expr:
    """An aggregate of the elements of a list that are not NULL; NULL if there are none."""
    is_void = exp.EQ(this=call("SIZE", _compact(value.copy())), expression=number(0))
    return if_else(is_void, exp.null(), found)


_AGGREGATES: dict[str, Callable[[exp.Expr], exp.Expr]] = {
    "sum": _sum,
    "avg": _average,
    "mean": _average,
    "min": lambda value: _extreme("ARRAY_MIN", value),
    "max": lambda value: _extreme("ARRAY_MAX", value),
    "count": lambda value: call("SIZE", _compact(value)),
    "any_value": lambda value: call("TRY_ELEMENT_AT", _compact(value), 1),
    "first": lambda value: call("TRY_ELEMENT_AT", value, 1),
    "last": lambda value: call("TRY_ELEMENT_AT", value, -1),
    "bool_and": lambda value: _of_some(value, call("FORALL", _compact(value), lambda_of(variable("_x"), "_x"))),
    "bool_or": lambda value: _of_some(value, call("EXISTS", _compact(value), lambda_of(variable("_x"), "_x"))),
    "string_agg": lambda value: _of_some(value, call("ARRAY_JOIN", list_of_texts(value), ",")),
}


def _aggregate(arguments: list[exp.Expr]) -> exp.Expr:
    name = constant_text(arguments[1], "The aggregate of list_aggregate").lower()
    rule = _AGGREGATES.get(name)
    if rule is None or len(arguments) > (3 if name == "string_agg" else 2):
        raise Untranslatable(f"list_aggregate with {name} is not supported.")
    if len(arguments) == 3:
        return _of_some(arguments[0], call("ARRAY_JOIN", list_of_texts(arguments[0]), arguments[2]))
    return rule(arguments[0])


def _slice(arguments: list[exp.Expr]) -> exp.Expr:
    return slice_of(arguments[0], arguments[1], arguments[2], arguments[3] if len(arguments) > 3 else None)


def _array_slice(node: exp.Expr) -> exp.Expr | None:
    return slice_of(node.this, node.args.get("start"), node.args.get("end"), node.args.get("step"))


def _struct_extract(arguments: list[exp.Expr]) -> exp.Expr:
    return element_of(arguments[0], arguments[1])


def _join(node: exp.Expr) -> exp.Expr | None:
    """NULL for a list of nothing but NULLs, and an empty text for an empty list."""
    texts = list_of_texts(node.this)
    is_void = exp.EQ(this=call("SIZE", _compact(texts.copy())), expression=number(0))
    has_some = exp.GT(this=call("SIZE", texts.copy()), expression=number(0))
    return if_else(exp.and_(is_void, has_some), exp.null(), call("ARRAY_JOIN", texts, node.expression))


def _on_first_argument(rule: Callable[[exp.Expr], exp.Expr]) -> NameRule:
    return lambda arguments: rule(arguments[0])


LISTS: dict[type[exp.Expr], Rule] = {
    exp.ArrayContains: _contains,
    exp.Contains: _contains_any_kind,
    exp.Length: _length,
    exp.ArraySize: _size,
    exp.ArraySort: _sort,
    exp.ArrayDistinct: _distinct,
    exp.ArrayOverlaps: _overlaps,
    exp.ArrayIntersect: lambda node: _intersect(node.expressions),
    exp.ArrayConcat: lambda node: concat_lists([node.this, *node.expressions]),
    exp.ArrayAppend: lambda node: concat_lists([node.this, exp.Array(expressions=[node.expression])]),
    exp.ArrayPrepend: lambda node: concat_lists([exp.Array(expressions=[node.expression]), node.this]),
    exp.ArrayPosition: lambda node: _position(node.this, node.expression),
    exp.ArrayMin: lambda node: _extreme("ARRAY_MIN", node.this),
    exp.ArrayMax: lambda node: _extreme("ARRAY_MAX", node.this),
    exp.ArrayToString: _join,
    exp.ArraySlice: _array_slice,
    exp.ArrayReverse: lambda node: call("REVERSE", node.this),
    exp.Flatten: lambda node: call("FLATTEN", _compact(node.this)),
    exp.GenerateSeries: series_list,
    exp.Array: _comprehension,
    exp.Transform: _higher_order("TRANSFORM"),
    exp.ArrayFilter: _higher_order("FILTER"),
}

LIST_CALLS: dict[str, NameRule] = {
    **{f"list_{name}": _on_first_argument(rule) for name, rule in _AGGREGATES.items()},
    **dict.fromkeys(("list_aggregate", "array_aggregate", "list_aggr", "array_aggr", "aggregate"), _aggregate),
    **dict.fromkeys(("list_reduce", "array_reduce", "reduce"), _reduce),
    "list_slice": _slice,
    **dict.fromkeys(
        ("list_position", "list_indexof", "array_indexof"), lambda arguments: _position(arguments[0], arguments[1])
    ),
    **dict.fromkeys(
        ("list_apply", "array_apply", "apply", "array_transform"),
        lambda arguments: call("TRANSFORM", arguments[0], _count_index_from_one(arguments[1])),
    ),
    **dict.fromkeys(
        ("array_filter", "filter"), lambda arguments: call("FILTER", arguments[0], _count_index_from_one(arguments[1]))
    ),
    **dict.fromkeys(("list_extract", "list_element", "array_extract", "struct_extract"), _struct_extract),
    **dict.fromkeys(("list_has_all", "array_has_all"), _has_all),
    "array_has": lambda arguments: contains(arguments[0], arguments[1]),
    "array_has_any": lambda arguments: call("ARRAYS_OVERLAP", _compact(arguments[0]), _compact(arguments[1])),
    "list_reverse": lambda arguments: call("REVERSE", arguments[0]),
    **dict.fromkeys(("list_intersect", "array_intersect"), _intersect),
    "list_unique": lambda arguments: call("SIZE", call("ARRAY_DISTINCT", _compact(arguments[0]))),
    "list_cat": concat_lists,
    "array_cat": concat_lists,
    "array_push_back": lambda arguments: concat_lists([arguments[0], exp.Array(expressions=[arguments[1]])]),
    "map_extract_value": lambda arguments: call("TRY_ELEMENT_AT", arguments[0], arguments[1]),
    "map_contains": lambda arguments: call("MAP_CONTAINS_KEY", arguments[0], arguments[1]),
    "row": lambda arguments: call("STRUCT", *arguments),
}
