"""The rows of a small query, computed with Arrow from the rows of its table."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from forklake.model.predicates import And, Comparison, In, IsNotNull, IsNull, Not, Or, Path, Predicate, StartsWith
from forklake.spark.tasks.types.python_array import python_array, python_scalar
from forklake.sql.small.aggregates import groups, total
from forklake.sql.small.coded_rows import CodedRows, coded_rows
from forklake.sql.small.float_values import compared, has_nan
from forklake.sql.small.small_query import COUNTS, NeedsSparkError, Output, SmallQuery, SortKey, having_name

_COMPARE: Mapping[str, Callable[..., pa.ChunkedArray]] = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
_LONG = 2**63
_EVERY_ROW = "__forklake_row"
_INT = 2**31
_FEW_VALUES = 20
"""Fewer are compared one by one: that is as fast, and the same for all types."""
FEW_ROWS = 1_000
"""Fewer are ordered at once, even if only the first of them are asked for."""
PART_OF_ALL = 10
"""The first rows are looked for if they are at most such a part of all."""


def answer(query: SmallQuery, rows: pa.Table) -> pa.Table:
    """The result of a query; `rows` are those of its table with the columns that it needs."""
    coded = _filtered(query, coded_rows(rows))
    result = _aggregated(query, coded.rows) if query.is_aggregate else _projected(query, coded.rows)
    if query.having is not None:
        result = result.filter(_Mask(_numbered(query, coded, result)).of(query.having))
    if query.order:
        most = None if query.limit is None else query.offset + query.limit
        result = result.take(sorted_positions(query.order, result, result if query.is_aggregate else coded.rows, most))
    result = result.slice(query.offset, query.limit)
    if query.hidden:
        result = result.select(range(len(query.outputs)))
    return _decoded(query, coded, result)


def truth_of(predicate: Predicate, rows: pa.Table) -> pa.ChunkedArray | pa.Array:
    """TRUE, FALSE or NULL for each row; NeedsSparkError if only Spark knows."""
    return _Mask(CodedRows(rows, {})).of(predicate)


def _numbered(query: SmallQuery, coded: CodedRows, result: pa.Table) -> CodedRows:
    """The groups, with names that say which outputs their columns are."""
    names = [having_name(at) for at in range(len(query.all_outputs))]
    values = {
        name: coded.values[str(output.column)]
        for name, output in zip(names, query.all_outputs, strict=True)
        if output.column in coded.values and output.function not in COUNTS
    }
    return CodedRows(result.rename_columns(names), values)


def _filtered(query: SmallQuery, coded: CodedRows) -> CodedRows:
    """The rows of the result, with at least the columns that it needs."""
    if query.predicate == And(()):
        return coded
    mask = _Mask(coded).of(query.predicate)
    if pc.all(mask, skip_nulls=False).as_py():
        return coded
    needed = [name for name in coded.rows.column_names if name in query.columns_of_result]
    rows = coded.rows.select(needed) if needed else pa.table({_EVERY_ROW: mask})
    return replace(coded, rows=rows.filter(mask))


def _projected(query: SmallQuery, rows: pa.Table) -> pa.Table:
    columns = [_shown(output, rows) for output in query.outputs]
    fields = [
        pa.field(output.title, column.type, nullable=output.constant is None)
        for output, column in zip(query.outputs, columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _shown(output: Output, rows: pa.Table) -> pa.ChunkedArray | pa.Array:
    if output.column is not None:
        return rows[output.column]
    constant = output.constant
    if isinstance(constant, str):
        return pa.repeat(python_scalar(constant, pa.string()), rows.num_rows)
    assert isinstance(constant, int)
    return pa.repeat(
        python_scalar(constant, pa.int64()).cast(pa.int32() if abs(constant) < _INT else pa.int64()), rows.num_rows
    )


def _decoded(query: SmallQuery, coded: CodedRows, result: pa.Table) -> pa.Table:
    if not coded.values:
        return result
    names = [None if output.function in COUNTS else output.column for output in query.outputs]
    columns = [coded.decoded(name, result.column(at)) for at, name in enumerate(names)]
    fields = [field.with_type(column.type) for field, column in zip(result.schema, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


class _Mask:
    """Evaluates predicates on all rows: TRUE, FALSE or NULL for each."""

    def __init__(self, coded: CodedRows) -> None:
        self._coded = coded
        self._rows = coded.rows

    def of(self, predicate: Predicate) -> pa.ChunkedArray | pa.Array:
        match predicate:
            case Comparison(path, op, value):
                return self._coded.evaluated(self._name(path), lambda column: _compared(column, op, value))
            case In(path, values):
                return self._coded.evaluated(self._name(path), lambda column: _equal_to_any(column, values))
            case IsNull(path):
                return self._rows[self._name(path)].is_null()
            case IsNotNull(path):
                return self._rows[self._name(path)].is_valid()
            case StartsWith(path, prefix):
                return self._coded.evaluated(self._name(path), lambda column: pc.starts_with(column, prefix))
            case And(()):
                return pa.repeat(python_scalar(True, pa.bool_()), self._rows.num_rows)
            case Or(()):
                return pa.repeat(python_scalar(False, pa.bool_()), self._rows.num_rows)
            case And(parts):
                return _folded(pc.and_kleene, [self.of(part) for part in parts])
            case Or(parts):
                return _folded(pc.or_kleene, [self.of(part) for part in parts])
            case Not(part):
                return pc.invert(self.of(part))
        raise NeedsSparkError("its WHERE has expressions that only Spark evaluates")

    def _name(self, path: Path) -> str:
        found: list[str] = [name for name in self._rows.column_names if name.lower() == path[0]]
        if len(path) > 1 or len(found) != 1:
            raise NeedsSparkError("its WHERE names fields of structs")
        return found[0]


def _folded(
    combine: Callable[..., pa.ChunkedArray], masks: list[pa.ChunkedArray | pa.Array]
) -> pa.ChunkedArray | pa.Array:
    first, *others = masks
    for other in others:
        first = combine(first, other)
    return first


def _compared(column: pa.ChunkedArray, op: str, value: object) -> pa.ChunkedArray:
    if pa.types.is_floating(column.type):
        return compared(_COMPARE[op], column.cast(pa.float64()), _scalar(value, pa.float64()))
    return _COMPARE[op](column, _scalar(value, column.type))


def _equal_to_any(column: pa.ChunkedArray, values: Sequence[object]) -> pa.ChunkedArray:
    if len(values) < _FEW_VALUES or pa.types.is_floating(column.type) or column.type == pa.uint64():
        return _folded(pc.or_kleene, [_compared(column, "=", value) for value in values])
    # One look-up for each row, instead of a comparison with each value.
    constants = [_scalar(value, column.type) for value in values]
    wanted = python_array([constant.as_py() for constant in constants], constants[0].type)
    found = pc.is_in(column.cast(wanted.type), value_set=wanted)
    return pc.if_else(column.is_valid(), found, python_scalar(None, pa.bool_()))


def _scalar(value: object, type_: pa.DataType) -> pa.Scalar:
    """A constant as a value whose comparison with the column is exact."""
    match value:
        case bool() if pa.types.is_boolean(type_):
            return python_scalar(value, type_)
        case bool():
            pass
        case int() if pa.types.is_integer(type_) and -_LONG <= value < _LONG:
            return python_scalar(value, pa.int64())
        case int() | Decimal() if pa.types.is_decimal(type_):
            return _decimal_scalar(Decimal(value), type_)
        case int() | float() if pa.types.is_float64(type_) and not math.isnan(value):
            return python_scalar(float(value), pa.float64())
        case str() if pa.types.is_string(type_):
            return python_scalar(value, type_)
        case datetime() if pa.types.is_timestamp(type_) and (value.tzinfo is None) == (type_.tz is None):
            return python_scalar(value, type_)
        case date() if pa.types.is_date32(type_) and not isinstance(value, datetime):
            return python_scalar(value, type_)
    raise NeedsSparkError("only Spark compares a constant of its WHERE")


def _decimal_scalar(value: Decimal, type_: pa.DataType) -> pa.Scalar:
    try:
        return python_scalar(value, type_)
    except pa.ArrowInvalid:
        raise NeedsSparkError("only Spark compares a constant of its WHERE") from None


def sorted_positions(keys: tuple[SortKey, ...], result: pa.Table, rows: pa.Table, most: int | None = None) -> pa.Array:
    """The positions of the rows in order, or of so many of the first ones."""
    columns = [_sortable(result.column(key.by) if isinstance(key.by, int) else rows[key.by]) for key in keys]
    if most is None or rows.num_rows <= FEW_ROWS:
        return _sort(keys, columns)
    first = _first_rows(keys[0], columns[0], most)
    return _sort(keys, columns) if first is None else first.take(_sort(keys, [each.take(first) for each in columns]))


def _sortable(values: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_nested(values.type):
        raise NeedsSparkError("it orders by nested values")
    return values


def _sort(keys: tuple[SortKey, ...], columns: list[pa.ChunkedArray]) -> pa.Array:
    arrays: dict[str, pa.ChunkedArray | pa.Array] = {}
    order: list[tuple[str, str]] = []
    for at, (key, values) in enumerate(zip(keys, columns, strict=True)):
        # Arrow places the NULLs of all keys alike.
        if values.null_count:
            arrays[f"null {at}"] = values.is_null()
            order.append((f"null {at}", "descending" if key.nulls_first else "ascending"))
        direction = "descending" if key.descending else "ascending"
        if pa.types.is_floating(values.type) and has_nan(values):
            # Last in all orders of Arrow, and the greatest in Spark.
            arrays[f"nan {at}"] = pc.is_nan(values)
            order.append((f"nan {at}", direction))
        arrays[f"key {at}"] = values
        order.append((f"key {at}", direction))
    return pc.sort_indices(pa.table(arrays), sort_keys=order)


def _first_rows(key: SortKey, values: pa.ChunkedArray, most: int) -> pa.Array | None:
    """The positions of rows among which are so many of the first ones by this key; None if they are not looked for."""
    wanted = most - values.null_count if key.nulls_first else most
    if not 0 < wanted <= (len(values) - values.null_count) // PART_OF_ALL or pa.types.is_boolean(values.type):
        return None
    if pa.types.is_floating(values.type) and has_nan(values):
        return None
    order = [("", "descending" if key.descending else "ascending")]
    chosen = values.take(pc.select_k_unstable(values, wanted, sort_keys=order))
    last = pc.min(chosen) if key.descending else pc.max(chosen)
    found = pc.greater_equal(values, last) if key.descending else pc.less_equal(values, last)
    return pc.indices_nonzero(pc.or_(found.fill_null(False), values.is_null()) if key.nulls_first else found)


def _aggregated(query: SmallQuery, rows: pa.Table) -> pa.Table:
    outputs = query.all_outputs
    columns = groups(query.group, outputs, rows) if query.group else [total(output, rows) for output in outputs]
    fields = [
        pa.field(output.title, column.type, nullable=output.function not in COUNTS)
        for output, column in zip(outputs, columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))
