"""Values of different types compared, chosen from or put in a list, from DuckDB to Spark.

DuckDB casts a text to the type of the other values, and numbers next to a FLOAT to FLOAT. Spark has other rules for
both, so the casts are made explicit.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.operators import is_float32_pair, spark_type
from forklake.sql.duckdb.syntax import Rule, cast_to, kind, kind_of_type, mark_type, paren, type_of
from forklake.sql.duckdb.texts import is_float32, read_text, require_spark_type
from forklake.sql.duckdb.type_hints import HAS_OTHER_TEXTS


def cast_to_common_type(values: list[exp.Expr]) -> None:
    """Cast values to a common type, as DuckDB does."""
    if all(isinstance(value, exp.Tuple) for value in values):
        for column in zip(*(value.expressions for value in values), strict=False):
            cast_to_common_type(list(column))
        return
    _refuse_texts_within(values)
    values = _of_one_family(values)
    texts = [value for value in values if kind(value) == "text"]
    others = [value for value in values if kind(value) not in ("text", "json", None)]
    if texts and others:
        target = _common_type(others)
        for value in texts:
            value.replace(read_text(value.copy(), target, spark_type(target), or_null=False))
    if any(is_float32(value) for value in values) and not any(
        kind(value) == "float" and not is_float32(value) for value in values
    ):
        for value in values:
            if kind(value) in ("int", "decimal"):
                value.replace(cast_to(paren(value.copy()), "float"))


def _refuse_texts_within(values: list[exp.Expr]) -> None:
    """Reject lists and structs whose parts DuckDB would cast, as it casts texts next to other types."""
    kinds = [_kinds_within(value) for value in values if kind(value) in ("list", "struct", "map")]
    for one, other in pairwise(kinds):
        if any("text" in pair and pair[0] != pair[1] for pair in zip(one, other, strict=False)):
            raise Untranslatable("Lists or structs mix text with other types; cast the elements to one type.")


def _kinds_within(value: exp.Expr) -> list[object]:
    found = type_of(value)
    return [] if found is None else [kind_of_type(part) for part in found.find_all(exp.DataType)]


def _of_one_family(values: list[exp.Expr]) -> list[exp.Expr]:
    """The values, with run-time checks on those of unknown type where Spark would cast next to a text.

    UUIDs and times are texts in Spark, which could not tell the difference.
    """
    unknown = [value for value in values if kind(value) is None and not isinstance(value.unnest(), _WITHOUT_TYPE)]
    known = {kind(value) for value in values} - {None}
    if not unknown or len(values) < 2:
        return values
    as_texts = known & {"text", "json"}
    if (known & {"uuid", "time"} or as_texts) and any(_has_text_of_other_type(value) for value in unknown):
        raise Untranslatable("Text is combined with a value of unknown type; cast that value explicitly.")
    if known and (as_texts == known or not as_texts):
        types = "string|void" if as_texts else r"(?!string\z).*"
        if not as_texts:
            # A check of what has been checked would double the text with every operand of a sum.
            unknown = [value for value in unknown if not _is_sum_with_number(value)]
        return [
            _replace_node(value, require_spark_type(value.copy(), types)) if value in unknown else value
            for value in values
        ]
    return values


def _is_sum_with_number(value: exp.Expr) -> bool:
    """Whether a value is a sum, difference or product with a number: never a text, whatever the other operand is."""
    inner = value.unnest()
    return isinstance(inner, exp.Add | exp.Sub | exp.Mul) and bool({kind(inner.left), kind(inner.right)} & _NUMBERS)


_NUMBERS = frozenset({"int", "decimal", "float"})
_WITHOUT_TYPE = (exp.Null, exp.Query, exp.Tuple, exp.Any, exp.All, exp.Star, exp.Subquery, exp.Identifier)


def _has_text_of_other_type(value: exp.Expr) -> bool:
    """Whether a value may be a text in Spark but not in DuckDB: the query has such values."""
    return bool(value.root().meta.get(HAS_OTHER_TEXTS))


def _replace_node(old: exp.Expr, new: exp.Expr) -> exp.Expr:
    old.replace(new)
    return new


def _common_type(values: list[exp.Expr]) -> exp.DataType:
    types = [_known_type(value) for value in values]
    if any(each != types[0] for each in types):
        raise Untranslatable("Text is combined with values of several types; cast it explicitly.")
    return types[0]


def _known_type(value: exp.Expr) -> exp.DataType:
    inner = value.unnest()
    while isinstance(inner, exp.Neg):
        inner = inner.this.unnest()
    found = type_of(inner)
    if found is None:
        raise Untranslatable("Text is combined with a value of unknown type; cast it explicitly.")
    return found


def _values_of_one_type(node: exp.Expr) -> Iterator[list[exp.Expr]]:
    """Groups of values in a node that must have a common type."""
    match node:
        case exp.Case():
            results = [each.args["true"] for each in node.args["ifs"]]
            yield [each for each in (*results, node.args.get("default")) if each is not None]
            if node.this is not None:
                yield [node.this, *(each.this for each in node.args["ifs"])]
        case exp.If():
            yield [each for each in (node.args.get("true"), node.args.get("false")) if each is not None]
        case exp.Between():
            yield [node.this, node.args["low"], node.args["high"]]
        case exp.In():
            yield [node.this, *node.expressions]
        case exp.Array():
            yield list(node.expressions)
        case exp.Coalesce() | exp.Greatest() | exp.Least():
            yield [node.this, *node.expressions]
        case _:
            yield [node.this, node.expression]


def with_common_type(rule: Rule | None = None) -> Rule:
    """Wrap a rule to first cast the values in a node to a common type."""

    def apply(node: exp.Expr) -> exp.Expr | None:
        if not isinstance(node.parent, exp.Case) or not isinstance(node, exp.If):
            for values in _values_of_one_type(node):
                cast_to_common_type([value for value in values if isinstance(value, exp.Expr)])
        if isinstance(node, exp.Add | exp.Sub | exp.Mul):
            if is_float32_pair(node.left, node.right):
                mark_type(node, exp.DataType.build("float"))
            elif {kind(node.left), kind(node.right)} == {"float", "decimal"}:
                # sqlglot takes it for a decimal.
                mark_type(node, exp.DataType.build("double"))
        return None if rule is None else rule(node)

    return apply


_PLAIN = (
    exp.Literal, exp.Null, exp.Boolean, exp.Neg, exp.Paren, exp.Cast, exp.DataType, exp.DataTypeParam, exp.HexString,
    exp.Array, exp.Struct, exp.PropertyEQ, exp.Identifier, exp.Tuple,
)  # fmt: skip
_PLAIN_CALLS = frozenset({"ARRAY", "STRUCT", "NAMED_STRUCT", "MAP"})


def rewrite_values(node: exp.Expr) -> exp.Expr | None:
    """VALUES in FROM; expressions that Spark cannot evaluate there become the rows of a query."""
    rows = [list(row.expressions) if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
    for column in zip(*rows, strict=False):
        _refuse_mixed(column)
    if all(_is_plain(part) for row in rows for value in row for part in value.walk()):
        return None
    query: exp.Query = exp.select(*rows[0])
    for row in rows[1:]:
        query = exp.union(query, exp.select(*row), distinct=False, copy=False)
    return exp.Subquery(this=query, alias=node.args.get("alias"))


def _refuse_mixed(column: Sequence[exp.Expr]) -> None:
    """Spark gives each column one type; DuckDB's INSERT casts each value to the type in the table."""
    kinds = {kind(value) for value in column if not isinstance(value.unnest(), exp.Null)}
    if len(kinds) > 1 and "text" in kinds:
        raise Untranslatable("A column of VALUES mixes text with other types; cast the values explicitly.")


def _is_plain(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name.upper() in _PLAIN_CALLS
    return isinstance(node, _PLAIN)


MIXED: tuple[type[exp.Expr], ...] = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between, exp.In,
    exp.Coalesce, exp.Nullif, exp.Case, exp.If, exp.Greatest, exp.Least, exp.Array, exp.Mul, exp.Add, exp.Sub,
)  # fmt: skip
"""Nodes whose values are cast to a common type."""
