"""Shared helpers of the DuckDB translation: kinds of values, and construction of Spark expressions."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from sqlglot import exp

from forklake.errors import Untranslatable

Kind: TypeAlias = Literal[
    "bool", "int", "decimal", "float", "text", "blob", "date", "timestamp", "timestamptz", "interval",
    "list", "struct", "map", "json", "time", "uuid",
]  # fmt: skip
Rule: TypeAlias = Callable[[exp.Expr], exp.Expr | None]
"""Translates a node whose parts are already translated; None leaves it unchanged."""

TYPE = "forklake_type"
"""Metadata key of a node: the known type of its value, a `DataType`."""

OURS = "forklake_cast"
"""Metadata key that marks a cast as already translated to Spark."""

_KINDS: dict[object, Kind] = {
    exp.DataType.Type.BOOLEAN: "bool",
    exp.DataType.Type.DATE: "date",
    exp.DataType.Type.TIMESTAMP: "timestamp",
    exp.DataType.Type.TIMESTAMPNTZ: "timestamp",
    exp.DataType.Type.DATETIME: "timestamp",
    exp.DataType.Type.TIMESTAMP_S: "timestamp",
    exp.DataType.Type.TIMESTAMP_MS: "timestamp",
    exp.DataType.Type.TIMESTAMP_NS: "timestamp",
    exp.DataType.Type.TIMESTAMPTZ: "timestamptz",
    exp.DataType.Type.TIMESTAMPLTZ: "timestamptz",
    exp.DataType.Type.INTERVAL: "interval",
    exp.DataType.Type.TIME: "time",
    exp.DataType.Type.UUID: "uuid",
    exp.DataType.Type.ARRAY: "list",
    exp.DataType.Type.LIST: "list",
    exp.DataType.Type.STRUCT: "struct",
    exp.DataType.Type.MAP: "map",
    exp.DataType.Type.JSON: "json",
    exp.DataType.Type.DECIMAL: "decimal",
    exp.DataType.Type.FLOAT: "float",
    exp.DataType.Type.DOUBLE: "float",
    exp.DataType.Type.VARBINARY: "blob",
    exp.DataType.Type.BINARY: "blob",
}
_KINDS.update(dict.fromkeys(exp.DataType.TEXT_TYPES, "text"))
_KINDS.update(dict.fromkeys(exp.DataType.INTEGER_TYPES, "int"))

# Spark functions that return lists: a translated node has no other indication of its type.
_LIST_FUNCTIONS = frozenset({
    "MAP_KEYS", "MAP_VALUES", "SPLIT", "TRANSFORM", "FILTER", "SEQUENCE", "SLICE", "ARRAY", "ARRAY_COMPACT",
    "ARRAY_DISTINCT", "ARRAY_SORT", "SORT_ARRAY", "REGEXP_EXTRACT_ALL", "COLLECT_LIST", "FLATTEN",
})  # fmt: skip
# The same for texts. CONCAT and REVERSE also take lists, so they are not included.
_TEXT_FUNCTIONS = frozenset({
    "REPLACE", "SUBSTR", "SUBSTRING", "LEFT", "RIGHT", "LPAD", "RPAD", "PAD", "TRIM", "LTRIM", "RTRIM", "UPPER",
    "LOWER", "REPEAT", "TRANSLATE", "DATE_FORMAT", "REGEXP_REPLACE", "REGEXP_EXTRACT", "CONCAT_WS", "ARRAY_JOIN", "MD5",
})  # fmt: skip


def type_of(node: exp.Expr) -> exp.DataType | None:
    """The type of a node's value, if known."""
    found = node.meta.get(TYPE)
    if found is None and isinstance(node, exp.Paren | exp.Alias):
        return type_of(node.this)
    if found is None and isinstance(node, exp.Cast):
        return node.to
    return found if isinstance(found, exp.DataType) else None


def kind(node: exp.Expr) -> Kind | None:
    """The kind of a node's value; None if it is not known."""
    if isinstance(node, exp.Paren):
        return kind(node.this)
    known = node.meta.get(TYPE)
    if isinstance(known, exp.DataType) and _KINDS.get(known.this) in ("uuid", "time"):
        return _KINDS[known.this]
    if isinstance(node, exp.Literal):
        return "text" if node.is_string else _kind_of_number(node.name)
    if isinstance(node, exp.Neg):
        return kind(node.this)
    if isinstance(node, exp.Interval) or _is_moment_difference(node):
        return "interval"
    if isinstance(node, exp.Func) and _function_name(node) in _LIST_FUNCTIONS:
        return "list"
    if isinstance(node, exp.Func) and _function_name(node) in _TEXT_FUNCTIONS:
        return "text"
    found = type_of(node)
    return None if found is None else _KINDS.get(found.this)


def _is_moment_difference(node: exp.Expr) -> bool:
    moments = ("timestamp", "timestamptz")
    return isinstance(node, exp.Sub) and kind(node.left) in moments and kind(node.right) in moments


def _function_name(node: exp.Func) -> str:
    return (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).upper()


def _kind_of_number(written: str) -> Kind:
    if "e" in written.lower():
        return "float"
    return "decimal" if "." in written else "int"


def kind_of_type(type_: exp.DataType) -> Kind | None:
    """The kind of the values of a type."""
    return _KINDS.get(type_.this)


def element_type(node: exp.Expr) -> exp.DataType | None:
    """The type of the elements of a list; None if it is not known."""
    found = type_of(node)
    inner = found.expressions[0] if found is not None and kind(node) == "list" and found.expressions else None
    return inner if isinstance(inner, exp.DataType) else None


def element_kind(node: exp.Expr) -> Kind | None:
    """The kind of the elements of a list; None if it is not known."""
    inner = element_type(node)
    return None if inner is None else kind_of_type(inner)


def mark_type(node: exp.Expr, type_: exp.DataType) -> exp.Expr:
    """Annotate a node with a type, and return it."""
    node.meta[TYPE] = type_
    return node


def call(name: str, *arguments: exp.Expr | str | int) -> exp.Expr:
    """A call of a Spark function, emitted verbatim."""
    return exp.Anonymous(this=name, expressions=[_as_expression(argument) for argument in arguments])


def cast_to(node: exp.Expr, spark_type: str) -> exp.Expr:
    """A cast to a Spark type, with Spark semantics."""
    found = exp.Cast(this=node, to=exp.DataType.build(spark_type, dialect="spark"))
    found.meta[OURS] = True
    return found


def if_else(condition: exp.Expr, then: exp.Expr, otherwise: exp.Expr) -> exp.Expr:
    return call("IF", condition, then, otherwise)


def number(value: int | str) -> exp.Expr:
    """A numeric literal; negative ones are parenthesized so that they can be used anywhere."""
    negative = str(value).startswith("-")
    literal = exp.Literal.number(str(value).lstrip("-"))
    return exp.Paren(this=exp.Neg(this=literal)) if negative else literal


def text(value: str) -> exp.Expr:
    return exp.Literal.string(value)


def is_null(value: exp.Expr) -> exp.Expr:
    return exp.Is(this=paren(value.copy()), expression=exp.null())


def paren(node: exp.Expr) -> exp.Expr:
    """Parenthesize a node if needed as an operand."""
    return exp.Paren(this=node) if isinstance(node, exp.Binary | exp.Unary | exp.Between | exp.Case) else node


def binary(operator: type[exp.Binary], left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return exp.Paren(this=operator(this=paren(left), expression=paren(right)))


def plus(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return binary(exp.Add, left, right)


def minus(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return binary(exp.Sub, left, right)


def integer_value(node: exp.Expr | None) -> int | None:
    """The value of an integer literal, with or without a sign; None for other nodes."""
    match node:
        case exp.Paren():
            return integer_value(node.this)
        case exp.Neg():
            inner = integer_value(node.this)
            return None if inner is None else -inner
        case exp.Literal() if node.is_int:
            return int(node.this)
    return None


def constant_text(node: exp.Expr | None, what: str) -> str:
    """The value of a text literal; raises Untranslatable for anything else."""
    if isinstance(node, exp.Literal) and node.is_string:
        return str(node.this)
    raise Untranslatable(f"{what} has to be a constant text: it is translated before the query runs.")


def lambda_of(body: exp.Expr, *names: str) -> exp.Expr:
    return exp.Lambda(this=body, expressions=[exp.to_identifier(name) for name in names])


def variable(name: str) -> exp.Expr:
    return exp.to_identifier(name)


def _as_expression(argument: exp.Expr | str | int) -> exp.Expr:
    match argument:
        case str():
            return text(argument)
        case int():
            return number(argument)
    return argument
