"""Columns that contain NaN.

The bounds in files written by Arrow exclude NaN, and Spark, for which NaN is the largest number, would skip row groups
because of them. So these columns have no statistics in their files, and are counted here.
"""

from collections.abc import Collection, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from forklake.model.column_types import FLOATS
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.model.statistics import ColumnStats
from forklake.spark.tasks.statistics.array_stats import leaf_stats
from forklake.spark.tasks.statistics.file_leaves import file_leaves
from forklake.spark.tasks.types.nested import leaf_arrays


def nan_columns(rows: pa.Table, columns: Sequence[Column]) -> set[ColumnId]:
    """The leaf columns of physical rows that contain a NaN."""
    return {
        leaf.column_id for leaf, array in _float_arrays(rows, columns) if pc.any(pc.is_nan(array), min_count=0).as_py()
    }


def nan_column_stats(rows: pa.Table, columns: Sequence[Column], leaves: Collection[ColumnId]) -> Iterator[ColumnStats]:
    """The statistics of these leaf columns, for each chunk of the rows."""
    for leaf, array in _float_arrays(rows, columns):
        if leaf.column_id in leaves:
            yield leaf_stats(array, leaf)


def paths_without_leaves(schema: pa.Schema, columns: Sequence[Column], leaves: Collection[ColumnId]) -> list[str]:
    """All columns of a file except these leaves, by their paths in the Parquet writer."""
    sink = pa.BufferOutputStream()
    pq.write_metadata(schema, sink)
    found = pq.read_metadata(pa.BufferReader(sink.getvalue())).schema
    places = file_leaves(found.to_arrow_schema(), columns)
    # By path and not by index: because of dots, two columns may have the same path.
    without = {found.column(place).path for leaf in leaves for place in places[leaf]}
    paths = [found.column(place).path for place in range(len(found))]
    return [path for path in paths if path not in without]


def _float_arrays(rows: pa.Table, columns: Sequence[Column]) -> Iterator[tuple[Column, pa.Array]]:
    for column, data in zip(columns, rows.columns, strict=False):
        leaves = [leaf for _, leaf in column.leaves()]
        if any(leaf.type.name in FLOATS for leaf in leaves):
            for chunk in data.chunks:
                pairs = zip(leaves, leaf_arrays(chunk), strict=True)
                yield from ((leaf, array) for leaf, array in pairs if leaf.type.name in FLOATS)
