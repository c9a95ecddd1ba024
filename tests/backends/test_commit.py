"""What a commit leaves behind: one snapshot, rising ids, a chain of predecessors, and row ids never given twice."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from forklake.catalog.lakes.catalogs import catalog_info, create_catalog, drop_catalog, find_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake, new_handle
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import view_at_head
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_schema, create_table, drop_table, rename_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import set_option
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import CommitMessageRequired, NoSuchCatalog
from forklake.model.alterations import ColumnSpec
from forklake.model.changes import CreatedTable, InsertedInto
from forklake.model.files import DataFile, NewDataFile
from forklake.model.ids import ColumnId, DataFileId, TableId
from forklake.model.statistics import ColumnStats
from tests.backends.counting_store import CountingStore
from tests.backends.table_changes import BIGINT
from tests.lakes import append, file_ids, inline_rows, make_table, new_files, transaction

WIDE = [ColumnSpec(f"c{i}", BIGINT) for i in range(1, 6)]


def test_snapshot_ids_rise_and_each_names_its_predecessor(main: Catalog) -> None:
    make_table(main)
    committed = [append(main) for _ in range(5)]
    assert committed == sorted(set(committed))
    history = list_snapshots(main)
    assert [snapshot.snapshot_id for snapshot in history][-5:] == committed
    assert history[0].previous_snapshot_id is None
    for before, after in pairwise(history):
        assert after.previous_snapshot_id == before.snapshot_id
        assert after.snapshot_time > before.snapshot_time


def test_a_fork_continues_the_chain_of_its_parent(lake: Lake, main: Catalog) -> None:
    make_table(main)
    horizon = append(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    append(main)
    append(fork)
    history = list_snapshots(fork)
    assert [after.previous_snapshot_id for after in history] == [None, *(s.snapshot_id for s in history[:-1])]
    assert history[-2].catalog_id == fork.catalog_id
    assert history[-2].previous_snapshot_id == horizon


def test_ids_of_different_catalogs_never_meet(lake: Lake, main: Catalog) -> None:
    other = create_catalog(lake, "other")
    make_table(main)
    make_table(other)
    ids = [append(catalog) for _ in range(3) for catalog in (main, other)]
    assert ids == sorted(set(ids))
    assert file_ids(main).isdisjoint(file_ids(other))


def test_the_changes_and_the_committer_are_recorded(main: Catalog) -> None:
    tx = begin(main)
    tx.set_commit_message("ann", 'it\'s "quoted", with a comma', '{"ticket": 7}')
    table = create_table(tx, "main", 'odd "name", really', WIDE)
    tx.append_files(table, new_files(tx, 1))
    snapshot_id = commit(tx)
    last = list_snapshots(main)[-1]
    assert last.snapshot_id == snapshot_id == tx.committed_as
    assert (last.author, last.commit_message) == ("ann", 'it\'s "quoted", with a comma')
    assert last.commit_extra_info == '{"ticket": 7}'
    assert set(last.changes) == {CreatedTable("main", table.name), InsertedInto(TableId(table.object_id))}


def test_a_catalog_may_require_author_and_message(main: Catalog) -> None:
    make_table(main)
    with transaction(main) as tx:
        set_option(tx, "require_commit_message", True)
    before = view_at_head(main).snapshot_id
    with pytest.raises(CommitMessageRequired):
        append(main)
    assert view_at_head(main).snapshot_id == before
    with transaction(main) as tx:
        tx.set_commit_message("ann", "more rows")
        tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    assert len(file_ids(main)) == 1


@pytest.mark.parametrize(
    ("change", "step"),
    [
        (lambda tx: tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1)), 0),
        (lambda tx: inline_rows(tx, get_table(tx, "main", "t"), 1), 0),
        (lambda tx: set_option(tx, "target_file_size", 1000), 0),
        (lambda tx: create_schema(tx, "s"), 1),
        (lambda tx: rename_table(tx, "main", "t", "u"), 1),
        (lambda tx: drop_table(tx, "main", "t"), 1),
        (lambda tx: [create_table(tx, "main", name, WIDE) for name in "xyz"], 1),
    ],
    ids=["insert", "inline", "option", "schema", "rename", "drop", "three tables"],
)
def test_the_schema_version_rises_with_definitions_only(
    lake: Lake, main: Catalog, change: Callable[[Transaction], object], step: int
) -> None:
    make_table(main)
    before = view_at_head(main).schema_version
    with transaction(main) as tx:
        change(tx)
    assert view_at_head(main).schema_version == before + step
    assert list_snapshots(main)[-1].schema_version == before + step
    fork, _ = fork_catalog(lake, "main", "fork")
    assert view_at_head(fork).schema_version == before + step
    assert view_at_head(main).snapshot_id == catalog_info(main).head_snapshot


def test_row_ids_are_consecutive_and_never_given_twice(main: Catalog) -> None:
    make_table(main)
    append(main, 3)
    assert _row_id_starts(main) == [0, 10, 20]
    with transaction(main) as tx:
        table = get_table(tx, "main", "t")
        tx.end_files(table, tx.files(TableId(table.object_id)))
        tx.append_files(table, new_files(tx, 1))
        inline_rows(tx, table, 3)
    append(main)
    assert _row_id_starts(main) == [30, 40, 43]


def test_row_ids_of_a_fork_go_on_where_the_parent_was(lake: Lake, main: Catalog) -> None:
    make_table(main)
    append(main, 2)
    fork, _ = fork_catalog(lake, "main", "fork")
    append(main)
    append(fork, 2)
    append(main)
    assert _row_id_starts(fork) == [0, 10, 20, 30]
    assert _row_id_starts(main) == [0, 10, 20, 30]


def test_a_conflict_or_rollback_wastes_no_row_ids(main: Catalog) -> None:
    make_table(main)
    first, second = begin(main), begin(main)
    for tx in (first, second):
        tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    commit(first)
    commit(second)
    assert _row_id_starts(main) == [0, 10]


def test_the_number_of_statements_does_not_grow_with_the_number_of_files(lake: Lake, main: Catalog) -> None:
    with transaction(main) as tx:
        create_table(tx, "main", "wide", WIDE)
    few, many = _statements_for(lake, 2), _statements_for(lake, 10_000)
    assert few == many
    assert few[0] <= 30
    table_id = TableId(get_table(begin(main), "main", "wide").object_id)
    assert view_at_head(main).stats(table_id).record_count == 10_002
    [[stats]] = lake.store.fetch("SELECT count(*) FROM lake_file_column_stats", {})
    assert stats == 5 * 10_002


def test_a_commit_to_a_dropped_catalog_is_refused(lake: Lake, main: Catalog) -> None:
    make_table(main)
    tx = begin(main)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    drop_catalog(lake, "main")
    create_catalog(lake, "main")
    with pytest.raises(NoSuchCatalog, match="was dropped"):
        commit(tx)
    assert list_snapshots(find_catalog(lake, "main"))[-1].previous_snapshot_id is None


def _row_id_starts(catalog: Catalog) -> list[int]:
    view = view_at_head(catalog)
    table_id = TableId(get_table(begin(catalog), "main", "t").object_id)
    files = [scanned.data.row_id_start for scanned in view.files(table_id)]
    starts = [*files, *(batch.row_id_start for batch in view.batches(table_id))]
    return sorted(start for start in starts if start is not None)


def _statements_for(lake: Lake, files: int) -> tuple[int, int]:
    """Statements and round trips that it takes to commit so many files with statistics of five columns."""
    store = CountingStore(lake.store)
    catalog = find_catalog(new_handle(store, lake.data_path), "main")
    tx = begin(catalog)
    table = get_table(tx, "main", "wide")
    stats = tuple(ColumnStats(ColumnId(i), 1, 0, "1", "2") for i in range(1, 6))
    new = [
        NewDataFile(DataFile(DataFileId(file_id), f"main/main/wide/{file_id}.parquet", 1, 1000), stats)
        for file_id in tx.new_ids("file", files)
    ]
    tx.append_files(table, new)
    store.statements = store.trips = 0
    assert commit(tx) is not None
    return store.statements, store.trips
