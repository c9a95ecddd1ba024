"""What to read of a Parquet file, from its footer: the row groups that may match, and the strings that repeat.

Row groups are left out by the same proofs as files: their statistics are read and judged as those of files are.
"""

from collections.abc import Sequence

import pyarrow.parquet as pq

from forklake.model.entities import Column
from forklake.model.ids import SnapshotId
from forklake.model.pruning import FileFilter, PruningFacts, filtered_columns, may_match
from forklake.spark.tasks.statistics.file_stats import row_group_stats

BYTES_OF_LENGTH = 4
"""Before each string in a page without dictionary."""


def row_groups_that_may_match(
    metadata: pq.FileMetaData, file_filter: FileFilter, columns: Sequence[Column], begin_snapshot: SnapshotId
) -> list[int]:
    """The row groups to read of a file that has these columns, under these names and of these types."""
    groups = range(metadata.num_row_groups)
    # Files with a single one were judged as a whole.
    wanted = filtered_columns(file_filter) if len(groups) > 1 else frozenset()
    if not wanted:
        return list(groups)
    leaves = _leaves(metadata)
    places = {
        leaves[column.name]: column
        for column in columns
        if column.column_id in wanted and not column.type.is_nested and column.name in leaves
    }
    types = {column.column_id: column.type for column in places.values()}
    return [
        group
        for group in groups
        if may_match(
            file_filter,
            PruningFacts(
                begin_snapshot, {each.column_id: each for each in row_group_stats(metadata, group, places)}, types
            ),
        )
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
