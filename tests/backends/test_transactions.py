"""A transaction sees its own changes, nobody else's, and leaves either all of them or none."""

import pytest

from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.reading.view import view_at_head
from forklake.catalog.transaction.commit import commit, rollback
from forklake.catalog.transaction.ddl import (
    alter_table,
    create_macro,
    create_schema,
    create_table,
    create_view,
    drop_schema,
    drop_table,
    rename_table,
    set_object_tag,
)
from forklake.catalog.transaction.names import get_macro, get_table, list_tables
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import AlreadyExists, InvalidInput, NoSuchTable, ReadOnly, TransactionClosed, TransactionError
from forklake.model.alterations import ColumnSpec, add_column, drop_column
from forklake.model.entities import COMMENT, MacroDefinition, MacroImplementation, ViewDefinition
from forklake.model.ids import TableId
from tests.backends.table_changes import BIGINT
from tests.conftest import Place
from tests.lakes import append, delete_rows, file_ids, inline_rows, make_table, new_files, transaction

COLUMNS = [ColumnSpec("id", BIGINT)]
MACRO = MacroDefinition((MacroImplementation("1"),))


def test_a_transaction_sees_what_it_has_staged(main: Catalog) -> None:
    make_table(main)
    append(main)
    tx = begin(main)
    table = get_table(tx, "main", "t")
    table_id = TableId(table.object_id)
    tx.append_files(table, new_files(tx, 2))
    batch = inline_rows(tx, table, 3)
    assert len(tx.files(table_id)) == 3
    assert [found.batch_id for found in tx.batches(table_id)] == [batch.batch_id]
    for scanned in tx.files(table_id):
        delete_rows(tx, table, scanned, 4)
    tx.delete_inlined(table, [(batch.batch_id, 1)])
    assert [scanned.live_rows for scanned in tx.files(table_id)] == [6, 6, 6]
    assert tx.batches(table_id)[0].deleted == {1}
    commit(tx)
    assert view_at_head(main).stats(table_id).record_count == 3 * 6 + 2


def test_nobody_else_sees_what_is_staged(main: Catalog) -> None:
    make_table(main)
    before = append(main)
    tx = begin(main)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 2))
    create_table(tx, "main", "u", COLUMNS)
    assert len(file_ids(main)) == 1
    assert [table.name for table in list_tables(begin(main), "main")] == ["t"]
    rollback(tx)
    assert len(file_ids(main)) == 1
    assert view_at_head(main).snapshot_id == before


def test_a_transaction_keeps_reading_the_snapshot_it_began_at(main: Catalog) -> None:
    table = make_table(main)
    append(main)
    tx = begin(main)
    append(main)
    with transaction(main) as other:
        rename_table(other, "main", "t", "u")
    assert len(tx.files(TableId(table.object_id))) == 1
    assert get_table(tx, "main", "t").name == "t"


def test_several_tables_change_in_one_snapshot(main: Catalog) -> None:
    make_table(main, "a")
    before = make_table(main, "b")
    tx = begin(main)
    for name in ("a", "b"):
        tx.append_files(get_table(tx, "main", name), new_files(tx, 1))
    snapshot_id = commit(tx)
    assert snapshot_id is not None
    assert snapshot_id > before.begin_snapshot
    assert [len(file_ids(main, name)) for name in ("a", "b")] == [1, 1]


@pytest.mark.parametrize("end", [commit, rollback])
def test_a_closed_transaction_refuses_everything(main: Catalog, end: object) -> None:
    table = make_table(main)
    tx = begin(main)
    assert callable(end)
    end(tx)
    assert not tx.is_open
    for use in (
        lambda: commit(tx),
        lambda: rollback(tx),
        lambda: get_table(tx, "main", "t"),
        lambda: tx.files(TableId(table.object_id)),
        lambda: tx.append_files(table, []),
        lambda: create_table(tx, "main", "u", COLUMNS),
    ):
        with pytest.raises(TransactionClosed):
            use()


def test_names_can_be_swapped_in_one_transaction(main: Catalog) -> None:
    a, b = make_table(main, "a"), make_table(main, "b")
    with transaction(main) as tx:
        rename_table(tx, "main", "a", "c")
        rename_table(tx, "main", "b", "a")
        rename_table(tx, "main", "c", "b")
    tx = begin(main)
    assert (get_table(tx, "main", "a").object_id, get_table(tx, "main", "b").object_id) == (b.object_id, a.object_id)


def test_a_dropped_name_is_free_in_the_same_transaction(main: Catalog) -> None:
    old = make_table(main)
    append(main)
    with transaction(main) as tx:
        drop_table(tx, "main", "t")
        with pytest.raises(NoSuchTable):
            get_table(tx, "main", "t")
        new = create_table(tx, "main", "T", COLUMNS)
    assert new.object_id != old.object_id
    assert file_ids(main) == set()


def test_a_name_cannot_be_taken_twice(main: Catalog) -> None:
    make_table(main)
    tx = begin(main)
    for create in (
        lambda: create_table(tx, "main", "T", COLUMNS),
        lambda: create_view(tx, "main", "t", ViewDefinition("SELECT 1")),
    ):
        with pytest.raises(AlreadyExists):
            create()
    create_macro(tx, "main", "t", MACRO)
    assert commit(tx) is not None


def _give_a_table_its_own_name(tx: Transaction) -> None:
    rename_table(tx, "main", "t", "t")


def _repeat_a_comment(tx: Transaction) -> None:
    set_object_tag(tx, get_table(tx, "main", "t"), None)


def _add_and_drop_a_column(tx: Transaction) -> None:
    alter_table(tx, "main", "t", lambda table: add_column(table, ColumnSpec("c", BIGINT), tx.new_column_ids(1)))
    alter_table(tx, "main", "t", lambda table: drop_column(table, ("c",)))


def _create_and_drop_a_full_schema(tx: Transaction) -> None:
    create_schema(tx, "s")
    tx.append_files(create_table(tx, "s", "t", COLUMNS), new_files(tx, 1))
    drop_schema(tx, "s", cascade=True)


def _insert_and_remove(tx: Transaction) -> None:
    table = get_table(tx, "main", "t")
    batch = inline_rows(tx, table, 2)
    tx.append_files(table, new_files(tx, 1))
    tx.end_files(table, tx.files(TableId(table.object_id)))
    tx.delete_inlined(table, [(batch.batch_id, 0), (batch.batch_id, 1)])


@pytest.mark.parametrize(
    "nothing",
    [
        _give_a_table_its_own_name,
        _repeat_a_comment,
        _add_and_drop_a_column,
        _create_and_drop_a_full_schema,
        _insert_and_remove,
        lambda tx: list_tables(tx, "main"),
        lambda tx: tx.append_files(get_table(tx, "main", "t"), []),
    ],
)
def test_no_net_change_makes_no_snapshot(main: Catalog, nothing: object) -> None:
    make_table(main)
    before = view_at_head(main).snapshot_id
    tx = begin(main)
    assert callable(nothing)
    nothing(tx)
    assert commit(tx) is None
    assert view_at_head(main).snapshot_id == before


def test_a_comment_on_a_macro_is_kept(main: Catalog) -> None:
    with transaction(main) as tx:
        create_macro(tx, "main", "m", MACRO)
    with transaction(main) as tx:
        set_object_tag(tx, get_macro(tx, "main", "m"), "always one")
    assert get_macro(begin(main), "main", "m").definition.tags == {COMMENT: "always one"}


def test_compaction_does_not_mix_with_changes(main: Catalog) -> None:
    make_table(main)
    tx = begin(main)
    table = get_table(tx, "main", "t")
    tx.append_files(table, new_files(tx, 1))
    with pytest.raises(TransactionError, match="either make changes OR perform compaction"):
        tx.compact(table, "merge")


def test_a_delete_file_must_hold_the_earlier_deletes(main: Catalog) -> None:
    make_table(main)
    append(main)
    tx = begin(main)
    table = get_table(tx, "main", "t")
    for count in (3, 3, 2):
        [scanned] = tx.files(TableId(table.object_id))
        if scanned.delete is None:
            delete_rows(tx, table, scanned, count)
        else:
            with pytest.raises(InvalidInput, match="earlier deletes"):
                delete_rows(tx, table, scanned, count)
    assert commit(tx) is not None


def test_a_read_only_lake_can_be_read_and_not_written(place: Place, lake: Lake, main: Catalog) -> None:
    make_table(main)
    append(main)
    reading = open_lake(place.url, metadata_schema=place.metadata_schema, read_only=True)
    catalog = find_catalog(reading, "main")
    assert file_ids(catalog) == file_ids(main)
    tx = begin(catalog)
    with pytest.raises(ReadOnly):
        drop_table(tx, "main", "t")
    assert commit(tx) is None
    reading.close()
    with pytest.raises(ReadOnly):
        drop_table(begin(find_catalog(lake, "main", read_only=True)), "main", "t")


def test_author_and_message_are_the_last_that_were_given(main: Catalog) -> None:
    tx = begin(main)
    tx.set_commit_message("ann", "first")
    tx.set_commit_message("bob", "second", "extra")
    create_table(tx, "main", "t", COLUMNS)
    commit(tx)
    assert (tx.info.author, tx.info.message, tx.info.extra_info) == ("bob", "second", "extra")
