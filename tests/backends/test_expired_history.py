"""What has expired is told as such: no other state, and no part of the changes, is given in its place."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from forklake.catalog.lakes.catalogs import drop_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading import table_history as histories
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.snapshot_ranges import snapshot_range
from forklake.catalog.reading.table_history import table_history
from forklake.catalog.reading.view import view_at, view_at_head
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.names import get_table
from forklake.errors import NoSuchSnapshot
from forklake.model.ids import SnapshotId, TableId
from forklake.store import row_events
from forklake.store.connection import Statement
from tests.backends.test_expiry import LATER, add_file, end_file, expire_all
from tests.lakes import append, delete_rows, make_table, transaction


def time_of(catalog: Catalog, snapshot_id: int) -> datetime:
    return next(found.snapshot_time for found in list_snapshots(catalog) if found.snapshot_id == snapshot_id)


def test_a_fork_without_its_beginning_does_not_show_its_parent_instead(lake: Lake, main: Catalog) -> None:
    make_table(main)
    horizon = append(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    middle = append(fork)
    append(fork)
    expire_all(fork)
    for travel in (lambda: view_at(fork, version=middle), lambda: fork_catalog(lake, "fork", "copy", version=middle)):
        with pytest.raises(NoSuchSnapshot):
            travel()
    assert view_at(fork, version=horizon).snapshot_id == horizon


def test_a_fork_does_not_show_its_grandparent_where_its_parent_has_expired(lake: Lake, main: Catalog) -> None:
    make_table(main)
    append(main)
    middle, _ = fork_catalog(lake, "main", "middle")
    expired = append(middle)
    leaf, _ = fork_catalog(lake, "middle", "leaf")
    time = time_of(leaf, expired)
    append(middle)
    expire_all(middle)
    with pytest.raises(NoSuchSnapshot):
        view_at(leaf, version=expired)
    with pytest.raises(NoSuchSnapshot):
        view_at(leaf, timestamp=time)
    with pytest.raises(NoSuchSnapshot):
        fork_catalog(lake, "leaf", "copy", timestamp=time)


def test_dropping_a_parent_does_not_make_an_older_state_of_it_count(lake: Lake, main: Catalog) -> None:
    make_table(main)
    append(main)
    expired = append(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    append(main)
    expire_snapshots(main, versions=[expired])
    with pytest.raises(NoSuchSnapshot):
        view_at(fork, version=expired)
    drop_catalog(lake, "main")
    with pytest.raises(NoSuchSnapshot):
        view_at(fork, version=expired)


def test_what_a_fork_in_the_past_passed_over_does_not_get_in_its_way(lake: Lake, main: Catalog) -> None:
    make_table(main)
    past = append(main)
    middle, _ = fork_catalog(lake, "main", "middle")
    append(middle)
    unused, _ = fork_catalog(lake, "middle", "unused", version=past)
    leaf, _ = fork_catalog(lake, "unused", "leaf")
    append(leaf)
    expire_all(middle)
    table_id = TableId(get_table_id(leaf))
    for catalog in (unused, leaf):
        assert view_at(catalog, version=past).snapshot_id == past
    view = view_at_head(leaf)
    assert len(table_history(view, table_id, SnapshotId(0), view.snapshot_id).inserted) == 2


def get_table_id(catalog: Catalog) -> int:
    with transaction(catalog) as tx:
        return get_table(tx, "main", "t").object_id


@pytest.mark.parametrize("since", ["the start", "the fork"])
def test_changes_of_a_catalog_between_that_has_expired_cannot_be_told(lake: Lake, main: Catalog, since: str) -> None:
    table_id = TableId(make_table(main).object_id)
    first = append(main)
    middle, _ = fork_catalog(lake, "main", "middle")
    end_file(middle, add_file(middle))
    add_file(middle)
    leaf, _ = fork_catalog(lake, "middle", "leaf")
    append(middle)
    expire_all(middle)
    view = view_at_head(leaf)
    with pytest.raises(NoSuchSnapshot, match="cannot be determined"):
        table_history(view, table_id, first if since == "the fork" else SnapshotId(0), view.snapshot_id)


def test_changes_since_a_time_are_all_of_them_or_none(main: Catalog) -> None:
    make_table(main)
    append(main)
    second, third = append(main), append(main)
    append(main)
    since = time_of(main, second)
    assert snapshot_range(view_at_head(main), since, None)[0] == second
    expire_snapshots(main, versions=[second, third])
    with pytest.raises(NoSuchSnapshot, match="have expired"):
        snapshot_range(view_at_head(main), since, None)


def test_changes_since_a_time_are_all_of_them_also_if_snapshots_are_a_microsecond_apart(main: Catalog) -> None:
    make_table(main)
    # Behind a snapshot of the future, each is a microsecond after the one before.
    later = main.lake.store.dialect.to_database_time(datetime.now(UTC) + timedelta(days=1))
    ahead = Statement("UPDATE lake_snapshot SET snapshot_time = :later", {"later": later})
    head = Statement("UPDATE lake_catalog SET head_time = :later", {"later": later})
    with main.lake.store.writing([]) as (transaction, _):
        transaction.commit([ahead, head])
    first, second = append(main), append(main)
    append(main)
    since = time_of(main, second)
    assert since - time_of(main, first) == timedelta(microseconds=1)
    expire_snapshots(main, versions=[second])
    with pytest.raises(NoSuchSnapshot, match="have expired"):
        snapshot_range(view_at_head(main), since, None)


def test_changes_since_before_the_first_snapshot_are_all_of_them(main: Catalog) -> None:
    make_table(main)
    [first, *_] = list_snapshots(main)
    assert snapshot_range(view_at_head(main), first.snapshot_time, None)[0] == first.snapshot_id


def delete_some(catalog: Catalog, count: int) -> None:
    with transaction(catalog) as tx:
        table = get_table(tx, "main", "t")
        [scanned] = tx.files(TableId(table.object_id))
        delete_rows(tx, table, scanned, count)


def end_all(catalog: Catalog, count: int) -> None:
    with transaction(catalog) as tx:
        table = get_table(tx, "main", "t")
        tx.end_files(table, tx.files(TableId(table.object_id)))


@pytest.mark.parametrize("change", [delete_some, end_all])
def test_changes_that_expire_while_they_are_read_are_told_as_such(
    main: Catalog, monkeypatch: pytest.MonkeyPatch, change: Callable[[Catalog, int], None]
) -> None:
    table_id = TableId(make_table(main).object_id)
    append(main)
    delete_some(main, 2)
    after = view_at_head(main).snapshot_id
    change(main, 5)
    view, real = view_at_head(main), row_events.rows_of_events

    def expire_first(*arguments: Any) -> Any:
        expire_snapshots(main, older_than=LATER)
        return real(*arguments)

    assert len(table_history(view, table_id, after, view.snapshot_id).deleted) == 1
    monkeypatch.setattr(histories, "rows_of_events", expire_first)
    with pytest.raises(NoSuchSnapshot, match="expired while"):
        table_history(view, table_id, after, view.snapshot_id)


@pytest.mark.parametrize("change", [delete_some, end_all])
def test_changes_that_have_all_expired_are_not_taken_for_none(
    main: Catalog, change: Callable[[Catalog, int], None]
) -> None:
    table_id = TableId(make_table(main).object_id)
    after = view_at_head(main).snapshot_id
    append(main)
    view = view_at_head(main)
    assert len(table_history(view, table_id, after, view.snapshot_id).inserted) == 1
    change(main, 5)
    expire_all(main)
    with pytest.raises(NoSuchSnapshot, match="expired"):
        table_history(view, table_id, after, view.snapshot_id)
