"""Translation of `range` and `generate_series` to Spark expressions that return lists."""

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.syntax import (
    binary,
    call,
    cast_to,
    integer_value,
    kind,
    lambda_of,
    minus,
    number,
    paren,
    plus,
    variable,
)


def series_list(node: exp.Expr) -> exp.Expr:
    """The list of `range` or `generate_series`; empty if the step leads away from the end."""
    start, end, step = node.args["start"], node.args["end"], node.args.get("step")
    exclusive = bool(node.args.get("is_end_exclusive"))
    if kind(start) in ("date", "timestamp", "timestamptz") or kind(step or start) == "interval":
        return _moment_series(start, end, step, exclusive)
    branches = [_rising_branch(start, end, step, exclusive), _falling_branch(start, end, step, exclusive)]
    known = integer_value(step) if step is not None else 1
    chosen = branches if known is None else [branches[0] if known > 0 else branches[1]]
    result = exp.Case(default=cast_to(call("ARRAY"), "ARRAY<BIGINT>"))
    for part in (start, end, step):
        if part is not None and integer_value(part) is None:
            result = result.when(exp.Is(this=paren(part.copy()), expression=exp.null()), exp.null())
    for condition, sequence in chosen:
        result = result.when(condition, sequence)
    return result


def _rising_branch(start: exp.Expr, end: exp.Expr, step: exp.Expr | None, exclusive: bool) -> tuple[exp.Expr, exp.Expr]:
    order = exp.LT if exclusive else exp.LTE
    condition: exp.Expr = binary(order, start.copy(), end.copy())
    if step is not None and integer_value(step) is None:
        condition = exp.and_(exp.GT(this=step.copy(), expression=number(0)), condition)
    return condition, _sequence(start, minus(end, number(1)) if exclusive else end, step)


def _falling_branch(
    start: exp.Expr, end: exp.Expr, step: exp.Expr | None, exclusive: bool
) -> tuple[exp.Expr, exp.Expr]:
    order = exp.GT if exclusive else exp.GTE
    condition: exp.Expr = binary(order, start.copy(), end.copy())
    if step is not None and integer_value(step) is None:
        condition = exp.and_(exp.LT(this=step.copy(), expression=number(0)), condition)
    return condition, _sequence(start, plus(end, number(1)) if exclusive else end, step)


def _sequence(start: exp.Expr, end: exp.Expr, step: exp.Expr | None) -> exp.Expr:
    parts = (start, end, number(1) if step is None else step)
    return call("SEQUENCE", *(cast_to(part.copy(), "bigint") for part in parts))


def _moment_series(start: exp.Expr, end: exp.Expr, step: exp.Expr | None, exclusive: bool) -> exp.Expr:
    if step is None:
        raise Untranslatable("range and generate_series of dates need a step.")
    ends = [part if kind(part) == "timestamptz" else cast_to(part.copy(), "timestamp_ntz") for part in (start, end)]
    moments = call("SEQUENCE", *ends, step)
    if not exclusive:
        return moments
    return call("FILTER", moments, lambda_of(exp.LT(this=variable("_x"), expression=ends[1].copy()), "_x"))
