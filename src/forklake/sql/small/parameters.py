"""Parameters of a query as the literals that mean the same."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal

from sqlglot import exp

from forklake.sql.parsing.constants import Parameters
from forklake.sql.small.small_query import NeedsSparkError

_LONG = 2**63


def with_literals(select: exp.Select, parameters: Parameters) -> exp.Select:
    """A SELECT with its parameters replaced by literals; NeedsSparkError if any has none."""
    if not select.find(exp.Placeholder):
        return select
    found = select.copy()
    places = list(found.find_all(exp.Placeholder, bfs=False))
    given: Iterator[object] = iter(() if isinstance(parameters, Mapping) or parameters is None else parameters)
    # Values without names belong to places in the order of the text: of a tree, it is known within a condition.
    if not isinstance(parameters, Mapping) and any(place.find_ancestor(exp.Where) is None for place in places):
        raise NeedsSparkError("it has parameters without names outside of WHERE")
    for place in places:
        place.replace(_literal(_value(place, parameters, given)))
    if next(given, None) is not None:
        raise NeedsSparkError("it has more parameters than places")
    return found


def _value(place: exp.Placeholder, parameters: Parameters, given: Iterator[object]) -> object:
    name = place.name
    if isinstance(parameters, Mapping):
        if name in parameters:
            return parameters[name]
    elif not name:
        return next(given, None)
    raise NeedsSparkError("only Spark knows its parameters")


def _literal(value: object) -> exp.Expr:
    match value:
        case bool():
            return exp.Boolean(this=value)
        case int() if -_LONG < value < _LONG:
            number = exp.Literal.number(abs(value))
            return exp.Neg(this=number) if value < 0 else number
        case str():
            return exp.Literal.string(value)
        case Decimal() if value.is_finite() and "E" not in str(value):
            number = exp.Literal.number(str(abs(value)))
            return exp.Neg(this=number) if value < 0 else number
        case date() if not isinstance(value, datetime):
            return exp.Cast(this=exp.Literal.string(value.isoformat()), to=exp.DataType(this=exp.DType.DATE))
    raise NeedsSparkError("a parameter is of a type that only Spark compares")
