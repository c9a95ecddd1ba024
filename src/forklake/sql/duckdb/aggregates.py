"""Translation of aggregates and window functions from DuckDB to Spark."""

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.nested_values import is_nested, order_key
from forklake.sql.duckdb.syntax import (
    Rule,
    binary,
    call,
    cast_to,
    if_else,
    kind,
    lambda_of,
    minus,
    number,
    paren,
    text,
    type_of,
    variable,
)
from forklake.sql.duckdb.texts import as_text, require_spark_type

_FINISH = "_forklake_finish"
_VALUE = "_v"
_WRAPPERS = (exp.Filter, exp.Window, exp.IgnoreNulls, exp.RespectNulls)
_NO_NUMBERS = frozenset(
    {"text", "json", "date", "time", "timestamp", "timestamptz", "uuid", "list", "struct", "map", "blob"}
)
_NUMBERS = r"tinyint|smallint|int|bigint|float|double|decimal\(.*\)|boolean|void|interval.*"
_HUGE = exp.DataType.Type.INT128
_DIGITS_OF_DOUBLE = 15
_LARGE_INTEGERS = (exp.DataType.Type.BIGINT, exp.DataType.Type.UBIGINT, _HUGE)
_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile, exp.Lag, exp.Lead)


def _remove_order(node: exp.Expr) -> list[exp.Ordered]:
    """Remove the ORDER BY from the arguments of an aggregate."""
    inner = node.this
    holder = inner.expressions[0] if isinstance(inner, exp.Distinct) and inner.expressions else inner
    if not isinstance(holder, exp.Order):
        return []
    ordered = [part for part in holder.expressions if isinstance(part, exp.Ordered)]
    holder.replace(holder.this)
    return ordered


def _ignore_order(node: exp.Expr) -> exp.Expr | None:
    """For aggregates whose result does not depend on the order."""
    _remove_order(node)
    return node


def _sum(node: exp.Expr) -> exp.Expr | None:
    """Sums of BIGINT are HUGEINT; booleans are summed as integers."""
    _remove_order(node)
    value = _number(node, "sum")
    found = type_of(value)
    if kind(value) == "bool":
        value.replace(cast_to(value.copy(), "int"))
    elif found is not None and found.this in (exp.DataType.Type.BIGINT, exp.DataType.Type.UINT):
        value.replace(cast_to(value.copy(), "decimal(28, 0)"))
    return node


def _average(node: exp.Expr) -> exp.Expr | None:
    """Averages are DOUBLE; those of decimals and large integers are the quotient of their exact sum."""
    _remove_order(node)
    value = _number(node, "avg")
    found = type_of(value)
    if found is not None and found.this in _LARGE_INTEGERS:
        value.replace(cast_to(value.copy(), "decimal(28, 0)" if found.this != _HUGE else "decimal(38, 0)"))
        return _finish_outside(node, exp.Sum(this=node.this), _quotient_of_sum(0))
    if (scale := _scale(found)) is not None:
        return _finish_outside(node, exp.Sum(this=node.this), _quotient_of_sum(scale))
    if kind(value) != "float":
        value.replace(cast_to(value.copy(), "double"))
    return node


def _has_more_digits_than_double(type_: exp.DataType) -> bool:
    if type_.this == exp.DataType.Type.DECIMAL:
        return len(type_.expressions) != 2 or int(type_.expressions[0].name) > _DIGITS_OF_DOUBLE
    return type_.this in _LARGE_INTEGERS


def _scale(type_: exp.DataType | None) -> int | None:
    """The digits behind the point of a decimal type; None for other types."""
    if type_ is None or type_.this != exp.DataType.Type.DECIMAL or len(type_.expressions) != 2:
        return None
    return int(type_.expressions[1].name)


def _quotient_of_sum(scale: int) -> Rule:
    """A sum of decimals, with its FILTER and OVER, divided by the count of the same values, and rounded once.

    As a number of its last digits, a sum of up to 15 digits is exactly a DOUBLE. Larger ones are divided as decimals.
    """

    def rule(total: exp.Expr) -> exp.Expr:
        count = total.copy().transform(lambda part: exp.Count(this=part.this) if isinstance(part, exp.Sum) else part)
        shift = cast_to(number(10**scale), "double")
        digits = call("ROUND", binary(exp.Mul, cast_to(total.copy(), "double"), shift))
        parts = binary(exp.Mul, cast_to(count.copy(), "double"), shift.copy())
        size = call("ABS", total.copy())
        small = number(f"1{'0' * (_DIGITS_OF_DOUBLE - scale)}" if scale < _DIGITS_OF_DOUBLE else 1)
        is_large = exp.and_(
            exp.GTE(this=size, expression=small), exp.LT(this=size.copy(), expression=number(f"1{'0' * 30}"))
        )
        as_decimals = cast_to(call("TRY_DIVIDE", total.copy(), cast_to(count, "decimal(19, 0)")), "double")
        return if_else(is_large, as_decimals, call("TRY_DIVIDE", digits, parts))

    return rule


def _number(node: exp.Expr, name: str) -> exp.Expr:
    """The argument of an aggregate that Spark supports only for numbers, or computes unlike DuckDB for other types."""
    value = _aggregated_value(node)
    if kind(value) in _NO_NUMBERS:
        raise Untranslatable(f"{name} of {kind(value)} is not supported; cast it to a number.")
    if kind(value) is None and not isinstance(value, exp.Null):
        value.replace(require_spark_type(value.copy(), _NUMBERS))
    return _aggregated_value(node)


def _median(node: exp.Expr) -> exp.Expr | None:
    if kind(_number(node, "median")) == "decimal":
        raise Untranslatable("median of decimals is not supported: DuckDB rounds it. Cast them to DOUBLE.")
    return _ignore_order(node)


def _count_if(node: exp.Expr) -> exp.Expr | None:
    """NULL if no value is true or false, unlike in Spark."""
    value = _aggregated_value(node)
    value.replace(cast_to(value.copy(), "int"))
    return exp.Sum(this=node.this)


def _correlation(node: exp.Expr) -> exp.Expr | None:
    """NaN if one side does not vary; Spark returns NULL."""
    if isinstance(node.parent, _WRAPPERS):
        raise Untranslatable("corr with FILTER or OVER is not supported: Spark gives NULL where DuckDB gives NaN.")
    left, right = node.this, node.expression
    is_missing = exp.Is(this=paren(right.copy()), expression=exp.null())
    pairs = call("COUNT", if_else(is_missing, exp.null(), left.copy()))
    found = call("COALESCE", call("CORR", left, right), cast_to(text("NaN"), "double"))
    return if_else(exp.EQ(this=pairs, expression=number(0)), exp.null(), found)


def _aggregated_value(node: exp.Expr) -> exp.Expr:
    inner = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
    assert isinstance(inner, exp.Expr)
    return inner


def _arg_min_or_max(name: str) -> Rule:
    def rule(node: exp.Expr) -> exp.Expr | None:
        """The value at the minimum or maximum of another, among rows that have both."""
        if node.args.get("count"):
            raise Untranslatable("arg_min and arg_max of several rows are not supported.")
        value, order = node.this, node.expression
        has_value = exp.Not(this=exp.Is(this=value.copy(), expression=exp.null()))
        return call(name, value, if_else(has_value, order_key(order), exp.null()))

    return rule


def _min_or_max(node: exp.Expr) -> exp.Expr | None:
    if node.args.get("count"):
        raise Untranslatable("min and max with a count are not supported.")
    _remove_order(node)
    value = _aggregated_value(node)
    if is_nested(value):
        return call("MIN_BY" if isinstance(node, exp.Min) else "MAX_BY", value, order_key(value.copy()))
    value.replace(order_key(value.copy()))
    return node


def _list_aggregate(node: exp.Expr) -> exp.Expr | None:
    """A list of all values including NULLs, in the requested order; NULL if there are no rows."""
    return _wrap_collected_list(
        node, _split_off_order(node), lambda values: if_else(_is_empty(values), exp.null(), values.copy())
    )


def _is_empty(values: exp.Expr) -> exp.Expr:
    return exp.EQ(this=call("SIZE", values.copy()), expression=number(0))


def _split_off_order(node: exp.Expr) -> tuple[exp.Expr, list[exp.Ordered]]:
    return node, _remove_order(node)


def _first_or_last(place: int) -> Rule:
    def rule(node: exp.Expr) -> exp.Expr | None:
        """The first or last value; with ORDER BY, of the list in that order."""
        if not isinstance(node.this, exp.Order):
            return None
        return _wrap_collected_list(node, _split_off_order(node), lambda values: call("TRY_ELEMENT_AT", values, place))

    return rule


def _wrap_collected_list(
    node: exp.Expr, collected: tuple[exp.Expr, list[exp.Ordered]], finish: Rule
) -> exp.Expr | None:
    """Wrap `finish` around the list of an aggregate's values, outside its FILTER and OVER."""
    aggregate, order = collected
    distinct = isinstance(aggregate.this, exp.Distinct)
    value = aggregate.this.expressions[0] if distinct else aggregate.this
    if distinct:
        finish = _apply_after_distinct(finish)
    # Values are wrapped in a struct to keep NULLs; RESPECT NULLS would have to stand between FILTER and OVER.
    fields = [part for place, key in enumerate(order) for part in (f"_{place}", key.this.copy())]
    gathered = call("COLLECT_LIST", call("NAMED_STRUCT", *fields, _VALUE, value))
    return _finish_outside(node, gathered, lambda values: finish(_sort_collected(values, order)))


def _finish_outside(node: exp.Expr, aggregate: exp.Expr, finish: Rule) -> exp.Expr | None:
    """Replace an aggregate by another, and wrap `finish` around it, outside its FILTER and OVER."""
    outer = node
    while isinstance(outer.parent, _WRAPPERS) and outer.arg_key == "this":
        outer = outer.parent
    if outer is node:
        return finish(aggregate)
    # The enclosing node is visited later, when all of its parts are translated.
    outer.meta[_FINISH] = finish
    return aggregate


def _apply_after_distinct(finish: Rule) -> Rule:
    return lambda values: finish(call("ARRAY_DISTINCT", values))


def finish_wrapped(node: exp.Expr) -> exp.Expr | None:
    """Wrap a FILTER or OVER whose parts have all been translated."""
    finish = node.meta.pop(_FINISH, None)
    if isinstance(node, exp.Filter) and isinstance(node.this, exp.IgnoreNulls):
        return exp.IgnoreNulls(this=exp.Filter(this=node.this.this, expression=node.expression))
    if finish is None:
        return _rank_window(node) if isinstance(node, exp.Window) else None
    result = finish(node.copy())
    return result if isinstance(result, exp.Expr) else None


def _sort_collected(values: exp.Expr, order: list[exp.Ordered]) -> exp.Expr:
    comparison: exp.Expr = number(0)
    for place in reversed(range(len(order))):
        comparison = _order_comparison(place, order[place], comparison)
    rows = call("ARRAY_SORT", values, lambda_of(comparison, "_l", "_r")) if order else values
    field = exp.Dot(this=variable("_x"), expression=exp.to_identifier(_VALUE))
    return call("TRANSFORM", rows, lambda_of(field, "_x"))


def _order_comparison(place: int, ordered: exp.Ordered, otherwise: exp.Expr) -> exp.Expr:
    left, right = (exp.Dot(this=variable(side), expression=exp.to_identifier(f"_{place}")) for side in ("_l", "_r"))
    nulls, less = (-1 if ordered.args.get("nulls_first") else 1), (1 if ordered.args.get("desc") else -1)
    left_null, right_null = (exp.Is(this=side.copy(), expression=exp.null()) for side in (left, right))
    return (
        exp.Case(default=otherwise)
        .when(exp.and_(left_null.copy(), right_null.copy()), otherwise.copy())
        .when(left_null, number(nulls))
        .when(right_null, number(-nulls))
        .when(exp.LT(this=left.copy(), expression=right.copy()), number(less))
        .when(exp.GT(this=left, expression=right), number(-less))
    )


def _string_aggregate(node: exp.Expr) -> exp.Expr | None:
    """The default separator is a comma."""
    if node.args.get("separator") is None:
        node.set("separator", exp.Literal.string(","))
    value = node.this
    inner = value.this if isinstance(value, exp.Order) else value
    inner = inner.expressions[0] if isinstance(inner, exp.Distinct) else inner
    if kind(inner) != "text":
        inner.replace(as_text(inner.copy()))
    return node


def _quantile_of_list(share: exp.Expr) -> Rule:
    """The value at a share of a list in order. Spark's own quantiles are DOUBLEs, which have fewer digits."""
    if not isinstance(share, exp.Literal) or share.is_string:
        raise Untranslatable("quantile_disc of BIGINT, HUGEINT and long decimals needs a number from 0 to 1.")

    def rule(values: exp.Expr) -> exp.Expr:
        count = call("SIZE", values.copy())
        above = call("FLOOR", minus(count.copy(), binary(exp.Mul, cast_to(share.copy(), "double"), count.copy())))
        place = call("GREATEST", number(1), cast_to(minus(count, above), "int"))
        return call("TRY_ELEMENT_AT", call("SORT_ARRAY", values.copy()), place)

    return rule


def _percentile(name: str) -> Rule:
    def rule(node: exp.Expr) -> exp.Expr | None:
        share = node.args.get("quantile") or node.expression
        if share is None:
            # The share precedes WITHIN GROUP, and is the argument itself.
            return None
        if kind(node.this) in _NO_NUMBERS:
            raise Untranslatable(f"A quantile of {kind(node.this)} is not supported; cast it to a number.")
        if name == "PERCENTILE":
            return call(name, node.this, share)
        if isinstance(share, exp.Array):
            raise Untranslatable("quantile_disc of several fractions is not supported.")
        found = type_of(node.this)
        if found is not None and _has_more_digits_than_double(found):
            return _finish_outside(node, call("COLLECT_LIST", node.this), _quantile_of_list(share))
        order = exp.Order(expressions=[exp.Ordered(this=node.this, nulls_first=False)])
        quantile = exp.WithinGroup(this=call(name, share), expression=order)
        if found is None or kind(node.this) not in ("int", "decimal"):
            return quantile
        # The types of literals are not exactly known.
        if not isinstance(node.this, exp.Column | exp.Cast):
            return quantile
        return _finish_outside(node, quantile, lambda each: exp.Cast(this=each, to=found.copy()))

    return rule


def _count(node: exp.Expr) -> exp.Expr | None:
    if node.this is None:
        return exp.Count(this=exp.Star())
    _remove_order(node)
    return node


def _rank_window(node: exp.Window) -> exp.Expr | None:
    """Add an order to ranking functions, which Spark requires; reject GROUPS and EXCLUDE, which it lacks."""
    spec = node.args.get("spec")
    if spec is not None and (str(spec.args.get("kind")).upper() == "GROUPS" or spec.args.get("exclude")):
        raise Untranslatable("Frames of GROUPS, and frames with EXCLUDE, are not supported: Spark has none.")
    function = node.this.this if isinstance(node.this, exp.IgnoreNulls) else node.this
    if isinstance(function, _RANKS) and node.args.get("order") is None and node.args.get("alias") is None:
        constant = exp.Ordered(this=exp.Literal.number(1), nulls_first=False)
        node.set("order", exp.Order(expressions=[constant]))
        return node
    return None


def _refuse(name: str, why: str) -> Rule:
    def rule(node: exp.Expr) -> exp.Expr | None:
        raise Untranslatable(f"{name} is not supported: {why}")

    return rule


AGGREGATES: dict[type[exp.Expr], Rule] = {
    exp.Sum: _sum,
    exp.Avg: _average,
    exp.ArgMin: _arg_min_or_max("MIN_BY"),
    exp.ArgMax: _arg_min_or_max("MAX_BY"),
    exp.Min: _min_or_max,
    exp.Max: _min_or_max,
    exp.Count: _count,
    exp.CountIf: _count_if,
    exp.Corr: _correlation,
    exp.LogicalAnd: _ignore_order,
    exp.LogicalOr: _ignore_order,
    exp.ArrayAgg: _list_aggregate,
    exp.First: _first_or_last(1),
    exp.Last: _first_or_last(-1),
    exp.GroupConcat: _string_aggregate,
    exp.PercentileCont: _percentile("PERCENTILE"),
    exp.PercentileDisc: _percentile("PERCENTILE_DISC"),
    exp.Quantile: _percentile("PERCENTILE_DISC"),
    exp.Filter: finish_wrapped,
    exp.Window: finish_wrapped,
    exp.RespectNulls: finish_wrapped,
    exp.Median: _median,
    exp.RegrSlope: _refuse("regr_slope", "Spark gives NULL where DuckDB gives NaN."),
    exp.RegrIntercept: _refuse("regr_intercept", "Spark gives NaN where DuckDB gives NULL."),
    exp.Skewness: _refuse("skewness", "Spark's is that of a population, DuckDB's that of a sample."),
    exp.Kurtosis: _refuse("kurtosis", "Spark's is that of a population, DuckDB's that of a sample."),
}
