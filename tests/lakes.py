"""Short ways to make lakes, tables and files that exist in metadata only."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from forklake.model.entities import Table
from forklake.model.files import DataFile, DeleteFile, InlinedBatch, NewDataFile, ScanFile
from forklake.model.ids import BatchId, ColumnId, DataFileId, DeleteFileId, SnapshotId, TableId
from forklake.model.statistics import ColumnStats
from forklake.store.metadata_tables import TABLES

ROWS_PER_FILE = 10


@contextmanager
def transaction(catalog: Catalog) -> Iterator[Transaction]:
    """A transaction that commits when the block ends well."""
    tx = begin(catalog)
    yield tx
    commit(tx)


def make_table(catalog: Catalog, name: str = "t", columns: Sequence[tuple[str, str]] = (("id", "bigint"),)) -> Table:
    """Create and commit a table in `main`."""
    with transaction(catalog) as tx:
        return create_table(tx, "main", name, [ColumnSpec(column, parse_type(type_)) for column, type_ in columns])


def new_files(tx: Transaction, count: int, *, low: int = 0, step: int = ROWS_PER_FILE) -> list[NewDataFile]:
    """Files of ten rows each; column 1 of the first holds low..low+9, of the next low+step.., and so on."""
    return [
        NewDataFile(
            DataFile(DataFileId(file_id), f"c/main/t/{file_id}.parquet", ROWS_PER_FILE, 1000),
            (ColumnStats(ColumnId(1), ROWS_PER_FILE, 0, str(low + step * i), str(low + step * i + ROWS_PER_FILE - 1)),),
        )
        for i, file_id in enumerate(tx.new_ids("file", count))
    ]


def append(catalog: Catalog, count: int = 1, *, name: str = "t", low: int = 0) -> SnapshotId:
    """Commit some files to a table, and return the snapshot."""
    tx = begin(catalog)
    tx.append_files(get_table(tx, "main", name), new_files(tx, count, low=low))
    snapshot_id = commit(tx)
    assert snapshot_id is not None
    return snapshot_id


def delete_rows(tx: Transaction, table: Table, scanned: ScanFile, count: int) -> None:
    """Stage a delete file with `count` positions in all."""
    [delete_id] = tx.new_ids("file")
    data_id = scanned.data.data_file_id
    delete = DeleteFile(DeleteFileId(delete_id), data_id, f"c/main/t/{delete_id}-delete.parquet", count, 100)
    tx.delete_from_files(table, [(scanned, delete)])


def delete_all_but_one(tx: Transaction) -> None:
    """Delete nine of the ten rows of each file of table `t`."""
    table = get_table(tx, "main", "t")
    for scanned in tx.files(TableId(table.object_id)):
        delete_rows(tx, table, scanned, ROWS_PER_FILE - 1)


def end_files(tx: Transaction) -> None:
    """End all files of table `t`."""
    table = get_table(tx, "main", "t")
    tx.end_files(table, tx.files(TableId(table.object_id)))


def end_inlined(tx: Transaction) -> None:
    """End all inlined batches of table `t`."""
    table = get_table(tx, "main", "t")
    tx.end_batches(table, tx.batches(TableId(table.object_id)))


def inline_rows(tx: Transaction, table: Table, rows: int, payload: bytes = b"rows") -> InlinedBatch:
    """Stage an inlined batch."""
    [batch_id] = tx.new_ids("file")
    batch = InlinedBatch(BatchId(batch_id), table.begin_snapshot, rows, payload)
    tx.insert_inlined(table, batch)
    return batch


def file_ids(catalog: Catalog, name: str = "t") -> set[DataFileId]:
    """The data files of a table as the catalog sees them now."""
    tx = begin(catalog)
    return {scanned.data.data_file_id for scanned in tx.files(_table_id(tx, name))}


def _table_id(tx: Transaction, name: str) -> TableId:
    return TableId(get_table(tx, "main", name).object_id)


def at(catalog: Catalog, snapshot_id: SnapshotId) -> Catalog:
    """The catalog as attached at a snapshot: what is read is what was there."""
    return replace(catalog, pinned=snapshot_id)


def metadata_rows(lake: Lake, catalog: Catalog | None = None) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every metadata table; only those that belong to one catalog if given."""
    found = {}
    for table in TABLES.values():
        where = "TRUE" if catalog is None else f"catalog_id = {catalog.catalog_id}"
        if catalog is None or "catalog_id" in table.columns:
            found[table.name] = sorted(lake.store.fetch(f"SELECT * FROM {table.name} WHERE {where}", {}), key=repr)
    return found


def row_count(lake: Lake) -> int:
    """How many metadata rows there are in all."""
    return sum(len(rows) for rows in metadata_rows(lake).values())
