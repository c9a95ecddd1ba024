"""Numbers beyond the range of FLOAT: errors where DuckDB's SQL is written, while Spark stores an infinity."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column as Expression
from pyspark.sql import functions as F

from forklake.errors import InvalidRows
from forklake.model.column_types import ColumnType
from forklake.model.entities import Column
from forklake.spark.tasks.types.nested import Children, chunks_of, with_children
from forklake.spark.values.type_mapping import shown_type

BEYOND_FLOAT = float.fromhex("0x1.ffffffp+127")
"""The least number that is rounded to an infinity."""


def with_doubles(columns: Sequence[Column]) -> list[Column]:
    """Columns with DOUBLE in place of FLOAT at every depth: for values that are checked before they are cast."""
    return [replace(column, type=_with_doubles(column.type)) for column in columns]


def _with_doubles(given: ColumnType) -> ColumnType:
    if given.name == "float32":
        return ColumnType("float64")
    return replace(given, fields=tuple((name, _with_doubles(child)) for name, child in given.fields))


def is_beyond_float(value: Any) -> bool:
    """Whether a number, or the text of one, is finite and rounded to an infinite FLOAT."""
    try:
        number = abs(float(value))
    except (TypeError, ValueError, OverflowError):
        return False
    return BEYOND_FLOAT <= number < float("inf")


def refuse_large_floats(
    fitted: Expression, given: Expression, source: ColumnType | None, target: ColumnType, where: str
) -> Expression:
    """The fitted value, with an error if a DOUBLE in the given one is beyond the range of its FLOAT."""
    if source is None or not _may_overflow(source, target):
        return fitted
    refused = F.raise_error(F.lit(_message(target, where))).cast(shown_type(target))
    return F.when(_has_beyond(given, source, target), refused).otherwise(fitted)


def check_large_floats(array: pa.ChunkedArray, source: ColumnType | None, target: ColumnType, where: str) -> None:
    """Raise InvalidRows if a DOUBLE in an Arrow array is beyond the range of its FLOAT."""
    if source is None or not _may_overflow(source, target):
        return
    for chunk in chunks_of(array):
        _check_chunk(chunk, source, target, _message(target, where))


def _message(target: ColumnType, where: str) -> str:
    return f"Column {where} of type {target.sql()} cannot hold a number beyond the range of FLOAT"


def _pairs(source: ColumnType, target: ColumnType) -> list[tuple[int, ColumnType, ColumnType]]:
    """The children that are assigned, with their positions in the source: those of structs by name."""
    if target.name != "struct":
        pairs = zip(source.fields, target.fields, strict=False)
        return [(at, given, wanted) for at, ((_, given), (_, wanted)) in enumerate(pairs)]
    wanted = {name.lower(): child for name, child in target.fields}
    return [
        (at, child, wanted[name.lower()]) for at, (name, child) in enumerate(source.fields) if name.lower() in wanted
    ]


def _may_overflow(source: ColumnType, target: ColumnType) -> bool:
    if target.name == "float32":
        return source.name == "float64"
    return any(_may_overflow(given, wanted) for _, given, wanted in _pairs(source, target))


def _has_beyond(value: Expression, source: ColumnType, target: ColumnType) -> Expression:
    if target.name == "float32":
        return (F.abs(value) >= F.lit(BEYOND_FLOAT)) & (F.abs(value) < F.lit(float("inf")))
    pairs = [pair for pair in _pairs(source, target) if _may_overflow(*pair[1:])]
    return reduce(or_, [_child_has_beyond(value, source, at, given, wanted) for at, given, wanted in pairs])


def _child_has_beyond(
    value: Expression, source: ColumnType, at: int, given: ColumnType, wanted: ColumnType
) -> Expression:
    if source.name == "struct":
        return _has_beyond(value.getField(source.fields[at][0]), given, wanted)
    items = value if source.name == "list" else (F.map_keys, F.map_values)[at](value)
    return F.exists(items, lambda item: _has_beyond(item, given, wanted))


def _check_chunk(array: pa.Array, source: ColumnType, target: ColumnType, message: str) -> None:
    if target.name == "float32":
        if pa.types.is_float64(array.type):
            numbers = np.abs(array.drop_null().to_numpy())
            if ((numbers >= BEYOND_FLOAT) & np.isfinite(numbers)).any():
                raise InvalidRows(message)
        return

    def check(children: Children) -> Children:
        for at, given, wanted in _pairs(source, target):
            if _may_overflow(given, wanted):
                _check_chunk(children[at], given, wanted, message)
        return children

    if pa.types.is_fixed_size_list(array.type):
        array = array.cast(pa.list_(array.type.value_field))
    with_children(array, array.type, check)
