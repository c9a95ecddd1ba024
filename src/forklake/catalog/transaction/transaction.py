"""Transactions: a catalog as of a snapshot, with uncommitted changes on top."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeVar, cast

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.lakes.lake_cache import KnownHead
from forklake.catalog.lakes.retry import with_retries
from forklake.catalog.reading.view import CatalogView, is_kept, view_at_head
from forklake.catalog.transaction.read_set import LookedUpObjects, LookedUpRows, current_version
from forklake.catalog.transaction.staged import StagedObject, StagedOption
from forklake.catalog.transaction.table_changes import Compaction, TableChanges
from forklake.catalog.transaction.written_files import WrittenFiles
from forklake.errors import CommitConflict, InvalidInput, NoSuchSnapshot, TransactionClosed, TransactionError
from forklake.model.documents import check_definition
from forklake.model.entities import UNCOMMITTED, Definition, LakeObject, Table, TableDefinition
from forklake.model.file_checks import LARGEST, check_batch, check_column_stats, check_delete_files, check_new_files
from forklake.model.files import DeleteFile, InlinedBatch, NewDataFile, ScanFile
from forklake.model.ids import BatchId, ColumnId, DataFileId, MappingId, SchemaId, SnapshotId, TableId
from forklake.model.mappings import NameMapping, check_mapping, mapping_of
from forklake.model.names import check_text, fold
from forklake.model.snapshots import CommitInfo
from forklake.model.statistics import ColumnStats

SCHEMAS = SchemaId(0)
"""The schema that contains the schemas."""

_EITHER_OR = "Transactions can either make changes OR perform compaction - not both"

_ATTEMPTS = 5
"""Maximum number of attempts to read something whose snapshot expires in the meantime."""

D = TypeVar("D", bound=Definition)
T = TypeVar("T")


class Transaction:
    """Reads what was committed when it began, plus its own changes; commits atomically.

    Changes are staged by the functions of `ddl` and `options` and, for rows, by the methods here. Tables, files and
    batches passed to them must be in the state seen by this transaction; those obtained from another one may have
    changed.
    """

    def __init__(self, catalog: Catalog, view: CatalogView, known_head: KnownHead | None = None) -> None:
        self.catalog = catalog
        self.view = view
        self.known_head = known_head
        """Set if it began without a look at the database: the head may be later, and the commit has to verify that
        nothing but rows was added or moved since."""
        self.info = CommitInfo()
        self.objects: dict[int, StagedObject] = {}
        self.tables: dict[TableId, TableChanges] = {}
        self.options: dict[tuple[str, int, str], StagedOption] = {}
        self.committed_as: SnapshotId | None = None
        self.may_be_committed = False
        """Whether it is committed, or its outcome is unknown."""
        self.written = WrittenFiles()
        self._open = True
        self._compacts = False
        self._staged_ids: set[int] = set()
        self._seen = LookedUpObjects(self.view)
        self._seen_rows: dict[TableId, LookedUpRows] = {}

    @property
    def base(self) -> SnapshotId:
        """The snapshot that the transaction reads."""
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

    def check_changeable(self) -> None:
        """Raise if the transaction compacts, as a compaction must not make changes."""
        self.check_writable()
        if self._compacts:
            raise TransactionError(_EITHER_OR)

    def close(self) -> None:
        """Close the transaction. Uncommitted changes are discarded."""
        self._open = False

    def set_commit_message(self, author: str | None, message: str | None, extra_info: str | None = None) -> None:
        """Set the information recorded with the commit of this transaction."""
        self.check_open()
        for what, text in (("author", author), ("message", message), ("extra info", extra_info)):
            if text is not None:
                check_text(text, what)
        self.info = CommitInfo(author, message, extra_info)

    # Reading, including own changes

    def objects_named(self, schema_id: SchemaId, name: str) -> list[LakeObject[Definition]]:
        self.check_open()
        check_text(name, "name")
        committed = self._committed_entries(self.view.objects_named(schema_id, name))
        mine = (entry for entry in self._staged_entries(schema_id) if fold(entry.name) == fold(name))
        return [*committed, *mine]

    def objects_in(self, schema_id: SchemaId) -> list[LakeObject[Definition]]:
        """All objects in a schema, by kind and name; schema 0 contains the schemas."""
        self.check_open()
        found = [*self._committed_entries(self.view.objects_in(schema_id)), *self._staged_entries(schema_id)]
        return sorted(found, key=lambda entry: (entry.kind, fold(entry.name)))

    def object_with_id(self, object_id: int) -> LakeObject[Definition] | None:
        self.check_open()
        staged = self.objects.get(object_id)
        return staged.now if staged else self._seen.find(object_id)

    def current(self, handle: LakeObject[D]) -> LakeObject[D]:
        """The object as seen by this transaction. The handle may be from another one, but must be of this version."""
        self.check_open()
        staged = self.objects.get(handle.object_id)
        return current_version(handle, staged.now if staged else self._seen.find_by_handle(handle), self.view)

    def table_versions(self, table: Table, versions: Collection[SnapshotId]) -> dict[SnapshotId, TableDefinition]:
        """The definitions of the table that began at these snapshots; UNCOMMITTED is that of this transaction."""
        current = self.current(table)
        staged = self.objects.get(table.object_id)
        before = current if staged is None else cast("Table | None", staged.committed)
        found = {UNCOMMITTED: current.definition}
        if before is not None:
            found[before.begin_snapshot] = before.definition
        asked = set(versions)
        return {
            **{version: definition for version, definition in found.items() if version in asked},
            **self.view.table_versions(TableId(table.object_id), asked - found.keys()),
        }

    def version_of(self, table: Table) -> SnapshotId:
        """The version of the table for rows written now; UNCOMMITTED if it is created by this transaction."""
        return UNCOMMITTED if table.object_id in self.objects else table.begin_snapshot

    def files(self, table_id: TableId, only: Collection[DataFileId] | None = None) -> list[ScanFile]:
        """The files of a table, including those of this transaction."""
        self.check_open()
        staged = self.tables.get(table_id)
        committed = [] if self.is_new(table_id) else self._rows_seen(table_id).files(only)
        return committed if staged is None else list(staged.files_now(committed))

    def batches(self, table_id: TableId) -> list[InlinedBatch]:
        """The inlined rows of a table, including those of this transaction."""
        self.check_open()
        staged = self.tables.get(table_id)
        committed = [] if self.is_new(table_id) else self._rows_seen(table_id).batches()
        return committed if staged is None else list(staged.batches_now(committed))

    def mappings(self, table_id: TableId) -> dict[MappingId, NameMapping]:
        """The column mappings of a table, including those of this transaction."""
        self.check_open()
        staged = self.tables.get(table_id)
        committed = {} if self.is_new(table_id) else self.view.mappings(table_id)
        return committed if staged is None else {**committed, **staged.mappings}

    @property
    def staged_paths(self) -> set[str]:
        """The files that the transaction commits or has committed."""
        tables = self.tables.values()
        data = {new.file.path for changes in tables for new in changes.new_files.values()}
        return data | {delete.path for changes in tables for delete in changes.new_deletes.values()}

    @property
    def only_adds(self) -> bool:
        """Whether nothing committed is ended: objects are new, and rows are added or hidden by new rows."""
        created = all(staged.committed is None for staged in self.objects.values())
        return created and not self.options and not any(changes.ends_rows for changes in self.tables.values())

    def is_new(self, object_id: int) -> bool:
        """Whether the object was created by this transaction, and so has no committed state."""
        staged = self.objects.get(object_id)
        return staged is not None and staged.committed is None

    def _committed_entries(self, committed: list[LakeObject[Definition]]) -> Iterator[LakeObject[Definition]]:
        self._seen.show(committed)
        return (entry for entry in committed if entry.object_id not in self.objects)

    def _staged_entries(self, schema_id: SchemaId) -> Iterator[LakeObject[Definition]]:
        for staged in self.objects.values():
            if staged.now is not None and staged.now.schema_id == schema_id:
                yield staged.now

    # Staging objects and options

    def stage_object(
        self,
        before: LakeObject[Definition] | None,
        now: LakeObject[Definition] | None,
        *,
        tightened: bool = False,
    ) -> None:
        """Create (no `before`), change, or drop (no `now`) an object."""
        self.check_changeable()
        changed = now or before
        assert changed is not None
        object_id = changed.object_id
        if now is not None:
            check_definition(now.definition)
        seen = self.current(before) if before is not None else None
        staged = self.objects.get(object_id)
        committed = staged.committed if staged else seen
        tightened = tightened or (staged.tightened if staged else False)
        if now is None:
            self.tables.pop(TableId(object_id), None)
        elif seen is not None and TableId(object_id) in self.tables:
            self._keep_names(self.tables[TableId(object_id)], seen.definition, now.definition)
        if now == committed:
            self.objects.pop(object_id, None)
            if committed is not None and TableId(object_id) in self.tables:
                self.tables[TableId(object_id)].return_to(committed.begin_snapshot)
        else:
            self.objects[object_id] = StagedObject(committed, now, tightened)

    def _keep_names(self, changes: TableChanges, before: Definition, now: Definition) -> None:
        """Files written with a definition that will never be committed need a mapping with its names and types."""
        assert isinstance(before, TableDefinition)
        assert isinstance(now, TableDefinition)
        if changes.nameless_files() and (names := mapping_of(before)) != mapping_of(now):
            changes.keep_names(MappingId(self.new_ids("entity")[0]), names)

    def stage_option(self, option: StagedOption, committed: str | None) -> None:
        """Set or unset an option; nothing is staged if this equals the committed value."""
        self.check_changeable()
        place = (option.scope, option.scope_id, option.key)
        self.options.pop(place, None)
        if option.value != committed:
            self.options[place] = option

    def new_ids(self, sequence: str, count: int = 1) -> list[int]:
        """New ids, unique over all catalogs; the sequence is `entity`, `file` or `column`."""
        self.check_writable()
        lake = self.catalog.lake
        return with_retries(lake, lambda: lake.cache.ids.take(sequence, count), landed=lambda: None)

    def new_column_ids(self, count: int) -> Iterator[ColumnId]:
        return iter([ColumnId(column_id) for column_id in self.new_ids("column", count)])

    # Staging rows

    def append_files(self, table: Table, files: Sequence[NewDataFile]) -> None:
        """Add data files with ids from the sequence `file`. Row ids are assigned by the commit."""
        changes = self._table_changes(table)
        check_new_files(files, changes.definition.partition)
        self._take_ids([new.file.data_file_id for new in files])
        changes.add_files(files)

    def delete_from_files(self, table: Table, deletes: Sequence[tuple[ScanFile, DeleteFile]]) -> None:
        """Assign delete files with all deleted positions to files, given as returned by `files`."""
        changes = self._table_changes(table)
        self._rows_seen(changes.table_id).check_files([scanned for scanned, _ in deletes], changes)
        check_delete_files(deletes)
        if changes.compaction and any(delete.data_file_id not in changes.new_files for _, delete in deletes):
            raise TransactionError(_EITHER_OR)
        self._take_ids([delete.delete_file_id for _, delete in deletes])
        for scanned, delete in deletes:
            changes.delete_rows(scanned, delete)

    def end_files(self, table: Table, files: Sequence[ScanFile]) -> None:
        """Remove whole files with all their rows, given as returned by `files`."""
        changes = self._table_changes(table)
        self._rows_seen(changes.table_id).check_files(files, changes)
        changes.end_files(files)

    def insert_inlined(self, table: Table, batch: InlinedBatch, column_stats: Sequence[ColumnStats] = ()) -> None:
        """Store a few rows in the metadata database; the id of the batch is from the sequence `file`."""
        self.check_changeable()
        changes = self._table_changes(table)
        check_batch(batch)
        check_column_stats(column_stats)
        self._take_ids([batch.batch_id])
        changes.add_batch(batch, column_stats)

    def delete_inlined(self, table: Table, rows: Collection[tuple[BatchId, int]]) -> None:
        """Delete inlined rows, by batch and position; each must exist."""
        self.check_changeable()
        changes = self._table_changes(table)
        now = self._rows_seen(changes.table_id).batches_now([batch_id for batch_id, _ in rows], changes)
        for batch_id, position in rows:
            batch = now.get(batch_id)
            if batch is None or not 0 <= position < batch.row_count or position in batch.deleted:
                raise InvalidInput(f"There is no row at position {position} of the inlined batch {batch_id}.")
        if len(set(rows)) < len(rows):
            raise InvalidInput("A row cannot be deleted twice.")
        changes.delete_inlined(rows)

    def end_batches(self, table: Table, batches: Sequence[InlinedBatch]) -> None:
        """Remove whole inlined batches, given as returned by `batches`."""
        changes = self._table_changes(table)
        self._rows_seen(changes.table_id).check_batches(batches, changes)
        changes.end_batches(batches)

    def note_delete(self, table: Table) -> None:
        """Record that rows to delete were searched, even if none were found.

        Concurrently inserted rows might have matched, so they conflict. Not a change by itself, but recorded together
        with others.
        """
        self.check_changeable()
        self._table_changes(table).delete_noted = True

    def add_mapping(self, table: Table, mapping_id: MappingId, mapping: NameMapping) -> None:
        """Add a mapping for new files of this transaction without field ids; its id is from the sequence `entity`."""
        changes = self._table_changes(table)
        check_mapping(mapping, {column.column_id for column in changes.definition.fields()})
        if mapping_id in changes.mappings or not 0 <= mapping_id <= LARGEST:
            raise InvalidInput(f"The id {mapping_id} of a column mapping is out of range, or taken.")
        changes.mappings[mapping_id] = mapping

    def compact(self, table: Table, kind: Compaction) -> None:
        """Declare that changes staged for the table until `end_compaction` only move rows."""
        self.check_writable()
        seen = self.current(table)
        table_id = TableId(seen.object_id)
        mixed = (rows for rows in self.tables.values() if rows.table_id == table_id or not rows.compaction)
        if self.objects or self.options or any(rows or rows.delete_noted or rows.mappings for rows in mixed):
            raise TransactionError(_EITHER_OR)
        self._compacts = True
        self.tables[table_id] = TableChanges(table_id, seen.definition, compaction=kind)

    def end_compaction(self, table: Table) -> None:
        """Declare the compaction of the table complete; nothing more can be staged for it."""
        self._table_changes(table).is_compacted = True

    def _table_changes(self, table: Table) -> TableChanges:
        self.check_writable()
        seen = self.current(table)
        table_id = TableId(seen.object_id)
        changes = self.tables.setdefault(table_id, TableChanges(table_id, seen.definition))
        if not changes.compaction or changes.is_compacted:
            self.check_changeable()
        changes.definition = seen.definition
        return changes

    def _take_ids(self, ids: Sequence[int]) -> None:
        """An id of the sequence `file` must be used only once."""
        if len(set(ids)) < len(ids) or not self._staged_ids.isdisjoint(ids):
            raise InvalidInput("Two files or batches have the same id; allocate one for each with new_ids.")
        self._staged_ids.update(ids)

    def _rows_seen(self, table_id: TableId) -> LookedUpRows:
        return self._seen_rows.setdefault(table_id, LookedUpRows(self.view, table_id))


def read_newest(begin_newest: Callable[[], Transaction], read: Callable[[Transaction], T]) -> T:
    """Read in a transaction on the newest snapshot; repeated with a new one if it expires in the meantime."""
    for _ in range(_ATTEMPTS):
        tx = begin_newest()
        try:
            return read(tx)
        except NoSuchSnapshot:
            if not has_expired(tx):
                raise
    raise expiry_conflict(tx)


def has_expired(tx: Transaction) -> bool:
    """Whether the snapshot of a transaction has expired, and there may be a newer one to read instead."""
    return tx.catalog.pinned is None and not is_kept(tx.catalog, tx.base)


def expiry_conflict(tx: Transaction) -> CommitConflict:
    """The error for snapshots that repeatedly expire while they are being read."""
    return CommitConflict(
        f"Transaction conflict - snapshot {tx.base} has expired while it was read, as others did before it;"
        " try again, and keep snapshots for longer than the work takes",
        subject=tx.catalog.name,
    )


def begin(catalog: Catalog, head: CatalogView | None = None) -> Transaction:
    """A transaction on the newest snapshot, or on the one that the catalog is attached at.

    `head` is the newest snapshot known to another handle of the catalog, which is then used here too.
    """
    if head is None or catalog.pinned is not None:
        return Transaction(catalog, view_at_head(catalog))
    return Transaction(catalog, CatalogView(catalog, head.snapshot_id, head.schema_version))


def begin_on_known_head(catalog: Catalog) -> Transaction:
    """A transaction that only inserts rows, on the last snapshot that this process committed: needs no round trip.

    Its commit succeeds only if the result is the same as on the newest snapshot, and raises CommitConflict otherwise.
    Without such a snapshot, it begins on the newest one.
    """
    known = None if catalog.pinned is not None else catalog.lake.cache.facts.known_head(catalog.catalog_id)
    if known is None:
        return begin(catalog)
    return Transaction(catalog, CatalogView(catalog, known.snapshot_id, known.schema_version), known)
