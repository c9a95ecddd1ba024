"""What a commit adds to the statistics of a table, whatever these are when it is applied."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forklake.model.changes import FlushedInlined, InlinedInsert, InsertedInto, MergedAdjacent, RewroteDeletes
from forklake.model.column_types import ColumnType
from forklake.model.conflicts import CommittedChanges
from forklake.model.file_checks import check_totals
from forklake.model.files import TableStats
from forklake.model.ids import ColumnId
from forklake.model.statistics import ColumnStats, merge_stats

INSERTS = (InsertedInto, InlinedInsert)
"""The changes of a commit that can be applied to a later head than it has read."""
UNRELATED_TO_INSERTS = (*INSERTS, FlushedInlined, MergedAdjacent, RewroteDeletes)
"""The changes of others that it can be applied on top of: none of them conflicts with an insert into any table."""


@dataclass(frozen=True, slots=True)
class TableAddition:
    """The statistics that the new rows would have in an empty table, for every column of the table."""

    stats: TableStats
    types: Mapping[ColumnId, ColumnType]


def add_to_stats(before: TableStats, addition: TableAddition) -> TableStats:
    """The statistics of a table after new rows were added to it."""
    added = addition.stats
    after = TableStats(
        record_count=before.record_count + added.record_count,
        next_row_id=before.next_row_id + added.next_row_id,
        file_size_bytes=before.file_size_bytes + added.file_size_bytes,
        columns=added.columns if not before.columns else _merged_columns(before, addition),
        widths=_wider(before.widths, addition),
    )
    check_totals(after)
    return after


def can_add_after(changes: Iterable[CommittedChanges]) -> bool:
    """Whether new rows can be added on top of what others have committed, without looking further."""
    return all(isinstance(change, UNRELATED_TO_INSERTS) for committed in changes for change in committed.changes)


def _merged_columns(before: TableStats, addition: TableAddition) -> dict[ColumnId, ColumnStats]:
    return {
        column_id: merge_stats(
            column_type,
            # A column added later has no statistics for earlier rows, which contain its default.
            [addition.stats.columns[column_id], before.columns.get(column_id) or ColumnStats(column_id)],
        )
        for column_id, column_type in addition.types.items()
    }


def _wider(before: Mapping[ColumnId, float], addition: TableAddition) -> dict[ColumnId, float]:
    widths = {column_id: width for column_id, width in before.items() if column_id in addition.types}
    for column_id, width in addition.stats.widths.items():
        widths[column_id] = max(width, widths.get(column_id, 0.0))
    return widths
