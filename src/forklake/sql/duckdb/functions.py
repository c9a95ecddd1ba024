"""The rules by which expressions are translated from DuckDB to Spark: a table by node, and one by name."""

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.aggregates import AGGREGATES
from forklake.sql.duckdb.formats import format_text, printf
from forklake.sql.duckdb.lists import LIST_CALLS, LISTS, NameRule
from forklake.sql.duckdb.mixed_types import MIXED, rewrite_values, with_common_type
from forklake.sql.duckdb.nested_values import between_keys, compare_keys, refuse_nested, sort_key
from forklake.sql.duckdb.number_functions import NUMBER_CALLS, NUMBER_FUNCTIONS
from forklake.sql.duckdb.operators import OPERATORS
from forklake.sql.duckdb.quantifiers import QUANTIFIERS
from forklake.sql.duckdb.syntax import TYPE, Rule, call
from forklake.sql.duckdb.text_functions import TEXT_CALLS, TEXT_FUNCTIONS
from forklake.sql.duckdb.times import TIME_CALLS, TIMES


def _method_call(node: exp.Expr) -> exp.Expr | None:
    """Rewrite `a.upper()` to `upper(a)`."""
    function = node.expression
    if not isinstance(function, exp.Func):
        return None
    subject = node.this
    if isinstance(subject, exp.Identifier):
        subject = exp.Column(this=subject)
    arguments = function.expressions if isinstance(function, exp.Anonymous) else []
    result = exp.func(function.name, subject, *arguments, dialect="duckdb")
    return rewrite(result) or result


def _refuse(name: str, why: str) -> NameRule:
    def rule(arguments: list[exp.Expr]) -> exp.Expr:
        raise Untranslatable(f"{name} is not supported: {why}")

    return rule


def _refuse_node(name: str, why: str) -> Rule:
    def rule(node: exp.Expr) -> exp.Expr | None:
        raise Untranslatable(f"{name} is not supported: {why}")

    return rule


_RULES: dict[type[exp.Expr], Rule] = {
    **OPERATORS,
    **QUANTIFIERS,
    **LISTS,
    **TIMES,
    **AGGREGATES,
    **TEXT_FUNCTIONS,
    **NUMBER_FUNCTIONS,
    **dict.fromkeys((exp.LT, exp.LTE, exp.GT, exp.GTE), compare_keys),
    exp.Between: between_keys,
    exp.Greatest: refuse_nested,
    exp.Least: refuse_nested,
    exp.Ordered: sort_key,
    exp.Format: format_text,
    exp.Typeof: _refuse_node("typeof", "Spark's types have other names."),
    exp.ToBinary: _refuse_node("to_binary", "in Spark it reads hexadecimal digits."),
    exp.Dot: _method_call,
    exp.Values: rewrite_values,
}
_RULES.update({node: with_common_type(_RULES.get(node)) for node in MIXED})

_CALLS: dict[str, NameRule] = {
    **LIST_CALLS,
    **TIME_CALLS,
    **TEXT_CALLS,
    **NUMBER_CALLS,
    "printf": printf,
    **dict.fromkeys(
        ("to_json", "row_to_json", "array_to_json", "json_object", "json_array"),
        _refuse("to_json", "Spark leaves NULLs out of JSON, and writes numbers and times otherwise."),
    ),
    "from_base64": lambda arguments: call("UNBASE64", arguments[0]),
    "to_base64": lambda arguments: call("BASE64", arguments[0]),
    "list_zip": _refuse("list_zip", "its fields have no names in DuckDB, and must have in Spark."),
    "element_at": _refuse("element_at", "on a map it gives a list in DuckDB; use map[key]."),
    "map_extract": _refuse("map_extract", "it gives a list in DuckDB; use map[key]."),
    "age": _refuse("age", "Spark has no interval of months and days at once; use date_diff."),
    "hash": _refuse("hash", "Spark's hashes are others."),
    "url_encode": _refuse("url_encode", "Spark writes a space as +."),
    "user": _refuse("user", "Spark's users are others."),
    "time_bucket": _refuse("time_bucket", "Spark has nothing like it; use date_trunc."),
    "histogram": _refuse("histogram", "Spark has another."),
    "skewness": _refuse("skewness", "Spark's is that of a population, DuckDB's that of a sample."),
    "kurtosis": _refuse("kurtosis", "Spark's is that of a population, DuckDB's that of a sample."),
}


def rewrite(node: exp.Expr) -> exp.Expr | None:
    """The translation of an expression whose parts are translated; None if it is unchanged."""
    if isinstance(node, exp.Anonymous):
        named = _CALLS.get(node.name.lower())
        return None if named is None else named(list(node.expressions))
    rule = _RULES.get(type(node))
    return None if rule is None else rule(node)


def rewrite_all(root: exp.Expr) -> exp.Expr:
    """Translate every expression in a tree, from the leaves up."""
    # Queries have been rewritten, and their columns named, by now.
    for case in root.find_all(exp.Case):
        for branch in case.args["ifs"] if case.this is None else ():
            if isinstance(branch.this.unnest(), exp.Null):
                branch.set("this", exp.cast(exp.null(), "boolean"))
    for node in reversed(list(root.walk(bfs=False))):
        known = node.meta.get(TYPE)
        new = rewrite(node)
        if new is None or new is node:
            continue
        if known is not None and not isinstance(new, exp.Cast):
            new.meta[TYPE] = known
        if node is root:
            root = new
        else:
            node.replace(new)
    return root
