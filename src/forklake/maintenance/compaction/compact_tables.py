"""Compaction of several tables, each in separate transactions.

A large table takes several transactions, so that little is lost on interruption; the next call continues with the rest.
Appends never conflict, and after other conflicts the remaining work is planned again.
"""

from dataclasses import dataclass
from itertools import chain
from typing import Literal, Protocol, cast

from forklake.catalog.reading.table_sizes import table_sizes
from forklake.maintenance.commits import Commits, Place, for_each_table
from forklake.maintenance.compaction.chosen_tables import chosen_tables
from forklake.maintenance.compaction.compact import Compacted, compact
from forklake.maintenance.compaction.compaction_choice import CompactionGroup, first_groups
from forklake.maintenance.progress import Progress
from forklake.model.entities import Table
from forklake.model.ids import SnapshotId, TableId
from forklake.spark.work import Work

_COMMIT_FILES = 2_000
_COMMIT_BYTES = 16 * 2**30
"""Maximum size of a commit, unless a single group is larger."""


class Compaction(Protocol):
    """A kind of compaction, with its limits."""

    @property
    def kind(self) -> Literal["merge", "rewrite"]: ...

    @property
    def max_files(self) -> int | None:
        """Maximum number of files created per table."""
        ...

    def is_for(self, files: int, delete_files: int) -> bool:
        """Whether a table with these numbers of files may need this compaction."""
        ...

    def groups(self, work: Work, table: Table, upto: SnapshotId) -> list[CompactionGroup]:
        """The files to compact, among those that began at or before a snapshot."""
        ...


def compact_tables(commits: Commits, place: Place, compaction: Compaction, progress: Progress) -> list[Compacted]:
    """Compact the tables of a place."""

    def among(work: Work) -> list[Table]:
        sizes = table_sizes(work.tx.view)
        return [table for table, size in sizes if compaction.is_for(size.file_count, size.delete_file_count)]

    def run(table_id: TableId) -> list[Compacted]:
        return _TableCompaction(commits, table_id, compaction, progress).run()

    return list(chain.from_iterable(for_each_table(commits.look(lambda work: chosen_tables(work, place, among)), run)))


@dataclass(slots=True)
class _TableCompaction:
    """The state of the compaction of one table."""

    commits: Commits
    table_id: TableId
    compaction: Compaction
    progress: Progress
    upto: SnapshotId | None = None
    """Newer files may be our own output, and are ignored."""
    made: int = 0
    has_begun_progress: bool = False

    def run(self) -> list[Compacted]:
        done: list[Compacted] = []
        more = True
        try:
            while more:
                compacted, more = self.commits.carry_out(self._step, self._end)
                self.made += len(compacted)
                done += compacted
        finally:
            self._end()
        return done

    def _step(self, work: Work) -> tuple[list[Compacted], bool]:
        """Executes one commit; returns its results, and whether there is more to do."""
        table = cast("Table | None", work.tx.object_with_id(self.table_id))
        if table is None:
            return [], False
        if self.upto is None:
            self.upto = work.tx.base
        groups = self.compaction.groups(work, table, self.upto)
        if self.compaction.max_files is not None:
            groups = groups[: self.compaction.max_files - self.made]
        chosen = groups if self.commits.is_open else first_groups(groups, _COMMIT_FILES, _COMMIT_BYTES)
        self._begin(table, groups)
        return compact(work, table, self.compaction.kind, chosen, self.progress), len(groups) > len(chosen)

    def _begin(self, table: Table, groups: list[CompactionGroup]) -> None:
        if groups and not self.has_begun_progress:
            files, size = sum(len(group.files) for group in groups), sum(group.size for group in groups)
            self.progress.begin(f"{self.compaction.kind} files of {table.name}", files, size)
            self.has_begun_progress = True

    def _end(self) -> None:
        if self.has_begun_progress:
            self.progress.end()
        self.has_begun_progress = False
