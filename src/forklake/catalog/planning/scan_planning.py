"""Scan planning: from table, snapshot and predicate to the files to read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from forklake.catalog.transaction.table_changes import TableChanges
from forklake.catalog.transaction.transaction import Transaction
from forklake.model.entities import UNCOMMITTED, Column, Table
from forklake.model.file_checks import LARGEST
from forklake.model.files import InlinedBatch, ScanFile
from forklake.model.ids import DataFileId, SnapshotId, TableId
from forklake.model.predicates import Predicate
from forklake.model.pruning import Everything, FileFilter, PrunableColumn, PruningFacts, file_filter, may_match
from forklake.model.whole_files import survivor_filter
from forklake.store.pruning import files_that_cannot_match, files_that_may_match

FETCH_BY_ID = 5_000
"""Up to this number of candidates are fetched by id; for more, listing the table and filtering is faster."""

_LATER = SnapshotId(LARGEST)
"""After every existing snapshot: the time when a column of this transaction is added, relative to committed files."""


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """What to read for a table. Plain values that can be sent to other processes."""

    table: Table
    snapshot_id: SnapshotId
    files: tuple[ScanFile, ...]
    batches: tuple[InlinedBatch, ...]

    @property
    def row_count(self) -> int:
        """The exact number of rows in these files and batches, without deleted ones."""
        inlined = sum(batch.row_count - len(batch.deleted) for batch in self.batches)
        return inlined + sum(file.live_rows for file in self.files)


def plan_scan(tx: Transaction, table: Table, predicate: Predicate | None = None) -> ScanPlan:
    """The files that may contain rows for which the predicate is TRUE, and all inlined batches.

    Files are pruned in the metadata query by statistics and partition values; files of the transaction are included.
    """
    table_id = TableId(table.object_id)
    filter_ = Everything() if predicate is None else table_filter(table, predicate)
    files = _candidate_files(tx, table_id, filter_)
    return ScanPlan(table, tx.base, tuple(_without_own_misses(tx, table, filter_, files)), tuple(tx.batches(table_id)))


@dataclass(frozen=True, slots=True)
class DeletePlan:
    """The files affected by a delete; files that are not listed contain no row to delete."""

    whole: tuple[ScanFile, ...]
    """All rows are deleted: the file can be ended without being read."""
    partial: ScanPlan
    """Some rows may be deleted: they have to be read."""


def plan_delete(tx: Transaction, table: Table, predicate: Predicate) -> DeletePlan:
    """The files that may contain rows for which the predicate is TRUE, separated from those that contain no others."""
    plan = plan_scan(tx, table, predicate)
    spared = survivor_filter(predicate, prunable_columns(table))
    proven = _files_without_survivors(tx, TableId(table.object_id), plan.files, spared)
    staged = tx.tables.get(TableId(table.object_id))
    if staged is not None:
        proven |= {file_id for file_id in staged.new_files if not _own_may_match(table, spared, staged, file_id)}
    # Statistics of foreign files are reliable enough to skip them, but not to delete them unread.
    proven -= {file.data.data_file_id for file in plan.files if file.data.mapping_id is not None}
    whole = tuple(file for file in plan.files if file.data.data_file_id in proven)
    partial = tuple(file for file in plan.files if file.data.data_file_id not in proven)
    return DeletePlan(whole, replace(plan, files=partial))


def _files_without_survivors(
    tx: Transaction, table_id: TableId, files: Sequence[ScanFile], spared: FileFilter
) -> set[DataFileId]:
    """The committed files without surviving rows."""
    if tx.is_new(table_id) or not files:
        return set()
    only = [file.data.data_file_id for file in files] if len(files) <= FETCH_BY_ID else None
    return files_that_cannot_match(tx.catalog.lake.store, tx.view.table_scope(table_id), table_id, spared, only)


def table_filter(table: Table, predicate: Predicate) -> FileFilter:
    """The files of a table, and the row groups in them, that may contain rows for which the predicate is TRUE."""
    return file_filter(predicate, prunable_columns(table), table.definition.partition)


def prunable_columns(table: Table) -> Mapping[tuple[str, ...], PrunableColumn]:
    """Columns by lower-case path. Excludes lists and maps, whose elements do not correspond to rows."""
    found = {}
    for column in table.definition.columns:
        for path, leaf in _leaves_outside_lists(column):
            added = _LATER if leaf.added == UNCOMMITTED else leaf.added
            found[path] = PrunableColumn(leaf.column_id, leaf.type, added)
    return found


def _leaves_outside_lists(column: Column, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Column]]:
    here = (*path, column.name.lower())
    if not column.children:
        yield here, column
    elif column.type.name == "struct":
        for child in column.children:
            yield from _leaves_outside_lists(child, here)


def _candidate_files(tx: Transaction, table_id: TableId, filter_: FileFilter) -> list[ScanFile]:
    candidates = None
    if not tx.is_new(table_id) and not isinstance(filter_, Everything):
        scope, widths = tx.view.table_scope(table_id), tx.view.stats(table_id).widths
        candidates = files_that_may_match(tx.catalog.lake.store, scope, table_id, filter_, widths)
    if candidates is None or len(candidates) <= FETCH_BY_ID:
        return tx.files(table_id, candidates)
    wanted = set(candidates)
    own = tx.tables[table_id].new_files.keys() if table_id in tx.tables else set()
    return [file for file in tx.files(table_id) if file.data.data_file_id in wanted or file.data.data_file_id in own]


def _without_own_misses(
    tx: Transaction, table: Table, filter_: FileFilter, files: list[ScanFile]
) -> Iterator[ScanFile]:
    staged = tx.tables.get(TableId(table.object_id))
    if staged is None:
        yield from files
        return
    for file in files:
        if _own_may_match(table, filter_, staged, file.data.data_file_id):
            yield file


def _own_may_match(table: Table, filter_: FileFilter, staged: TableChanges, file_id: DataFileId) -> bool:
    """Committed files were filtered by the database; the transaction's own files are filtered here."""
    new = staged.new_files.get(file_id)
    if new is None:
        return True
    facts = PruningFacts(
        begin_snapshot=new.file.begin_snapshot,
        column_stats={stats.column_id: stats for stats in new.column_stats},
        types={column.column_id: column.type for _, column in table.definition.leaves()},
        partition_id=new.file.partition_id,
        partition_values=new.partition_values,
    )
    return may_match(filter_, facts)
