"""Replaces the parameters of a query by equivalent literals."""

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeVar

from sqlglot import exp

from forklake.sql.parsing.constants import Parameters
from forklake.sql.small.small_query import NeedsSparkError

_LONG = 2**63
Parsed = TypeVar("Parsed", bound=exp.Expr)


def with_literals(select: Parsed, parameters: Parameters) -> Parsed:
    """A tree with its named parameters replaced by literals; NeedsSparkError if there is none for one of them."""
    if not select.find(exp.Placeholder):
        return select
    found = select.copy()
    for place in list(found.find_all(exp.Placeholder)):
        if not isinstance(parameters, Mapping) or place.name not in parameters:
            raise NeedsSparkError("only Spark knows its parameters")
        place.replace(_literal(parameters[place.name]))
    return found


def _literal(value: object) -> exp.Expr:
    match value:
        case bool():
            return exp.Boolean(this=value)
        case int() if -_LONG < value < _LONG:
            number = exp.Literal.number(abs(value))
            return exp.Neg(this=number) if value < 0 else number
        # A literal has no backslash, which escapes in a pattern of LIKE.
        case str() if "\\" not in value:
            return exp.Literal.string(value)
        # Without a point, a literal is an integer.
        case Decimal() if value.is_finite() and "E" not in str(value) and "." in str(value):
            number = exp.Literal.number(str(abs(value)))
            return exp.Neg(this=number) if value < 0 else number
    raise NeedsSparkError("a parameter is of a type that only Spark compares")
