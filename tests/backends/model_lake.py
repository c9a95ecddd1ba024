"""A lake as a fork that copies everything would make it: dictionaries, to compare the real one with."""

from copy import deepcopy
from dataclasses import dataclass, field

from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import CatalogView, view_at, view_at_head
from forklake.catalog.transaction.transaction import Transaction
from forklake.model.entities import TableDefinition
from forklake.model.files import InlinedBatch, ScanFile
from forklake.model.ids import SchemaId, TableId


@dataclass
class ModelTable:
    """A table: columns are (id, name), files (rows, deleted rows), batches (rows, deleted positions)."""

    name: str
    columns: tuple[tuple[int, str], ...]
    files: dict[int, tuple[int, int]] = field(default_factory=dict)
    batches: dict[int, tuple[int, frozenset[int]]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows a query would count."""
        in_files = sum(rows - deleted for rows, deleted in self.files.values())
        return in_files + sum(rows - len(deleted) for rows, deleted in self.batches.values())


State = dict[int, ModelTable]
"""The tables of a catalog by id."""

Observed = tuple[State, dict[int, int]]
"""Tables, and the number of rows that each one's statistics claim."""


@dataclass(frozen=True)
class Kept:
    """A snapshot that can be travelled to."""

    snapshot_id: int
    made_by: int
    state: State


@dataclass
class ModelCatalog:
    """A live catalog with all that it can see. A fork is a copy."""

    catalog_id: int
    name: str
    state: State
    history: list[Kept]
    birth: int
    is_fork: bool = False

    def commit(self, snapshot_id: int, state: State) -> None:
        self.state = deepcopy(state)
        self.history.append(Kept(snapshot_id, self.catalog_id, deepcopy(state)))


@dataclass
class ModelLake:
    """Every live catalog by name."""

    catalogs: dict[str, ModelCatalog] = field(default_factory=dict)

    def create(self, name: str, catalog_id: int, birth: int) -> None:
        self.catalogs[name] = ModelCatalog(catalog_id, name, {}, [Kept(birth, catalog_id, {})], birth)

    def fork(self, parent: ModelCatalog, name: str, catalog_id: int, birth: int, at: Kept) -> None:
        """Copy what the parent was, with its history. The birth of a fork is not worth handing on: nothing changed."""
        bare = at.snapshot_id == parent.birth and parent.is_fork
        seen = [kept for kept in parent.history if kept.snapshot_id <= at.snapshot_id and not (bare and kept is at)]
        history = [*seen, Kept(birth, catalog_id, deepcopy(at.state))]
        self.catalogs[name] = ModelCatalog(catalog_id, name, deepcopy(at.state), history, birth, is_fork=True)

    def rename(self, name: str, new_name: str) -> None:
        self.catalogs[new_name] = self.catalogs.pop(name)
        self.catalogs[new_name].name = new_name

    def drop(self, name: str) -> None:
        """The forks keep what they see, now and in the past."""
        del self.catalogs[name]


def check_head(lake: Lake, expected: ModelCatalog) -> None:
    """The catalog is now what the model says, and so is its history."""
    catalog = find_catalog(lake, expected.name)
    assert catalog.catalog_id == expected.catalog_id
    assert _observed(view_at_head(catalog)) == _claimed(expected.state)
    seen = [(snapshot.snapshot_id, snapshot.catalog_id) for snapshot in list_snapshots(catalog)]
    assert seen == [(kept.snapshot_id, kept.made_by) for kept in expected.history]


def check_past(lake: Lake, expected: ModelCatalog, kept: Kept) -> None:
    """The catalog at a snapshot is what it was then."""
    view = view_at(find_catalog(lake, expected.name), version=kept.snapshot_id)
    assert view.snapshot_id == kept.snapshot_id
    assert _observed(view) == _claimed(kept.state)


def check_everything(lake: Lake, model: ModelLake) -> None:
    """Every catalog, now and at every snapshot."""
    for catalog in model.catalogs.values():
        check_head(lake, catalog)
        for kept in catalog.history:
            check_past(lake, catalog, kept)


def check_own_changes(tx: Transaction, expected: State) -> None:
    """A transaction sees what it has staged."""
    [main] = tx.objects_named(SchemaId(0), "main")
    assert {
        entry.object_id: _table(
            entry.name,
            entry.definition,
            tx.files(TableId(entry.object_id)),
            tx.batches(TableId(entry.object_id)),
        )
        for entry in tx.objects_in(SchemaId(main.object_id))
        if isinstance(entry.definition, TableDefinition)
    } == expected


def _observed(view: CatalogView) -> Observed:
    tables: State = {}
    counts: dict[int, int] = {}
    for entry in view.all_objects():
        if isinstance(entry.definition, TableDefinition):
            table_id = TableId(entry.object_id)
            tables[table_id] = _table(entry.name, entry.definition, view.files(table_id), view.batches(table_id))
            counts[table_id] = view.stats(table_id).record_count
    return tables, counts


def _claimed(state: State) -> Observed:
    return state, {table_id: table.rows for table_id, table in state.items()}


def _table(name: str, definition: TableDefinition, files: list[ScanFile], batches: list[InlinedBatch]) -> ModelTable:
    return ModelTable(
        name,
        columns_of(definition),
        {
            scanned.data.data_file_id: (
                scanned.data.record_count,
                scanned.delete.delete_count if scanned.delete else 0,
            )
            for scanned in files
        },
        {batch.batch_id: (batch.row_count, batch.deleted) for batch in batches},
    )


def columns_of(definition: TableDefinition) -> tuple[tuple[int, str], ...]:
    return tuple((column.column_id, column.name) for column in definition.columns)
