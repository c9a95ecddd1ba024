"""What can be done to the tables of a catalog, done to a transaction and to the model's copy alike."""

from collections.abc import Callable

from forklake.catalog.transaction.ddl import alter_table, create_table, drop_table, rename_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction
from forklake.model.alterations import ColumnSpec, add_column, drop_column
from forklake.model.column_types import parse_type
from forklake.model.entities import Table
from forklake.model.files import ScanFile
from forklake.model.ids import TableId
from tests.backends.model_lake import ModelTable, State, columns_of
from tests.lakes import ROWS_PER_FILE, delete_rows, inline_rows, new_files

MOST_TABLES = 3
BIGINT = parse_type("bigint")

Action = Callable[[Transaction, State, int], None]
"""Does one thing to the table that the number picks; one that finds nothing to do does nothing."""


def pick(state: State, n: int) -> tuple[TableId, ModelTable] | None:
    """A table, if there is any."""
    return (TableId(sorted(state)[n % len(state)]), state[sorted(state)[n % len(state)]]) if state else None


def real(tx: Transaction, table: ModelTable) -> Table:
    """The table as the transaction sees it."""
    return get_table(tx, "main", table.name)


def _scanned(tx: Transaction, table_id: TableId, file_id: int) -> ScanFile:
    return next(scanned for scanned in tx.files(table_id) if scanned.data.data_file_id == file_id)


def _free_name(state: State, n: int) -> str | None:
    free = sorted({f"t{i}" for i in range(MOST_TABLES + 1)} - {table.name for table in state.values()})
    return free[n % len(free)] if free else None


def create(tx: Transaction, state: State, n: int) -> None:
    name = _free_name(state, n)
    if name is not None and len(state) < MOST_TABLES:
        table = create_table(tx, "main", name, [ColumnSpec("id", BIGINT)])
        state[table.object_id] = ModelTable(name, columns_of(table.definition))


def insert(tx: Transaction, state: State, n: int) -> None:
    if picked := pick(state, n):
        files = new_files(tx, 1 + n % 2, low=n)
        tx.append_files(real(tx, picked[1]), files)
        picked[1].files |= {new.file.data_file_id: (ROWS_PER_FILE, 0) for new in files}


def insert_inlined(tx: Transaction, state: State, n: int) -> None:
    if picked := pick(state, n):
        batch = inline_rows(tx, real(tx, picked[1]), 1 + n % 3)
        picked[1].batches[batch.batch_id] = (batch.row_count, frozenset())


def delete_some(tx: Transaction, state: State, n: int) -> None:
    if (picked := pick(state, n)) and picked[1].files:
        table_id, table = picked
        file_id = sorted(table.files)[n % len(table.files)]
        rows, deleted = table.files[file_id]
        delete_rows(tx, real(tx, table), _scanned(tx, table_id, file_id), deleted + 1 + n % 4)
        table.files[file_id] = (rows, deleted + 1 + n % 4)
        if deleted + 1 + n % 4 >= rows:
            del table.files[file_id]


def end_file(tx: Transaction, state: State, n: int) -> None:
    if (picked := pick(state, n)) and picked[1].files:
        file_id = sorted(picked[1].files)[n % len(picked[1].files)]
        tx.end_files(real(tx, picked[1]), [_scanned(tx, picked[0], file_id)])
        del picked[1].files[file_id]


def delete_inlined(tx: Transaction, state: State, n: int) -> None:
    if picked := pick(state, n):
        table_id, table = picked
        left = [(b, p) for b, (rows, gone) in sorted(table.batches.items()) for p in range(rows) if p not in gone]
        for batch in tx.batches(table_id):
            if left and batch.batch_id == left[n % len(left)][0]:
                tx.delete_inlined(real(tx, table), [(batch.batch_id, left[n % len(left)][1])])
                gone = batch.deleted | {left[n % len(left)][1]}
                table.batches[batch.batch_id] = (batch.row_count, gone)
                if batch.begin_snapshot < 0 and len(gone) == batch.row_count:
                    del table.batches[batch.batch_id]


def end_batch(tx: Transaction, state: State, n: int) -> None:
    if (picked := pick(state, n)) and picked[1].batches:
        batches = tx.batches(picked[0])
        tx.end_batches(real(tx, picked[1]), [batches[n % len(batches)]])
        del picked[1].batches[batches[n % len(batches)].batch_id]


def widen(tx: Transaction, state: State, n: int) -> None:
    if picked := pick(state, n):
        spec = ColumnSpec(f"c{max(i for i, _ in picked[1].columns)}", BIGINT)
        altered = alter_table(tx, "main", picked[1].name, lambda table: add_column(table, spec, tx.new_column_ids(1)))
        picked[1].columns = columns_of(altered.definition)


def narrow(tx: Transaction, state: State, n: int) -> None:
    if (picked := pick(state, n)) and len(picked[1].columns) > 1:
        _, column = picked[1].columns[n % len(picked[1].columns)]
        alter_table(tx, "main", picked[1].name, lambda table: drop_column(table, (column,)))
        picked[1].columns = tuple(kept for kept in picked[1].columns if kept[1] != column)


def rename(tx: Transaction, state: State, n: int) -> None:
    if (picked := pick(state, n)) and (name := _free_name(state, n)):
        rename_table(tx, "main", picked[1].name, name)
        picked[1].name = name


def drop(tx: Transaction, state: State, n: int) -> None:
    if picked := pick(state, n):
        drop_table(tx, "main", picked[1].name)
        del state[picked[0]]


INSERTS: list[Action] = [insert, insert_inlined]
DELETES: list[Action] = [delete_some, end_file, delete_inlined, end_batch]
DDL: list[Action] = [create, widen, narrow, rename, drop]
EVERYTHING = [*INSERTS, *INSERTS, *DELETES, *DDL]
