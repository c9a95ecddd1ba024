"""Translation of text functions from DuckDB to Spark."""

import re

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.lists import NameRule, concat_lists
from forklake.sql.duckdb.syntax import (
    Rule,
    call,
    constant_text,
    if_else,
    integer_value,
    is_null,
    kind,
    minus,
    number,
    paren,
    plus,
    text,
)
from forklake.sql.duckdb.texts import as_text, raise_if

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
    is_missing = exp.and_(is_null(separator), exp.Not(this=is_null(whole)))
    return if_else(is_missing, call("ARRAY", whole.copy()), split)


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


TEXT_FUNCTIONS: dict[type[exp.Expr], Rule] = {
    exp.Substring: _substring,
    exp.Left: _left,
    exp.Right: _right,
    exp.Concat: _concat,
    exp.ConcatWs: _concat_ws,
    exp.Split: _split,
    exp.RegexpSplit: _split_by_pattern,
    exp.SplitPart: _split_part,
    exp.RegexpLike: _regexp_matches,
    exp.RegexpExtract: _regexp_extract("REGEXP_EXTRACT"),
    exp.RegexpExtractAll: _regexp_extract("REGEXP_EXTRACT_ALL"),
    exp.RegexpReplace: _replace_matches,
    exp.Unicode: _code_point,
    exp.Levenshtein: _edit_distance,
    exp.Repeat: _repeat,
    exp.Pad: _pad,
    exp.Chr: _character,
    exp.Ascii: _ascii,
}

TEXT_CALLS: dict[str, NameRule] = {
    "strlen": lambda arguments: call("OCTET_LENGTH", arguments[0]),
    "prefix": lambda arguments: call("STARTSWITH", arguments[0], arguments[1]),
    "suffix": lambda arguments: call("ENDSWITH", arguments[0], arguments[1]),
}
