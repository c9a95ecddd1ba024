"""What a catalog was, at a version or a time: once an answer was given, it stays the answer."""

from datetime import UTC, datetime, timedelta

import pytest

from forklake.catalog.lakes.catalogs import create_catalog, drop_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import CatalogView, view_at, view_at_head
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import drop_table, rename_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.errors import InvalidInput, NoSuchSnapshot, ReadOnly
from forklake.model.ids import SnapshotId, TableId
from forklake.store.connection import Statement
from tests.lakes import append, at, file_ids, make_table, new_files, transaction

Contents = dict[str, frozenset[int]]


def contents(view: CatalogView) -> Contents:
    """The files of every table."""
    tables = [entry for entry in view.all_objects() if entry.kind == "table"]
    return {
        entry.name: frozenset(file.data.data_file_id for file in view.files(TableId(entry.object_id)))
        for entry in tables
    }


def _history(catalog: Catalog) -> dict[SnapshotId, Contents]:
    """Change the catalog in several ways; what it held after each snapshot."""
    seen: dict[SnapshotId, Contents] = {}

    def remember() -> None:
        seen[view_at_head(catalog).snapshot_id] = contents(view_at_head(catalog))

    remember()
    make_table(catalog)
    remember()
    for _ in range(2):
        append(catalog, 2)
        remember()
    with transaction(catalog) as tx:
        table = get_table(tx, "main", "t")
        tx.end_files(table, tx.files(TableId(table.object_id))[:1])
    remember()
    with transaction(catalog) as tx:
        rename_table(tx, "main", "t", "u")
    remember()
    with transaction(catalog) as tx:
        drop_table(tx, "main", "u")
    remember()
    make_table(catalog)
    remember()
    return seen


def test_every_version_shows_what_was_there(main: Catalog) -> None:
    seen = _history(main)
    for snapshot_id, expected in seen.items():
        assert contents(view_at(main, version=snapshot_id)) == expected


def test_a_time_means_the_newest_snapshot_not_later(main: Catalog) -> None:
    seen = _history(main)
    history = list_snapshots(main)
    for before, snapshot in zip([None, *history], history, strict=False):
        found = view_at(main, timestamp=snapshot.snapshot_time)
        assert found.snapshot_id == snapshot.snapshot_id
        assert contents(found) == seen[snapshot.snapshot_id]
        just_before = snapshot.snapshot_time - timedelta(microseconds=1)
        if before is None:
            with pytest.raises(NoSuchSnapshot):
                view_at(main, timestamp=just_before)
        else:
            assert view_at(main, timestamp=just_before).snapshot_id == before.snapshot_id
    east = history[2].snapshot_time.astimezone().replace()
    assert view_at(main, timestamp=east).snapshot_id == history[2].snapshot_id


def test_a_version_between_two_snapshots_means_the_one_before(lake: Lake, main: Catalog) -> None:
    other = create_catalog(lake, "other")
    make_table(main)
    make_table(other)
    first = append(main)
    between = [append(other) for _ in range(3)]
    second = append(main)
    assert {view_at(main, version=version).snapshot_id for version in between} == {first}
    assert view_at(main, version=second).snapshot_id == second


def test_a_version_above_the_head_stays_what_it_was(lake: Lake, main: Catalog) -> None:
    other = create_catalog(lake, "other")
    make_table(main)
    make_table(other)
    head = append(main)
    above = append(other)
    before = contents(view_at(main, version=above))
    assert append(main) > above
    assert view_at(main, version=above).snapshot_id == head
    assert contents(view_at(main, version=above)) == before


def test_a_fork_travels_through_its_parents_past_and_its_own(lake: Lake, main: Catalog) -> None:
    seen = _history(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    append(main)
    birth = view_at_head(fork).snapshot_id
    seen[birth] = seen[max(seen)]
    parents_later = append(main)
    own = append(fork)
    for snapshot_id, expected in seen.items():
        assert contents(view_at(fork, version=snapshot_id)) == expected
    assert view_at(fork, version=parents_later).snapshot_id == birth
    assert contents(view_at(fork, version=own)) == {"t": frozenset(file_ids(fork))}


@pytest.mark.parametrize("version", [-1, 10**9, 2**63 - 1])
def test_a_version_that_never_was_is_refused(main: Catalog, version: int) -> None:
    make_table(main)
    with pytest.raises(NoSuchSnapshot, match=f"No snapshot found at version {version} in catalog 'main'"):
        view_at(main, version=version)


def test_the_version_after_the_last_is_refused_until_it_exists(main: Catalog) -> None:
    make_table(main)
    coming = view_at_head(main).snapshot_id + 1
    with pytest.raises(NoSuchSnapshot):
        view_at(main, version=coming)
    assert append(main) == coming
    assert view_at(main, version=coming).snapshot_id == coming


def test_a_time_needs_a_zone_and_a_view_exactly_one_of_version_and_time(main: Catalog) -> None:
    with pytest.raises(InvalidInput, match="no time zone"):
        view_at(main, timestamp=datetime(2030, 1, 1))
    with pytest.raises(InvalidInput, match="either a version or a timestamp"):
        view_at(main)
    with pytest.raises(InvalidInput, match="either a version or a timestamp"):
        view_at(main, version=1, timestamp=datetime.now(UTC))


def test_times_rise_even_if_the_clock_was_set_back(lake: Lake, main: Catalog) -> None:
    make_table(main)
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    with lake.store.writing([]) as (connection, _):
        update = "UPDATE lake_catalog SET head_time = :time"
        connection.commit([Statement(update, {"time": lake.store.dialect.to_database_time(tomorrow)})])
    committed = [append(main) for _ in range(3)]
    fork, _ = fork_catalog(lake, "main", "fork")
    times = [snapshot.snapshot_time for snapshot in list_snapshots(fork)[-4:]]
    assert times == [tomorrow + timedelta(microseconds=step) for step in range(1, 5)]
    assert view_at(main, timestamp=times[0]).snapshot_id == committed[0]


def test_a_catalog_attached_at_a_snapshot_reads_it_and_writes_nothing(main: Catalog) -> None:
    make_table(main)
    then = append(main)
    before = file_ids(main)
    append(main)
    pinned = at(main, then)
    assert file_ids(pinned) == before
    tx = begin(pinned)
    with pytest.raises(ReadOnly):
        tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    assert commit(begin(pinned)) is None


def test_a_fork_travels_to_snapshots_of_a_dropped_parent(lake: Lake, main: Catalog) -> None:
    make_table(main)
    roots = append(main)
    parent, _ = fork_catalog(lake, "main", "parent")
    parents = append(parent)
    fork, _ = fork_catalog(lake, "parent", "fork")
    own = append(fork)
    append(parent)
    expected = {version: contents(view_at(fork, version=version)) for version in (roots, parents, own)}
    drop_catalog(lake, "parent")
    another, _ = fork_catalog(lake, "fork", "another", version=parents)
    assert contents(view_at_head(another)) == expected[parents]
    assert {version: contents(view_at(fork, version=version)) for version in expected} == expected
