"""Columns with values in the path of a file: `region=a%2Fb/year=2020/file.parquet`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.errors import InvalidInput
from forklake.model.column_types import FLOATS
from forklake.model.entities import Column
from forklake.model.hive_paths import hive_value, hive_values
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.model.pruning import COUNTED
from forklake.model.statistics import ColumnStats, compare_text, exact_value
from forklake.spark.tasks.statistics.file_stats import footer_facts
from forklake.spark.tasks.types.default_literals import literal
from forklake.spark.tasks.types.to_physical import physical_array
from forklake.spark.tasks.types.type_forms import physical_schema

_HINT = "\n* Set hive_partitioning => false to go by the file alone"
_CUT_BYTES = 64
"""Writers that truncate bounds keep at least this many bytes."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A column with the same value in all rows of a file."""

    column: Column
    text: str | None
    value: pa.Array
    """A single value, in physical form."""
    one: ColumnStats
    """The statistics of a file with one row."""

    def stats(self, rows: int) -> ColumnStats:
        """The statistics of a file with this number of rows."""
        nulls = rows if self.text is None else 0
        return self.one._replace(value_count=rows - nulls, null_count=nulls, column_size_bytes=0)


def make_constant(text: str | None, column: Column) -> Constant:
    """A column with the constant value of a text; raises InvalidInput if it is invalid."""
    value = physical_array(pa.repeat(literal(text, column), 1), column)
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays([value], schema=physical_schema([column])), sink)
    footer = pq.read_metadata(pa.BufferReader(sink.getvalue()))
    nan = {column.column_id: _is_nan(value[0].as_py())} if column.type.name in FLOATS else {}
    [one] = footer_facts(footer, [column], contains_nan=nan).column_stats
    return Constant(column, text, value, one)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


class ConstantCache:
    """Constants by column and text, each created once: thousands of files may share a few folders."""

    def __init__(self) -> None:
        self._made: dict[tuple[ColumnId, str | None], Constant] = {}

    def get(self, text: str | None, column: Column) -> Constant:
        made = self._made.get((column.column_id, text))
        if made is None:
            made = self._made[column.column_id, text] = make_constant(text, column)
        return made

    def in_path(self, columns: Sequence[Column], path: str, file: str) -> list[Constant]:
        """The columns with values in the folders of a path."""
        given = hive_values(path)
        named = [column for column in columns if fold(column.name) in given and column.type.name in COUNTED]
        return [self._constant(given[fold(column.name)], column, file) for column in named]

    def _constant(self, text: str | None, column: Column, file: str) -> Constant:
        try:
            return self.get(hive_value(text, column.type), column)
        except InvalidInput:
            raise InvalidInput(
                f"Unable to cast '{text}' (from hive partition column '{column.name}') to: '{column.type.sql()}'"
                f' in the path of file "{file}"{_HINT}'
            ) from None


def agrees_with_path(given: Constant, stats: ColumnStats | None, rows: int, file: str) -> bool:
    """Whether the file itself has the value of its path in every row; False if unknown.

    Raises InvalidInput if it has a different value, because one of the two would be lost.
    """
    known = None if stats is None else _stats_agree(given, stats, rows)
    if known is False:
        raise InvalidInput(
            f'File "{file}" contains other values in column "{given.column.name}" than its path gives for it,'
            f" which is {'NULL' if given.text is None else repr(given.text)}{_HINT}"
        )
    return known is True


def _stats_agree(given: Constant, stats: ColumnStats, rows: int) -> bool | None:
    if given.text is None:
        if stats.min_value is not None and stats.min_value == stats.max_value and stats.min_value.upper() == "NULL":
            # The path contains the literal word.
            return True
        return None if stats.value_count is None else stats.value_count == 0
    if stats.null_count:
        return False
    expected, column_type = given.stats(rows), given.column.type
    low, high = stats.min_value, stats.max_value
    if low is None or high is None or expected.min_value is None or expected.max_value is None:
        return None
    if compare_text(column_type, low, expected.min_value) or compare_text(column_type, high, expected.max_value):
        value = exact_value(column_type, low)
        return None if isinstance(value, bytes) and len(value) >= _CUT_BYTES else False
    complete = stats.null_count == 0 and (column_type.name not in FLOATS or stats.contains_nan is False)
    return True if complete else None
