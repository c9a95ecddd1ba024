"""What is read for a change feed: the rows inserted and deleted between two snapshots, and where they are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.catalog.reading.table_history import (
    DeletedFromBatch,
    DeletedFromFile,
    InsertedBatch,
    InsertedFile,
    TableHistory,
    table_history,
)
from forklake.model.entities import Table
from forklake.model.files import InlinedBatch, ScanFile
from forklake.model.ids import SnapshotId, TableId
from forklake.spark.reading.deleted_rows import deleted_positions
from forklake.spark.tasks.files.delete_files import Positions
from forklake.spark.work import Work

Kind = Literal["insertions", "deletions", "changes"]
SNAPSHOT, ROW, CHANGE_TYPE = "snapshot_id", "rowid", "change_type"


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """The history of a table between two snapshots, and the changes that are asked for."""

    table: Table
    """As of the last snapshot."""
    last: SnapshotId
    kind: Kind
    history: TableHistory

    def inserted(self, files: Sequence[InsertedFile], batches: Sequence[InsertedBatch]) -> ScanPlan:
        """Whole files and batches, without rows that were never visible."""
        of_files = tuple(ScanFile(entry.file, entry.never_seen) for entry in files)
        return ScanPlan(self.table, self.last, of_files, tuple(entry.batch for entry in batches))

    def with_deletes(self) -> ScanPlan:
        """The files from which rows were deleted, each once and with all of its rows."""
        files = {entry.file.data_file_id: ScanFile(entry.file) for entry in self.history.deleted}
        return ScanPlan(self.table, self.last, tuple(files.values()), ())

    def deleted_from_batches(self) -> ScanPlan:
        """The deleted rows of batches, as if inserted by the snapshot that deleted them."""
        batches = tuple(map(_only_deleted, self.history.deleted_inlined))
        return ScanPlan(self.table, self.last, (), batches)


def plan_changes(work: Work, table: Table, first: SnapshotId, last: SnapshotId, kind: Kind) -> ChangePlan:
    """The changes in the snapshots from `first` to `last`, inclusive."""
    after, with_deletes = SnapshotId(first - 1), kind != "insertions"
    table_id = TableId(table.object_id)
    return ChangePlan(table, last, kind, table_history(work.tx.view, table_id, after, last, with_deletes=with_deletes))


def positions_deleted(
    work: Work, table: Table, deleted: Sequence[DeletedFromFile]
) -> list[list[tuple[Positions, SnapshotId]]]:
    """The positions added by each version of a delete file, with its snapshot, for each data file."""
    before = deleted_positions(work, table, [ScanFile(entry.file, entry.before) for entry in deleted])
    after = deleted_positions(work, table, [ScanFile(entry.file, entry.after) for entry in deleted])
    gone: dict[int, list[tuple[Positions, SnapshotId]]] = {}
    for entry, old, new in zip(deleted, before, after, strict=True):
        now = np.arange(entry.file.record_count) if entry.after is None else new
        found = np.setdiff1d(now, old, assume_unique=True)
        gone.setdefault(entry.file.data_file_id, []).append((found, entry.snapshot_id))
    return list(gone.values())


def _only_deleted(entry: DeletedFromBatch) -> InlinedBatch:
    """The batch with all rows marked as deleted that were not deleted here."""
    others = frozenset(range(entry.batch.row_count)) - entry.positions
    return replace(entry.batch, deleted=others, begin_snapshot=entry.snapshot_id)
