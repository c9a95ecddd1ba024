"""The table that is measured: ten columns, and files that exist in metadata only."""

from collections.abc import Mapping
from datetime import date, timedelta
from itertools import count

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.planning.scan_planning import ScanPlan, plan_scan
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from forklake.model.entities import Table
from forklake.model.files import DataFile, InlinedBatch, NewDataFile
from forklake.model.ids import BatchId, DataFileId
from forklake.model.predicates import Predicate
from forklake.model.statistics import ColumnStats

COLUMNS = {
    "id": "bigint",
    "account": "bigint",
    "quantity": "integer",
    "price": "double",
    "amount": "decimal(18,2)",
    "active": "boolean",
    "country": "varchar",
    "note": "varchar",
    "day": "date",
    "created": "timestamp",
}
ROWS_PER_FILE = 1_000
FILE_BYTES = 10_000_000
CHUNK = 10_000
"""Files of one commit while a large table is built."""
_ROW = bytes(200)
"""What a row of ten columns takes, roughly."""
_FIRST_DAY = date(2020, 1, 1)

_file_numbers = count()


def make_table(catalog: Catalog, name: str, files: int = 0, columns: Mapping[str, str] = COLUMNS) -> None:
    """Create a table in `main`; its files hold consecutive ids, from 0 on."""
    tx = begin(catalog)
    create_table(tx, "main", name, [ColumnSpec(column, parse_type(type_)) for column, type_ in columns.items()])
    commit(tx)
    for first in range(0, files, CHUNK):
        append(catalog, name, min(CHUNK, files - first), first=first)


def append(catalog: Catalog, name: str, files: int = 1, *, first: int | None = None) -> None:
    """Commit files to a table, with statistics for every column."""
    tx = begin(catalog)
    table = get_table(tx, "main", name)
    tx.append_files(table, new_files(tx, table, files, first=first))
    commit(tx)


def append_row(catalog: Catalog, name: str) -> None:
    """Commit one row that stays in the metadata, with statistics for every column."""
    tx = begin(catalog)
    table = get_table(tx, "main", name)
    [batch_id] = tx.new_ids("file")
    stats = [ColumnStats(i, 1, 0, low, low) for i, _, _, low, *_ in _stats(table, next(_file_numbers))]
    tx.insert_inlined(table, InlinedBatch(BatchId(batch_id), table.begin_snapshot, 1, _ROW), stats)
    commit(tx)


def new_files(tx: Transaction, table: Table, files: int, *, first: int | None = None) -> list[NewDataFile]:
    """Files number `first` and following of a table; without it, numbers that no file of this process had."""
    numbers = count(first) if first is not None else _file_numbers
    folder = f"{tx.catalog.path}/main/{table.name}"
    return [
        NewDataFile(
            DataFile(DataFileId(file_id), f"{folder}/{file_id}.parquet", ROWS_PER_FILE, FILE_BYTES),
            _stats(table, number),
        )
        for file_id, number in zip(tx.new_ids("file", files), numbers, strict=False)
    ]


def scan(catalog: Catalog, name: str, predicate: Predicate | None = None) -> ScanPlan:
    """What a client does before it reads a table: a fresh transaction, the table by name, its files.

    The first time: lists of files that are kept are forgotten before.
    """
    cache = catalog.lake.cache
    for kept in (cache.listings, cache.inherited_files, cache.inherited_batches):
        kept.clear()
    return scan_again(catalog, name, predicate)


def scan_again(catalog: Catalog, name: str, predicate: Predicate | None = None) -> ScanPlan:
    """The same by a client that has read the table before."""
    tx = begin(catalog)
    return plan_scan(tx, get_table(tx, "main", name), predicate)


def _stats(table: Table, number: int) -> tuple[ColumnStats, ...]:
    return tuple(
        ColumnStats(column.column_id, ROWS_PER_FILE, 0, low, high, column_size_bytes=4_000)
        for column, (low, high) in zip(table.definition.columns, _bounds(number), strict=True)
    )


def _bounds(number: int) -> tuple[tuple[str, str], ...]:
    """Lowest and highest value of each column in a file: some grow with the files, others are all over."""
    id_low = number * ROWS_PER_FILE
    day = (_FIRST_DAY + timedelta(days=number % 2_000)).isoformat()
    return (
        (str(id_low), str(id_low + ROWS_PER_FILE - 1)),
        (str(number * 7919 % 100_003), str(number * 7919 % 100_003 + 5_000)),
        ("1", "500"),
        ("0.5", f"{number % 977 + 0.75}"),
        ("0.01", f"{number % 9_973 + 1}.99"),
        ("false", "true"),
        ("AR", "ZA"),
        (f"note {number:08d}", f"note {number + 50:08d}"),
        (day, day),
        (f"{day} 00:00:00", f"{day} 23:59:59.999999"),
    )
