"""A fork sees its parent as it was, costs a handful of rows, and from then on each goes its own way."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from forklake.catalog.lakes.catalogs import catalog_info, create_catalog, drop_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import view_at
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import alter_table, create_table, drop_schema, drop_table, rename_table
from forklake.catalog.transaction.names import get_table, list_tables
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import AlreadyExists, ForkMismatch, InvalidInput, NoSuchTable, NotFound
from forklake.model.alterations import ColumnSpec, add_column
from forklake.model.changes import ForkedFrom
from forklake.model.column_types import parse_type
from forklake.model.entities import TableDefinition
from forklake.model.ids import TableId
from tests.lakes import (
    append,
    at,
    delete_all_but_one,
    delete_rows,
    end_files,
    end_inlined,
    file_ids,
    inline_rows,
    make_table,
    metadata_rows,
    new_files,
    row_count,
    transaction,
)


def fork(lake: Lake, parent: str, name: str, *, version: int | None = None) -> Catalog:
    made, created = fork_catalog(lake, parent, name, version=version)
    assert created
    return made


def tables(catalog: Catalog) -> list[str]:
    return [table.name for table in list_tables(begin(catalog), "main")]


def columns(catalog: Catalog, name: str = "t") -> list[str]:
    return [column.name for column in get_table(begin(catalog), "main", name).definition.columns]


def widen(tx: Transaction, column: str) -> None:
    def added(definition: TableDefinition) -> TableDefinition:
        return add_column(definition, ColumnSpec(column, parse_type("int")), tx.new_column_ids(1))

    alter_table(tx, "main", "t", added)


def contents(catalog: Catalog) -> tuple[object, ...] | None:
    """Everything that can be read of table `t`; None if there is none."""
    tx = begin(catalog)
    try:
        table = get_table(tx, "main", "t")
    except NotFound:
        return None
    table_id = TableId(table.object_id)
    stats = tx.view.stats(table_id)
    return table, sorted(tx.files(table_id)), tx.batches(table_id), stats


def delete_inlined(tx: Transaction) -> None:
    table = get_table(tx, "main", "t")
    [batch] = tx.batches(TableId(table.object_id))
    tx.delete_inlined(table, [(batch.batch_id, 1)])


CHANGES: dict[str, Callable[[Transaction], object]] = {
    "append": lambda tx: tx.append_files(get_table(tx, "main", "t"), new_files(tx, 2)),
    "delete rows": delete_all_but_one,
    "end files": end_files,
    "inline": lambda tx: inline_rows(tx, get_table(tx, "main", "t"), 2),
    "delete inlined": delete_inlined,
    "end inlined": end_inlined,
    "add column": lambda tx: widen(tx, "b"),
    "drop table": lambda tx: drop_table(tx, "main", "t"),
    "rename table": lambda tx: rename_table(tx, "main", "t", "u"),
    "drop schema": lambda tx: drop_schema(tx, "main", cascade=True),
}


@pytest.fixture
def parent(main: Catalog) -> Catalog:
    """`main` with a table of two files, one of them with deletes, and inlined rows."""
    make_table(main)
    append(main, 2)
    with transaction(main) as tx:
        table = get_table(tx, "main", "t")
        delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 3)
        inline_rows(tx, table, 5)
    return main


def test_a_fork_sees_everything_of_its_parent(lake: Lake, parent: Catalog) -> None:
    assert contents(fork(lake, "main", "f")) == contents(parent)


def test_a_fork_writes_a_handful_of_rows_and_none_of_the_parent(lake: Lake, parent: Catalog) -> None:
    before, count = metadata_rows(lake, parent), row_count(lake)
    fork(lake, "main", "f")
    assert metadata_rows(lake, parent) == before
    assert row_count(lake) - count == 4  # the catalog, its two levels and its birth


def test_the_birth_of_a_fork_follows_the_snapshot_it_was_forked_at(lake: Lake, parent: Catalog) -> None:
    child = fork(lake, "main", "f")
    [*history, birth] = list_snapshots(child)
    assert history == list_snapshots(parent)
    assert birth.changes == (ForkedFrom(parent.catalog_id),)
    assert birth.previous_snapshot_id == catalog_info(child).fork_snapshot == history[-1].snapshot_id
    assert birth.snapshot_time > history[-1].snapshot_time


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_fork_does_is_not_seen_by_its_parent(lake: Lake, parent: Catalog, change: str) -> None:
    child = fork(lake, "main", "f")
    before, rows = contents(parent), metadata_rows(lake, parent)
    with transaction(child) as tx:
        CHANGES[change](tx)
    assert contents(parent) == before
    assert metadata_rows(lake, parent) == rows
    assert contents(child) != before


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_parent_does_later_is_not_seen_by_its_fork(lake: Lake, parent: Catalog, change: str) -> None:
    child, before = fork(lake, "main", "f"), contents(parent)
    with transaction(parent) as tx:
        CHANGES[change](tx)
    assert contents(child) == before
    # Neither now nor when the fork has newer snapshots than the parent's change.
    make_table(child, "another")
    assert contents(child) == before


@pytest.mark.parametrize("change", CHANGES)
def test_a_fork_can_travel_to_before_its_changes_and_before_its_birth(lake: Lake, parent: Catalog, change: str) -> None:
    child = fork(lake, "main", "f")
    times = [snapshot.snapshot_id for snapshot in list_snapshots(child)]
    before = [contents(at(child, time)) for time in times]
    with transaction(child) as tx:
        CHANGES[change](tx)
    assert [contents(at(child, time)) for time in times] == before


def test_a_fork_at_a_snapshot_sees_what_was_there(lake: Lake, main: Catalog) -> None:
    make_table(main)
    first = append(main)
    seen = contents(main)
    append(main)
    child = fork(lake, "main", "f", version=first)
    assert contents(child) == seen
    assert catalog_info(child).fork_snapshot == first


def test_a_fork_at_a_time_sees_what_was_there(lake: Lake, main: Catalog) -> None:
    make_table(main)
    append(main)
    seen, time = contents(main), list_snapshots(main)[-1].snapshot_time
    append(main)
    exact, _ = fork_catalog(lake, "main", "exact", timestamp=time)
    assert contents(exact) == seen
    earlier, _ = fork_catalog(lake, "main", "earlier", timestamp=time - timedelta(microseconds=1))
    assert file_ids(earlier) == set()


def test_a_fork_cannot_be_made_at_a_version_and_a_time(lake: Lake, main: Catalog) -> None:
    time = list_snapshots(main)[0].snapshot_time
    with pytest.raises(InvalidInput, match="both VERSION and TIMESTAMP"):
        fork_catalog(lake, "main", "f", version=1, timestamp=time)


def test_asking_for_an_existing_fork_gives_it_when_that_is_welcome(lake: Lake, parent: Catalog) -> None:
    child = fork(lake, "main", "f")
    before = metadata_rows(lake)
    assert fork_catalog(lake, "main", "f", if_not_exists=True) == (child, False)
    with pytest.raises(AlreadyExists, match="'f' already exists"):
        fork_catalog(lake, "main", "f")
    assert metadata_rows(lake) == before


def test_a_fork_with_the_name_of_a_dropped_one_gets_a_folder_of_its_own(lake: Lake, parent: Catalog) -> None:
    first = catalog_info(fork(lake, "main", "f"))
    drop_catalog(lake, "f")
    child = fork(lake, "main", "f")
    again = catalog_info(child)
    assert (first.path, again.name) == ("f", "f")
    assert again.path.startswith("f-")
    assert again.catalog_id != first.catalog_id
    assert contents(child) == contents(parent)


def test_an_existing_fork_is_given_even_if_its_version_is_unknown(lake: Lake, parent: Catalog) -> None:
    child = fork(lake, "main", "f")
    assert fork_catalog(lake, "main", "f", version=999_999, if_not_exists=True) == (child, False)
    with pytest.raises(AlreadyExists):
        fork_catalog(lake, "main", "f", version=999_999)


def test_an_existing_catalog_that_is_another_fork_or_none_is_refused(lake: Lake, parent: Catalog) -> None:
    create_catalog(lake, "other")
    fork(lake, "other", "f")
    with pytest.raises(ForkMismatch, match="forked from a different parent"):
        fork_catalog(lake, "main", "f", if_not_exists=True)
    with pytest.raises(ForkMismatch, match="not a fork"):
        fork_catalog(lake, "main", "other", if_not_exists=True)


def test_dropping_an_inherited_table_costs_the_same_whatever_its_size(lake: Lake, main: Catalog) -> None:
    costs = []
    for name, files in (("small", 1), ("large", 300)):
        make_table(main, name)
        append(main, files, name=name)
    for name in ("small", "large"):
        child = fork(lake, "main", f"without_{name}")
        before = row_count(lake)
        with transaction(child) as tx:
            drop_table(tx, "main", name)
        costs.append(row_count(lake) - before)
        with pytest.raises(NoSuchTable):
            get_table(begin(child), "main", name)
    assert costs == [3, 3]  # the snapshot, the end of the table and the end of what is in it


def test_an_inherited_table_that_was_renamed_keeps_its_files(lake: Lake, parent: Catalog) -> None:
    child = fork(lake, "main", "f")
    with transaction(child) as tx:
        rename_table(tx, "main", "t", "u")
    assert (tables(parent), tables(child)) == (["t"], ["u"])
    append(child, name="u")
    assert len(file_ids(child, "u")) == 3
    with transaction(child) as tx:
        create_table(tx, "main", "t", [ColumnSpec("x", parse_type("int"))])
    assert (columns(child), columns(parent)) == (["x"], ["id"])


def test_siblings_that_add_a_column_to_the_same_table_get_different_ids(lake: Lake, parent: Catalog) -> None:
    ids = []
    for name in ("a", "b"):
        child = fork(lake, "main", name)
        with transaction(child) as tx:
            widen(tx, "added")
        ids.append(get_table(begin(child), "main", "t").definition.columns[-1].column_id)
    assert len({1, *ids}) == 3


def test_a_fork_at_a_version_and_travel_to_it_agree(lake: Lake, parent: Catalog) -> None:
    for number, snapshot in enumerate(list_snapshots(parent)[1:]):
        view = view_at(parent, version=snapshot.snapshot_id)
        child = fork(lake, "main", f"f{number}", version=snapshot.snapshot_id)
        assert contents(child) == contents(replace(parent, pinned=view.snapshot_id))


def test_a_transaction_begun_before_a_fork_still_commits(lake: Lake, parent: Catalog) -> None:
    tx = begin(parent)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    child = fork(lake, "main", "f")
    commit(tx)
    assert (len(file_ids(parent)), len(file_ids(child))) == (3, 2)
