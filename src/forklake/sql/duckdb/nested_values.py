"""Ordering of lists and structs, from DuckDB to Spark.

Within a nested value, NULL sorts last in DuckDB and first in Spark. Such values are compared by keys in which each part
is preceded by whether it is NULL.
"""

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.syntax import call, element_kind, if_else, kind, lambda_of, mark_type, paren, type_of, variable

_NESTED = ("list", "struct", "map")
_NOT_KNOWN = "A {} has another order in Spark, and its type is not known here; cast it, or order by its parts."


def is_nested(value: exp.Expr) -> bool:
    """Whether a value is known to be nested, with parts that may be NULL."""
    return kind(value) in _NESTED


def order_key(value: exp.Expr) -> exp.Expr:
    """An expression that sorts in Spark as the value does in DuckDB: the value itself if it is not nested."""
    found = type_of(value)
    if not is_nested(value):
        return value
    if found is None:
        raise Untranslatable(_NOT_KNOWN.format(kind(value)))
    return _key(value, found, 0)


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


def refuse_nested_elements(value: exp.Expr, what: str) -> None:
    """Reject operations that order elements if these are nested."""
    if element_kind(value) in _NESTED:
        raise Untranslatable(f"{what} of lists, structs or maps is not supported: Spark has another order for them.")


def compare_keys(node: exp.Expr) -> exp.Expr | None:
    """A comparison of two values, by their keys if they are nested."""
    assert isinstance(node, exp.Binary)
    if not (is_nested(node.left) or is_nested(node.right)):
        return None
    return type(node)(this=order_key(node.left), expression=order_key(node.right))


def between_keys(node: exp.Expr) -> exp.Expr | None:
    if not is_nested(node.this):
        return None
    low, high = node.args["low"], node.args["high"]
    return exp.Between(this=order_key(node.this), low=order_key(low), high=order_key(high))


def refuse_nested(node: exp.Expr) -> exp.Expr | None:
    """Reject greatest and least of nested values."""
    if any(is_nested(value) for value in (node.this, *node.expressions)):
        raise Untranslatable("greatest and least of lists, structs or maps are not supported; use CASE.")
    return None


def ordered(node: exp.Expr) -> exp.Expr | None:
    """A sort key; a name or a number may refer to a column of the SELECT."""
    value = node.this
    select = node.find_ancestor(exp.Select)
    is_of_select = node.parent is not None and node.parent.parent is select
    shown = _shown(value, select) if select is not None and is_of_select else None
    if shown is not None and is_nested(shown):
        if isinstance(value, exp.Literal):
            raise Untranslatable("A list or a struct is ordered by its name, and not by its number.")
        mark_type(value, type_of(shown) or exp.DataType())
    if is_nested(value):
        node.set("this", order_key(value))
    return node


def _shown(value: exp.Expr, select: exp.Select) -> exp.Expr | None:
    """The column of a SELECT that a number or a name refers to."""
    if isinstance(value, exp.Literal) and value.is_int:
        place = int(value.name)
        return select.expressions[place - 1].unalias() if 0 < place <= len(select.expressions) else None
    if not isinstance(value, exp.Column) or value.table or kind(value) is not None:
        return None
    names = (each for each in select.expressions if each.alias_or_name.lower() == value.name.lower())
    found = next(names, None)
    return None if found is None else found.unalias()
