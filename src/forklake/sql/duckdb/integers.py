"""Translation of integer arithmetic from DuckDB to Spark: result types and overflow errors.

Spark has no unsigned or 128-bit integers. They are represented by the next wider type or a decimal, so Spark would miss
overflows that DuckDB reports. Arithmetic that behaves alike is left to Spark.
"""

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.syntax import (
    binary,
    call,
    cast_to,
    if_else,
    integer_value,
    kind,
    mark_type,
    minus,
    number,
    paren,
    type_of,
)
from forklake.sql.duckdb.texts import evaluate_once
from forklake.sql.duckdb.type_hints import HAS_UNSIGNED

_TYPE = exp.DataType.Type
_SIGNED: dict[exp.DType, int] = {
    _TYPE.TINYINT: 8,
    _TYPE.SMALLINT: 16,
    _TYPE.INT: 32,
    _TYPE.BIGINT: 64,
    _TYPE.INT128: 128,
}
_UNSIGNED: dict[exp.DType, int] = {_TYPE.UTINYINT: 8, _TYPE.USMALLINT: 16, _TYPE.UINT: 32, _TYPE.UBIGINT: 64}
_IN_SPARK: dict[exp.DType, str] = {
    _TYPE.TINYINT: "tinyint",
    _TYPE.SMALLINT: "smallint",
    _TYPE.INT: "int",
    _TYPE.BIGINT: "bigint",
    _TYPE.INT128: "decimal(38, 0)",
    _TYPE.UTINYINT: "smallint",
    _TYPE.USMALLINT: "int",
    _TYPE.UINT: "bigint",
    _TYPE.UBIGINT: "decimal(20, 0)",
}
_LITERALS = (_TYPE.INT, _TYPE.BIGINT, _TYPE.INT128)
_NOT_KNOWN = "{} of integers of 128 bits without a sign is not supported; cast them to another type."
NO_ROOM = "The result of integers has no room in its type: {}"


def is_unsigned(type_: exp.DataType) -> bool:
    return type_.this in _UNSIGNED


def within(value: exp.Expr, type_: exp.DataType, *, or_null: bool = False) -> exp.Expr:
    """Cast a whole number to an integer type, with an error, or NULL, on overflow."""
    low, high = _bounds(type_.this)
    problem = exp.null() if or_null else call("RAISE_ERROR", NO_ROOM.format(type_.sql("duckdb")))

    def with_range_check(given: exp.Expr) -> exp.Expr:
        # BETWEEN of NULL is NULL, so NULL stays NULL.
        is_out = exp.Not(this=exp.Between(this=given.copy(), low=number(low), high=number(high)))
        return if_else(is_out, problem, given)

    return mark_type(cast_to(evaluate_once(value, with_range_check), _IN_SPARK[type_.this]), type_)


def _bounds(type_: exp.DType) -> tuple[int, int]:
    if type_ in _UNSIGNED:
        return 0, 2 ** _UNSIGNED[type_] - 1
    # Spark decimals have at most 38 digits.
    most = min(2 ** (_SIGNED[type_] - 1), 10**38)
    return (-most + 1, most - 1) if type_ == _TYPE.INT128 else (-most, most - 1)


def _room(node: exp.Expr) -> exp.DataType | None:
    """The integer type of an expression; None if it is not an integer, or not known."""
    found = type_of(node)
    if found is None or kind(node) != "int":
        return None
    return found if found.this in _IN_SPARK or found.this == _TYPE.UINT128 else None


def _of_literal(value: int) -> exp.DataType:
    found = next((type_ for type_ in _LITERALS if _fits(value, type_)), None)
    if found is None:
        raise Untranslatable("An integer of more than 38 digits is not supported; write it as a DOUBLE.")
    return exp.DataType(this=found, nested=False)


def _fits(value: int, type_: exp.DType) -> bool:
    low, high = _bounds(type_)
    return low <= value <= high


def _result(left: exp.Expr, right: exp.Expr) -> exp.DataType | None:
    """The result type of an operation on two integers; None if either is not known to be an integer."""
    values = [integer_value(side) for side in (left, right)]
    one, other = (
        _room(side) if value is None else _of_literal(value) for value, side in zip(values, (left, right), strict=True)
    )
    if one is None or other is None:
        return None
    if _TYPE.UINT128 in (one.this, other.this):
        raise Untranslatable(_NOT_KNOWN.format("Arithmetic"))
    # A literal takes the type of the other operand, if it fits.
    if values[0] is not None and values[1] is None and _fits(values[0], other.this):
        return other
    if values[1] is not None and values[0] is None and _fits(values[1], one.this):
        return one
    return exp.DataType(this=_wider(one.this, other.this), nested=False)


def _wider(one: exp.DType, other: exp.DType) -> exp.DType:
    if (one in _SIGNED) == (other in _SIGNED):
        widths = _SIGNED if one in _SIGNED else _UNSIGNED
        return max((one, other), key=lambda type_: widths[type_])
    signed, unsigned = (one, other) if one in _SIGNED else (other, one)
    if _SIGNED[signed] > _UNSIGNED[unsigned]:
        return signed
    return _TYPE.INT128 if unsigned == _TYPE.UBIGINT else _TYPE.BIGINT


def _is_sparks(node: exp.Expr) -> bool:
    """Whether Spark computes with a value in the same type as DuckDB."""
    value = integer_value(node)
    found = _room(node) if value is None else _of_literal(value)
    return found is not None and found.this in _SIGNED and found.this != _TYPE.INT128


def arithmetic(node: exp.Expr) -> exp.Expr | None:
    """A sum, difference or product of two integers; None leaves it to Spark."""
    assert isinstance(node, exp.Binary)
    left, right = node.left, node.right
    result = _result(left, right)
    if result is None:
        _refuse_unknown(node)
        return None
    if _is_sparks(left) and _is_sparks(right):
        return mark_type(type(node)(this=_as(left, result), expression=_as(right, result)), result)
    return within(type(node)(this=_wide(left, result), expression=_wide(right, result)), result)


def _refuse_unknown(node: exp.Binary) -> None:
    """Reject operands of unknown type if the query has unsigned integers: they may be unsigned."""
    unknown = [side for side in (node.left, node.right) if kind(side) is None and not isinstance(side, exp.Null)]
    if unknown and node.root().meta.get(HAS_UNSIGNED):
        raise Untranslatable("Arithmetic with unsigned integers needs known types; cast the values first.")


def _as(side: exp.Expr, result: exp.DataType) -> exp.Expr:
    """Cast a literal to the type of the result if that is narrower than INT."""
    is_small = result.this in (_TYPE.TINYINT, _TYPE.SMALLINT)
    return cast_to(paren(side), _IN_SPARK[result.this]) if is_small and integer_value(side) is not None else side


def _wide(side: exp.Expr, result: exp.DataType) -> exp.Expr:
    """Cast an operand to a type wide enough to detect overflow."""
    if result.this == _TYPE.INT128:
        return cast_to(paren(side), "decimal(38, 0)")
    return cast_to(paren(side), "decimal(20, 0)" if result.this == _TYPE.UBIGINT else "bigint")


def quotient(node: exp.Expr, divisor: exp.Expr) -> exp.Expr | None:
    """Integer division, truncating towards zero, by a divisor that is NULL for 0."""
    assert isinstance(node, exp.Binary)
    result = _result(node.left, node.right)
    if result is None:
        return None
    if _is_sparks(node.left) and (integer_value(node.right) or 0) not in (0, -1):
        # A quotient is never larger than the dividend.
        whole = exp.IntDiv(this=paren(node.left), expression=paren(node.right))
        return mark_type(cast_to(whole, _IN_SPARK[result.this]), result)
    left, right = _wide(node.left, result), _wide(divisor, result)
    if result.this not in (_TYPE.INT128, _TYPE.UBIGINT):
        return within(exp.IntDiv(this=left, expression=right), result)
    # Spark's integer division returns BIGINT; this division has no remainder, so nothing is rounded.
    exact = minus(left, binary(exp.Mod, left.copy(), right.copy()))
    return within(exp.Div(this=exact, expression=right), result)


def remainder(node: exp.Expr, divisor: exp.Expr) -> exp.Expr | None:
    """The remainder of an integer division; None if the operands are not known to be integers."""
    assert isinstance(node, exp.Binary)
    result = _result(node.left, node.right)
    if result is None:
        return None
    if _is_sparks(node.left) and _is_sparks(node.right):
        return mark_type(exp.Paren(this=exp.Mod(this=paren(node.left), expression=divisor)), result)
    return within(exp.Mod(this=_wide(node.left, result), expression=_wide(divisor, result)), result)


def bits(node: exp.Expr) -> exp.Expr | None:
    """Bitwise operators, on integers that Spark represents in at most 64 bits."""
    assert isinstance(node, exp.Binary)
    result = _result(node.left, node.right)
    if result is None:
        raise Untranslatable("Bitwise operators need integers whose type is known; cast them to BIGINT.")
    if result.this in (_TYPE.INT128, _TYPE.UBIGINT):
        raise Untranslatable("Bitwise operators on HUGEINT and UBIGINT are not supported: Spark has none.")
    return within(type(node)(this=_wide(node.left, result), expression=_wide(node.right, result)), result)


def shift(node: exp.Expr) -> exp.Expr | None:
    """Bit shifts within a type; shifting bits out on the left is an error."""
    assert isinstance(node, exp.Binary)
    result = _result(node.left, node.right)
    if result is None or result.this in (_TYPE.INT128, _TYPE.UBIGINT):
        raise Untranslatable("<< and >> need integers of at most 64 bits whose type is known; cast them to BIGINT.")
    value, places = _wide(node.left, result), cast_to(paren(node.right), "int")
    _, high = _bounds(result.this)
    width = high.bit_length()
    problem = call("RAISE_ERROR", f"<< or >> moves bits out of {result.sql('duckdb')}")
    inside: exp.Expr = exp.Between(this=places.copy(), low=number(0), high=number(width - 1))
    if isinstance(node, exp.BitwiseLeftShift):
        moved = call("SHIFTLEFT", value.copy(), places.copy())
        most = call("SHIFTRIGHT", cast_to(number(high), "bigint"), places.copy())
        inside = exp.and_(inside, exp.Between(this=value, low=number(0), high=most))
    else:
        moved = call("SHIFTRIGHT", value, places.copy())
    return within(if_else(exp.Not(this=exp.Paren(this=inside)), problem, moved), result)


def complement(node: exp.Expr) -> exp.Expr | None:
    if not _is_sparks(node.this):
        raise Untranslatable("~ needs a signed integer of at most 64 bits; cast it to BIGINT.")
    return None


def negative(node: exp.Expr) -> exp.Expr | None:
    """Negation; rejects unsigned integers, for which DuckDB wraps around."""
    found = type_of(node.this)
    if found is not None and (found.this in _UNSIGNED or found.this == _TYPE.UINT128):
        raise Untranslatable("Negation of an unsigned integer is not supported; cast it to BIGINT first.")
    return None
