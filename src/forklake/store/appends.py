"""Commits that only add rows, on top of a head that has moved: for SQLite. On PostgreSQL, `lake_append` does this."""

from collections.abc import Mapping

from forklake.model.additions import TableAddition, add_to_stats, can_add_after
from forklake.model.entities import UNCOMMITTED
from forklake.model.files import TableStats
from forklake.model.ids import SnapshotId, TableId
from forklake.model.lineage import NO_LIMIT, Level, Scope
from forklake.store.connection import AppendCommit, Row, RowsToInsert, WriteConnection
from forklake.store.dialect import SQLITE
from forklake.store.file_rows import table_stats_row
from forklake.store.snapshots import changes_since, read_changes
from forklake.store.table_files import read_stats, stats_statement

ROW_ID_COLUMNS: Mapping[str, int] = {"lake_data_file": 11, "lake_inlined_batch": 6}
"""Positions of the first row id in new rows, which counts from the next row id of the table."""
MAX_FOLLOWERS = 1_000
"""Limits what is read under the lock, for a client whose last commit was long ago."""
_TABLE_ID = 1


def rows_on_top(
    connection: WriteConnection, append: AppendCommit, head: SnapshotId, additions: Mapping[TableId, TableAddition]
) -> list[RowsToInsert] | None:
    """The rows with their row ids and the statistics of their tables; None if the head does not permit it."""
    own = Scope(append.catalog_id, NO_LIMIT, (Level(append.catalog_id, NO_LIMIT),))
    since, stats_rows = connection.fetch_all(
        [changes_since(append.catalog_id, append.base, at_most=MAX_FOLLOWERS), stats_statement(SQLITE, own, additions)]
    )
    changes = read_changes(since, append.base)
    before = read_stats(stats_rows)
    if changes is None or since[-1][0] != head or not can_add_after(changes) or before.keys() != additions.keys():
        return None
    after = {table_id: add_to_stats(before[table_id], addition) for table_id, addition in additions.items()}
    written = [table_stats_row((append.catalog_id, table_id), UNCOMMITTED, stats) for table_id, stats in after.items()]
    return [*(_with_row_ids(rows, before) for rows in append.rows), RowsToInsert("lake_table_stats", written)]


def _with_row_ids(rows: RowsToInsert, before: Mapping[TableId, TableStats]) -> RowsToInsert:
    position = ROW_ID_COLUMNS.get(rows.table)
    if position is None:
        return rows
    return RowsToInsert(rows.table, [_shifted(row, position, before) for row in rows.rows])


def _shifted(row: Row, position: int, before: Mapping[TableId, TableStats]) -> Row:
    if row[position] is None:
        return row
    return (*row[:position], row[position] + before[row[_TABLE_ID]].next_row_id, *row[position + 1 :])
