"""The rows of a small query, computed with Arrow from the rows of its table."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from forklake.model.predicates import And, Comparison, In, IsNotNull, IsNull, Not, Or, Path, Predicate, StartsWith
from forklake.sql.small.small_query import NeedsSparkError, Output, SmallQuery, SortKey

_COMPARE: Mapping[str, Callable[..., pa.ChunkedArray]] = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
_LONG = 2**63
_ROW = "__forklake_row"


def answer(query: SmallQuery, rows: pa.Table) -> pa.Table:
    """The result of a query; `rows` are those of its table with the columns that it needs."""
    if query.predicate != And(()):
        rows = rows.filter(_Mask(rows).of(query.predicate))
    if query.is_aggregate:
        result = _aggregated(query, rows)
        return _cut(query, result.take(sorted_positions(query.order, result, result)) if query.order else result)
    result = _projected(query.outputs, rows)
    if query.order:
        result = result.take(sorted_positions(query.order, result, rows))
    return _cut(query, result)


def _cut(query: SmallQuery, result: pa.Table) -> pa.Table:
    return result.slice(query.offset, query.limit)


def _projected(outputs: tuple[Output, ...], rows: pa.Table) -> pa.Table:
    fields = [pa.field(output.title, rows.schema.field(output.column or "").type) for output in outputs]
    return pa.Table.from_arrays([rows[output.column or ""] for output in outputs], schema=pa.schema(fields))


class _Mask:
    """Evaluates predicates on all rows: TRUE, FALSE or NULL for each."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows

    def of(self, predicate: Predicate) -> pa.ChunkedArray | pa.Array:
        match predicate:
            case Comparison(path, op, value):
                return self._compared(path, op, value)
            case In(path, values):
                found = [self._compared(path, "=", value) for value in values]
                return self._folded(pc.or_kleene, found)
            case IsNull(path):
                return self._column(path).is_null()
            case IsNotNull(path):
                return self._column(path).is_valid()
            case StartsWith(path, prefix):
                return pc.starts_with(self._column(path), prefix)
            case And(()):
                return pa.repeat(True, self._rows.num_rows)
            case Or(()):
                return pa.repeat(False, self._rows.num_rows)
            case And(parts):
                return self._folded(pc.and_kleene, [self.of(part) for part in parts])
            case Or(parts):
                return self._folded(pc.or_kleene, [self.of(part) for part in parts])
            case Not(part):
                return pc.invert(self.of(part))
        raise NeedsSparkError("its WHERE has expressions that only Spark evaluates")

    def _folded(
        self, combine: Callable[..., pa.ChunkedArray], masks: list[pa.ChunkedArray | pa.Array]
    ) -> pa.ChunkedArray | pa.Array:
        first, *others = masks
        for other in others:
            first = combine(first, other)
        return first

    def _compared(self, path: Path, op: str, value: object) -> pa.ChunkedArray:
        column = self._column(path)
        if pa.types.is_floating(column.type):
            column = _without_nan(column).cast(pa.float64())
        return _COMPARE[op](column, _scalar(value, column.type))

    def _column(self, path: Path) -> pa.ChunkedArray:
        found = [name for name in self._rows.column_names if name.lower() == path[0]]
        if len(path) > 1 or len(found) != 1:
            raise NeedsSparkError("its WHERE names fields of structs")
        return self._rows[found[0]]


def _scalar(value: object, type_: pa.DataType) -> pa.Scalar:
    """A constant as a value whose comparison with the column is exact."""
    match value:
        case bool() if pa.types.is_boolean(type_):
            return pa.scalar(value)
        case bool():
            pass
        case int() if pa.types.is_integer(type_) and -_LONG <= value < _LONG:
            return pa.scalar(value, pa.int64())
        case int() | Decimal() if pa.types.is_decimal(type_):
            return _decimal_scalar(Decimal(value), type_)
        case int() | float() if pa.types.is_float64(type_):
            return pa.scalar(float(value))
        case str() if pa.types.is_string(type_):
            return pa.scalar(value)
        case datetime() if pa.types.is_timestamp(type_) and (value.tzinfo is None) == (type_.tz is None):
            return pa.scalar(value, type_)
        case date() if pa.types.is_date32(type_) and not isinstance(value, datetime):
            return pa.scalar(value, type_)
    raise NeedsSparkError("only Spark compares a constant of its WHERE")


def _decimal_scalar(value: Decimal, type_: pa.DataType) -> pa.Scalar:
    try:
        return pa.scalar(value, type_)
    except pa.ArrowInvalid:
        raise NeedsSparkError("only Spark compares a constant of its WHERE") from None


def _without_nan(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Floats as they are: to Spark NaN equals itself and is the greatest number, to Arrow neither."""
    if pc.any(pc.is_nan(column)).as_py():
        raise NeedsSparkError("a column has NaN, which only Spark compares")
    return column


def _with_plain_floats(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values of which equal ones look the same: floats without NaN, and without zeros, which may have signs."""
    if pa.types.is_floating(column.type) and pc.any(pc.equal(_without_nan(column), 0.0)).as_py():
        raise NeedsSparkError("a column has zeros, which may have signs")
    if pa.types.is_nested(column.type):
        raise NeedsSparkError("it groups or orders by nested values")
    return column


def sorted_positions(keys: tuple[SortKey, ...], result: pa.Table, rows: pa.Table) -> pa.Array:
    """The positions of the rows in order."""
    arrays: dict[str, pa.ChunkedArray | pa.Array] = {}
    order: list[tuple[str, str]] = []
    for at, key in enumerate(keys):
        values = result.column(key.by) if isinstance(key.by, int) else rows[key.by]
        direction = "descending" if key.descending else "ascending"
        if pa.types.is_floating(values.type):
            values = _without_nan(values)
        elif pa.types.is_nested(values.type):
            raise NeedsSparkError("it orders by nested values")
        # Arrow has one place for the NULLs of all keys.
        arrays[f"null {at}"], arrays[f"key {at}"] = values.is_null(), values
        order += [(f"null {at}", "descending" if key.nulls_first else "ascending"), (f"key {at}", direction)]
    return pc.sort_indices(pa.table(arrays), sort_keys=order)


def _aggregated(query: SmallQuery, rows: pa.Table) -> pa.Table:
    places = [(output, f"output {at}") for at, output in enumerate(query.outputs)]
    arrays = {f"key {name}": _with_plain_floats(rows[name]) for name in query.group}
    arrays[_ROW] = pa.chunked_array([pa.repeat(1, rows.num_rows)])
    calls: list[tuple[str, str, pc.FunctionOptions]] = []
    for output, place in places:
        if output.function is None:
            continue
        source = _ROW if output.column is None else place
        if output.column is not None:
            column = rows[output.column]
            arrays[place] = column if output.function == "count" else _ordered_values(column)
        options: pc.FunctionOptions = (
            pc.CountOptions(mode="only_valid") if output.function == "count" else pc.ScalarAggregateOptions(min_count=1)
        )
        if (source, output.function) not in [call[:2] for call in calls]:
            calls.append((source, output.function, options))
    try:
        grouped = pa.table(arrays).group_by([f"key {name}" for name in query.group], use_threads=False)
        found = grouped.aggregate(calls)
    except pa.ArrowNotImplementedError:
        raise NeedsSparkError("only Spark aggregates values of these types") from None
    columns, fields = [], []
    for output, place in places:
        if output.function is None:
            column = found[f"key {output.column}"]
        else:
            column = found[f"{_ROW if output.column is None else place}_{output.function}"]
        columns.append(column)
        fields.append(pa.field(output.title, column.type, nullable=output.function != "count"))
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _ordered_values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_binary(column.type):
        raise NeedsSparkError("only Spark aggregates binary values")
    return _with_plain_floats(column)
