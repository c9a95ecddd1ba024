"""A table, file or batch that another transaction has shown is taken only if it is still like that."""

from collections.abc import Callable

import pytest

from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import view_at_head
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.commit_steps import Head, write_changes
from forklake.catalog.transaction.ddl import (
    alter_table,
    create_macro,
    create_schema,
    create_table,
    create_view,
    drop_macro,
    drop_schema,
    drop_table,
    drop_view,
    rename_table,
    set_object_tag,
)
from forklake.catalog.transaction.names import get_macro, get_schema, get_table, get_view, list_tables
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import CommitConflict, InvalidInput, NoSuchMacro, NoSuchSchema, NoSuchTable, NoSuchView
from forklake.model.alterations import ColumnSpec, add_column
from forklake.model.changes import CreatedMacro
from forklake.model.entities import COMMENT, MacroDefinition, MacroImplementation, Table, ViewDefinition
from forklake.model.ids import SnapshotId, TableId
from forklake.store.snapshot_writer import SnapshotWriter
from tests.backends.counting_store import counted
from tests.backends.table_changes import BIGINT
from tests.lakes import append, delete_rows, inline_rows, make_table, new_files, transaction

MACRO = MacroDefinition((MacroImplementation("1"),))
VIEW = ViewDefinition("SELECT 1")


def add_a_column(tx: Transaction, name: str = "c") -> Table:
    spec = ColumnSpec(name, BIGINT)
    return alter_table(tx, "main", "t", lambda table: add_column(table, spec, tx.new_column_ids(1)))


@pytest.fixture
def stale(main: Catalog) -> Table:
    """`t` as it was looked up before anything else happened to it."""
    make_table(main)
    return get_table(begin(main), "main", "t")


VERBS: list[Callable[[Transaction, Table], object]] = [
    lambda tx, table: tx.append_files(table, new_files(tx, 1)),
    lambda tx, table: inline_rows(tx, table, 1),
    lambda tx, table: tx.end_files(table, []),
    lambda tx, table: tx.note_delete(table),
    lambda tx, table: tx.compact(table, "merge"),
    lambda tx, table: set_object_tag(tx, table, "hello"),
]
VERB_IDS = ["append", "inline", "end", "note", "compact", "tag"]


@pytest.mark.parametrize("verb", VERBS, ids=VERB_IDS)
def test_a_handle_from_before_an_alteration_is_refused(
    main: Catalog, stale: Table, verb: Callable[[Transaction, Table], object]
) -> None:
    with transaction(main) as tx:
        add_a_column(tx)
    tx = begin(main)
    with pytest.raises(InvalidInput, match="look it up again in this transaction"):
        verb(tx, stale)
    assert commit(tx) is None
    verb(tx := begin(main), get_table(tx, "main", "t"))


@pytest.mark.parametrize("verb", VERBS, ids=VERB_IDS)
def test_a_handle_from_before_a_rename_is_refused(
    main: Catalog, stale: Table, verb: Callable[[Transaction, Table], object]
) -> None:
    with transaction(main) as tx:
        rename_table(tx, "main", "t", "u")
    tx = begin(main)
    with pytest.raises(InvalidInput, match="look it up again"):
        verb(tx, stale)
    assert commit(tx) is None
    assert [table.name for table in list_tables(begin(main), "main")] == ["u"]


@pytest.mark.parametrize("verb", VERBS, ids=VERB_IDS)
@pytest.mark.parametrize("same_transaction", [False, True], ids=["earlier", "same transaction"])
def test_a_handle_of_a_dropped_table_is_refused(
    main: Catalog, stale: Table, verb: Callable[[Transaction, Table], object], same_transaction: bool
) -> None:
    tx = begin(main)
    drop_table(tx, "main", "t")
    if not same_transaction:
        commit(tx)
        tx = begin(main)
    with pytest.raises(NoSuchTable, match="'t' does not exist"):
        verb(tx, stale)


def test_a_handle_of_a_table_that_was_replaced_is_refused(main: Catalog, stale: Table) -> None:
    with transaction(main) as tx:
        create_table(tx, "main", "t", [ColumnSpec("id", BIGINT)], or_replace=True)
    tx = begin(main)
    with pytest.raises(NoSuchTable):
        tx.append_files(stale, new_files(tx, 1))


def test_a_handle_of_a_table_that_was_created_and_dropped_again_is_refused(main: Catalog) -> None:
    tx = begin(main)
    table = create_table(tx, "main", "t", [ColumnSpec("id", BIGINT)])
    drop_table(tx, "main", "t")
    with pytest.raises(NoSuchTable):
        tx.append_files(table, new_files(tx, 1))
    assert commit(tx) is None


def test_a_handle_from_the_transaction_that_created_the_table_is_refused_by_others(main: Catalog) -> None:
    created = make_table(main)
    tx = begin(main)
    with pytest.raises(InvalidInput, match="look it up again"):
        tx.append_files(created, new_files(tx, 1))


def test_a_handle_of_the_same_version_is_taken_from_any_transaction(lake: Lake, main: Catalog, stale: Table) -> None:
    append(main)
    child, _ = fork_catalog(lake, "main", "f")
    for catalog in (main, child):
        tx = begin(catalog)
        tx.append_files(stale, new_files(tx, 1))
        assert commit(tx) is not None
        assert len(view_at_head(catalog).files(TableId(stale.object_id))) == 2


def test_every_version_that_a_transaction_makes_of_a_table_is_good_for_it(main: Catalog) -> None:
    tx = begin(main)
    versions = [create_table(tx, "main", "t", [ColumnSpec("id", BIGINT)])]
    versions.append(add_a_column(tx, "c"))
    versions.append(rename_table(tx, "main", "t", "u"))
    for version in versions:
        tx.append_files(version, new_files(tx, 1))
    set_object_tag(tx, versions[0], "first")
    assert commit(tx) is not None
    [table] = list_tables(begin(main), "main")
    assert (table.name, table.definition.tags) == ("u", {COMMENT: "first"})
    assert [column.name for column in table.definition.columns] == ["id", "c"]
    assert view_at_head(main).stats(TableId(table.object_id)).record_count == 30


def test_files_appended_with_an_older_handle_of_the_transaction_have_rows_for_every_column(main: Catalog) -> None:
    make_table(main)
    tx = begin(main)
    before = get_table(tx, "main", "t")
    add_a_column(tx)
    tx.append_files(before, new_files(tx, 1))
    commit(tx)
    [[rows]] = main.lake.store.fetch("SELECT count(*) FROM lake_file_column_stats", {})
    assert rows == 2


def test_a_tag_keeps_what_the_transaction_did_to_the_table_since_it_was_looked_up(main: Catalog) -> None:
    make_table(main)
    with transaction(main) as tx:
        before = get_table(tx, "main", "t")
        add_a_column(tx)
        set_object_tag(tx, before, "hello")
    table = get_table(begin(main), "main", "t")
    assert [column.name for column in table.definition.columns] == ["id", "c"]
    assert table.definition.tags == {COMMENT: "hello"}


def test_a_macro_of_another_transaction_can_be_tagged(main: Catalog) -> None:
    with transaction(main) as tx:
        create_macro(tx, "main", "m", MACRO)
    macro = get_macro(begin(main), "main", "m")
    tx = begin(main)
    set_object_tag(tx, macro, "always one")
    assert commit(tx) is not None
    assert get_macro(begin(main), "main", "m").definition.tags == {COMMENT: "always one"}
    assert CreatedMacro("scalar", "main", "m") in list_snapshots(main)[-1].changes


def test_each_kind_of_object_that_has_gone_has_its_own_error(main: Catalog) -> None:
    with transaction(main) as tx:
        create_schema(tx, "s")
        create_macro(tx, "main", "m", MACRO)
        create_view(tx, "main", "v", VIEW)
    tx = begin(main)
    schema, macro, view = get_schema(tx, "s"), get_macro(tx, "main", "m"), get_view(tx, "main", "v")
    with transaction(main) as tx:
        drop_schema(tx, "s")
        drop_macro(tx, "main", "m")
        drop_view(tx, "main", "v")
    tx = begin(main)
    with pytest.raises(NoSuchSchema):
        set_object_tag(tx, schema, "x")
    with pytest.raises(NoSuchMacro):
        set_object_tag(tx, macro, "x")
    with pytest.raises(NoSuchView):
        set_object_tag(tx, view, "x")


def test_a_table_that_was_looked_up_is_not_looked_up_again(main: Catalog) -> None:
    make_table(main)
    store, catalog = counted(main)
    tx = begin(catalog)
    table = get_table(tx, "main", "t")
    files = new_files(tx, 3)
    store.reset()
    for new in files:
        tx.append_files(table, [new])
    assert store.statements == 0
    later = begin(catalog)
    store.reset()
    later.append_files(table, new_files(later, 1))
    assert store.statements == 0


def test_a_file_or_batch_of_an_older_snapshot_is_refused(main: Catalog, stale: Table) -> None:
    append(main)
    with transaction(main) as tx:
        inline_rows(tx, stale, 3)
    table_id = TableId(stale.object_id)
    old = begin(main)
    [file], [batch] = old.files(table_id), old.batches(table_id)
    with transaction(main) as tx:
        delete_rows(tx, stale, file, 2)
        tx.delete_inlined(stale, [(batch.batch_id, 0)])
    tx = begin(main)
    for attempt in (
        lambda: delete_rows(tx, stale, file, 5),
        lambda: tx.end_files(stale, [file]),
        lambda: tx.end_batches(stale, [batch]),
    ):
        with pytest.raises(InvalidInput, match="list them again in this transaction"):
            attempt()
    tx.end_files(stale, tx.files(table_id))
    tx.end_batches(stale, tx.batches(table_id))
    assert commit(tx) is not None
    assert view_at_head(main).stats(table_id).record_count == 0


def test_a_file_that_another_transaction_has_shown_is_taken_while_nothing_happened_to_it(
    main: Catalog, stale: Table
) -> None:
    append(main, 2)
    table_id = TableId(stale.object_id)
    first, second = begin(main).files(table_id)
    with transaction(main) as tx:
        tx.end_files(stale, [first])
    with transaction(main) as tx:
        delete_rows(tx, stale, second, 4)
    assert view_at_head(main).stats(table_id).record_count == 6


def test_files_that_were_listed_are_not_looked_up_again(main: Catalog) -> None:
    make_table(main)
    append(main, 5)
    store, catalog = counted(main)
    tx = begin(catalog)
    table = get_table(tx, "main", "t")
    files = tx.files(TableId(table.object_id))
    tx.new_ids("file")
    store.reset()
    for scanned in files[:3]:
        delete_rows(tx, table, scanned, 1)
    tx.end_files(table, files[3:])
    assert store.statements == 0


def test_a_version_on_top_of_what_is_no_longer_there_is_never_written(main: Catalog, stale: Table) -> None:
    tx = begin(main)
    set_object_tag(tx, stale, "hello")
    writer = SnapshotWriter(main.lake.store.dialect, main.catalog_id, SnapshotId(10**6))
    with pytest.raises(CommitConflict, match="has been dropped"):
        write_changes(writer, tx, Head({}, {}, {}, ()))
