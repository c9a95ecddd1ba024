"""Column statistics from the footer of a Parquet file."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from forklake.model.column_types import FLOATS
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.model.statistics import ColumnStats
from forklake.model.threads import map_in_threads
from forklake.spark.tasks.statistics.file_leaves import file_leaves
from forklake.spark.tasks.statistics.footer_values import Value, bound_reader, bound_text

_READERS = 16
_FRAME_BYTES = 12
"""Around a footer: its length, and the magic number of Parquet before and after."""
_EXACT_NAN_WRITER = "parquet-mr"
"""Writes no bounds for a column with NaN, so the presence of bounds implies that there is none."""


@dataclass(frozen=True, slots=True)
class FooterFacts:
    """Facts about a file from its footer."""

    record_count: int
    footer_size: int
    column_stats: tuple[ColumnStats, ...]
    file_size_bytes: int = 0
    """Zero if not determined."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    """One leaf of one row group; None is unknown."""

    values: int | None
    nulls: int | None
    bounds: tuple[Value, Value] | None


def footer_facts(
    metadata: pq.FileMetaData,
    columns: Sequence[Column],
    *,
    contains_nan: Mapping[ColumnId, bool] | None = None,
    places: Mapping[ColumnId, Sequence[int]] | None = None,
) -> FooterFacts:
    """The facts of a file, for the leaf fields it has; `contains_nan` is known to a writer that has seen the rows.

    For a file with other field ids than the table's, `places` must map fields to the leaves of the file.
    """
    if places is None:
        places = file_leaves(metadata.schema.to_arrow_schema(), columns)
    leaves = [leaf for column in columns for _, leaf in column.leaves() if leaf.column_id in places]
    groups = range(metadata.num_row_groups)
    stats = tuple(_leaf_stats(metadata, leaf, places[leaf.column_id], contains_nan or {}, groups) for leaf in leaves)
    return FooterFacts(metadata.num_rows, _footer_size(metadata), stats)


def row_group_stats(metadata: pq.FileMetaData, group: int, columns: Mapping[int, Column]) -> tuple[ColumnStats, ...]:
    """The statistics of columns in one row group, by their place among the leaves of the file."""
    return tuple(_leaf_stats(metadata, column, [place], {}, [group]) for place, column in columns.items())


def read_facts(filesystem: fs.FileSystem, path: str, columns: Sequence[Column]) -> FooterFacts:
    """The facts of a file, including its size."""
    with filesystem.open_input_file(path) as source:
        return replace(footer_facts(pq.read_metadata(source), columns), file_size_bytes=source.size())


def read_many_facts(filesystem: fs.FileSystem, paths: Sequence[str], columns: Sequence[Column]) -> list[FooterFacts]:
    """The facts of each file, in the order of the paths; read concurrently."""
    return map_in_threads(lambda path: read_facts(filesystem, path, columns), paths, _READERS)


def largest_number(metadata: pq.FileMetaData, name: str) -> int | None:
    """The largest value of a top-level integer column; None if unknown."""
    names = [metadata.schema.column(at).path for at in range(metadata.num_columns)]
    if name not in names:
        return None
    chunks = [_chunk(metadata.row_group(group).column(names.index(name))) for group in range(metadata.num_row_groups)]
    bounds = [chunk.bounds for chunk in chunks if chunk.values != 0]
    known = [int(largest) for _, largest in filter(None, bounds)]
    return max(known) if known and len(known) == len(bounds) else None


def _footer_size(metadata: pq.FileMetaData) -> int:
    if metadata.serialized_size:
        return int(metadata.serialized_size)
    # Unknown in metadata from the writer: serialised once more, in memory.
    sink = pa.BufferOutputStream()
    metadata.write_metadata_file(sink)
    return int(sink.tell()) - _FRAME_BYTES


def _leaf_stats(
    metadata: pq.FileMetaData,
    column: Column,
    places: Sequence[int],
    contains_nan: Mapping[ColumnId, bool],
    numbers: Sequence[int],
) -> ColumnStats:
    """The statistics of a leaf in the row groups of these numbers."""
    groups = [metadata.row_group(number) for number in numbers]
    chunks = [_chunk(group.column(places[0])) for group in groups]
    size = sum(group.column(at).total_compressed_size for group in groups for at in places)
    schema = metadata.schema.column(places[0])
    has_nan = contains_nan.get(column.column_id)
    if has_nan is None and column.type.name in FLOATS:
        has_nan = _footer_nan_flag(chunks, metadata.created_by or "")
    reads = bound_reader(schema.physical_type, schema.logical_type.to_json())
    low = high = None
    bounds = _bounds(chunks)
    if reads is not None and bounds is not None:
        kind, read = reads
        low = bound_text(column.type, kind, min(read(pair[0]) for pair in bounds), "min")
        high = bound_text(column.type, kind, max(read(pair[1]) for pair in bounds), "max")
    return ColumnStats(
        column.column_id,
        _sum_if_known([chunk.values for chunk in chunks]),
        _sum_if_known([chunk.nulls for chunk in chunks]),
        low,
        high,
        has_nan,
        size,
    )


def _chunk(chunk: pq.ColumnChunkMetaData) -> _Chunk:
    found = chunk.statistics
    if found is None:
        return _Chunk(None, None, None)
    counted = found.has_null_count
    # Raw: converted values would be pandas objects for nanoseconds, and fail for years after 9999.
    bounds = (found.min_raw, found.max_raw) if found.has_min_max else None
    return _Chunk(
        found.num_values if counted else None,
        found.null_count if counted else None,
        bounds,
    )


def _bounds(chunks: Sequence[_Chunk]) -> list[tuple[Value, Value]] | None:
    """The bounds of all chunks with values; None if there are none, or if one is unknown or NaN."""
    bounds = [chunk.bounds for chunk in chunks if chunk.values != 0]
    known = [pair for pair in bounds if pair is not None and not _is_nan(pair)]
    return known if known and len(known) == len(bounds) else None


def _is_nan(bounds: tuple[Value, Value]) -> bool:
    return any(isinstance(bound, float) and math.isnan(bound) for bound in bounds)


def _footer_nan_flag(chunks: Sequence[_Chunk], created_by: str) -> bool | None:
    filled = [chunk for chunk in chunks if chunk.values != 0]
    if any(chunk.bounds is not None and _is_nan(chunk.bounds) for chunk in filled):
        return True
    if not filled:
        return False
    known = created_by.startswith(_EXACT_NAN_WRITER) and all(chunk.bounds is not None for chunk in filled)
    return False if known else None


def _sum_if_known(counts: Sequence[int | None]) -> int | None:
    return None if None in counts else sum(count or 0 for count in counts)
