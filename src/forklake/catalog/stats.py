"""The statistics of a table after a transaction, and the row ids that its new rows get."""

from collections.abc import Mapping
from dataclasses import replace

from forklake.catalog.table_changes import TableChanges
from forklake.model.column_types import ColumnType
from forklake.model.files import DataFile, InlinedBatch, TableStats
from forklake.model.ids import ColumnId
from forklake.model.statistics import ColumnStats, merge_stats


def after_changes(
    before: TableStats, changes: TableChanges, types: Mapping[ColumnId, ColumnType]
) -> tuple[TableStats, list[DataFile], list[InlinedBatch]]:
    """The new statistics, and the new files and batches with their row ids.

    Statistics only ever widen: deleted rows are subtracted from the count, but bounds stay valid bounds.
    """
    next_row_id = before.next_row_id
    files = []
    for new in changes.new_files.values():
        file = new.file
        if file.row_id_start is None and not new.embeds_row_ids:
            file = file._replace(row_id_start=next_row_id)
            next_row_id += file.record_count
        files.append(file)
    batches = []
    for batch in changes.new_batches.values():
        if batch.row_id_start is None:
            batch = replace(batch, row_id_start=next_row_id)
            next_row_id += batch.row_count
        batches.append(batch)
    after = TableStats(
        record_count=before.record_count + changes.row_delta,
        next_row_id=next_row_id,
        file_size_bytes=before.file_size_bytes + changes.size_delta(),
        columns=_columns_after(before, changes, types),
    )
    return after, files, batches


def _columns_after(
    before: TableStats, changes: TableChanges, types: Mapping[ColumnId, ColumnType]
) -> dict[ColumnId, ColumnStats]:
    # Rows that move, or that carry no statistics, leave the bounds as they are or make them unknown.
    merged = {column_id: stats for column_id, stats in before.columns.items() if column_id in types}
    if changes.compaction is not None:
        return merged
    for new in changes.new_files.values():
        known = {stats.column_id: stats for stats in new.column_stats}
        for column_id, column_type in types.items():
            stats = known.get(column_id, ColumnStats(column_id))
            merged[column_id] = _merged(column_type, merged.get(column_id), stats, before.record_count == 0)
    if changes.new_batches:
        # Inlined batches are opaque here: what they hold is unknown until they are flushed.
        return {column_id: ColumnStats(column_id) for column_id in types}
    return merged


def _merged(column_type: ColumnType, old: ColumnStats | None, new: ColumnStats, first: bool) -> ColumnStats:
    plain = replace(new, column_size_bytes=None)
    if old is None:
        # A column added later: rows from before hold its default, so only a first insert starts from nothing.
        return plain if first else ColumnStats(new.column_id)
    return replace(merge_stats(column_type, old, plain), column_size_bytes=None)
