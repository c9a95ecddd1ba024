"""Staged row changes of one table in a transaction."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
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
from forklake.model.entities import UNCOMMITTED, TableDefinition
from forklake.model.files import DeleteFile, InlinedBatch, NewDataFile, ScanFile
from forklake.model.ids import BatchId, DataFileId, MappingId, SnapshotId, TableId
from forklake.model.mappings import NameMapping
from forklake.model.statistics import ColumnStats

Compaction = Literal["merge", "rewrite", "flush"]


@dataclass(slots=True)
class TableChanges:
    """Staged changes of one table. Committed files and batches are kept as they were read, in order to be ended."""

    table_id: TableId
    definition: TableDefinition
    """The definition of the table when a change was last staged."""
    new_files: dict[DataFileId, NewDataFile] = field(default_factory=dict)
    new_deletes: dict[DataFileId, DeleteFile] = field(default_factory=dict)
    """The new effective delete file, by data file."""
    replaced_deletes: dict[DataFileId, DeleteFile] = field(default_factory=dict)
    ended_files: dict[DataFileId, ScanFile] = field(default_factory=dict)
    new_batches: dict[BatchId, InlinedBatch] = field(default_factory=dict)
    batch_stats: dict[BatchId, tuple[ColumnStats, ...]] = field(default_factory=dict)
    ended_batches: dict[BatchId, InlinedBatch] = field(default_factory=dict)
    deleted_inlined: set[tuple[BatchId, int]] = field(default_factory=set)
    """Deleted rows of committed batches, by batch and position."""
    mappings: dict[MappingId, NameMapping] = field(default_factory=dict)
    row_delta: int = 0
    compaction: Compaction | None = None
    is_compacted: bool = False
    """The compaction is complete: anything staged later would be mistaken for a part of it."""
    delete_noted: bool = False
    """A delete was attempted, whether or not it found a row."""

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
        """Whether committed files or batches are ended."""
        return bool(self.ended_files or self.replaced_deletes or self.ended_batches)

    @property
    def takes_new_row_ids(self) -> bool:
        """Whether no new row keeps the row id of an earlier one."""
        files_take = all(new.file.row_id_start is None for new in self.new_files.values())
        return files_take and all(batch.row_id_start is None for batch in self.new_batches.values())

    def add_files(self, files: Iterable[NewDataFile]) -> None:
        for new in files:
            self.new_files[new.file.data_file_id] = new
            self.row_delta += new.file.record_count

    def delete_rows(self, scanned: ScanFile, delete: DeleteFile) -> None:
        """Replace the delete file of a file in its current state; if no row is left, the file is ended."""
        if delete.delete_count >= scanned.data.record_count:
            self.end_files([scanned])
            return
        self.row_delta -= delete.delete_count - (scanned.data.record_count - scanned.live_rows)
        self._replace_delete(scanned)
        self.new_deletes[delete.data_file_id] = delete

    def end_files(self, files: Iterable[ScanFile]) -> None:
        """Remove files, given in their current state."""
        freed = set()
        for scanned in files:
            self.row_delta -= scanned.live_rows
            file_id = scanned.data.data_file_id
            self._replace_delete(scanned)
            self.new_deletes.pop(file_id, None)
            if self.new_files.pop(file_id, None) is None:
                self.ended_files[file_id] = scanned
            elif scanned.data.mapping_id is not None:
                freed.add(scanned.data.mapping_id)
        if not freed.isdisjoint(self.mappings):
            self._forget_mappings(freed)

    def add_batch(self, batch: InlinedBatch, column_stats: Sequence[ColumnStats]) -> None:
        self.new_batches[batch.batch_id] = batch
        self.batch_stats[batch.batch_id] = tuple(column_stats)
        self.row_delta += batch.live_rows

    def delete_inlined(self, rows: Collection[tuple[BatchId, int]]) -> None:
        """Delete rows that currently exist."""
        self.row_delta -= len(rows)
        for batch_id, position in rows:
            if batch_id not in self.new_batches:
                self.deleted_inlined.add((batch_id, position))
                continue
            batch = self.new_batches[batch_id]
            self.new_batches[batch_id] = left = replace(batch, deleted=batch.deleted | {position})
            if not left.live_rows:
                del self.new_batches[batch_id]

    def end_batches(self, batches: Iterable[InlinedBatch]) -> None:
        """Remove batches, given in their current state."""
        for batch in batches:
            self.row_delta -= batch.live_rows
            if self.new_batches.pop(batch.batch_id, None) is None:
                self.ended_batches[batch.batch_id] = batch

    def keep_names(self, mapping_id: MappingId, mapping: NameMapping) -> None:
        """Assign a mapping to files written with an uncommitted version of the table that has been superseded."""
        self.mappings[mapping_id] = mapping
        for file_id, new in self.nameless_files().items():
            self.new_files[file_id] = replace(new, file=new.file._replace(mapping_id=mapping_id, table_version=None))

    def nameless_files(self) -> dict[DataFileId, NewDataFile]:
        """New files whose names are those of the version that the transaction will commit."""
        return {
            file_id: new
            for file_id, new in self.new_files.items()
            if new.file.table_version == UNCOMMITTED and new.file.mapping_id is None
        }

    def return_to(self, version: SnapshotId) -> None:
        """No version of the table will be committed after all: assign the existing version instead."""
        for file_id, new in self.new_files.items():
            if new.file.table_version == UNCOMMITTED:
                self.new_files[file_id] = replace(new, file=new.file._replace(table_version=version))
        for batch_id, batch in self.new_batches.items():
            if batch.table_version == UNCOMMITTED:
                self.new_batches[batch_id] = replace(batch, table_version=version)

    def files_now(self, committed: Iterable[ScanFile]) -> Iterator[ScanFile]:
        """The current state of these committed files, followed by the new ones."""
        for scanned in committed:
            if (now := self.file_now(scanned.data.data_file_id, scanned)) is not None:
                yield now
        for file_id, new in self.new_files.items():
            yield ScanFile(new.file, self.new_deletes.get(file_id))

    def file_now(self, file_id: DataFileId, committed: ScanFile | None) -> ScanFile | None:
        """The current state of a new or committed file; None if it does not exist or was ended."""
        if (new := self.new_files.get(file_id)) is not None:
            return ScanFile(new.file, self.new_deletes.get(file_id))
        if committed is None or file_id in self.ended_files:
            return None
        return ScanFile(committed.data, self.new_deletes.get(file_id, committed.delete))

    def batches_now(self, committed: Iterable[InlinedBatch]) -> Iterator[InlinedBatch]:
        """The current state of these committed batches, followed by the new ones."""
        deleted: dict[BatchId, set[int]] = {}
        for batch_id, position in self.deleted_inlined:
            deleted.setdefault(batch_id, set()).add(position)
        for batch in committed:
            if batch.batch_id not in self.ended_batches:
                yield replace(batch, deleted=batch.deleted | deleted.get(batch.batch_id, set()))
        yield from self.new_batches.values()

    def changes(self) -> Iterator[Change]:
        """The changes to record and to check for conflicts."""
        if not self:
            return
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
        """Committed files with deleted rows, and ended ones."""
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
        """The size by which the data files of the table grow, in bytes."""
        added = sum(new.file.file_size_bytes for new in self.new_files.values())
        return added - sum(ended.data.file_size_bytes for ended in self.ended_files.values())

    def _forget_mappings(self, freed: set[MappingId]) -> None:
        """A mapping is removed with the last file that uses it."""
        for unused in freed - {new.file.mapping_id for new in self.new_files.values()}:
            self.mappings.pop(unused, None)

    def _replace_delete(self, scanned: ScanFile) -> None:
        """A committed delete file is ended by its replacement; one of this transaction is just dropped."""
        file_id = scanned.data.data_file_id
        if scanned.delete is not None and file_id not in self.new_deletes:
            self.replaced_deletes[file_id] = scanned.delete
