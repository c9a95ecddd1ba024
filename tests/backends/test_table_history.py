"""The history of a table's rows is what comparing its state from snapshot to snapshot would find."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.table_history import (
    DeletedFromBatch,
    DeletedFromFile,
    InsertedBatch,
    InsertedFile,
    TableHistory,
    table_history,
)
from forklake.catalog.reading.view import view_at, view_at_head
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import alter_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.table_changes import Compaction
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import NoSuchSnapshot
from forklake.model.alterations import ColumnSpec, add_column
from forklake.model.changes import FlushedInlined, MergedAdjacent, RewroteDeletes
from forklake.model.column_types import parse_type
from forklake.model.entities import Table
from forklake.model.files import InlinedBatch, ScanFile
from forklake.model.ids import SnapshotId, TableId
from tests.backends.counting_store import counted
from tests.lakes import append, delete_rows, inline_rows, make_table, new_files, transaction

Action = Callable[[Transaction, Table, int], None]


def _files(tx: Transaction, table: Table) -> list[ScanFile]:
    return sorted(tx.files(TableId(table.object_id)), key=lambda scanned: scanned.data.data_file_id)


def _batches(tx: Transaction, table: Table) -> list[InlinedBatch]:
    return tx.batches(TableId(table.object_id))


def insert(tx: Transaction, table: Table, n: int) -> None:
    tx.append_files(table, new_files(tx, 1 + n % 2))


def inline(tx: Transaction, table: Table, n: int) -> None:
    inline_rows(tx, table, 1 + n % 4)


def delete_some(tx: Transaction, table: Table, n: int) -> None:
    if files := _files(tx, table):
        scanned = files[n % len(files)]
        delete_rows(tx, table, scanned, (scanned.delete.delete_count if scanned.delete else 0) + 1 + n % 4)


def delete_inlined(tx: Transaction, table: Table, n: int) -> None:
    left = [(b.batch_id, p) for b in _batches(tx, table) for p in range(b.row_count) if p not in b.deleted]
    if left:
        tx.delete_inlined(table, list({left[n % len(left)], left[(n + 1) % len(left)]}))


def end_file(tx: Transaction, table: Table, n: int) -> None:
    if files := _files(tx, table):
        tx.end_files(table, [files[n % len(files)]])


def truncate(tx: Transaction, table: Table, n: int) -> None:
    tx.end_files(table, _files(tx, table))
    tx.end_batches(table, _batches(tx, table))


def widen(tx: Transaction, table: Table, n: int) -> None:
    spec = ColumnSpec(f"c{len(table.definition.columns)}", parse_type("int"))
    alter_table(tx, "main", "t", lambda definition: add_column(definition, spec, tx.new_column_ids(1)))


def _compact(kind: Compaction) -> Action:
    def stage(tx: Transaction, table: Table, n: int) -> None:
        tx.compact(table, kind)
        files = [] if kind == "flush" else _files(tx, table)[: 1 + n % 3]
        batches = _batches(tx, table) if kind == "flush" else []
        rows = sum(scanned.live_rows for scanned in files) + sum(batch.live_rows for batch in batches)
        tx.end_files(table, files)
        tx.end_batches(table, batches)
        if rows:
            [new] = new_files(tx, 1)
            # A row that was deleted is sometimes kept in the new file, with a delete file beside it.
            kept = replace(new, file=new.file._replace(record_count=rows + n % 2))
            tx.append_files(table, [kept])
            if n % 2:
                delete_rows(tx, table, ScanFile(kept.file), 1)

    return stage


CHANGES: list[Action] = [insert, inline, delete_some, delete_inlined, end_file, truncate, widen]
COMPACTIONS: list[Action] = [_compact("merge"), _compact("rewrite"), _compact("flush")]
numbers = st.integers(0, 1000)
STEPS: st.SearchStrategy[list[Action]] = st.one_of(
    st.lists(st.sampled_from([*CHANGES, insert, inline, delete_some, delete_inlined]), min_size=1, max_size=3),
    st.sampled_from(COMPACTIONS).map(lambda action: [action]),
    st.builds(list[Action]),
)
"""What one transaction does; nothing at all stands for a fork."""


def _moved(view_changes: tuple[object, ...], table_id: TableId) -> bool:
    moves = {MergedAdjacent(table_id), RewroteDeletes(table_id), FlushedInlined(table_id)}
    return not moves.isdisjoint(view_changes)


def replay(catalog: Catalog, table_id: TableId, after: SnapshotId, upto: SnapshotId) -> TableHistory:
    """The history found by looking at the table in every snapshot."""
    inserted: list[InsertedFile] = []
    deleted: list[DeletedFromFile] = []
    inserted_batches: list[InsertedBatch] = []
    deleted_inlined: list[DeletedFromBatch] = []
    for older, newer in itertools.pairwise(list_snapshots(catalog)):
        s = newer.snapshot_id
        if not after < s <= upto or _moved(newer.changes, table_id):
            continue
        before, now = view_at(catalog, version=older.snapshot_id), view_at(catalog, version=s)
        files = {scanned.data.data_file_id: scanned for scanned in before.files(table_id)}
        files_now = {scanned.data.data_file_id: scanned for scanned in now.files(table_id)}
        for file_id in sorted(files.keys() | files_now.keys()):
            was, is_now = files.get(file_id), files_now.get(file_id)
            if was is None and is_now is not None:
                inserted.append(InsertedFile(s, is_now.data, is_now.delete))
            elif was is not None and is_now is None:
                deleted.append(DeletedFromFile(s, was.data, was.delete, None))
            elif was is not None and is_now is not None and was.delete != is_now.delete:
                deleted.append(DeletedFromFile(s, was.data, was.delete, is_now.delete))
        batches = {batch.batch_id: batch for batch in before.batches(table_id)}
        batches_now = {batch.batch_id: batch for batch in now.batches(table_id)}
        for batch_id in sorted(batches_now.keys() - batches.keys()):
            inserted_batches.append(InsertedBatch(s, batches_now[batch_id]))
        for batch_id, batch in sorted(batches.items()):
            left = batches_now.get(batch_id)
            gone = frozenset(range(batch.row_count)) if left is None else left.deleted
            if gone - batch.deleted:
                deleted_inlined.append(DeletedFromBatch(s, batch, gone - batch.deleted))
    return TableHistory(tuple(inserted), tuple(deleted), tuple(inserted_batches), tuple(deleted_inlined))


def _commit(catalog: Catalog, actions: list[Action], n: int) -> None:
    tx = begin(catalog)
    for action in actions:
        action(tx, get_table(tx, "main", "t"), n)
    commit(tx)


def _made_since(catalog: Catalog, created: SnapshotId) -> list[SnapshotId]:
    return [snapshot.snapshot_id for snapshot in list_snapshots(catalog) if snapshot.snapshot_id >= created]


_names = itertools.count(1)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(STEPS, numbers), min_size=4, max_size=16), ranges=st.lists(st.tuples(numbers, numbers)))
def test_the_history_is_what_a_replay_finds(
    lake: Lake, main: Catalog, steps: list[tuple[list[Action], int]], ranges: list[tuple[int, int]]
) -> None:
    root = create_catalog(lake, f"c{next(_names)}")
    table_id = TableId(make_table(root).object_id)
    created = view_at_head(root).snapshot_id
    catalogs = [root]
    for actions, n in steps:
        catalog = catalogs[n % len(catalogs)]
        if actions:
            _commit(catalog, actions, n)
        else:
            made = _made_since(catalog, created)
            at = made[max(n % len(made), len(made) // 2)]
            catalogs.append(fork_catalog(lake, catalog.name, f"c{next(_names)}", version=at)[0])
    for catalog in catalogs:
        view = view_at_head(catalog)
        known = _made_since(catalog, created)
        for low, high in [(0, len(known) - 1), *ranges]:
            after, upto = known[low % len(known)], known[high % len(known)]
            assert table_history(view, table_id, after, upto) == replay(catalog, table_id, after, upto)


def _whole(catalog: Catalog, table_id: TableId) -> TableHistory:
    view = view_at_head(catalog)
    return table_history(view, table_id, SnapshotId(0), view.snapshot_id)


def test_a_file_added_and_removed_again_shows_both(main: Catalog) -> None:
    table_id = TableId(make_table(main).object_id)
    added = append(main)
    with transaction(main) as tx:
        delete_some(tx, get_table(tx, "main", "t"), 0)
    with transaction(main) as tx:
        truncate(tx, get_table(tx, "main", "t"), 0)
    history = _whole(main, table_id)
    assert [found.snapshot_id for found in history.inserted] == [added]
    first, second = history.deleted
    assert (first.before, second.after) == (None, None)
    assert first.after == second.before
    assert first.file == second.file == history.inserted[0].file


def test_rows_that_one_transaction_inserts_and_deletes_were_never_there(main: Catalog) -> None:
    table_id = TableId(make_table(main).object_id)
    with transaction(main) as tx:
        table = get_table(tx, "main", "t")
        tx.append_files(table, new_files(tx, 1))
        delete_rows(tx, table, _files(tx, table)[0], 4)
        batch = inline_rows(tx, table, 3)
        tx.delete_inlined(table, [(batch.batch_id, 1)])
    history = _whole(main, table_id)
    [inserted], [of_batch] = history.inserted, history.inserted_batches
    assert inserted.never_seen is not None
    assert inserted.never_seen.delete_count == 4
    assert of_batch.batch.deleted == {1}
    assert not history.deleted
    assert not history.deleted_inlined


def test_a_fork_sees_its_own_ends_and_nothing_of_its_ancestors_after_it_left(lake: Lake, main: Catalog) -> None:
    table_id = TableId(make_table(main).object_id)
    append(main, 2)
    child, _ = fork_catalog(lake, "main", "child")
    append(child)
    grandchild, _ = fork_catalog(lake, "child", "grandchild")
    for catalog in (main, child, grandchild):
        with transaction(catalog) as tx:
            truncate(tx, get_table(tx, "main", "t"), 0)
        append(catalog)
    own = view_at_head(grandchild)
    history = _whole(grandchild, table_id)
    ends = {found.snapshot_id for found in history.deleted}
    assert len(history.inserted) == 4
    assert len(history.deleted) == 3
    assert ends == {list_snapshots(grandchild)[-2].snapshot_id}
    assert history.inserted[-1].snapshot_id == own.snapshot_id
    assert all(found.file.owner in {main.catalog_id, child.catalog_id} for found in history.deleted)


def test_the_past_shows_nothing_of_its_future(main: Catalog) -> None:
    table_id = TableId(make_table(main).object_id)
    append(main)
    past = view_at_head(main)
    append(main)
    assert len(table_history(past, table_id, SnapshotId(0), SnapshotId(2**62)).inserted) == 1
    assert _nothing(table_history(past, table_id, past.snapshot_id, past.snapshot_id))


def _nothing(history: TableHistory) -> bool:
    return history == TableHistory((), (), (), ())


@pytest.fixture
def long_history(main: Catalog) -> TableId:
    table_id = TableId(make_table(main).object_id)
    for n in range(20):
        _commit(main, [insert, inline, delete_some, delete_inlined], n)
    return table_id


def test_two_round_trips_are_enough_whatever_the_number_of_snapshots(main: Catalog, long_history: TableId) -> None:
    store, fresh = counted(main)
    view = view_at_head(fresh)
    store.reset()
    history = table_history(view, long_history, SnapshotId(0), view.snapshot_id)
    assert len(history.inserted) >= 20
    assert (store.trips, store.statements) == (2, 11)


def test_long_histories_are_read_in_one_go(
    main: Catalog, long_history: TableId, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _whole(main, long_history)
    monkeypatch.setattr("forklake.store.row_events.FETCH_BY_ID", 3)
    assert _whole(main, long_history) == expected


def test_changes_across_expired_snapshots_cannot_be_told(main: Catalog) -> None:
    table_id = TableId(make_table(main).object_id)
    first, second, third = append(main), append(main), append(main)
    expire_snapshots(main, versions=[second])
    view = view_at_head(main)
    with pytest.raises(NoSuchSnapshot, match=f"between snapshots {first} and {third} cannot be determined"):
        table_history(view, table_id, SnapshotId(first - 1), third)
    with pytest.raises(NoSuchSnapshot, match=f"What snapshot {third} has deleted cannot be determined"):
        table_history(view, table_id, second, third)
    assert len(table_history(view, table_id, second, third, with_deletes=False).inserted) == 1
    fourth = append(main)
    assert len(table_history(view_at_head(main), table_id, third, fourth).inserted) == 1


def test_a_fork_tells_changes_from_before_it_unless_they_have_expired(lake: Lake, main: Catalog) -> None:
    table_id = TableId(make_table(main).object_id)
    first = append(main)
    fork_catalog(lake, "main", "unused")
    fork, _ = fork_catalog(lake, "unused", "fork")
    append(fork)
    view = view_at_head(fork)
    assert len(table_history(view, table_id, SnapshotId(first - 1), view.snapshot_id).inserted) == 2
    append(main)
    expire_snapshots(main, versions=[first])
    with pytest.raises(NoSuchSnapshot, match="cannot be determined"):
        table_history(view, table_id, SnapshotId(first - 2), view.snapshot_id)
    birth = view.catalog.lineage.at(view.snapshot_id).snapshot_id
    assert len(table_history(view, table_id, SnapshotId(birth - 1), birth).inserted) == 1
    assert len(table_history(view, table_id, first, view.snapshot_id).inserted) == 1
