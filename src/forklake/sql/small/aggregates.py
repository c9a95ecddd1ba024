"""Aggregates of columns, of all rows or of each group, where Arrow's are exactly Spark's."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

import pyarrow as pa
import pyarrow.compute as pc

from forklake.spark.tasks.types.python_array import python_array
from forklake.sql.small.float_values import has_nan, has_negative_zero, normalized
from forklake.sql.small.small_query import Function, NeedsSparkError, Output

_LONG = 2**63
_EXACT_DOUBLE = 2**53
_MOST_DIGITS = 38
_AVERAGED_DIGITS = 25
"""Averages of decimals of at most so many digits are the same, however many digits beyond 38 a quotient is given."""
_MOST_AVERAGES = 1_000
_CONTEXT = Context(prec=100, rounding=ROUND_HALF_UP)
_Calls = list[tuple[str | list[str], str, pc.FunctionOptions | None]]


def total(output: Output, rows: pa.Table) -> pa.Array:
    """An aggregate of all rows."""
    if output.column is None:
        return python_array([rows.num_rows], pa.int64())
    column = rows[output.column]
    if output.function == "count":
        return python_array([len(column) - column.null_count], pa.int64())
    given = _argument(output.function, column)
    try:
        match output.function:
            case "count distinct":
                found = pc.count_distinct(given, mode="only_valid")
            case "min" | "max":
                found = pc.min_max(given)[output.function]
            case _:
                found = pc.sum(given, min_count=1)
    except pa.ArrowNotImplementedError:
        raise _unknown() from None
    if output.function not in ("sum", "avg"):
        return pa.repeat(found, 1)
    values = pa.chunked_array([pa.repeat(found, 1)])
    counts = pa.chunked_array([python_array([len(column) - column.null_count], pa.int64())])
    return _finished(output.function, column.type, values, counts).combine_chunks()


def groups(group: Sequence[str], outputs: Sequence[Output], rows: pa.Table) -> list[pa.ChunkedArray]:
    """For each group the values of the columns by which rows are grouped, and of aggregates, as the outputs say."""
    arrays = {f"key {name}": _shown_key(rows[name]) for name in group}
    calls: _Calls = []
    for output in outputs:
        if output.function is not None:
            _add_call(output, rows, arrays, calls)
    try:
        found = (
            pa.table(arrays).group_by([f"key {name}" for name in group], use_threads=False).aggregate(_distinct(calls))
        )
    except pa.ArrowNotImplementedError:
        raise _unknown() from None
    return [_group_values(output, rows, found) for output in outputs]


def _shown_key(column: pa.ChunkedArray) -> pa.ChunkedArray:
    # Spark shows them without sign, unless it has optimized the groups away.
    if pa.types.is_floating(column.type) and has_negative_zero(column):
        raise NeedsSparkError("it groups by a column with negative zeros")
    return _key(column)


def _key(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values of which Arrow takes those for equal that Spark does."""
    if pa.types.is_nested(column.type):
        raise NeedsSparkError("it groups by nested values")
    return normalized(column) if pa.types.is_floating(column.type) else column


def _add_call(output: Output, rows: pa.Table, arrays: dict[str, pa.ChunkedArray], calls: _Calls) -> None:
    if output.column is None:
        calls.append(([], "count_all", None))
        return
    name = _name(output)
    arrays[name] = _argument(output.function, rows[output.column])
    valid = pc.CountOptions(mode="only_valid")
    match output.function:
        case "count":
            calls.append((name, "count", valid))
        case "count distinct":
            calls.append((name, "count_distinct", valid))
        case "sum" | "avg":
            calls += [(name, "sum", pc.ScalarAggregateOptions(min_count=1)), (name, "count", valid)]
        case function:
            calls.append((name, str(function), pc.ScalarAggregateOptions(min_count=1)))


def _name(output: Output) -> str:
    """The function and the column, which may have spaces itself."""
    return f"{str(output.function).replace(' ', '_')} {output.column}"


def _distinct(calls: _Calls) -> _Calls:
    return list({(str(source), function): (source, function, options) for source, function, options in calls}.values())


def _group_values(output: Output, rows: pa.Table, found: pa.Table) -> pa.ChunkedArray:
    if output.function is None:
        return found[f"key {output.column}"]
    if output.column is None:
        return found["count_all"]
    name = _name(output)
    match output.function:
        case "sum" | "avg":
            type_ = rows[output.column].type
            return _finished(output.function, type_, found[f"{name}_sum"], found[f"{name}_count"])
        case function:
            return found[f"{name}_{function.replace(' ', '_')}"]


def _argument(function: Function | None, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values to aggregate; NeedsSparkError if Arrow may aggregate them to anything else than Spark."""
    match function:
        case "count":
            return column
        case "count distinct":
            return _key(column)
        case "min" | "max":
            _check_order(column)
            return column
        case "sum" | "avg":
            _check_sum(function, column)
            return column
    raise _unknown()


def _check_order(column: pa.ChunkedArray) -> None:
    if pa.types.is_binary(column.type) or pa.types.is_nested(column.type):
        raise _unknown()
    if pa.types.is_floating(column.type) and (has_nan(column) or has_negative_zero(column)):
        raise NeedsSparkError("a column has NaN or negative zeros, which only Spark aggregates")


def _check_sum(function: Function, column: pa.ChunkedArray) -> None:
    """Checks that no sum of some of the values can overflow or, if it is of doubles, be rounded."""
    if not pa.types.is_integer(column.type) and not pa.types.is_decimal(column.type):
        raise NeedsSparkError(f"only Spark knows the {function} of values of these types")
    if function == "avg" and pa.types.is_decimal(column.type) and column.type.precision > _AVERAGED_DIGITS:
        raise NeedsSparkError("only Spark averages decimals of so many digits")
    bounds = pc.min_max(column).as_py()
    largest = max((abs(int(_unscaled(bound))) for bound in bounds.values() if bound is not None), default=0)
    if largest * len(column) >= _limit(function, column.type):
        raise NeedsSparkError(f"its {function} may overflow or be rounded")


def _unscaled(bound: int | Decimal) -> int | Decimal:
    if isinstance(bound, Decimal):
        return bound.scaleb(-int(bound.as_tuple().exponent), _CONTEXT)
    return bound


def _limit(function: Function, type_: pa.DataType) -> int:
    if pa.types.is_decimal(type_):
        return int(10 ** _sum_type(type_).precision)
    return _LONG if function == "sum" else _EXACT_DOUBLE


def _sum_type(type_: pa.DataType) -> pa.DataType:
    if pa.types.is_decimal(type_):
        return pa.decimal128(min(type_.precision + 10, _MOST_DIGITS), type_.scale)
    return pa.int64()


def _finished(
    function: Function, type_: pa.DataType, sums: pa.ChunkedArray, counts: pa.ChunkedArray
) -> pa.ChunkedArray:
    if function == "sum":
        return sums.cast(_sum_type(type_))
    if not pa.types.is_decimal(type_):
        return pc.divide(sums.cast(pa.float64()), counts.cast(pa.float64()))
    if len(sums) > _MOST_AVERAGES:
        raise NeedsSparkError("it has averages of decimals of many groups")
    target = pa.decimal128(type_.precision + 4, type_.scale + 4)
    averages = [
        _average(each, count, target.scale) for each, count in zip(sums.to_pylist(), counts.to_pylist(), strict=True)
    ]
    return pa.chunked_array([python_array(averages, target)])


def _average(value: Decimal | None, count: int, scale: int) -> Decimal | None:
    """Rounded half up, which no quotient by a count of rows is nearer to than Spark's 38 digits can tell."""
    if value is None:
        return None
    return _CONTEXT.quantize(_CONTEXT.divide(value, Decimal(count)), Decimal(1).scaleb(-scale))


def _unknown() -> NeedsSparkError:
    return NeedsSparkError("only Spark aggregates values of these types")
