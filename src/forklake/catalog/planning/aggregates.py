"""Aggregates that can be answered from metadata, without reading files."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cmp_to_key, partial

from forklake.catalog.planning.scan_planning import prunable_columns
from forklake.catalog.transaction.transaction import Transaction
from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS, ColumnType
from forklake.model.entities import Table
from forklake.model.files import ScanFile, TableStats
from forklake.model.ids import DataFileId, TableId
from forklake.model.predicates import Path
from forklake.model.pruning import COUNTED, PrunableColumn
from forklake.model.statistics import ColumnStats, compare_text, exact_value, is_exact_bound, value_text
from forklake.store.table_files import file_stats

_FOREIGN_BOUNDS = TIMESTAMPS | {"varchar", "blob"}
"""Types for which foreign files may have a finer resolution than the column, or truncated bounds."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The exact smallest and largest values as text; both None if there are no values."""

    min_value: str | None
    max_value: str | None


def exact_count(tx: Transaction, table: Table) -> int:
    """The number of rows in the table, including changes of the transaction."""
    table_id = TableId(tx.current(table).object_id)
    staged = tx.tables.get(table_id)
    return _committed_stats(tx, table_id).record_count + (staged.row_delta if staged else 0)


def has_files(tx: Transaction, table: Table) -> bool:
    """Whether the table has data files, including changes of the transaction; does not list them."""
    table_id = TableId(tx.current(table).object_id)
    staged = tx.tables.get(table_id)
    return _committed_stats(tx, table_id).file_size_bytes + (staged.size_delta() if staged else 0) > 0


def _committed_stats(tx: Transaction, table_id: TableId) -> TableStats:
    return TableStats() if tx.is_new(table_id) else tx.view.stats(table_id)


def exact_bounds(tx: Transaction, table: Table, path: Path) -> Bounds | None:
    """The smallest and largest value of a column over all rows; None if they cannot be determined from metadata.

    This is the case if a file has deleted rows, or rows are inlined; if statistics are missing, may have been truncated
    or may exclude a NaN; and for files older than the column, which contain its default.
    """
    column = prunable_columns(table).get(tuple(name.lower() for name in path))
    if column is None or column.type.name not in COUNTED - {"json"}:
        return None
    table_id = TableId(table.object_id)
    files = [file for file in tx.files(table_id) if file.live_rows]
    if any(file.delete for file in files) or any(batch.live_rows for batch in tx.batches(table_id)):
        return None
    known = _stats_by_file(tx, table_id, column) if files else {}
    bounds: list[tuple[str, str]] = []
    for file in files:
        found = _file_bounds(file, column, known.get(file.data.data_file_id))
        if found is None:
            return None
        bounds += found
    return _outermost_bounds(column.type, bounds)


def _stats_by_file(tx: Transaction, table_id: TableId, column: PrunableColumn) -> dict[DataFileId, ColumnStats]:
    """The statistics of the column by file, including files of the transaction."""
    known = {}
    if not tx.is_new(table_id):
        known = file_stats(tx.catalog.lake.store, tx.view.table_scope(table_id), table_id, column.column_id)
    staged = tx.tables.get(table_id)
    for file_id, new in staged.new_files.items() if staged else ():
        known.update((file_id, stats) for stats in new.column_stats if stats.column_id == column.column_id)
    return known


def _file_bounds(file: ScanFile, column: PrunableColumn, stats: ColumnStats | None) -> list[tuple[str, str]] | None:
    """The smallest and largest value in a file, empty if it has only NULLs; None if unknown."""
    committed = file.data.owner is not None
    if stats is None or (committed and column.added is not None and file.data.begin_snapshot < column.added):
        return None
    if stats.value_count == 0:
        return [] if stats.null_count == file.data.record_count else None
    if column.type.name in FLOATS and stats.contains_nan is not False:
        return None
    if file.data.mapping_id is not None and column.type.name in _FOREIGN_BOUNDS:
        return None
    low, high = stats.min_value, stats.max_value
    if low is None or high is None or not (_is_exact_value(column.type, low) and _is_exact_value(column.type, high)):
        return None
    return [(low, high)]


def _is_exact_value(column_type: ColumnType, bound: str) -> bool:
    return exact_value(column_type, bound) is not None and is_exact_bound(column_type, bound)


def _outermost_bounds(column_type: ColumnType, bounds: Sequence[tuple[str, str]]) -> Bounds | None:
    if not bounds:
        return Bounds(None, None)
    order = cmp_to_key(partial(compare_text, column_type))
    low = _text_in_current_type(column_type, min((low for low, _ in bounds), key=order))
    high = _text_in_current_type(column_type, max((high for _, high in bounds), key=order))
    return None if low is None or high is None else Bounds(low, high)


def _text_in_current_type(column_type: ColumnType, bound: str) -> str | None:
    """The text of the value in the current type; files written before a promotion have it in another type."""
    exact = exact_value(column_type, bound)
    if not isinstance(exact, Decimal):
        return bound
    if column_type.name in INTEGERS or column_type.name == "boolean":
        return str(int(exact))
    return value_text(column_type, exact) if column_type.name in FLOATS or column_type.name == "decimal" else bound
