"""Strings of which there are few distinct ones, as integers: filtered, grouped and ordered faster than as strings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from forklake.spark.tasks.types.python_array import python_scalar

_ONE = python_scalar(1, pa.int64())


@dataclass(frozen=True, slots=True)
class CodedRows:
    """Rows in which some columns have codes: the positions of their values among all distinct ones, in order.

    So codes are equal where the values are, and compare as the values do.
    """

    rows: pa.Table
    values: Mapping[str, pa.Array]
    """By coded column, its distinct values in order."""

    def evaluated(self, name: str, function: Callable[[pa.ChunkedArray], pa.ChunkedArray]) -> pa.ChunkedArray:
        """A function of each value of a column that is NULL for NULL, computed once for each distinct value."""
        if name not in self.values:
            return function(self.rows[name])
        return function(pa.chunked_array([self.values[name]])).take(self.rows[name])

    def decoded(self, name: str | None, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """The values of codes, if those are of a coded column."""
        values = None if name is None else self.values.get(name)
        return column if values is None else pa.chunked_array([values]).take(column)


def coded_rows(rows: pa.Table) -> CodedRows:
    """The rows, with codes in columns that are read as Arrow's dictionaries."""
    values = {}
    for at, name in enumerate(rows.column_names):
        if pa.types.is_dictionary(rows[name].type):
            column, values[name] = _coded(rows[name])
            rows = rows.set_column(at, name, column)
    return CodedRows(rows, values)


def _coded(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, pa.Array]:
    if not column.num_chunks:
        return pa.chunked_array([], pa.int64()), pa.nulls(0, column.type.value_type)
    chunks = column.unify_dictionaries().chunks
    found = chunks[0].dictionary
    # Nothing ensures that the values of a dictionary are distinct, and in any order.
    codes = pc.subtract(pc.rank(found, sort_keys="ascending", tiebreaker="dense").cast(pa.int64()), _ONE)
    distinct = found.unique()
    return pa.chunked_array([codes.take(chunk.indices) for chunk in chunks]), distinct.take(pc.sort_indices(distinct))
