"""Translation of text and date format strings from DuckDB to Java, which Spark uses."""

import re

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.syntax import call, cast_to, constant_text, if_else, kind
from forklake.sql.duckdb.texts import as_text, evaluate_once, require_same_rounding

_SPEC = re.compile(r"%[-+ 0#]*\d*(?:\.(\d+))?([a-zA-Z%])")
_FIELD = re.compile(r"\{\{|\}\}|\{(\d*)(?::([^{}]*))?\}")
_ALIGNED = re.compile(r"([<>]?)(0?)(\d*)(,?)(\.\d+)?([dfsxX]?)\Z")
_SHOWN = {
    "Y": "yyyy", "m": "MM", "d": "dd", "H": "HH", "I": "hh", "M": "mm", "S": "ss", "f": "SSSSSS", "g": "SSS",
    "j": "DDD", "a": "EEE", "A": "EEEE", "b": "MMM", "B": "MMMM", "p": "a", "y": "yy", "-d": "d", "-m": "M",
    "-H": "H", "-I": "h", "-M": "m", "-S": "s", "-j": "D",
}  # fmt: skip
_SHORTHANDS = {"%c": "%Y-%m-%d %H:%M:%S", "%x": "%Y-%m-%d", "%X": "%H:%M:%S", "%T": "%H:%M:%S"}


def printf(arguments: list[exp.Expr]) -> exp.Expr:
    pattern = constant_text(arguments[0], "The format of printf")
    specs = [(letter, places) for places, letter in _SPEC.findall(pattern) if letter != "%"]
    values = [_printf_value(value, *spec) for spec, value in zip(specs, arguments[1:], strict=False)]
    return _format_call(pattern, values)


def _format_call(pattern: str, values: list[exp.Expr]) -> exp.Expr:
    """NULL if any value is NULL, for which Java would print a word."""
    fields = [part for place, value in enumerate(values) for part in (f"_{place}", value)]
    if not fields:
        return call("FORMAT_STRING", pattern)

    def rule(row: exp.Expr) -> exp.Expr:
        given = [exp.Dot(this=row.copy(), expression=exp.to_identifier(f"_{place}")) for place in range(len(values))]
        nulls = [exp.Is(this=value.copy(), expression=exp.null()) for value in given]
        return if_else(exp.or_(*nulls), exp.null(), call("FORMAT_STRING", pattern, *given))

    return evaluate_once(call("NAMED_STRUCT", *fields), rule)


def _printf_value(value: exp.Expr, letter: str, places: str) -> exp.Expr:
    if letter in "eEgGaA":
        raise Untranslatable(f"%{letter} in a format is not supported: Java writes other digits; use %f.")
    if letter == "f":
        return require_same_rounding(value, int(places or 6))
    return as_text(value) if letter == "s" else value


def format_text(node: exp.Expr) -> exp.Expr | None:
    """Translate fields in braces to Java's; fields without an equivalent are rejected."""
    pattern, values, used = constant_text(node.this, "The format of format"), node.expressions, 0
    result, place, arguments = "", 0, []
    for found in _FIELD.finditer(pattern):
        result += pattern[place : found.start()].replace("%", "%%")
        place = found.end()
        if found[0] in ("{{", "}}"):
            result += found[0][0]
            continue
        index, used = (int(found[1]), used) if found[1] else (used, used + 1)
        if index >= len(values):
            raise Untranslatable("format has more fields than values.")
        spec = _java_field(found[2] or "")
        arguments.append(_field_value(values[index].copy(), spec))
        result += spec
    return _format_call(result + pattern[place:].replace("%", "%%"), arguments)


def _field_value(value: exp.Expr, spec: str) -> exp.Expr:
    """A value for a field; all fractional numbers are formatted as DOUBLE."""
    if spec[-1] == "f":
        return require_same_rounding(value, int(spec[:-1].partition(".")[2] or 6))
    if spec[-1] != "s":
        return value
    return as_text(cast_to(value, "double") if kind(value) in ("float", "decimal") else value)


def _java_field(spec: str) -> str:
    found = _ALIGNED.match(spec)
    if found is None:
        raise Untranslatable(f"The field {{:{spec}}} of format is not supported.")
    side, zero, width, comma, precision, letter = found.groups()
    letter = letter or ("d" if comma or zero else "s")
    if letter == "s" and width and side != ">":
        side = "<"
    return f"%{'-' if side == '<' and width else ''}{zero}{comma}{width}{precision or ''}{letter}"


def java_format(pattern: str, *, parsing: bool) -> str:
    """Translate a strftime pattern to Spark's."""
    for short, long in _SHORTHANDS.items():
        pattern = pattern.replace(short, long)
    parts = [part for part in re.split(r"(%-?.)", pattern) if part]
    return "".join(
        _java_pattern_part(part, parsing and _stands_alone(parts, place)) for place, part in enumerate(parts)
    )


def _stands_alone(parts: list[str], place: int) -> bool:
    """Whether no other number is adjacent, so that the number of digits need not be fixed."""
    around = parts[max(place - 1, 0) : place] + parts[place + 1 : place + 2]
    return not any(part.startswith("%") and part != "%%" for part in around)


def _java_pattern_part(part: str, any_width: bool) -> str:
    if not part.startswith("%"):
        return re.sub(r"[A-Za-z]+", r"'\g<0>'", part.replace("'", "''"))
    if part == "%%":
        return "%"
    found = _SHOWN.get(part[1:])
    if found is None:
        raise Untranslatable(f"{part} in a date format is not supported.")
    return found[0] if any_width and found in ("MM", "dd", "HH", "hh", "mm", "ss") else found
