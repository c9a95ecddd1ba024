"""A transaction: a catalog as of a snapshot, and on top of it changes that nobody else sees yet."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from forklake.catalog.lake import Catalog
from forklake.catalog.table_changes import Compaction, TableChanges
from forklake.catalog.view import CatalogView, view_at_head
from forklake.errors import InvalidInput, TransactionClosed, TransactionError
from forklake.model.entities import Definition, LakeObject, Table
from forklake.model.files import DeleteFile, InlinedBatch, NewDataFile, ScanFile
from forklake.model.ids import BatchId, ColumnId, DataFileId, MappingId, SchemaId, SnapshotId, TableId
from forklake.model.names import fold, is_encodable
from forklake.model.snapshots import CommitInfo
from forklake.model.statistics import ColumnStats

SCHEMAS = SchemaId(0)
"""The schema that the schemas are in."""


@dataclass(frozen=True, slots=True)
class StagedObject:
    """An object this transaction created, changed or dropped. `committed` is what was there before it."""

    committed: LakeObject[Definition] | None
    now: LakeObject[Definition] | None
    tightened: bool = False


@dataclass(frozen=True, slots=True)
class StagedOption:
    """An option to be set, or with no value to be unset. `scope_id` is 0 for the whole catalog."""

    option_id: int
    scope: str
    scope_id: int
    key: str
    value: str | None


class Transaction:
    """Reads what was committed when it began, plus its own changes; commits all of them at once or none.

    Changes are staged by the verbs of `ddl`, `options` and, for rows, by the methods here.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.view: CatalogView = view_at_head(catalog)
        self.info = CommitInfo()
        self.objects: dict[int, StagedObject] = {}
        self.tables: dict[TableId, TableChanges] = {}
        self.options: dict[tuple[str, int, str], StagedOption] = {}
        self.schema_names: dict[SchemaId, str] = {}
        self.committed_as: SnapshotId | None = None
        self._open = True

    @property
    def base(self) -> SnapshotId:
        """The snapshot it reads."""
        return self.view.snapshot_id

    @property
    def is_open(self) -> bool:
        return self._open

    def check_open(self) -> None:
        if not self._open:
            raise TransactionClosed("The transaction was already committed or rolled back; begin another.")

    def check_writable(self) -> None:
        self.check_open()
        self.catalog.check_writable()

    def close(self) -> None:
        """Nothing more can be done with it. Without a commit before, its changes are forgotten."""
        self._open = False

    def set_commit_message(self, author: str | None, message: str | None, extra_info: str | None = None) -> None:
        """What to record about the commit; for this transaction only."""
        self.check_open()
        for text in (author, message, extra_info):
            if text is not None and ("\0" in text or not is_encodable(text)):
                raise InvalidInput("Author, message and extra info cannot contain NUL or half a character.")
        self.info = CommitInfo(author, message, extra_info)

    # Reading, own changes included

    def objects_named(self, schema_id: SchemaId, name: str) -> list[LakeObject[Definition]]:
        self.check_open()
        committed = self._unstaged(self.view.objects_named(schema_id, name))
        mine = (entry for entry in self._staged(schema_id) if fold(entry.name) == fold(name))
        found = [*committed, *mine]
        if schema_id == SCHEMAS:
            self.schema_names |= {SchemaId(entry.object_id): entry.name for entry in found}
        return found

    def objects_in(self, schema_id: SchemaId) -> list[LakeObject[Definition]]:
        """Everything in a schema, by kind and name; schema 0 holds the schemas."""
        self.check_open()
        found = [*self._unstaged(self.view.objects_in(schema_id)), *self._staged(schema_id)]
        return sorted(found, key=lambda entry: (entry.kind, fold(entry.name)))

    def files(self, table_id: TableId, only: Collection[DataFileId] | None = None) -> list[ScanFile]:
        """The files of a table, those of this transaction included."""
        self.check_open()
        staged = self.tables.get(table_id)
        committed = [] if self.is_new(table_id) else self.view.files(table_id, only)
        return committed if staged is None else list(_with_changes(committed, staged))

    def batches(self, table_id: TableId) -> list[InlinedBatch]:
        """The inlined rows of a table, those of this transaction included."""
        self.check_open()
        staged = self.tables.get(table_id)
        committed = [] if self.is_new(table_id) else self.view.batches(table_id)
        return committed if staged is None else list(_batches_with_changes(committed, staged))

    @property
    def only_adds(self) -> bool:
        """Nothing committed is ended: objects are new, and rows are added or hidden by new rows."""
        created = all(staged.committed is None for staged in self.objects.values())
        return created and not self.options and not any(changes.ends_rows for changes in self.tables.values())

    def is_new(self, object_id: int) -> bool:
        """Created by this transaction, so nothing of it is committed."""
        staged = self.objects.get(object_id)
        return staged is not None and staged.committed is None

    def _unstaged(self, committed: Iterable[LakeObject[Definition]]) -> Iterator[LakeObject[Definition]]:
        return (entry for entry in committed if entry.object_id not in self.objects)

    def _staged(self, schema_id: SchemaId) -> Iterator[LakeObject[Definition]]:
        for staged in self.objects.values():
            if staged.now is not None and staged.now.schema_id == schema_id:
                yield staged.now

    # Staging objects

    def stage_object(
        self,
        before: LakeObject[Definition] | None,
        now: LakeObject[Definition] | None,
        *,
        tightened: bool = False,
    ) -> None:
        """Create (no `before`), change, or drop (no `now`) an object."""
        self.check_writable()
        object_id = (now or before).object_id  # type: ignore[union-attr]
        staged = self.objects.get(object_id)
        committed = staged.committed if staged else before
        tightened = tightened or (staged.tightened if staged else False)
        if committed is None and now is None:
            del self.objects[object_id]
            self.tables.pop(TableId(object_id), None)
        elif now == committed:
            self.objects.pop(object_id, None)
        else:
            self.objects[object_id] = StagedObject(committed, now, tightened)
            if now is None:
                self.tables.pop(TableId(object_id), None)

    def new_ids(self, sequence: str, count: int = 1) -> list[int]:
        """Ids that nothing else has, in any catalog: `entity`, `file` or `column`."""
        self.check_writable()
        return self.catalog.lake.ids.take(sequence, count)

    def new_column_ids(self, count: int) -> Iterator[ColumnId]:
        return iter([ColumnId(column_id) for column_id in self.new_ids("column", count)])

    # Staging rows

    def append_files(self, table: Table, files: Sequence[NewDataFile]) -> None:
        """Add data files, whose ids were drawn from `file`. Row ids are given out by the commit."""
        changes = self._table_changes(table)
        changes.new_files.update({new.file.data_file_id: new for new in files})
        changes.row_delta += sum(new.file.record_count for new in files)

    def delete_from_files(self, table: Table, deletes: Sequence[tuple[ScanFile, DeleteFile]]) -> None:
        """Give files, as `files` showed them, a delete file that holds all their deleted positions."""
        changes = self._table_changes(table)
        for scanned, delete in deletes:
            already = scanned.delete.delete_count if scanned.delete else 0
            if delete.delete_count <= already or delete.data_file_id != scanned.data.data_file_id:
                raise InvalidInput("A delete file must hold the earlier deletes of its data file, and more.")
            if delete.delete_count >= scanned.data.record_count:
                self.end_files(table, [scanned])
                continue
            changes.row_delta -= delete.delete_count - already
            self._replace_delete(changes, scanned)
            changes.new_deletes[delete.data_file_id] = delete

    def end_files(self, table: Table, files: Sequence[ScanFile]) -> None:
        """Remove whole files, as `files` showed them: all their rows are gone."""
        changes = self._table_changes(table)
        for scanned in files:
            changes.row_delta -= scanned.live_rows
            file_id = scanned.data.data_file_id
            self._replace_delete(changes, scanned)
            changes.new_deletes.pop(file_id, None)
            if changes.new_files.pop(file_id, None) is None:
                changes.ended_files[file_id] = scanned

    def insert_inlined(self, table: Table, batch: InlinedBatch, column_stats: Sequence[ColumnStats] = ()) -> None:
        """Keep a few rows in the metadata database; the batch's id was drawn from `file`."""
        changes = self._table_changes(table)
        changes.new_batches[batch.batch_id] = batch
        changes.batch_stats[batch.batch_id] = tuple(column_stats)
        changes.row_delta += batch.row_count - len(batch.deleted)

    def delete_inlined(self, table: Table, rows: Collection[tuple[BatchId, int]]) -> None:
        """Delete inlined rows, by batch and position."""
        changes = self._table_changes(table)
        for batch_id, position in rows:
            if batch_id in changes.new_batches:
                batch = changes.new_batches[batch_id]
                changes.row_delta -= position not in batch.deleted
                changes.new_batches[batch_id] = replace(batch, deleted=batch.deleted | {position})
                if len(changes.new_batches[batch_id].deleted) == batch.row_count:
                    del changes.new_batches[batch_id]
            elif (batch_id, position) not in changes.deleted_inlined:
                changes.deleted_inlined.add((batch_id, position))
                changes.row_delta -= 1

    def end_batches(self, table: Table, batches: Sequence[InlinedBatch]) -> None:
        """Remove whole inlined batches, as `batches` showed them."""
        changes = self._table_changes(table)
        for batch in batches:
            changes.row_delta -= batch.row_count - len(batch.deleted)
            if changes.new_batches.pop(batch.batch_id, None) is None:
                changes.ended_batches[batch.batch_id] = batch

    def add_mapping(self, table: Table, mapping_id: MappingId, document: str) -> None:
        """Names of columns for files that carry no field ids, as a JSON document."""
        self._table_changes(table).mappings[mapping_id] = document

    def compact(self, table: Table, kind: Compaction) -> None:
        """Say that what is staged for the table moves rows without changing them."""
        changes = self._table_changes(table)
        if changes or self.objects or any(other for other in self.tables.values() if other is not changes):
            raise TransactionError("Transactions can either make changes OR perform compaction - not both")
        changes.compaction = kind

    def _table_changes(self, table: Table) -> TableChanges:
        self.check_writable()
        table_id = TableId(table.object_id)
        return self.tables.setdefault(table_id, TableChanges(table_id, table.definition))

    @staticmethod
    def _replace_delete(changes: TableChanges, scanned: ScanFile) -> None:
        """A committed delete file is ended by the one that takes its place; an own one is just forgotten."""
        file_id = scanned.data.data_file_id
        if scanned.delete is not None and file_id not in changes.new_deletes:
            changes.replaced_deletes[file_id] = scanned.delete


def begin(catalog: Catalog) -> Transaction:
    """A transaction on the newest snapshot, or on the one the catalog was attached at."""
    return Transaction(catalog)


def _with_changes(committed: Iterable[ScanFile], staged: TableChanges) -> Iterator[ScanFile]:
    for scanned in committed:
        file_id = scanned.data.data_file_id
        if file_id not in staged.ended_files:
            yield ScanFile(scanned.data, staged.new_deletes.get(file_id, scanned.delete))
    for file_id, new in staged.new_files.items():
        yield ScanFile(new.file, staged.new_deletes.get(file_id))


def _batches_with_changes(committed: Iterable[InlinedBatch], staged: TableChanges) -> Iterator[InlinedBatch]:
    deleted: dict[BatchId, set[int]] = {}
    for batch_id, position in staged.deleted_inlined:
        deleted.setdefault(batch_id, set()).add(position)
    for batch in committed:
        if batch.batch_id not in staged.ended_batches:
            yield replace(batch, deleted=batch.deleted | deleted.get(batch.batch_id, set()))
    yield from staged.new_batches.values()
