"""Translation of text and numeric functions from DuckDB to Spark, and the table of all expression rules."""

import re
from collections.abc import Callable

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.aggregates import AGGREGATES
from forklake.sql.duckdb.formats import format_text, printf
from forklake.sql.duckdb.lists import LIST_CALLS, LISTS, NameRule, concat_lists
from forklake.sql.duckdb.mixed_types import MIXED, rewrite_values, with_common_type
from forklake.sql.duckdb.nested_values import between_keys, compare_keys, refuse_nested, sort_key
from forklake.sql.duckdb.operators import OPERATORS
from forklake.sql.duckdb.quantifiers import QUANTIFIERS
from forklake.sql.duckdb.syntax import (
    TYPE,
    Rule,
    binary,
    call,
    cast_to,
    constant_text,
    if_else,
    integer_value,
    kind,
    minus,
    number,
    paren,
    plus,
    text,
    type_of,
)
from forklake.sql.duckdb.texts import as_text, raise_if, require_same_rounding
from forklake.sql.duckdb.times import TIME_CALLS, TIMES

_BACKWARDS = "a length below zero, which DuckDB counts backwards and Spark does not"
_NO_SEPARATOR = "an empty separator, at which DuckDB and Spark split differently"
_NO_PADDING = "nothing to pad with, which is an error in DuckDB and not in Spark"
_FLAGS = {"i": "i", "s": "s", "m": "m", "n": "m", "p": "m", "c": "", "g": ""}


def _substring(node: exp.Expr) -> exp.Expr | None:
    """A start of 0 is the position before the first character, which counts but holds nothing."""
    start, length = node.args.get("start"), node.args.get("length")
    if length is not None and (integer_value(length) or 0) < 0:
        raise Untranslatable(f"substring does not support {_BACKWARDS}; write another start.")
    if length is not None and integer_value(length) is None:
        length = raise_if(length, lambda given: exp.LT(this=given, expression=number(0)), f"substring has {_BACKWARDS}")
        node.set("length", length)
    if length is None or start is None or integer_value(start):
        return None
    if integer_value(start) == 0:
        return call("SUBSTRING", node.this, 1, minus(length, number(1)))
    before = if_else(exp.EQ(this=start.copy(), expression=number(0)), number(1), number(0))
    return call("SUBSTRING", node.this, start, minus(length, before))


def _left(node: exp.Expr) -> exp.Expr | None:
    """A negative count leaves out characters at the other end."""
    count = node.expression
    if (integer_value(count) or 0) > 0:
        return None
    kept = call("GREATEST", plus(call("LENGTH", node.this.copy()), count.copy()), 0)
    return _choose_by_sign(count, call("LEFT", node.this, count), call("LEFT", node.this.copy(), kept))


def _right(node: exp.Expr) -> exp.Expr | None:
    count = node.expression
    if (integer_value(count) or 0) > 0:
        return None
    rest = call("SUBSTRING", node.this.copy(), minus(number(1), count.copy()))
    return _choose_by_sign(count, call("RIGHT", node.this, count), rest)


def _choose_by_sign(count: exp.Expr, positive: exp.Expr, negative: exp.Expr) -> exp.Expr:
    known = integer_value(count)
    if known is not None:
        return negative if known < 0 else positive
    return if_else(exp.LT(this=count.copy(), expression=number(0)), negative, positive)


def _concat(node: exp.Expr) -> exp.Expr | None:
    """NULLs are skipped; lists are concatenated."""
    if any(kind(part) == "list" for part in node.expressions):
        return concat_lists(node.expressions)
    return call("CONCAT_WS", "", *(as_text(part) for part in node.expressions))


def _concat_ws(node: exp.Expr) -> exp.Expr | None:
    separator, *parts = node.expressions
    return call("CONCAT_WS", separator, *(as_text(part) for part in parts))


def _split(node: exp.Expr) -> exp.Expr | None:
    separator = node.expression
    if isinstance(separator, exp.Literal):
        return call("SPLIT", node.this, re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", separator.name))
    separator = _not_empty(separator, f"string_split has {_NO_SEPARATOR}")
    return _unsplit_where_null(separator, node.this, call("SPLIT", node.this, call("CONCAT", "\\Q", separator, "\\E")))


def _split_by_pattern(node: exp.Expr) -> exp.Expr | None:
    pattern = node.expression
    split = call("SPLIT", node.this, pattern)
    return split if isinstance(pattern, exp.Literal) else _unsplit_where_null(pattern, node.this, split)


def _unsplit_where_null(separator: exp.Expr, whole: exp.Expr, split: exp.Expr) -> exp.Expr:
    """A text is not split if the separator is NULL."""
    is_missing = exp.and_(_is_null(separator), exp.Not(this=_is_null(whole)))
    return if_else(is_missing, call("ARRAY", whole.copy()), split)


def _is_null(value: exp.Expr) -> exp.Expr:
    return exp.Is(this=paren(value.copy()), expression=exp.null())


def _split_part(node: exp.Expr) -> exp.Expr | None:
    separator = _not_empty(node.args["delimiter"], f"split_part has {_NO_SEPARATOR}")
    return call("SPLIT_PART", node.this, separator, node.args["part_index"])


def _not_empty(value: exp.Expr, problem: str) -> exp.Expr:
    """Reject an empty text, at translation if it is a literal, otherwise at run time."""
    if isinstance(value, exp.Literal):
        if not value.name:
            raise Untranslatable(f"{problem}.")
        return value
    return raise_if(value, lambda given: exp.EQ(this=paren(given), expression=text("")), problem)


def _pad(node: exp.Expr) -> exp.Expr | None:
    if node.args.get("fill_pattern") is not None:
        node.set("fill_pattern", _not_empty(node.args["fill_pattern"], f"lpad or rpad has {_NO_PADDING}"))
    return None


def _character(node: exp.Expr) -> exp.Expr | None:
    """The character of a code point, via its UTF-32 bytes."""
    [value] = node.expressions

    def is_none(given: exp.Expr) -> exp.Expr:
        surrogate = exp.Between(this=given.copy(), low=number(0xD800), high=number(0xDFFF))
        beyond = exp.Not(this=exp.Between(this=given, low=number(0), high=number(0x10FFFF)))
        return exp.or_(surrogate, beyond)

    code = raise_if(value, is_none, "chr needs a code point of Unicode")
    return call("DECODE", call("UNHEX", call("LPAD", call("HEX", code), 8, "0")), "UTF-32")


def _ascii(node: exp.Expr) -> exp.Expr | None:
    return call("ASCII", node.this)


def _numeric_function(name: str, is_undefined: Callable[[exp.Expr], exp.Expr]) -> Rule:
    """A numeric function that raises an error where DuckDB does; Spark returns NULL or NaN there."""

    def rule(node: exp.Expr) -> exp.Expr | None:
        return call(
            name, raise_if(cast_to(paren(node.this), "double"), is_undefined, f"{name.lower()} is undefined there")
        )

    return rule


def _not_above_zero(given: exp.Expr) -> exp.Expr:
    return exp.LTE(this=given, expression=number(0))


def _below_zero(given: exp.Expr) -> exp.Expr:
    return exp.LT(this=given, expression=number(0))


def _is_zero(given: exp.Expr) -> exp.Expr:
    return exp.EQ(this=given, expression=number(0))


def _beyond_one(given: exp.Expr) -> exp.Expr:
    # In Spark NaN is greater than all numbers, and both functions return NaN for it.
    beyond = exp.Not(this=exp.Between(this=given.copy(), low=number(-1), high=number(1)))
    return exp.and_(beyond, exp.Not(this=call("ISNAN", given)))


def _round(node: exp.Expr) -> exp.Expr | None:
    """DuckDB rounds the stored DOUBLE, and Spark its decimal representation: they differ for halves."""
    places = integer_value(node.args.get("decimals"))
    if kind(node.this) != "float" or node.args.get("decimals") is None or (places is not None and places <= 0):
        return None
    if places is None:
        raise Untranslatable("round of a DOUBLE needs a constant number of places.")
    return call("ROUND", require_same_rounding(node.this, places), places)


def _factorial(node: exp.Expr) -> exp.Expr | None:
    def is_out(given: exp.Expr) -> exp.Expr:
        return exp.Not(this=exp.Between(this=given, low=number(0), high=number(20)))

    return call("FACTORIAL", raise_if(node.this, is_out, "factorial is supported for 0 to 20"))


def _regexp_flags(options: exp.Expr | None) -> tuple[str, bool]:
    """The options of a regular expression as an inline prefix, and whether they request all matches."""
    if options is None:
        return "", False
    given = constant_text(options, "The options of a regular expression")
    if not set(given) <= set(_FLAGS):
        raise Untranslatable(f"The options {given!r} of a regular expression are not supported.")
    inline = "".join(sorted({_FLAGS[flag] for flag in given} - {""}))
    return f"(?{inline})" if inline else "", "g" in given


def _wrap_pattern(prefix: str, pattern: exp.Expr, suffix: str = "") -> exp.Expr:
    if isinstance(pattern, exp.Literal):
        return text(prefix + pattern.name + suffix)
    return call("CONCAT", prefix, pattern, suffix) if prefix or suffix else pattern


def _regexp_matches(node: exp.Expr) -> exp.Expr | None:
    prefix, _ = _regexp_flags(node.args.get("flag"))
    return call("REGEXP_LIKE", node.this, _wrap_pattern(prefix, node.expression))


def _regexp_extract(name: str) -> Rule:
    def rule(node: exp.Expr) -> exp.Expr | None:
        group = node.args.get("group") or number(0)
        if integer_value(group) is None and not isinstance(group, exp.Array):
            raise Untranslatable(f"The group of {name.lower()} has to be a constant number.")
        if isinstance(group, exp.Array):
            raise Untranslatable(f"{name.lower()} with names of groups is not supported.")
        prefix, _ = _regexp_flags(node.args.get("parameters"))
        return call(name, node.this, _wrap_pattern(prefix, node.expression), group)

    return rule


def _replace_matches(node: exp.Expr) -> exp.Expr | None:
    """Only the first match is replaced, unless the options include `g`."""
    prefix, everywhere = _regexp_flags(node.args.get("modifiers"))
    replacement = constant_text(node.args["replacement"], "The replacement of regexp_replace")
    if everywhere:
        pattern = _wrap_pattern(prefix, node.expression)
        return call("REGEXP_REPLACE", node.this, pattern, _java_replacement(replacement, 0))
    # The text up to the first match is captured and put back, so that the rest cannot match again.
    pattern = _wrap_pattern(rf"\A((?s:.*?))({prefix}", node.expression, ")")
    return call("REGEXP_REPLACE", node.this, pattern, "$1" + _java_replacement(replacement, 2))


def _java_replacement(replacement: str, shift: int) -> str:
    parts = re.split(r"\\([0-9\\])", replacement)
    result = ""
    for place, part in enumerate(parts):
        if place % 2 and part != "\\":
            result += f"${int(part) + shift}"
        else:
            result += "\\\\" if place % 2 else part.replace("\\", "\\\\").replace("$", "\\$")
    return result


def _truncate(node: exp.Expr) -> exp.Expr | None:
    if node.args.get("decimals") is not None:
        raise Untranslatable("trunc to a number of digits is not supported.")
    whole = minus(node.this, binary(exp.Mod, node.this.copy(), number(1)))
    if kind(node.this) in ("int", "decimal"):
        return whole
    is_infinite = exp.EQ(this=call("ABS", node.this.copy()), expression=cast_to(text("Infinity"), "double"))
    return if_else(is_infinite, node.this.copy(), whole)


def _ceil_or_floor(name: str, beyond: type[exp.Binary], step: int) -> Rule:
    def rule(node: exp.Expr) -> exp.Expr | None:
        """Spark returns BIGINT for a DOUBLE, which is too small for many; the nearest whole DOUBLE is not."""
        if kind(node.this) is None:
            problem = f"{name.lower()} of NaN needs a value whose type is known; cast it to DOUBLE"
            return if_else(call("ISNAN", node.this.copy()), call("RAISE_ERROR", problem), call(name, node.this))
        if kind(node.this) != "float":
            return call(name, node.this)
        nearest = call("RINT", node.this)
        return if_else(binary(beyond, nearest, node.this.copy()), plus(nearest.copy(), number(step)), nearest.copy())

    return rule


def _is_nan(node: exp.Expr) -> exp.Expr | None:
    return if_else(_is_null(node.this), exp.null(), call("ISNAN", node.this))


_NEVER_INFINITE = ("int", "decimal", "date", "timestamp", "timestamptz")
"""Kinds of values that have infinities neither in Spark nor, if they are numbers, in DuckDB."""


def _is_infinite(value: exp.Expr, name: str, comparison: type[exp.Binary], *, other: bool) -> exp.Expr:
    """The comparison of the size of a float with infinity, where NaN is the greatest; `other` for what has none."""
    given = kind(value)
    if given in _NEVER_INFINITE:
        return if_else(_is_null(value), exp.null(), exp.Boolean(this=other))
    if given != "float" and not isinstance(value.unnest(), exp.Null):
        raise Untranslatable(f"{name} needs a number, a date or a timestamp; cast the value to its type.")
    infinity = cast_to(exp.Literal.string("Infinity"), "double")
    return paren(comparison(this=call("ABS", cast_to(value, "double")), expression=infinity))


def _sign(node: exp.Expr) -> exp.Expr | None:
    """DuckDB's is a TINYINT, and 0 for NaN."""
    sign = cast_to(call("SIGN", node.this.copy()), "tinyint")
    if kind(node.this) != "float":
        return sign
    return if_else(call("ISNAN", node.this.copy()), cast_to(number(0), "tinyint"), sign)


def _code_point(node: exp.Expr) -> exp.Expr | None:
    return if_else(exp.EQ(this=paren(node.this.copy()), expression=text("")), number(-1), call("ASCII", node.this))


def _edit_distance(node: exp.Expr) -> exp.Expr | None:
    """Over bytes, each of which is mapped to a character."""
    return call("LEVENSHTEIN", *(_bytes_as_characters(side) for side in (node.this, node.expression)))


def _bytes_as_characters(value: exp.Expr) -> exp.Expr:
    return call("DECODE", call("ENCODE", value, "UTF-8"), "ISO-8859-1")


def _repeat(node: exp.Expr) -> exp.Expr | None:
    if kind(node.this) in ("blob", "list"):
        raise Untranslatable("repeat of bytes or lists is not supported: Spark repeats texts.")
    return None


def _log(node: exp.Expr) -> exp.Expr | None:
    """Base 10 by default; raises an error where it is undefined, where Spark returns NULL."""
    if node.expression is None:
        return call("LOG10", _logarithmic(node.this))
    base = integer_value(node.this)
    if base in (2, 10):
        return call(f"LOG{base}", _logarithmic(node.expression))
    is_one = raise_if(_logarithmic(node.this), lambda given: exp.EQ(this=given, expression=number(1)), "log has base 1")
    return call("LOG", is_one, _logarithmic(node.expression))


def _logarithmic(value: exp.Expr) -> exp.Expr:
    return raise_if(cast_to(paren(value), "double"), _not_above_zero, "A logarithm is undefined there")


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


def _mean(arguments: list[exp.Expr]) -> exp.Expr:
    [value] = arguments
    if isinstance(value, exp.Distinct | exp.Order):
        raise Untranslatable("mean with DISTINCT or ORDER BY is not supported; write avg.")
    return call("AVG", cast_to(value, "double"))


def _hex_digits(node: exp.Expr) -> exp.Expr | None:
    _refuse_huge(node.this, "hex")
    return None


def _refuse_huge(value: exp.Expr, name: str) -> None:
    found = type_of(value)
    if found is not None and found.this in (exp.DataType.Type.INT128, exp.DataType.Type.UINT128):
        raise Untranslatable(f"{name} of HUGEINT is not supported: Spark shows the lower half of it.")


def _binary_digits(arguments: list[exp.Expr]) -> exp.Expr:
    if kind(arguments[0]) != "int":
        raise Untranslatable("bin is supported only for integers: Spark does not show the bytes of text.")
    _refuse_huge(arguments[0], "bin")
    return call("BIN", *arguments)


_WIDTHS = {exp.DataType.Type.TINYINT: 8, exp.DataType.Type.SMALLINT: 16, exp.DataType.Type.INT: 32}


def _bit_count(arguments: list[exp.Expr]) -> exp.Expr:
    """Spark counts the bits of every number as if it had 64 bits."""
    [value] = arguments
    found = type_of(value)
    known = found.this if found is not None else None
    if (integer_value(value) or -1) >= 0 or known == exp.DataType.Type.BIGINT:
        return call("BIT_COUNT", value)
    if known not in _WIDTHS:
        raise Untranslatable("bit_count needs a number whose type is known; cast it to BIGINT.")
    all_ones = number((1 << _WIDTHS[known]) - 1)
    return call("BIT_COUNT", exp.BitwiseAnd(this=cast_to(value, "bigint"), expression=all_ones))


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
    **dict.fromkeys((exp.LT, exp.LTE, exp.GT, exp.GTE), compare_keys),
    exp.Between: between_keys,
    exp.Greatest: refuse_nested,
    exp.Least: refuse_nested,
    exp.Ordered: sort_key,
    exp.Substring: _substring,
    exp.Left: _left,
    exp.Right: _right,
    exp.Concat: _concat,
    exp.Hex: _hex_digits,
    exp.ConcatWs: _concat_ws,
    exp.Split: _split,
    exp.RegexpSplit: _split_by_pattern,
    exp.SplitPart: _split_part,
    exp.RegexpLike: _regexp_matches,
    exp.RegexpExtract: _regexp_extract("REGEXP_EXTRACT"),
    exp.RegexpExtractAll: _regexp_extract("REGEXP_EXTRACT_ALL"),
    exp.RegexpReplace: _replace_matches,
    exp.Format: format_text,
    exp.Trunc: _truncate,
    exp.Ceil: _ceil_or_floor("CEIL", exp.LT, 1),
    exp.Floor: _ceil_or_floor("FLOOR", exp.GT, -1),
    exp.IsNan: _is_nan,
    exp.IsInf: lambda node: _is_infinite(node.this, "isinf", exp.EQ, other=False),
    exp.Sign: _sign,
    exp.Unicode: _code_point,
    exp.Levenshtein: _edit_distance,
    exp.Repeat: _repeat,
    exp.Pad: _pad,
    exp.Chr: _character,
    exp.Ascii: _ascii,
    exp.Ln: _numeric_function("LN", _not_above_zero),
    exp.Sqrt: _numeric_function("SQRT", _below_zero),
    exp.Acos: _numeric_function("ACOS", _beyond_one),
    exp.Asin: _numeric_function("ASIN", _beyond_one),
    exp.Atanh: _numeric_function("ATANH", _beyond_one),
    exp.Cot: _numeric_function("COT", _is_zero),
    exp.Factorial: _factorial,
    exp.Round: _round,
    exp.Typeof: _refuse_node("typeof", "Spark's types have other names."),
    exp.ToBinary: _refuse_node("to_binary", "in Spark it reads hexadecimal digits."),
    exp.Log: _log,
    exp.Dot: _method_call,
    exp.Values: rewrite_values,
}
_RULES.update({node: with_common_type(_RULES.get(node)) for node in MIXED})

_CALLS: dict[str, NameRule] = {
    **LIST_CALLS,
    **TIME_CALLS,
    "printf": printf,
    "isfinite": lambda arguments: _is_infinite(arguments[0], "isfinite", exp.LT, other=True),
    "strlen": lambda arguments: call("OCTET_LENGTH", arguments[0]),
    "prefix": lambda arguments: call("STARTSWITH", arguments[0], arguments[1]),
    "suffix": lambda arguments: call("ENDSWITH", arguments[0], arguments[1]),
    "log10": lambda arguments: call("LOG10", _logarithmic(arguments[0])),
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
    "mean": _mean,
    "bin": _binary_digits,
    "bit_count": _bit_count,
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
