"""Table statistics after a transaction, and assignment of row ids."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from forklake.catalog.transaction.table_changes import TableChanges
from forklake.model.column_types import ColumnType
from forklake.model.files import DataFile, InlinedBatch, NewDataFile, TableStats
from forklake.model.ids import ColumnId
from forklake.model.pruning import KeyedStats, key_width, stored_keys
from forklake.model.statistics import ColumnStats, merge_stats


def keyed_stats(new: NewDataFile, types: Mapping[ColumnId, ColumnType]) -> list[KeyedStats]:
    """The statistics of all columns of a new file, known or not."""
    known = {stats.column_id: stats for stats in new.column_stats}
    keyed = []
    for column_id, column_type in types.items():
        stats = known.get(column_id) or ColumnStats(column_id)
        keyed.append((stats, stored_keys(column_type, stats)))
    return keyed


def stats_after_changes(
    before: TableStats,
    changes: TableChanges,
    types: Mapping[ColumnId, ColumnType],
    keyed: Iterable[list[KeyedStats]],
) -> tuple[TableStats, list[DataFile], list[InlinedBatch]]:
    """The new statistics, and the new files and batches with row ids; `keyed` are the statistics of the new files.

    Statistics only widen: deleted rows are subtracted from the count, but the bounds remain valid bounds.
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
        widths=_widths_after(before, types, keyed),
    )
    return after, files, batches


def _widths_after(
    before: TableStats, types: Mapping[ColumnId, ColumnType], keyed: Iterable[list[KeyedStats]]
) -> dict[ColumnId, float]:
    widths = {column_id: width for column_id, width in before.widths.items() if column_id in types}
    for of_file in keyed:
        for stats, keys in of_file:
            if (width := key_width(keys)) is not None:
                widths[stats.column_id] = max(width, widths.get(stats.column_id, 0.0))
    return widths


def _columns_after(
    before: TableStats, changes: TableChanges, types: Mapping[ColumnId, ColumnType]
) -> dict[ColumnId, ColumnStats]:
    # Moved rows do not change the bounds.
    kept = {column_id: stats for column_id, stats in before.columns.items() if column_id in types}
    if changes.compaction is not None:
        return kept
    added = [new.column_stats for new in changes.new_files.values()]
    added += [changes.batch_stats[batch_id] for batch_id in changes.new_batches]
    if not added:
        return kept
    sides = [{stats.column_id: stats for stats in of_one} for of_one in added]
    if before.columns:
        # A column added later has no statistics for earlier rows, which contain its default.
        sides.append(kept)
    return {
        column_id: merge_stats(column_type, [known.get(column_id) or ColumnStats(column_id) for known in sides])
        for column_id, column_type in types.items()
    }
