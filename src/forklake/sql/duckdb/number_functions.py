"""Translation of numeric functions from DuckDB to Spark."""

from collections.abc import Callable

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.lists import NameRule
from forklake.sql.duckdb.syntax import (
    Rule,
    binary,
    call,
    cast_to,
    if_else,
    integer_value,
    is_null,
    kind,
    minus,
    number,
    paren,
    plus,
    text,
    type_of,
)
from forklake.sql.duckdb.texts import raise_if, require_same_rounding

_NEVER_INFINITE = ("int", "decimal")
_INFINITE = {
    "date": ("date", "+5881580-07-11", "-5877641-06-24"),
    "timestamp": ("timestamp_ntz", "+294247-01-10 04:00:54.775807", "-290308-12-21 19:59:05.224193"),
    "timestamptz": ("timestamp", "+294247-01-10 04:00:54.775807Z", "-290308-12-21 19:59:05.224193Z"),
}
"""What Spark reads for DuckDB's infinities in files of others, with its type: the ends of the range."""
_WIDTHS = {exp.DataType.Type.TINYINT: 8, exp.DataType.Type.SMALLINT: 16, exp.DataType.Type.INT: 32}


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
    return if_else(is_null(node.this), exp.null(), call("ISNAN", node.this))


def _is_infinite(value: exp.Expr, name: str, comparison: type[exp.Binary], *, other: bool) -> exp.Expr:
    """Compare the absolute value of a float with infinity; NaN is greater. `other` for types without infinity."""
    given = kind(value)
    if given in _NEVER_INFINITE:
        return if_else(is_null(value), exp.null(), exp.Boolean(this=other))
    if given in _INFINITE:
        spark_type, *ends = _INFINITE[given]
        infinite = call("ARRAY", *(cast_to(text(end), spark_type) for end in ends))
        found = call("ARRAY_CONTAINS", infinite, value)
        return exp.Paren(this=exp.Not(this=found)) if other else found
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


def _hex_digits(node: exp.Expr) -> exp.Expr | None:
    _refuse_huge(node.this, "hex")
    return None


def _refuse_huge(value: exp.Expr, name: str) -> None:
    found = type_of(value)
    if found is not None and found.this in (exp.DataType.Type.INT128, exp.DataType.Type.UINT128):
        raise Untranslatable(f"{name} of HUGEINT is not supported: Spark formats only its lower 64 bits.")


def _binary_digits(arguments: list[exp.Expr]) -> exp.Expr:
    if kind(arguments[0]) != "int":
        raise Untranslatable("bin is supported only for integers: Spark does not show the bytes of text.")
    _refuse_huge(arguments[0], "bin")
    return call("BIN", *arguments)


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


NUMBER_FUNCTIONS: dict[type[exp.Expr], Rule] = {
    exp.Hex: _hex_digits,
    exp.Trunc: _truncate,
    exp.Ceil: _ceil_or_floor("CEIL", exp.LT, 1),
    exp.Floor: _ceil_or_floor("FLOOR", exp.GT, -1),
    exp.IsNan: _is_nan,
    exp.IsInf: lambda node: _is_infinite(node.this, "isinf", exp.EQ, other=False),
    exp.Sign: _sign,
    exp.Ln: _numeric_function("LN", _not_above_zero),
    exp.Sqrt: _numeric_function("SQRT", _below_zero),
    exp.Acos: _numeric_function("ACOS", _beyond_one),
    exp.Asin: _numeric_function("ASIN", _beyond_one),
    exp.Atanh: _numeric_function("ATANH", _beyond_one),
    exp.Cot: _numeric_function("COT", _is_zero),
    exp.Factorial: _factorial,
    exp.Round: _round,
    exp.Log: _log,
}

NUMBER_CALLS: dict[str, NameRule] = {
    "isfinite": lambda arguments: _is_infinite(arguments[0], "isfinite", exp.LT, other=True),
    "log10": lambda arguments: call("LOG10", _logarithmic(arguments[0])),
    "bin": _binary_digits,
    "bit_count": _bit_count,
}
