"""The connection is lost around COMMIT: the commit has happened exactly once, and its caller knows."""

from collections.abc import Iterator
from time import monotonic

import pytest

from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.lake import Catalog, new_handle
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.errors import CommitConflict, CommitFailed, CommitUnknown
from forklake.model.ids import TableId
from forklake.store.postgres import PostgresStore
from tests.backends.cutting_proxy import APPEND, COMMIT, LOCK, LOSSES, QUICK_RETRIES, STALLS, CuttingProxy, Loss
from tests.conftest import Place
from tests.lakes import append, file_ids, make_table, new_files

SEQUENCES: list[list[Loss]] = [
    *([loss] for loss in LOSSES),
    ["the commit is lost", "the answer is lost"],
    ["the commit is stuck", "the commit is lost", "the commit is stuck"],
]


@pytest.fixture
def witness(postgres_place: Place) -> Iterator[Catalog]:
    """The catalog over a connection that nobody cuts."""
    lake = open_lake(postgres_place.url, metadata_schema=postgres_place.metadata_schema, create=True)
    catalog = create_catalog(lake, "main")
    make_table(catalog)
    append(catalog)
    yield catalog
    lake.close()


@pytest.fixture
def catalog(proxy: CuttingProxy, postgres_place: Place, witness: Catalog) -> Iterator[Catalog]:
    """The same catalog through the proxy."""
    lake = open_lake(f"postgres:{proxy.conninfo}", metadata_schema=postgres_place.metadata_schema, retry=QUICK_RETRIES)
    yield find_catalog(lake, "main")
    proxy.refuse = False
    lake.close()


@pytest.mark.parametrize("losses", SEQUENCES, ids=" - ".join)
@pytest.mark.parametrize("files", [1, 300], ids=["one file", "in bulk"])
def test_a_commit_happens_once_when(
    losses: list[Loss], files: int, proxy: CuttingProxy, catalog: Catalog, witness: Catalog
) -> None:
    before = list_snapshots(witness)
    tx = begin(catalog)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, files))
    proxy.lose(losses)
    snapshot_id = commit(tx)
    assert proxy.losses == []
    assert [snapshot.snapshot_id for snapshot in list_snapshots(witness)[len(before) :]] == [snapshot_id]
    assert len(file_ids(witness)) == 1 + files
    after = append(catalog)
    assert list_snapshots(witness)[-1].previous_snapshot_id == snapshot_id
    assert list_snapshots(witness)[-1].snapshot_id == after


@pytest.mark.parametrize("loss", LOSSES)
def test_a_commit_of_one_round_trip_happens_once_when(
    loss: Loss, proxy: CuttingProxy, catalog: Catalog, witness: Catalog
) -> None:
    before = append(catalog)
    proxy.lose([loss], marker=APPEND)
    snapshot_id = append(catalog)
    assert proxy.losses == []
    last = list_snapshots(witness)[-1]
    assert (last.previous_snapshot_id, last.snapshot_id) == (before, snapshot_id)
    assert len(file_ids(witness)) == 3


@pytest.mark.parametrize("files", [1, 300], ids=["one file", "in bulk"])
def test_a_commit_does_not_wait_for_its_own_session_that_was_cut_off_with_the_catalog_locked(
    files: int, proxy: CuttingProxy, catalog: Catalog, witness: Catalog
) -> None:
    tx = begin(catalog)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, files))
    proxy.lose(["the client is cut off"], marker=LOCK)
    began = monotonic()
    assert commit(tx) == list_snapshots(witness)[-1].snapshot_id
    assert proxy.losses == []
    assert monotonic() - began < 20  # the server would wait for a minute, or for ever
    assert len(file_ids(witness)) == 1 + files


@pytest.mark.parametrize("stall", STALLS)
def test_a_commit_that_is_held_up_on_the_way_happens_once(
    stall: Loss, proxy: CuttingProxy, catalog: Catalog, witness: Catalog
) -> None:
    before = len(list_snapshots(witness))
    for marker in (COMMIT, APPEND, COMMIT, APPEND):
        proxy.lose([stall], marker=marker)
        # Who does not know the head goes the long way.
        stranger = new_handle(catalog.lake.store, catalog.lake.data_path, QUICK_RETRIES)
        append(catalog if marker == APPEND else find_catalog(stranger, "main"))
    assert proxy.happened[stall] >= 2
    assert len(list_snapshots(witness)) == before + 4


def test_a_retry_is_checked_for_conflicts_again(proxy: CuttingProxy, catalog: Catalog, witness: Catalog) -> None:
    tx = begin(catalog)
    table = get_table(tx, "main", "t")
    tx.end_files(table, tx.files(TableId(table.object_id)))
    inserted: list[int] = []
    proxy.lose(["the commit is lost"], then=lambda: inserted.append(append(witness)))
    with pytest.raises(CommitConflict) as refused:
        commit(tx)
    assert [refused.value.snapshot_id] == inserted
    assert len(file_ids(witness)) == 2


def test_a_commit_that_landed_is_found_among_later_ones(
    proxy: CuttingProxy, catalog: Catalog, witness: Catalog
) -> None:
    later: list[int] = []
    proxy.lose(["the answer is lost"], then=lambda: later.extend(append(witness) for _ in range(3)))
    snapshot_id = append(catalog)
    assert [snapshot.snapshot_id for snapshot in list_snapshots(witness)][-4:] == [snapshot_id, *later]


def test_retries_after_lost_connections_are_bounded(proxy: CuttingProxy, catalog: Catalog, witness: Catalog) -> None:
    before = list_snapshots(witness)
    proxy.lose(["the commit is lost"] * 100)
    with pytest.raises(CommitFailed, match="maximum retry count of 5"):
        append(catalog)
    assert len(proxy.losses) == 94
    proxy.lose([])
    assert list_snapshots(witness) == before


@pytest.mark.parametrize(("loss", "landed"), [("the answer is lost", 1), ("the commit is lost", 0)])
def test_a_database_that_stays_away_leaves_the_outcome_unknown(
    loss: Loss, landed: int, proxy: CuttingProxy, catalog: Catalog, witness: Catalog
) -> None:
    before = list_snapshots(witness)
    store = catalog.lake.store
    assert isinstance(store, PostgresStore)
    store._pool.timeout = 0.1
    proxy.lose([loss], then=lambda: setattr(proxy, "refuse", True))
    with pytest.raises(CommitUnknown, match=f"catalog 'main' after {before[-1].snapshot_id}"):
        append(catalog)
    assert len(list_snapshots(witness)) == len(before) + landed
