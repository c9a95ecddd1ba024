"""What goes wrong when many catalogs and their forks share one metadata database carelessly, and here does not."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from forklake.catalog.lakes.catalogs import catalog_info, create_catalog, drop_catalog, find_catalog, rename_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import alter_table, create_schema, create_table, drop_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import effective_option, set_option
from forklake.catalog.transaction.transaction import begin
from forklake.model.alterations import ColumnSpec, add_column
from forklake.model.changes import ForkedFrom
from forklake.model.column_types import parse_type
from forklake.model.files import InlinedBatch
from forklake.model.ids import SnapshotId, TableId
from forklake.store.connection import Statement
from forklake.store.metadata_tables import TABLES
from tests.conftest import Place
from tests.lakes import (
    append,
    at,
    delete_rows,
    file_ids,
    inline_rows,
    make_table,
    metadata_rows,
    new_files,
    transaction,
)


def batches(catalog: Catalog) -> list[InlinedBatch]:
    tx = begin(catalog)
    return tx.batches(TableId(get_table(tx, "main", "t").object_id))


def flush(catalog: Catalog) -> None:
    """Move all inlined rows into a file."""
    with transaction(catalog) as tx:
        table = get_table(tx, "main", "t")
        tx.compact(table, "flush")
        inlined = tx.batches(TableId(table.object_id))
        tx.end_batches(table, inlined)
        [new] = new_files(tx, 1)
        rows = sum(batch.live_rows for batch in inlined)
        tx.append_files(table, [replace(new, file=new.file._replace(record_count=rows))])


def add_a_column(catalog: Catalog, name: str) -> int:
    with transaction(catalog) as tx:
        spec = ColumnSpec(name, parse_type("int"))
        altered = alter_table(tx, "main", "t", lambda d: add_column(d, spec, tx.new_column_ids(1)))
    return altered.definition.columns[-1].column_id


@pytest.fixture
def table(main: Catalog) -> Catalog:
    """`main` with the table `t`."""
    make_table(main)
    return main


def test_inlined_rows_of_a_parent_and_its_fork_are_apart(lake: Lake, table: Catalog) -> None:
    with transaction(table) as tx:
        inline_rows(tx, get_table(tx, "main", "t"), 3, b"before the fork")
    child, _ = fork_catalog(lake, "main", "f")
    for catalog, payload in ((table, b"parent"), (child, b"fork")):
        with transaction(catalog) as tx:
            inline_rows(tx, get_table(tx, "main", "t"), 1, payload)
    assert [batch.payload for batch in batches(table)] == [b"before the fork", b"parent"]
    assert [batch.payload for batch in batches(child)] == [b"before the fork", b"fork"]
    flush(child)
    assert (batches(child), len(file_ids(child))) == ([], 1)
    assert ([batch.payload for batch in batches(table)], file_ids(table)) == ([b"before the fork", b"parent"], set())
    grandchild, _ = fork_catalog(lake, "main", "g")
    flush(table)
    assert [batch.payload for batch in batches(grandchild)] == [b"before the fork", b"parent"]


def test_commits_of_other_catalogs_are_no_conflicts(lake: Lake, table: Catalog) -> None:
    child, _ = fork_catalog(lake, "main", "f")
    in_fork, in_parent = begin(child), begin(table)
    in_fork.append_files(get_table(in_fork, "main", "t"), new_files(in_fork, 1))
    create_schema(in_parent, "s")
    create_schema(in_fork, "s")
    # Each of these would conflict within one catalog: the table has the same id in both.
    other = begin(table)
    drop_table(other, "main", "t")
    create_schema(other, "s2")
    commit(other)
    fork_catalog(lake, "main", "another")
    assert commit(in_fork) is not None
    assert commit(in_parent) is not None
    assert list_snapshots(child)[-2].changes == (ForkedFrom(table.catalog_id),)


def test_everything_a_fork_owns_can_be_removed_without_its_parent_noticing(lake: Lake, table: Catalog) -> None:
    append(table, 2)
    child, _ = fork_catalog(lake, "main", "f")
    append(child)
    with transaction(child) as tx:
        found = get_table(tx, "main", "t")
        tx.end_files(found, tx.files(TableId(found.object_id)))
    rows, history, files = metadata_rows(lake, table), list_snapshots(table), file_ids(table)
    owned = [name for name, definition in TABLES.items() if "catalog_id" in definition.columns]
    mine = {"catalog_id": child.catalog_id}
    with lake.store.writing([]) as (connection, _):
        connection.commit([Statement(f"DELETE FROM {name} WHERE catalog_id = :catalog_id", mine) for name in owned])
    assert (metadata_rows(lake, table), list_snapshots(table), file_ids(table)) == (rows, history, files)


def test_no_two_catalogs_ever_share_a_folder(lake: Lake, main: Catalog) -> None:
    fork_catalog(lake, "main", "f")
    drop_catalog(lake, "f")
    fork_catalog(lake, "main", "f")
    rename_catalog(lake, "f", "g")
    fork_catalog(lake, "main", "f")
    create_catalog(lake, "F")
    create_catalog(lake, "f ünd g")
    folders = [row[0] for row in lake.store.fetch("SELECT path FROM lake_catalog", {})]
    assert len(folders) == len(set(folders)) == 6
    # One segment each, so that none lies within another.
    assert not any(set("/\\. ") & set(folder) for folder in folders)


def test_within_a_catalog_ids_rise_in_the_order_of_commits(lake: Lake, table: Catalog) -> None:
    other = create_catalog(lake, "other")
    make_table(other)
    seen: list[tuple[SnapshotId, int]] = []

    def commit_and_look(number: int) -> None:
        append([table, other][number % 2])
        newest = list_snapshots(table)[-1].snapshot_id
        seen.append((newest, len(file_ids(at(table, newest)))))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(commit_and_look, range(30)))
    for catalog in (table, other):
        history = list_snapshots(catalog)
        assert [later.previous_snapshot_id for later in history[1:]] == [s.snapshot_id for s in history[:-1]]
        assert [s.snapshot_time for s in history] == sorted(s.snapshot_time for s in history)
        assert history[-1].snapshot_id == catalog_info(catalog).head_snapshot
        assert [len(file_ids(at(catalog, s.snapshot_id))) for s in history[1:]] == list(range(16))
    # What a reader saw at a snapshot is what everybody sees there for ever.
    assert [(newest, len(file_ids(at(table, newest)))) for newest, _ in seen] == seen


def test_a_fork_writes_into_a_folder_of_its_own(lake: Lake, table: Catalog) -> None:
    child, _ = fork_catalog(lake, "main", "f")
    assert (table.path, child.path) == ("main", "f")
    # Where the table lies is said relative to the catalog that writes, so the inherited row fits both.
    assert get_table(begin(child), "main", "t").path == get_table(begin(table), "main", "t").path == "main/t/"


def test_who_still_needs_a_file_can_be_asked_for_data_and_delete_files_alike(lake: Lake, table: Catalog) -> None:
    append(table)
    with transaction(table) as tx:
        found = get_table(tx, "main", "t")
        delete_rows(tx, found, tx.files(TableId(found.object_id))[0], 1)
    child, _ = fork_catalog(lake, "main", "f")
    with transaction(table) as tx:
        tx.end_files(found, tx.files(TableId(found.object_id)))
    drop_catalog(lake, "main")
    for name in ("lake_data_file", "lake_delete_file"):
        holders = f"""
            SELECT a.catalog_id FROM {name} f JOIN lake_catalog_ancestor a ON a.ancestor_id = f.catalog_id
            WHERE f.begin_snapshot <= a.max_snapshot AND f.end_snapshot > a.max_snapshot"""
        assert lake.store.fetch(holders, {}) == [(child.catalog_id,)]
    again = find_catalog(lake, "f")
    [scanned] = begin(again).files(TableId(found.object_id))
    assert scanned.live_rows == 9


def test_a_fork_has_the_history_of_its_parent_and_copies_nothing(lake: Lake, table: Catalog) -> None:
    snapshots = [append(table) for _ in range(3)]
    with transaction(table) as tx:
        found = get_table(tx, "main", "t")
        tx.end_files(found, tx.files(TableId(found.object_id)))
    append(create_other_with_table(lake))  # newer than anything in main
    child, _ = fork_catalog(lake, "main", "f")
    assert catalog_info(child).fork_snapshot == catalog_info(table).head_snapshot
    assert [len(file_ids(at(child, snapshot))) for snapshot in snapshots] == [1, 2, 3]
    assert file_ids(child) == set()
    owned = {name: len(rows) for name, rows in metadata_rows(lake, child).items() if rows}
    assert owned == {"lake_catalog": 1, "lake_catalog_ancestor": 2, "lake_snapshot": 1}


def create_other_with_table(lake: Lake) -> Catalog:
    other = create_catalog(lake, "other")
    make_table(other)
    return other


def test_forks_made_during_commits_see_whole_commits_only(lake: Lake, table: Catalog) -> None:
    def commit_two_files(_: int) -> None:
        append(table, 2)

    with ThreadPoolExecutor(2) as pool:
        committing = pool.map(commit_two_files, range(20))
        forks = [fork_catalog(lake, "main", f"f{number}")[0] for number in range(20)]
        list(committing)
    for child in forks:
        point = catalog_info(child).fork_snapshot
        assert point is not None
        assert file_ids(child) == file_ids(at(table, point))
        assert len(file_ids(child)) % 2 == 0


def test_the_history_of_a_catalog_holds_nobody_elses_snapshots(lake: Lake, table: Catalog) -> None:
    other = create_other_with_table(lake)
    child, _ = fork_catalog(lake, "main", "f")
    inherited = list_snapshots(table)
    append(other)
    append(table)
    append(child)
    assert {snapshot.catalog_id for snapshot in list_snapshots(table)} == {table.catalog_id}
    assert {snapshot.catalog_id for snapshot in list_snapshots(other)} == {other.catalog_id}
    assert list_snapshots(child)[:-2] == inherited
    assert [snapshot.catalog_id for snapshot in list_snapshots(child)[-2:]] == [child.catalog_id] * 2


def test_an_option_of_a_table_is_not_that_of_the_same_table_in_a_fork(lake: Lake, table: Catalog) -> None:
    child, _ = fork_catalog(lake, "main", "f")
    for catalog, value in ((table, "gzip"), (child, "zstd")):
        with transaction(catalog) as tx:
            set_option(tx, "parquet_compression", value, table="t")
    seen = []
    for catalog in (table, child):
        tx = begin(catalog)
        seen.append(effective_option(tx, "parquet_compression", get_table(tx, "main", "t")))
    assert seen == ["gzip", "zstd"]


def test_two_structs_of_a_table_may_have_fields_of_the_same_name(main: Catalog) -> None:
    columns = [ColumnSpec(name, parse_type("struct(x int, y struct(x int))")) for name in ("a", "b", "x")]
    with transaction(main) as tx:
        create_table(tx, "main", "t", columns)
    definition = get_table(begin(main), "main", "t").definition
    names = [".".join(path) for path, _ in definition.leaves()]
    assert names == ["a.x", "a.y.x", "b.x", "b.y.x", "x.x", "x.y.x"]


def test_a_commit_changes_no_counter_of_another_catalog(lake: Lake, table: Catalog) -> None:
    other = create_catalog(lake, "other")
    before, info = metadata_rows(lake, table), catalog_info(table)
    make_table(other)
    append(other)
    add_a_column(other, "b")
    assert metadata_rows(lake, table) == before
    assert (info.schema_version, catalog_info(table).schema_version, catalog_info(other).schema_version) == (1, 1, 2)


def test_a_commit_does_not_wait_for_a_commit_to_another_catalog(postgres_place: Place) -> None:
    lake = open_lake(postgres_place.url, metadata_schema=postgres_place.metadata_schema, create=True)
    busy, free = create_catalog(lake, "busy"), create_catalog(lake, "free")
    make_table(free)
    lock = f"SELECT 1 FROM lake_catalog WHERE catalog_id = {busy.catalog_id} {lake.store.dialect.lock_catalog}"
    with lake.store.writing([Statement(lock, {})]):
        assert append(free)
        assert fork_catalog(lake, "busy", "fork of the busy one")[1]
    lake.close()


def test_columns_added_in_different_catalogs_have_different_ids(lake: Lake, table: Catalog) -> None:
    child, _ = fork_catalog(lake, "main", "f")
    other = create_other_with_table(lake)
    ids = [add_a_column(catalog, name) for name in ("b", "c") for catalog in (table, child, other)]
    assert len(set(ids)) == len(ids)
    assert get_table(begin(other), "main", "t").definition.columns[0].column_id == 1
