"""Catalogs are created, found, listed, renamed and dropped, and none of it disturbs the others."""

import pytest

from forklake.catalog.lakes.catalogs import (
    catalog_info,
    create_catalog,
    drop_catalog,
    find_catalog,
    list_catalogs,
    rename_catalog,
)
from forklake.catalog.lakes.forks import catalog_tree, fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import view_at
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_schema, drop_table
from forklake.catalog.transaction.names import get_table, list_schemas, list_tables
from forklake.catalog.transaction.transaction import begin
from forklake.errors import AlreadyExists, NoSuchCatalog
from forklake.model.changes import CreatedCatalog, CreatedSchema
from forklake.model.ids import TableId
from forklake.store.connection import RowsToInsert
from tests.lakes import append, file_ids, make_table, metadata_rows, transaction


def names(lake: Lake, parent: Catalog | None = None) -> list[str]:
    return [info.name for info in list_catalogs(lake, parent=parent)]


def test_a_new_catalog_has_the_schema_main_and_one_snapshot(main: Catalog) -> None:
    assert [schema.name for schema in list_schemas(begin(main))] == ["main"]
    [birth] = list_snapshots(main)
    assert birth.changes == (CreatedCatalog("main"), CreatedSchema("main"))
    assert birth.previous_snapshot_id is None


def test_a_catalog_is_found_by_its_name(lake: Lake, main: Catalog) -> None:
    assert find_catalog(lake, "main") == main
    assert catalog_info(main).head_snapshot == begin(main).base


def test_catalog_names_tell_case_apart(lake: Lake, main: Catalog) -> None:
    other = create_catalog(lake, "Main")
    assert other.catalog_id != main.catalog_id
    assert find_catalog(lake, "Main") == other


@pytest.mark.parametrize("name", ["Ünïcode", "agent 7", "日本語", 'quo"te', "a'; DROP TABLE x; --", "x" * 255])
def test_any_usable_name_comes_back_as_it_was_given(lake: Lake, name: str) -> None:
    created = create_catalog(lake, name)
    assert names(lake) == [name]
    assert find_catalog(lake, name) == created
    assert len(created.path) <= 255
    assert "/" not in created.path


def test_creating_a_catalog_twice_is_refused_unless_the_first_is_welcome(lake: Lake, main: Catalog) -> None:
    before = metadata_rows(lake)
    with pytest.raises(AlreadyExists, match="'main' already exists"):
        create_catalog(lake, "main")
    assert create_catalog(lake, "main", if_not_exists=True) == main
    assert metadata_rows(lake) == before


def test_the_nearest_name_is_suggested_for_an_unknown_one(lake: Lake, main: Catalog) -> None:
    with pytest.raises(NoSuchCatalog, match=r"'mian' does not exist.*Did you mean 'main'"):
        find_catalog(lake, "mian")


def test_listing_goes_through_all_pages_in_the_order_of_names(lake: Lake, main: Catalog) -> None:
    [row] = metadata_rows(lake, main)["lake_catalog"]
    many = [
        (10_000 + i, row[1], f"c{i:04}", f"folder{i}", main.catalog_id if i < 1100 else None, *row[5:])
        for i in range(2500)
    ]
    with lake.store.writing([]) as (connection, _):
        connection.commit([RowsToInsert("lake_catalog", many)])
    assert names(lake) == [*(f"c{i:04}" for i in range(2500)), "main"]
    assert names(lake, parent=main) == [f"c{i:04}" for i in range(1100)]


def test_only_the_direct_forks_of_a_parent_are_listed(lake: Lake, main: Catalog) -> None:
    fork_catalog(lake, "main", "b")
    fork_catalog(lake, "main", "a")
    fork_catalog(lake, "a", "below")
    assert names(lake, parent=main) == ["a", "b"]


def test_a_renamed_catalog_keeps_its_id_folder_history_and_contents(lake: Lake, main: Catalog) -> None:
    make_table(main)
    append(main)
    before = metadata_rows(lake, main)
    renamed = rename_catalog(lake, "main", "prod")
    assert (renamed.catalog_id, renamed.path) == (main.catalog_id, main.path)
    assert file_ids(renamed) == file_ids(main)
    after = metadata_rows(lake, main)
    assert {table for table in after if after[table] != before[table]} == {"lake_catalog"}


def test_the_old_name_of_a_renamed_catalog_is_free_again(lake: Lake, main: Catalog) -> None:
    rename_catalog(lake, "main", "prod")
    with pytest.raises(NoSuchCatalog):
        find_catalog(lake, "main")
    again = create_catalog(lake, "main")
    # The folder "main" still belongs to the renamed one.
    assert again.path != main.path
    assert names(lake) == ["main", "prod"]


def test_a_catalog_cannot_take_the_name_of_another(lake: Lake, main: Catalog) -> None:
    create_catalog(lake, "other")
    before = metadata_rows(lake)
    with pytest.raises(AlreadyExists, match="'other' already exists"):
        rename_catalog(lake, "main", "other")
    assert metadata_rows(lake) == before


def test_a_commit_goes_on_after_its_catalog_was_renamed(lake: Lake, main: Catalog) -> None:
    make_table(main)
    renamed = rename_catalog(lake, "main", "prod")
    append(main)
    assert len(file_ids(renamed)) == 1


def test_a_dropped_catalog_is_gone_and_its_name_free(lake: Lake, main: Catalog) -> None:
    make_table(main)
    info = catalog_info(main)
    drop_catalog(lake, "main")
    assert names(lake) == []
    again = create_catalog(lake, "main")
    new = catalog_info(again)
    assert new.catalog_id != info.catalog_id
    assert new.uuid != info.uuid
    assert new.path != info.path
    assert list_tables(begin(again), "main") == []


def test_dropping_a_catalog_twice_is_refused(lake: Lake, main: Catalog) -> None:
    drop_catalog(lake, "main")
    with pytest.raises(NoSuchCatalog):
        drop_catalog(lake, "main")


def test_nothing_can_be_read_or_begun_through_a_handle_to_a_dropped_catalog(lake: Lake, main: Catalog) -> None:
    drop_catalog(lake, "main")
    create_catalog(lake, "main")
    for attempt in (begin, catalog_info, list_snapshots, lambda catalog: view_at(catalog, version=1)):
        with pytest.raises(NoSuchCatalog, match="'main' was dropped"):
            attempt(main)


def test_a_commit_to_a_dropped_catalog_fails_and_writes_nothing(lake: Lake, main: Catalog) -> None:
    tx = begin(main)
    create_schema(tx, "s")
    drop_catalog(lake, "main")
    before = metadata_rows(lake)
    with pytest.raises(NoSuchCatalog, match="'main' was dropped"):
        commit(tx)
    assert metadata_rows(lake) == before
    assert not tx.is_open


def test_a_fork_keeps_what_it_sees_when_its_parent_is_dropped(lake: Lake, main: Catalog) -> None:
    make_table(main)
    old = append(main, 3)
    fork, _ = fork_catalog(lake, "main", "f")
    files = file_ids(fork)
    drop_catalog(lake, "main")
    again = find_catalog(lake, "f")
    assert file_ids(again) == files
    append(again)
    assert len(file_ids(again)) == 4
    assert len(view_at(again, version=old).files(TableId(get_table(begin(again), "main", "t").object_id))) == 3


def test_the_middle_of_a_chain_can_be_dropped(lake: Lake, main: Catalog) -> None:
    make_table(main)
    append(main)
    middle, _ = fork_catalog(lake, "main", "middle")
    append(middle)
    make_table(middle, "only_here")
    leaf, _ = fork_catalog(lake, "middle", "leaf")
    append(leaf)
    files = file_ids(leaf)
    drop_catalog(lake, "middle")
    leaf = find_catalog(lake, "leaf")
    assert file_ids(leaf) == files
    assert [table.name for table in list_tables(begin(leaf), "main")] == ["only_here", "t"]
    below, _ = fork_catalog(lake, "leaf", "below")
    assert file_ids(below) == files


def test_what_a_dropped_middle_had_ended_stays_ended_for_the_leaf(lake: Lake, main: Catalog) -> None:
    make_table(main)
    fork_catalog(lake, "main", "middle")
    with transaction(find_catalog(lake, "middle")) as tx:
        drop_table(tx, "main", "t")
    leaf, _ = fork_catalog(lake, "middle", "leaf")
    drop_catalog(lake, "middle")
    assert list_tables(begin(leaf), "main") == []
    assert [table.name for table in list_tables(begin(main), "main")] == ["t"]


def test_the_tree_shows_parents_fork_points_depths_and_own_rows(lake: Lake, main: Catalog) -> None:
    make_table(main)
    point = append(main)
    a, _ = fork_catalog(lake, "main", "a")
    fork_catalog(lake, "main", "b")
    below, _ = fork_catalog(lake, "a", "below")
    append(below)
    tree = {node.info.name: node for node in catalog_tree(lake, "main")}
    assert list(tree) == ["main", "a", "b", "below"]
    assert [(n.info.depth, n.forks_below) for n in tree.values()] == [(0, 3), (1, 1), (1, 0), (2, 0)]
    assert tree["main"].info.parent_id is None
    assert tree["a"].info.parent_id == tree["b"].info.parent_id == main.catalog_id
    assert (tree["a"].info.fork_snapshot, tree["below"].info.parent_id) == (point, a.catalog_id)
    # A fork that has written nothing has its birth; an append adds snapshot, file, file and table statistics.
    assert (tree["a"].own_rows, tree["below"].own_rows) == (1, 5)
    assert tree["main"].own_rows > 5


def test_the_tree_shows_a_dropped_catalog_only_while_something_below_it_lives(lake: Lake, main: Catalog) -> None:
    fork_catalog(lake, "main", "middle")
    fork_catalog(lake, "middle", "leaf")
    drop_catalog(lake, "middle")
    [root, middle, _] = catalog_tree(lake, "main")
    assert (middle.info.name, middle.info.end_snapshot is not None) == ("middle", True)
    assert root.forks_below == 1
    drop_catalog(lake, "leaf")
    assert [node.info.name for node in catalog_tree(lake, "main")] == ["main"]
