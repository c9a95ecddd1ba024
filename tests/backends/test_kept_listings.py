"""Long lists of files are kept, and shown only where the same would be read."""

from dataclasses import replace

import pytest

from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, new_handle
from forklake.catalog.reading.view import view_at
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.errors import NoSuchSnapshot
from forklake.model.ids import TableId
from tests.backends.counting_store import counted
from tests.lakes import append, delete_rows, file_ids, make_table, transaction


@pytest.fixture(autouse=True)
def _every_listing_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forklake.catalog.reading.view.LONG_LISTING", 1)


def test_the_files_of_a_snapshot_are_read_once(main: Catalog) -> None:
    make_table(main)
    append(main)
    store, catalog = counted(main)
    first = file_ids(catalog)
    store.reset()
    assert file_ids(catalog) == first
    again = store.statements
    store.reset()
    assert file_ids(replace(catalog, lake=new_handle(store, None))) == first
    assert again < store.statements


def test_a_commit_is_seen_at_once(main: Catalog) -> None:
    make_table(main)
    append(main)
    first = file_ids(main)
    append(main)
    second = file_ids(main)
    assert set(first) < set(second)
    with transaction(main) as tx:
        table = get_table(tx, "main", "t")
        delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 2)
    tx = begin(main)
    deletes = [file.delete for file in tx.files(TableId(table.object_id))]
    assert [delete.delete_count for delete in deletes if delete is not None] == [2]


def test_what_a_transaction_does_stays_out_of_it(main: Catalog) -> None:
    make_table(main)
    append(main)
    shown = file_ids(main)
    tx = begin(main)
    table = get_table(tx, "main", "t")
    tx.end_files(table, tx.files(TableId(table.object_id)))
    assert tx.files(TableId(table.object_id)) == []
    assert file_ids(main) == shown
    commit(tx)
    assert not file_ids(main)


def test_forks_do_not_see_each_others_lists(main: Catalog) -> None:
    make_table(main)
    append(main)
    one, two = (fork_catalog(main.lake, main.name, name)[0] for name in ("one", "two"))
    shared = file_ids(main)
    assert file_ids(one) == file_ids(two) == shared
    append(one)
    assert set(file_ids(one)) > set(shared)
    assert file_ids(two) == file_ids(main) == shared


def test_a_list_goes_with_its_snapshot(main: Catalog) -> None:
    make_table(main)
    append(main)
    tx = begin(main)
    table_id, then = TableId(get_table(tx, "main", "t").object_id), tx.base
    assert len(view_at(main, version=then).files(table_id)) == 1
    view = view_at(main, version=then)
    append(main)
    expire_snapshots(main, versions=[then])
    with pytest.raises(NoSuchSnapshot):
        view.files(table_id)
