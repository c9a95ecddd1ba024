"""What to read of a Parquet file, from its footer: the row groups that may match, and the strings that repeat.

Row groups are left out by the same proofs as files: their statistics are read and judged as those of files are. Only
row groups have bloom filters, by which values are proven to be absent from those that statistics leave.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.model.entities import Column
from forklake.model.ids import SnapshotId
from forklake.model.pruning import FileFilter, PruningFacts, filtered_columns, may_match, sought_values
from forklake.spark.reading.bloom_filters import absent_values, filter_places, pays
from forklake.spark.tasks.statistics.file_stats import row_group_stats

BYTES_OF_LENGTH = 4
"""Before each string in a page without dictionary."""


def row_groups_that_may_match(
    source: pa.NativeFile,
    metadata: pq.FileMetaData,
    file_filter: FileFilter,
    columns: Sequence[Column],
    begin_snapshot: SnapshotId,
) -> list[int]:
    """The row groups to read of a file of which these columns are read, under these names and of these types."""
    groups = list(range(metadata.num_row_groups))
    wanted = filtered_columns(file_filter)
    if not wanted:
        return groups
    leaves = _leaves(metadata)
    places = {
        leaves[column.name]: column
        for column in columns
        if column.column_id in wanted and not column.type.is_nested and column.name in leaves
    }

    types = {column.column_id: column.type for column in places.values()}

    @cache
    def facts(group: int) -> PruningFacts:
        stats = {each.column_id: each for each in row_group_stats(metadata, group, places)}
        return PruningFacts(begin_snapshot, stats, types)

    # Files with a single one were judged by statistics as a whole.
    left = [group for group in groups if may_match(file_filter, facts(group))] if len(groups) > 1 else groups
    sought = sought_values(file_filter)
    searched = {place: column for place, column in places.items() if column.column_id in sought}
    filters = filter_places(metadata, left, searched)
    names = {column.name for column in columns}
    if not filters or not pays(metadata, filters, [at for path, at in leaves.items() if path.split(".")[0] in names]):
        return left
    absent = absent_values(source, metadata, filters, searched, sought)
    return [
        group
        for group in left
        if group not in absent or may_match(file_filter, replace(facts(group), absent=absent[group]))
    ]


def repeating_strings(metadata: pq.FileMetaData, groups: Sequence[int], columns: Sequence[Column]) -> list[str]:
    """The names of strings that take so little space that all of them must be in dictionaries."""
    leaves = _leaves(metadata)
    return [
        column.name
        for column in columns
        if column.type.name == "varchar" and column.name in leaves and _repeats(metadata, groups, leaves[column.name])
    ]


def _leaves(metadata: pq.FileMetaData) -> dict[str, int]:
    return {metadata.schema.column(at).path: at for at in range(metadata.num_columns)}


def _repeats(metadata: pq.FileMetaData, groups: Sequence[int], place: int) -> bool:
    chunks = [metadata.row_group(group).column(place) for group in groups]
    return all(
        chunk.has_dictionary_page and chunk.total_uncompressed_size < chunk.num_values * BYTES_OF_LENGTH
        for chunk in chunks
    )
