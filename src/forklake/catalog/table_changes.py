"""What a transaction has done to the rows of one table, before it is committed."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from forklake.model.changes import (
    Change,
    DeletedFrom,
    FlushedInlined,
    InlinedDelete,
    InlinedInsert,
    InsertedInto,
    MergedAdjacent,
    RewroteDeletes,
)
from forklake.model.entities import TableDefinition
from forklake.model.files import DeleteFile, InlinedBatch, NewDataFile, ScanFile
from forklake.model.ids import BatchId, DataFileId, MappingId, TableId
from forklake.model.statistics import ColumnStats

Compaction = Literal["merge", "rewrite", "flush"]


@dataclass(slots=True)
class TableChanges:
    """Staged changes of one table. Committed things are held as they were read, to be ended as such."""

    table_id: TableId
    definition: TableDefinition
    """Of the table when its first change was staged."""
    new_files: dict[DataFileId, NewDataFile] = field(default_factory=dict)
    new_deletes: dict[DataFileId, DeleteFile] = field(default_factory=dict)
    """By data file: the delete file that holds from now on."""
    replaced_deletes: dict[DataFileId, DeleteFile] = field(default_factory=dict)
    ended_files: dict[DataFileId, ScanFile] = field(default_factory=dict)
    new_batches: dict[BatchId, InlinedBatch] = field(default_factory=dict)
    batch_stats: dict[BatchId, tuple[ColumnStats, ...]] = field(default_factory=dict)
    ended_batches: dict[BatchId, InlinedBatch] = field(default_factory=dict)
    deleted_inlined: set[tuple[BatchId, int]] = field(default_factory=set)
    """Rows of committed batches, by batch and position."""
    mappings: dict[MappingId, str] = field(default_factory=dict)
    row_delta: int = 0
    compaction: Compaction | None = None

    def __bool__(self) -> bool:
        staged = (
            self.new_files,
            self.new_deletes,
            self.ended_files,
            self.new_batches,
            self.ended_batches,
            self.deleted_inlined,
        )
        return any(staged)

    @property
    def ends_rows(self) -> bool:
        """Committed files or batches are ended."""
        return bool(self.ended_files or self.replaced_deletes or self.ended_batches)

    def changes(self) -> Iterator[Change]:
        """What is recorded of it, and checked for conflicts."""
        match self.compaction:
            case "merge":
                yield MergedAdjacent(self.table_id)
                return
            case "rewrite":
                yield RewroteDeletes(self.table_id)
                return
            case "flush":
                yield FlushedInlined(self.table_id)
                return
        if self.new_files:
            yield InsertedInto(self.table_id)
        if self.new_deletes.keys() - self.new_files.keys() or self.ended_files:
            yield DeletedFrom(self.table_id)
        if self.new_batches:
            yield InlinedInsert(self.table_id)
        if self.deleted_inlined or self.ended_batches:
            yield InlinedDelete(self.table_id)

    def touched_files(self) -> frozenset[DataFileId]:
        """Committed files of which rows are deleted, or which are ended."""
        return frozenset((self.new_deletes.keys() - self.new_files.keys()) | self.ended_files.keys())

    def touched_rows(self) -> frozenset[tuple[BatchId, int]]:
        """Committed inlined rows that are deleted or moved."""
        moved = {
            (batch.batch_id, position)
            for batch in self.ended_batches.values()
            for position in range(batch.row_count)
            if position not in batch.deleted
        }
        return frozenset(self.deleted_inlined | moved)

    def size_delta(self) -> int:
        """By how many bytes the data files of the table grow."""
        added = sum(new.file.file_size_bytes for new in self.new_files.values())
        return added - sum(ended.data.file_size_bytes for ended in self.ended_files.values())
