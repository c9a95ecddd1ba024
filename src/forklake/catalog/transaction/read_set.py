"""The committed state that a transaction has returned, to recognise what is passed back to it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Generic, TypeVar, cast

from forklake.catalog.reading.view import CatalogView
from forklake.catalog.transaction.table_changes import TableChanges
from forklake.errors import InvalidInput, NoSuchMacro, NoSuchSchema, NoSuchTable, NoSuchView, NotFound
from forklake.model.entities import Definition, LakeObject, ObjectKind
from forklake.model.files import InlinedBatch, ScanFile
from forklake.model.ids import BatchId, DataFileId, TableId

NOT_FOUND: dict[ObjectKind, tuple[type[NotFound], str]] = {
    "schema": (NoSuchSchema, "Schema"),
    "table": (NoSuchTable, "Table"),
    "view": (NoSuchView, "View"),
    "scalar_macro": (NoSuchMacro, "Macro"),
    "table_macro": (NoSuchMacro, "Table macro"),
}

D = TypeVar("D", bound=Definition)
Item = TypeVar("Item")
Id = TypeVar("Id", bound=int)


class LookedUpObjects:
    """The objects of a view that have been looked up, by id."""

    def __init__(self, view: CatalogView) -> None:
        self._view = view
        self._by_id: dict[int, LakeObject[Definition]] = {}

    def show(self, objects: Iterable[LakeObject[Definition]]) -> None:
        self._by_id.update((entry.object_id, entry) for entry in objects)

    def find(self, object_id: int) -> LakeObject[Definition] | None:
        if object_id not in self._by_id:
            self.show(self._view.objects_with_ids([object_id]))
        return self._by_id.get(object_id)

    def find_by_handle(self, handle: LakeObject[Definition]) -> LakeObject[Definition] | None:
        """The committed version of the object that the handle refers to."""
        if handle.object_id not in self._by_id:
            # By name first, because names are often cached by other transactions.
            self.show(self._view.objects_named(handle.schema_id, handle.name))
        return self.find(handle.object_id)


class LookedUpRows:
    """The files and batches of one table of a view."""

    def __init__(self, view: CatalogView, table_id: TableId) -> None:
        self._view = view
        self._table_id = table_id
        self._files: _LookedUp[DataFileId, ScanFile] = _LookedUp(_file_id)
        self._batches: _LookedUp[BatchId, InlinedBatch] = _LookedUp(_batch_id)

    def files(self, only: Collection[DataFileId] | None) -> list[ScanFile]:
        return self._files.show(self._view.files(self._table_id, only))

    def batches(self) -> list[InlinedBatch]:
        return self._batches.show(self._view.batches(self._table_id))

    def check_files(self, files: Sequence[ScanFile], changes: TableChanges) -> None:
        """Reject duplicate files, and files that differ from their current state including the changes."""
        ids = [_file_id(scanned) for scanned in files]
        committed = self._files.find(
            [file_id for file_id in ids if file_id not in changes.new_files],
            lambda missing: self._view.files(self._table_id, missing),
        )
        now = {file_id: changes.file_now(file_id, committed.get(file_id)) for file_id in ids}
        _check_current(files, now, _file_id, "data file")

    def check_batches(self, batches: Sequence[InlinedBatch], changes: TableChanges) -> None:
        """Reject duplicate batches, and batches that differ from their current state including the changes."""
        now = self.batches_now([batch.batch_id for batch in batches], changes)
        _check_current(batches, now, _batch_id, "inlined batch")

    def batches_now(self, ids: Sequence[BatchId], changes: TableChanges) -> dict[BatchId, InlinedBatch]:
        """The existing ones of the batches, in their current state including the changes."""
        committed = self._batches.find(
            [batch_id for batch_id in ids if batch_id not in changes.new_batches],
            lambda _: self._view.batches(self._table_id),
        )
        return {batch.batch_id: batch for batch in changes.batches_now(committed.values())}


def current_version(handle: LakeObject[D], found: LakeObject[Definition] | None, view: CatalogView) -> LakeObject[D]:
    """The object found for a handle; raises if the handle refers to another version."""
    error, noun = NOT_FOUND[handle.kind]
    if found is None:
        where = f"in catalog '{view.catalog.name}' at version {view.snapshot_id}"
        raise error(f"{noun} '{handle.name}' does not exist {where}.")
    if found.begin_snapshot != handle.begin_snapshot:
        raise InvalidInput(f"{noun} '{handle.name}' has changed; look it up again in this transaction.")
    return cast("LakeObject[D]", found)


class _LookedUp(Generic[Id, Item]):
    """Items by id. Registering many of them is free until one is looked up."""

    def __init__(self, id_of: Callable[[Item], Id]) -> None:
        self._id_of = id_of
        self._by_id: dict[Id, Item] = {}
        self._latest: Sequence[Item] = ()

    def show(self, items: list[Item]) -> list[Item]:
        self._latest = items
        return items

    def find(self, ids: Sequence[Id], look_up: Callable[[Sequence[Id]], Sequence[Item]]) -> dict[Id, Item]:
        """Those of the ids that exist; `look_up` is called for ids that were not registered."""
        self._keep(self._latest)
        missing = [item_id for item_id in ids if item_id not in self._by_id]
        if missing:
            self._keep(look_up(missing))
        return {item_id: self._by_id[item_id] for item_id in ids if item_id in self._by_id}

    def _keep(self, items: Sequence[Item]) -> None:
        self._by_id.update((self._id_of(item), item) for item in items)
        self._latest = ()


def _check_current(
    given: Sequence[Item], now: Mapping[Id, Item | None], id_of: Callable[[Item], Id], what: str
) -> None:
    left = dict(now)
    for item in given:
        if left.pop(id_of(item), None) != item:
            raise InvalidInput(
                f"The {what} {id_of(item)} differs from the state seen by this transaction, or is given twice;"
                " list them again in this transaction."
            )


def _file_id(scanned: ScanFile) -> DataFileId:
    return scanned.data.data_file_id


def _batch_id(batch: InlinedBatch) -> BatchId:
    return batch.batch_id
