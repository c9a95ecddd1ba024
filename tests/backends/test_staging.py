"""What cannot be right is refused when it is staged, before anything of it is."""

from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import pytest

from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.view import view_at_head
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_schema, create_table, drop_table, set_object_tag
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import set_option
from forklake.catalog.transaction.table_changes import Compaction
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import InvalidInput, TransactionError
from forklake.model.alterations import ColumnSpec, set_partition
from forklake.model.entities import Table
from forklake.model.files import DeleteFile, InlinedBatch
from forklake.model.ids import BatchId, DeleteFileId, PartitionId, TableId
from tests.backends.table_changes import BIGINT
from tests.lakes import append, delete_rows, inline_rows, make_table, new_files, transaction


@pytest.fixture
def tx(main: Catalog) -> Transaction:
    """A transaction on a table `t` with two files and a batch of three rows."""
    make_table(main)
    append(main, 2)
    with transaction(main) as before:
        inline_rows(before, get_table(before, "main", "t"), 3)
    return begin(main)


@pytest.fixture
def table(tx: Transaction) -> Table:
    return get_table(tx, "main", "t")


@pytest.fixture
def table_id(table: Table) -> TableId:
    return TableId(table.object_id)


def count(catalog: Catalog, table_id: TableId) -> int:
    """The rows of a table, which the statistics must know exactly."""
    view = view_at_head(catalog)
    rows = sum(file.live_rows for file in view.files(table_id))
    rows += sum(batch.live_rows for batch in view.batches(table_id))
    assert view.stats(table_id).record_count == rows
    return rows


def test_a_file_cannot_be_ended_twice(main: Catalog, tx: Transaction, table: Table, table_id: TableId) -> None:
    first, second = tx.files(table_id)
    for files in ([second, second], [first, second, first]):
        with pytest.raises(InvalidInput, match="given twice"):
            tx.end_files(table, files)
    tx.end_files(table, [first])
    with pytest.raises(InvalidInput):
        tx.end_files(table, [second, first])
    with pytest.raises(InvalidInput):
        delete_rows(tx, table, first, 3)
    assert commit(tx) is not None
    assert count(main, table_id) == 13


def test_an_own_file_cannot_be_ended_twice(main: Catalog, tx: Transaction, table: Table, table_id: TableId) -> None:
    tx.append_files(table, new_files(tx, 1))
    own = tx.files(table_id)[-1]
    tx.end_files(table, [own])
    with pytest.raises(InvalidInput):
        tx.end_files(table, [own])
    assert commit(tx) is None
    assert count(main, table_id) == 23


def test_a_file_must_be_given_with_the_deletes_it_has_now(tx: Transaction, table: Table, table_id: TableId) -> None:
    before = tx.files(table_id)[0]
    delete_rows(tx, table, before, 4)
    with pytest.raises(InvalidInput, match="list them again"):
        tx.end_files(table, [before])
    with pytest.raises(InvalidInput, match="list them again"):
        delete_rows(tx, table, before, 6)
    delete_rows(tx, table, tx.files(table_id)[0], 6)


def test_a_file_of_another_table_is_refused(main: Catalog, tx: Transaction, table: Table, table_id: TableId) -> None:
    make_table(main, "u")
    tx = begin(main)
    with pytest.raises(InvalidInput):
        tx.end_files(get_table(tx, "main", "u"), tx.files(table_id))


def test_inlined_rows_that_are_not_there_cannot_be_deleted(
    main: Catalog, tx: Transaction, table: Table, table_id: TableId
) -> None:
    [batch] = tx.batches(table_id)
    tx.delete_inlined(table, [(batch.batch_id, 0)])
    unknown = BatchId(batch.batch_id + 1000)
    for rows in (
        [(batch.batch_id, 1), (batch.batch_id, 0)],
        [(batch.batch_id, 1), (batch.batch_id, 3)],
        [(batch.batch_id, 1), (batch.batch_id, -1)],
        [(batch.batch_id, 1), (batch.batch_id, 2**70)],
        [(batch.batch_id, 1), (unknown, 0)],
        [(batch.batch_id, 1), (batch.batch_id, 1)],
    ):
        with pytest.raises(InvalidInput):
            tx.delete_inlined(table, rows)
    assert commit(tx) is not None
    assert count(main, table_id) == 22


def test_an_inlined_row_is_deleted_once_even_by_a_fork(
    lake: Lake, main: Catalog, tx: Transaction, table: Table, table_id: TableId
) -> None:
    [batch] = tx.batches(table_id)
    tx.delete_inlined(table, [(batch.batch_id, 0)])
    commit(tx)
    child, _ = fork_catalog(lake, "main", "f")
    tx = begin(child)
    with pytest.raises(InvalidInput, match="no row at position 0"):
        tx.delete_inlined(table, [(batch.batch_id, 0)])
    tx.delete_inlined(table, [(batch.batch_id, 2)])
    commit(tx)
    assert (count(main, table_id), count(child, table_id)) == (22, 21)


def test_own_inlined_rows_are_deleted_once_too(tx: Transaction, table: Table, table_id: TableId) -> None:
    own = inline_rows(tx, table, 2)
    tx.delete_inlined(table, [(own.batch_id, 0)])
    with pytest.raises(InvalidInput):
        tx.delete_inlined(table, [(own.batch_id, 0)])
    tx.delete_inlined(table, [(own.batch_id, 1)])
    with pytest.raises(InvalidInput):
        tx.delete_inlined(table, [(own.batch_id, 1)])


def test_a_batch_cannot_be_ended_twice(main: Catalog, tx: Transaction, table: Table, table_id: TableId) -> None:
    batches = tx.batches(table_id)
    with pytest.raises(InvalidInput, match="given twice"):
        tx.end_batches(table, [*batches, *batches])
    tx.delete_inlined(table, [(batches[0].batch_id, 0)])
    with pytest.raises(InvalidInput, match="list them again"):
        tx.end_batches(table, batches)
    tx.end_batches(table, tx.batches(table_id))
    with pytest.raises(InvalidInput):
        tx.end_batches(table, batches)
    commit(tx)
    assert count(main, table_id) == 20


def test_nothing_is_staged_of_files_one_of_which_cannot_be_right(tx: Transaction, table: Table) -> None:
    good, bad = new_files(tx, 2)
    with pytest.raises(InvalidInput, match="record count must be from 0 to"):
        tx.append_files(table, [good, replace(bad, file=bad.file._replace(record_count=2**70))])
    with pytest.raises(InvalidInput, match="row count must be from 0 to"):
        inline_rows(tx, table, -1)
    assert commit(tx) is None
    assert tx.committed_as is None


def test_the_rows_of_a_table_must_fit_altogether(main: Catalog, tx: Transaction, table: Table) -> None:
    files = [replace(new, file=new.file._replace(record_count=2**62)) for new in new_files(tx, 2)]
    tx.append_files(table, files)
    before = view_at_head(main).snapshot_id
    with pytest.raises(InvalidInput, match="rows of the table"):
        commit(tx)
    assert view_at_head(main).snapshot_id == before


def test_an_id_is_given_to_one_file_only(main: Catalog, tx: Transaction, table: Table, table_id: TableId) -> None:
    make_table(main, "u")
    tx = begin(main)
    other = get_table(tx, "main", "u")
    first, second = new_files(tx, 2)
    twice = replace(second, file=second.file._replace(data_file_id=first.file.data_file_id))
    with pytest.raises(InvalidInput, match=r"[Tt]wo files"):
        tx.append_files(table, [first, twice])
    tx.append_files(table, [first])
    delete = DeleteFile(DeleteFileId(first.file.data_file_id), tx.files(table_id)[0].data.data_file_id, "d", 1, 1)
    for attempt in (
        lambda: tx.append_files(table, [first]),
        lambda: tx.append_files(other, [second, twice]),
        lambda: tx.delete_from_files(table, [(tx.files(table_id)[0], delete)]),
        lambda: tx.insert_inlined(table, InlinedBatch(BatchId(first.file.data_file_id), table.begin_snapshot, 1, b"")),
    ):
        with pytest.raises(InvalidInput, match=r"[Tt]wo files"):
            attempt()
    tx.append_files(other, [second])
    assert commit(tx) is not None
    assert count(main, table_id) == 33


def test_a_partitioned_file_has_a_value_for_each_key_of_its_spec(main: Catalog) -> None:
    columns = [ColumnSpec("id", BIGINT), ColumnSpec("region", BIGINT)]
    keys = [("id", "identity"), ("region", "identity")]
    with transaction(main) as tx:
        create_table(tx, "main", "p", columns, partitioned_by=keys)
    tx = begin(main)
    table = get_table(tx, "main", "p")
    spec = table.definition.partition
    assert spec is not None
    [new] = new_files(tx, 1)
    for partition_id, values in (
        (spec.partition_id, ()),
        (spec.partition_id, ("1",)),
        (spec.partition_id, ("1", "2", "3")),
        (None, ("1", "2")),
        (PartitionId(10**6), ()),
    ):
        bad = replace(new, file=new.file._replace(partition_id=partition_id), partition_values=values)
        with pytest.raises(InvalidInput, match="a value for each key"):
            tx.append_files(table, [bad])
    good = replace(new, file=new.file._replace(partition_id=spec.partition_id), partition_values=("1", None))
    tx.append_files(table, [good])
    assert commit(tx) is not None


def test_files_follow_the_partitioning_that_the_transaction_sees(main: Catalog) -> None:
    tx = begin(main)
    table = create_table(tx, "main", "p", [ColumnSpec("id", BIGINT)])
    [partition_id] = tx.new_ids("entity")
    definition = set_partition(table.definition, [("id", "identity")], PartitionId(partition_id))
    tx.stage_object(table, replace(table, definition=definition))
    [new] = new_files(tx, 1)
    partitioned = replace(new, file=new.file._replace(partition_id=PartitionId(partition_id)))
    with pytest.raises(InvalidInput, match="a value for each key"):
        tx.append_files(table, [replace(partitioned, partition_values=("1", "2"))])
    tx.append_files(table, [replace(partitioned, partition_values=("1",))])
    assert commit(tx) is not None


CHANGES: dict[str, Callable[[Transaction, Table], object]] = {
    "create a schema": lambda tx, _: create_schema(tx, "s"),
    "drop a table": lambda tx, _: drop_table(tx, "main", "u"),
    "tag the table": lambda tx, table: set_object_tag(tx, table, "x"),
    "set an option": lambda tx, _: set_option(tx, "target_file_size", 1),
    "append to another": lambda tx, _: tx.append_files(get_table(tx, "main", "u"), new_files(tx, 1)),
    "note a delete": lambda tx, table: tx.note_delete(table),
    "inline": lambda tx, table: inline_rows(tx, table, 1),
    "delete a row": lambda tx, table: delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 1),
    "delete an inlined row": lambda tx, table: tx.delete_inlined(
        table, [(tx.batches(TableId(table.object_id))[0].batch_id, 0)]
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("first", ["compact", "change"])
def test_a_transaction_changes_or_compacts(
    main: Catalog, tx: Transaction, table: Table, change: str, first: str
) -> None:
    make_table(main, "u")
    tx = begin(main)
    steps = [lambda: tx.compact(table, "merge"), lambda: CHANGES[change](tx, table)]
    if first == "change":
        steps.reverse()
    steps[0]()
    with pytest.raises(TransactionError, match="either make changes OR perform compaction - not both"):
        steps[1]()


def test_several_tables_can_be_compacted_in_one_transaction(main: Catalog, table_id: TableId) -> None:
    make_table(main, "u")
    append(main, 2, name="u")
    tx = begin(main)
    for name in ("t", "u"):
        table = get_table(tx, "main", name)
        tx.compact(table, "merge")
        tx.end_files(table, tx.files(TableId(table.object_id)))
        [new] = new_files(tx, 1)
        tx.append_files(table, [replace(new, file=new.file._replace(record_count=20))])
    assert commit(tx) is not None
    assert count(main, table_id) == 23


@pytest.mark.parametrize("kind", get_args(Compaction))
@pytest.mark.parametrize("rows", [19, 21])
def test_a_compaction_neither_adds_nor_loses_rows(
    main: Catalog, tx: Transaction, table: Table, table_id: TableId, kind: Compaction, rows: int
) -> None:
    tx.compact(table, kind)
    tx.end_files(table, tx.files(table_id))
    [new] = new_files(tx, 1)
    tx.append_files(table, [replace(new, file=new.file._replace(record_count=rows))])
    before = view_at_head(main).snapshot_id
    with pytest.raises(InvalidInput, match=f"number of rows, not change it by {rows - 20}"):
        commit(tx)
    assert view_at_head(main).snapshot_id == before


def test_a_flush_may_keep_deleted_rows_as_deletes_of_the_new_file(
    main: Catalog, tx: Transaction, table: Table, table_id: TableId
) -> None:
    tx.delete_inlined(table, [(tx.batches(table_id)[0].batch_id, 0)])
    commit(tx)
    tx = begin(main)
    tx.compact(table, "flush")
    tx.end_batches(table, tx.batches(table_id))
    [new] = new_files(tx, 1)
    tx.append_files(table, [replace(new, file=new.file._replace(record_count=3))])
    delete_rows(tx, table, tx.files(table_id)[-1], 1)
    assert commit(tx) is not None
    assert count(main, table_id) == 22


@pytest.mark.parametrize("kind", get_args(Compaction))
def test_nothing_is_staged_for_a_table_whose_compaction_has_ended(
    tx: Transaction, table: Table, table_id: TableId, kind: Compaction
) -> None:
    tx.compact(table, kind)
    tx.end_files(table, tx.files(table_id))
    [new] = new_files(tx, 1)
    tx.append_files(table, [replace(new, file=new.file._replace(record_count=20))])
    tx.end_compaction(table)
    for change in (
        lambda: tx.append_files(table, new_files(tx, 1)),
        lambda: tx.end_files(table, tx.files(table_id)),
        lambda: delete_rows(tx, table, tx.files(table_id)[0], 1),
    ):
        with pytest.raises(TransactionError, match="either make changes OR perform compaction - not both"):
            change()
    assert commit(tx) is not None


def test_a_compaction_of_nothing_makes_no_snapshot(tx: Transaction, table: Table) -> None:
    tx.compact(table, "merge")
    assert commit(tx) is None
