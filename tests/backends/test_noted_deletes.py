"""A delete that found no row still says what it looked for: rows inserted meanwhile are in its way."""

import pytest

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import view_at_head
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_schema
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import set_option
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import CommitConflict
from forklake.model.changes import CreatedSchema, DeletedFrom, InsertedInto
from forklake.model.ids import TableId
from tests.lakes import append, delete_rows, file_ids, inline_rows, make_table, new_files, transaction


def upsert(tx: Transaction, *, inlined: bool = False) -> None:
    """Replace a row that is not there: delete nothing, insert it."""
    table = get_table(tx, "main", "t")
    tx.note_delete(table)
    if inlined:
        inline_rows(tx, table, 1)
    else:
        tx.append_files(table, new_files(tx, 1))


@pytest.mark.parametrize("theirs_inlined", [False, True], ids=["theirs in a file", "theirs inlined"])
@pytest.mark.parametrize("mine_inlined", [False, True], ids=["mine in a file", "mine inlined"])
def test_of_two_that_insert_the_same_new_row_one_is_refused(
    main: Catalog, theirs_inlined: bool, mine_inlined: bool
) -> None:
    table = make_table(main)
    theirs, mine = begin(main), begin(main)
    upsert(theirs, inlined=theirs_inlined)
    upsert(mine, inlined=mine_inlined)
    assert commit(theirs) is not None
    with pytest.raises(CommitConflict, match="another transaction has"):
        commit(mine)
    view, table_id = view_at_head(main), TableId(table.object_id)
    assert len(view.files(table_id)) + len(view.batches(table_id)) == 1


def test_an_insert_is_in_the_way_of_a_noted_delete_and_the_other_way_round(main: Catalog) -> None:
    make_table(main)
    tx = begin(main)
    upsert(tx)
    append(main)
    with pytest.raises(CommitConflict, match="inserted into it"):
        commit(tx)
    tx = begin(main)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    with transaction(main) as other:
        upsert(other)
    with pytest.raises(CommitConflict, match="deleted from it"):
        commit(tx)


def test_two_deletes_of_which_one_found_nothing_go_together(main: Catalog) -> None:
    make_table(main)
    append(main)
    finds, finds_nothing = begin(main), begin(main)
    table = get_table(finds, "main", "t")
    delete_rows(finds, table, finds.files(TableId(table.object_id))[0], 3)
    finds_nothing.note_delete(get_table(finds_nothing, "main", "t"))
    create_schema(finds_nothing, "s")
    assert commit(finds) is not None
    assert commit(finds_nothing) is not None


def test_a_noted_delete_alone_commits_nothing(main: Catalog) -> None:
    make_table(main)
    before = view_at_head(main).snapshot_id
    tx = begin(main)
    tx.note_delete(get_table(tx, "main", "t"))
    append(main)
    assert commit(tx) is None
    assert [snapshot.snapshot_id > before for snapshot in list_snapshots(main)].count(True) == 1


def test_a_noted_delete_is_recorded_together_with_other_changes(main: Catalog) -> None:
    table_id = TableId(make_table(main).object_id)
    with transaction(main) as tx:
        upsert(tx)
    assert set(list_snapshots(main)[-1].changes) == {InsertedInto(table_id), DeletedFrom(table_id)}
    with transaction(main) as tx:
        tx.note_delete(get_table(tx, "main", "t"))
        create_schema(tx, "s")
    assert set(list_snapshots(main)[-1].changes) == {CreatedSchema("s"), DeletedFrom(table_id)}
    assert len(file_ids(main)) == 1


def test_a_noted_delete_is_no_reason_to_set_an_option_again(main: Catalog) -> None:
    make_table(main)
    tx = begin(main)
    tx.note_delete(get_table(tx, "main", "t"))
    set_option(tx, "target_file_size", 1000)
    with transaction(main) as other:
        set_option(other, "target_file_size", 1000)
    before = view_at_head(main).snapshot_id
    assert commit(tx) is None
    assert view_at_head(main).snapshot_id == before
