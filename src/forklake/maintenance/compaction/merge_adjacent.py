"""Merges small files of a table."""

from dataclasses import dataclass, field
from typing import Literal

from forklake.maintenance.commits import EVERYWHERE, Commits, Place
from forklake.maintenance.compaction.compact import Compacted
from forklake.maintenance.compaction.compact_tables import compact_tables
from forklake.maintenance.compaction.compaction_choice import CompactionGroup, SizeBounds, check_count, groups_to_merge
from forklake.maintenance.progress import QUIET, Progress
from forklake.model.entities import Table
from forklake.model.ids import SnapshotId, TableId
from forklake.spark.work import Work


@dataclass(frozen=True, slots=True)
class MergeCompaction:
    """Merge files of these sizes, up to the option `target_file_size`."""

    min_file_size: int | None = None
    max_file_size: int | None = None
    max_files: int | None = None
    kind: Literal["merge"] = field(default="merge", init=False)

    def __post_init__(self) -> None:
        check_count(self.max_files)
        self._sizes(target=1)

    def is_for(self, files: int, delete_files: int) -> bool:
        return files > 1

    def groups(self, work: Work, table: Table, upto: SnapshotId) -> list[CompactionGroup]:
        table_id = TableId(table.object_id)
        sizes = self._sizes(int(work.option("target_file_size", table) or 1))
        files = [file for file in work.tx.files(table_id) if sizes.include(file.data.file_size_bytes)]
        seen = [file for file in files if file.data.begin_snapshot <= upto]
        partitions = work.tx.view.partition_values(table_id, (file.data for file in seen))
        return groups_to_merge(seen, partitions, sizes)

    def _sizes(self, target: int) -> SizeBounds:
        return SizeBounds(target, self.min_file_size or 0, self.max_file_size)


def merge_adjacent_files(
    commits: Commits,
    place: Place = EVERYWHERE,
    *,
    min_file_size: int | None = None,
    max_file_size: int | None = None,
    max_compacted_files: int | None = None,
    progress: Progress = QUIET,
) -> list[Compacted]:
    """Merge and commit the small files of a table, a schema, or the whole catalog."""
    merging = MergeCompaction(min_file_size, max_file_size, max_compacted_files)
    return compact_tables(commits, place, merging, progress)
