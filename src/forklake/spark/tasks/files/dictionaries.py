"""Columns whose values repeat, for which dictionaries are worthwhile.

Building a dictionary takes most of the time of writing a column, and is in vain if all values are different.
"""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from forklake.spark.tasks.types.nested import leaf_arrays

_SLICES = 4
_SLICE_ROWS = 2_500
_ALL_DIFFERENT = 0.97
"""With this share of distinct values among ten thousand, a row group has too few repetitions for a dictionary."""


def paths_of_repeated_values(group: pa.Table) -> list[str] | bool:
    """The leaf columns to write with a dictionary, by their paths in the Parquet writer, from a sample of a row group.

    True is all of them: of few rows nothing is known, and nothing is gained.
    """
    if group.num_rows < _SLICES * _SLICE_ROWS:
        return True
    paths = _leaf_paths(group.schema)
    step = group.num_rows // _SLICES
    sample = pa.concat_tables([group.slice(at * step, _SLICE_ROWS) for at in range(_SLICES)]).combine_chunks()
    differs = [_is_all_different(leaf) for leaf in _leaves(sample)]
    # By path and not by index: because of dots, two columns may have the same path.
    unique = {path for path, all_different in zip(paths, differs, strict=True) if all_different}
    return [path for path in paths if path not in unique] if unique else True


def _leaf_paths(schema: pa.Schema) -> list[str]:
    sink = pa.BufferOutputStream()
    pq.write_metadata(schema, sink)
    found = pq.read_metadata(pa.BufferReader(sink.getvalue())).schema
    return [found.column(place).path for place in range(len(found))]


def _leaves(rows: pa.Table) -> Iterator[pa.Array]:
    for column in rows.columns:
        yield from leaf_arrays(column.chunk(0))


def _is_all_different(leaf: pa.Array) -> bool:
    values = leaf.storage if isinstance(leaf, pa.ExtensionArray) else leaf
    if pa.types.is_boolean(values.type):
        return False
    count = len(values) - values.null_count
    return count >= _SLICE_ROWS and bool(pc.count_distinct(values).as_py() > _ALL_DIFFERENT * count)
