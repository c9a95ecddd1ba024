"""What a fork inherits of a table is read once, and what the fork itself does is applied to it every time."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from forklake.catalog.lakes.catalogs import drop_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, new_handle
from forklake.catalog.reading.history import last_snapshots, list_snapshots
from forklake.catalog.reading.view import CatalogView, view_at, view_at_head
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import NoSuchCatalog, NoSuchSnapshot
from forklake.model.ids import TableId
from forklake.store.connection import Row, Statement
from tests.backends.counting_store import CountingStore, counted
from tests.lakes import append, delete_rows, end_inlined, inline_rows, make_table, transaction

DEPTH = 12


@pytest.fixture
def deep(main: Catalog) -> Catalog:
    """A deep fork, each level of which has added a file, deleted rows, or inlined some."""
    make_table(main)
    append(main, 2)
    catalog = main
    for level in range(DEPTH):
        catalog, _ = fork_catalog(main.lake, catalog.name, f"level-{level}")
        with transaction(catalog) as tx:
            _STEPS[level % len(_STEPS)](tx)
    return fork_catalog(main.lake, catalog.name, "leaf")[0]


def _add(tx: Transaction) -> None:
    inline_rows(tx, get_table(tx, "main", "t"), 3)


def _delete(tx: Transaction) -> None:
    table = get_table(tx, "main", "t")
    scanned = max(tx.files(TableId(table.object_id)), key=lambda scanned: scanned.live_rows)
    delete_rows(tx, table, scanned, 10 - scanned.live_rows + 1)


def _end_a_file(tx: Transaction) -> None:
    table = get_table(tx, "main", "t")
    tx.end_files(table, tx.files(TableId(table.object_id))[:1])


def _delete_inlined(tx: Transaction) -> None:
    table = get_table(tx, "main", "t")
    batch = next(batch for batch in tx.batches(TableId(table.object_id)) if batch.live_rows)
    tx.delete_inlined(table, [(batch.batch_id, min(set(range(batch.row_count)) - batch.deleted))])


_STEPS: list[Callable[[Transaction], object]] = [_add, _delete, _delete_inlined, _delete, _add]


def _contents(view: CatalogView) -> tuple[object, object]:
    [table] = [entry for entry in view.all_objects() if entry.name == "t"]
    table_id = TableId(table.object_id)
    files = {(scanned.data.data_file_id, scanned.delete) for scanned in view.files(table_id)}
    return files, {(batch.batch_id, batch.deleted, batch.payload) for batch in view.batches(table_id)}


def _anew(catalog: Catalog) -> Catalog:
    """The catalog as seen by a process that has read nothing yet."""
    return replace(catalog, lake=new_handle(catalog.lake.store, catalog.lake.data_path))


@pytest.mark.parametrize("step", [_add, _delete, _end_a_file, _delete_inlined, end_inlined, append])
def test_what_the_fork_does_is_seen_on_top_of_what_was_read_before(deep: Catalog, step: Callable[..., object]) -> None:
    before = _contents(view_at_head(deep))
    for _ in range(2):
        if step is append:
            append(deep)
        else:
            with transaction(deep) as tx:
                step(tx)
        now = _contents(view_at_head(deep))
        assert now == _contents(view_at_head(_anew(deep)))
        assert now != before
        if step is end_inlined:
            break


def test_every_snapshot_shows_the_same_to_those_who_have_read_others_before(deep: Catalog) -> None:
    with transaction(deep) as tx:
        _end_a_file(tx)
    last = view_at_head(deep).snapshot_id
    for version in [*range(4, last + 1), *range(4, last + 1)]:
        assert _contents(view_at(deep, version=version)) == _contents(view_at(_anew(deep), version=version))


def test_a_listing_asks_for_no_more_at_depth_than_at_the_root(deep: Catalog) -> None:
    store, catalog = counted(deep)
    _contents(view_at_head(catalog))
    view = view_at_head(catalog)
    asked: list[int] = []
    store = _levels_asked(store, asked)
    table_id = TableId(get_table(begin(catalog), "main", "t").object_id)
    asked.clear()
    view.files(table_id)
    view.batches(table_id)
    assert set(asked) == {1}


def _levels_asked(store: CountingStore, asked: list[int]) -> CountingStore:
    """Notes the number of levels of each statement."""
    fetch_all = store.fetch_all

    def noting(statements: Sequence[Statement]) -> list[list[Row]]:
        for statement in statements:
            levels = statement.params.get("levels", statement.params.get("level_ids"))
            if levels is not None:
                assert isinstance(levels, list)
                asked.append(len(levels))
        return fetch_all(statements)

    object.__setattr__(store, "fetch_all", noting)
    return store


def test_forks_of_the_same_point_share_what_they_inherit(deep: Catalog) -> None:
    _, catalog = counted(deep)
    siblings = [replace(fork_catalog(deep.lake, "level-11", f"s{i}")[0], lake=catalog.lake) for i in range(2)]
    first = _contents(view_at_head(siblings[0]))
    assert first == _contents(view_at_head(siblings[1]))
    assert len(catalog.lake.cache.inherited_files) == 1
    with transaction(siblings[0]) as tx:
        _end_a_file(tx)
    assert _contents(view_at_head(siblings[0])) != first
    assert _contents(view_at_head(siblings[1])) == first
    drop_catalog(deep.lake, "s0")
    with pytest.raises((NoSuchCatalog, NoSuchSnapshot)):
        _contents(view_at_head(siblings[0]))
    assert _contents(view_at_head(siblings[1])) == first


def test_a_fork_of_an_ancestor_in_the_past_does_not_see_what_another_inherits(deep: Catalog) -> None:
    append(deep)
    point = view_at_head(deep).snapshot_id
    append(deep)
    past, _ = fork_catalog(deep.lake, deep.name, "past", version=point)
    now, _ = fork_catalog(deep.lake, deep.name, "now")
    for _ in range(2):
        for fork in (past, now):
            assert _contents(view_at_head(fork)) == _contents(view_at_head(_anew(fork)))
    assert _contents(view_at_head(past)) != _contents(view_at_head(now))


@pytest.mark.parametrize("count", [1, 3, 10, 1_000, None])
def test_the_newest_snapshots_of_a_deep_fork_are_the_end_of_its_history(deep: Catalog, count: int | None) -> None:
    assert last_snapshots(deep, count) == list_snapshots(deep)[::-1][:count]
