"""Rewrites files of a table without deleted rows."""

from dataclasses import dataclass, field
from typing import Literal

from forklake.maintenance.commits import EVERYWHERE, Commits, Place
from forklake.maintenance.compaction.compact import Compacted
from forklake.maintenance.compaction.compact_tables import compact_tables
from forklake.maintenance.compaction.compaction_choice import CompactionGroup, check_threshold, groups_to_rewrite
from forklake.maintenance.progress import QUIET, Progress
from forklake.model.entities import Table
from forklake.model.ids import SnapshotId, TableId
from forklake.spark.work import Work


@dataclass(frozen=True, slots=True)
class RewriteCompaction:
    """Rewrite files with this share of deleted rows, by default the option `rewrite_delete_threshold`."""

    delete_threshold: float | None = None
    kind: Literal["rewrite"] = field(default="rewrite", init=False)
    max_files: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.delete_threshold is not None:
            check_threshold(self.delete_threshold)

    def is_for(self, files: int, delete_files: int) -> bool:
        return delete_files > 0

    def groups(self, work: Work, table: Table, upto: SnapshotId) -> list[CompactionGroup]:
        table_id = TableId(table.object_id)
        threshold = self.delete_threshold
        if threshold is None:
            threshold = float(work.option("rewrite_delete_threshold", table) or 1)
        files = [file for file in work.tx.files(table_id) if file.delete and file.data.begin_snapshot <= upto]
        partitions = work.tx.view.partition_values(table_id, (file.data for file in files))
        return groups_to_rewrite(files, partitions, int(work.option("target_file_size", table) or 1), threshold)


def rewrite_data_files(
    commits: Commits, place: Place = EVERYWHERE, *, delete_threshold: float | None = None, progress: Progress = QUIET
) -> list[Compacted]:
    """Rewrite and commit files with many deleted rows of a table, a schema, or the whole catalog."""
    return compact_tables(commits, place, RewriteCompaction(delete_threshold), progress)
