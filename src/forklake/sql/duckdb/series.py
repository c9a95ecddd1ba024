"""Translation of `range` and `generate_series` to Spark expressions that return lists."""

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.syntax import (
    binary,
    call,
    cast_to,
    if_else,
    integer_value,
    kind,
    lambda_of,
    minus,
    number,
    paren,
    plus,
    variable,
)

STEP_OF_ZERO = "range and generate_series in FROM need a step other than 0."
_LAST_DAYS = (
    "range and generate_series need a start up to the 28th to go on behind a month without its day:"
    " Spark counts from the start, and DuckDB from the shorter month."
)


def series_list(node: exp.Expr, *, in_from: bool = False) -> exp.Expr:
    """The list of `range` or `generate_series`; empty if the step is 0 or leads away from the end.

    In FROM a step of 0 is an error.
    """
    start, end, step = node.args["start"], node.args["end"], node.args.get("step")
    exclusive = bool(node.args.get("is_end_exclusive"))
    if kind(start) in ("date", "timestamp", "timestamptz") or kind(step or start) == "interval":
        return _moment_series(start, end, step, exclusive, in_from)
    branches = [_rising_branch(start, end, step, exclusive), _falling_branch(start, end, step, exclusive)]
    known = integer_value(step) if step is not None else 1
    chosen = branches if known is None else branches[:1] if known > 0 else branches[1:] if known < 0 else []
    result = _null_if_any_null([part for part in (start, end, step) if part is not None], "ARRAY<BIGINT>")
    if in_from and step is not None and known is None:
        result = result.when(exp.EQ(this=paren(step.copy()), expression=number(0)), call("RAISE_ERROR", STEP_OF_ZERO))
    for condition, sequence in chosen:
        result = result.when(condition, sequence)
    return result if result.args["ifs"] else result.args["default"]


def _null_if_any_null(parts: list[exp.Expr], spark_type: str) -> exp.Case:
    """A CASE that returns NULL if a part is NULL, and otherwise an empty list."""
    result = exp.Case(ifs=[], default=cast_to(call("ARRAY"), spark_type))
    for part in parts:
        if integer_value(part) is None:
            result = result.when(exp.Is(this=paren(part.copy()), expression=exp.null()), exp.null())
    return result


def _rising_branch(start: exp.Expr, end: exp.Expr, step: exp.Expr | None, exclusive: bool) -> tuple[exp.Expr, exp.Expr]:
    order = exp.LT if exclusive else exp.LTE
    condition: exp.Expr = binary(order, start.copy(), end.copy())
    if step is not None and integer_value(step) is None:
        condition = exp.and_(exp.GT(this=paren(step.copy()), expression=number(0)), condition)
    return condition, _sequence(start, minus(end, number(1)) if exclusive else end, step)


def _falling_branch(
    start: exp.Expr, end: exp.Expr, step: exp.Expr | None, exclusive: bool
) -> tuple[exp.Expr, exp.Expr]:
    order = exp.GT if exclusive else exp.GTE
    condition: exp.Expr = binary(order, start.copy(), end.copy())
    if step is not None and integer_value(step) is None:
        condition = exp.and_(exp.LT(this=paren(step.copy()), expression=number(0)), condition)
    return condition, _sequence(start, plus(end, number(1)) if exclusive else end, step)


def _sequence(start: exp.Expr, end: exp.Expr, step: exp.Expr | None) -> exp.Expr:
    parts = (start, end, number(1) if step is None else step)
    return call("SEQUENCE", *(cast_to(part.copy(), "bigint") for part in parts))


def _moment_series(start: exp.Expr, end: exp.Expr, step: exp.Expr | None, exclusive: bool, in_from: bool) -> exp.Expr:
    if step is None:
        raise Untranslatable("range and generate_series of dates need a step.")
    zoned = "timestamptz" in (kind(start), kind(end))
    moment = "timestamp" if zoned else "timestamp_ntz"
    first, last = (part if kind(part) == "timestamptz" else cast_to(part.copy(), moment) for part in (start, end))
    result = _null_if_any_null([first, last, step], f"ARRAY<{moment}>")
    if isinstance(step.unnest(), exp.Null):
        return cast_to(exp.null(), f"ARRAY<{moment}>")
    second = plus(first.copy(), step.copy())
    if in_from:
        is_zero = exp.EQ(this=second.copy(), expression=first.copy())
        result = result.when(is_zero, call("RAISE_ERROR", STEP_OF_ZERO))
    moments = call("SEQUENCE", first, last, step)
    for forwards, before in ((exp.GT, exp.LT), (exp.LT, exp.GT)):
        follows = forwards(this=second.copy(), expression=first.copy())
        ordered: exp.Expr = forwards(this=last.copy(), expression=first.copy())
        inside: exp.Expr = before(this=variable("_x"), expression=last.copy())
        found: exp.Expr = moments.copy()
        if exclusive:
            found = call("FILTER", found, lambda_of(inside, "_x"))
        else:
            ordered = exp.Not(this=exp.Paren(this=before(this=last.copy(), expression=first.copy())))
            inside = exp.Not(this=exp.Paren(this=forwards(this=variable("_x"), expression=last.copy())))
        skips = exp.and_(_may_skip_days(first, step), _has_other_successors(found, step, inside))
        found = if_else(skips, call("RAISE_ERROR", _LAST_DAYS), found)
        result = result.when(exp.and_(follows, ordered), found)
    return result


def _may_skip_days(start: exp.Expr, step: exp.Expr) -> exp.Expr:
    """Whether months are added to a day that some months lack: only DuckDB continues from the shorter month."""
    of_months = call("REGEXP_LIKE", call("TYPEOF", step.copy()), "year|month")
    return exp.and_(of_months, exp.GT(this=call("DAY", start.copy()), expression=number(28)))


def _has_other_successors(moments: exp.Expr, step: exp.Expr, inside: exp.Expr) -> exp.Expr:
    """Whether the moments, each plus the step as DuckDB adds it, differ from their successors in the list."""
    successors = call("TRANSFORM", moments.copy(), lambda_of(plus(variable("_x"), step.copy()), "_x"))
    kept = call("FILTER", successors, lambda_of(inside.copy(), "_x"))
    return exp.NEQ(this=kept, expression=call("SLICE", moments.copy(), 2, call("SIZE", moments.copy())))
