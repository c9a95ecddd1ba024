"""The server ends sessions, when it restarts or an administrator says so: nothing is lost, nothing done twice."""

from collections.abc import Iterator
from threading import Barrier, Event, Thread
from time import monotonic, sleep

import psycopg
import pytest

from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.lake import Catalog, RetrySettings, new_handle
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.errors import ForklakeError, StoreError
from forklake.store import postgres as postgres_store
from forklake.store.connection import OutcomeUnknown, Statement, TransientFailure
from forklake.store.postgres import PostgresStore
from tests.conftest import Place
from tests.lakes import append, file_ids, make_table, new_files
from tests.postgres_server import DURABLE, TestPostgres

QUICK = RetrySettings(max_retry_count=3, retry_wait_ms=5, retry_backoff=1)
RUNNING = "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query ~ %s"
POOL = 16
KILLS = 3


@pytest.fixture(scope="module")
def slow_server() -> Iterator[TestPostgres]:
    """COMMIT takes a tenth of a second, most of it after the point of no return."""
    with TestPostgres(settings={**DURABLE, "commit_delay": "100000", "commit_siblings": "0"}) as server:
        yield server


@pytest.fixture
def slow(slow_server: TestPostgres) -> Iterator[tuple[Catalog, str]]:
    """A catalog there with a table that has one file, and the address of its database."""
    url = slow_server.create_database()
    lake = open_lake(f"postgres:{url}", create=True, retry=QUICK)
    catalog = create_catalog(lake, "main")
    make_table(catalog)
    append(catalog)
    yield catalog, url
    lake.close()


def end_during(url: str, query: str, ended: list[int], ready: Event, done: Event) -> None:
    """End the session that runs this query, when it had a little time; or nobody, if it is done before it is seen."""
    with psycopg.connect(url, autocommit=True) as session:
        ready.set()
        while not done.is_set():
            if found := session.execute(RUNNING, [query]).fetchone():
                sleep(0.03)
                session.execute("SELECT pg_terminate_backend(%s)", found)
                ended.append(found[0])
                return


@pytest.mark.parametrize(("query", "short"), [("^COMMIT$", False), ("^SELECT lake_append", True)])
def test_a_commit_whose_session_is_ended_meanwhile_happens_once(
    slow: tuple[Catalog, str], query: str, short: bool
) -> None:
    catalog, url = slow
    killed = 0
    while killed < KILLS:
        if not short:
            # Who does not know the head goes the long way.
            catalog = find_catalog(new_handle(catalog.lake.store, catalog.lake.data_path, QUICK), "main")
        before, files = list_snapshots(catalog), len(file_ids(catalog))
        tx = begin(catalog)
        tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
        ended: list[int] = []
        ready, done = Event(), Event()
        killer = Thread(target=end_during, args=(url, query, ended, ready, done))
        killer.start()
        ready.wait()
        snapshot_id = commit(tx)
        done.set()
        killer.join()
        killed += len(ended)
        assert [snapshot.snapshot_id for snapshot in list_snapshots(catalog)[len(before) :]] == [snapshot_id]
        assert len(file_ids(catalog)) == files + 1


def pooled(place: Place) -> tuple[Catalog, PostgresStore]:
    """A catalog whose pool is full of idle connections."""
    url = f"{place.url}&application_name={place.metadata_schema}"
    lake = open_lake(url, metadata_schema=place.metadata_schema, create=True, retry=QUICK)
    store = lake.store
    assert isinstance(store, PostgresStore)
    catalog = create_catalog(lake, "main")
    make_table(catalog)
    append(catalog)
    everybody = Barrier(POOL)

    def hold() -> None:
        with store._connection():
            everybody.wait(20)

    threads = [Thread(target=hold) for _ in range(POOL)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return catalog, store


def end_all(place: Place) -> int:
    """End the sessions of the pool, as a restart does; how many there were."""
    with psycopg.connect(place.url.removeprefix("postgres:"), autocommit=True) as session:
        ended = session.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s",
            [place.metadata_schema],
        ).fetchall()
    return len(ended)


def test_a_read_succeeds_when_all_pooled_connections_have_died(postgres_place: Place) -> None:
    catalog, _ = pooled(postgres_place)
    assert end_all(postgres_place) == POOL
    assert len(file_ids(catalog)) == 1
    catalog.lake.close()


def test_a_commit_succeeds_when_all_pooled_connections_have_died(postgres_place: Place) -> None:
    catalog, _ = pooled(postgres_place)
    tx = begin(catalog)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    assert end_all(postgres_place) == POOL
    commit(tx)
    assert len(file_ids(catalog)) == 2
    catalog.lake.close()


def test_a_failure_that_leaves_the_connection_in_doubt_passes_and_the_connection_is_not_used_again(
    postgres_place: Place,
) -> None:
    store = open_lake(postgres_place.url, metadata_schema=postgres_place.metadata_schema, create=True).store
    assert isinstance(store, PostgresStore)
    failure = psycopg.OperationalError("cannot exit pipeline mode while busy")
    used: list[psycopg.Connection[object]] = []

    def fail() -> None:
        with store._connection() as connection:
            used.append(connection)
            raise failure

    with pytest.raises(TransientFailure):
        fail()
    assert used[0].closed
    assert store.fetch("SELECT 1", {}) == [(1,)]
    store.close()
    with pytest.raises(StoreError, match="was closed"):
        store.fetch("SELECT 1", {})


def test_a_client_that_stalls_with_a_catalog_locked_is_not_waited_for_for_ever(
    postgres_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog, _ = pooled(postgres_place)
    assert catalog.lake.store.fetch("SHOW idle_in_transaction_session_timeout", {}) == [("1min",)]
    monkeypatch.setattr(postgres_store, "_END_IDLE", "SET idle_in_transaction_session_timeout = '300ms'")
    stalled = open_lake(postgres_place.url, metadata_schema=postgres_place.metadata_schema).store
    lock = Statement(stalled.dialect.begin_commit, {"catalog_id": catalog.catalog_id})
    began = monotonic()
    with stalled.writing([lock]) as (transaction, _):
        append(catalog)
        assert 0.3 <= monotonic() - began < 30
        with pytest.raises(OutcomeUnknown):
            transaction.commit([])
    assert len(stalled.fetch("SELECT 1", {})) == 1
    stalled.close()
    catalog.lake.close()


@pytest.mark.parametrize("bad", ["SELECT no_such_column", "SELECT 1 / 0"])
def test_a_statement_that_fails_in_a_transaction_fails_as_itself_and_the_connection_is_kept(
    postgres_place: Place, bad: str
) -> None:
    store = open_lake(postgres_place.url, metadata_schema=postgres_place.metadata_schema, create=True).store
    pid = Statement("SELECT pg_backend_pid()", {})
    first = store.fetch_all([pid])
    for statements in ([Statement(bad, {})], [Statement(bad, {}), pid, pid], [pid, Statement(bad, {}), pid]):
        with pytest.raises(ForklakeError) as at_first, store.writing(statements):
            pass
        with pytest.raises(ForklakeError) as later, store.writing([pid]) as (transaction, _):
            transaction.fetch_all(statements)
        with pytest.raises(ForklakeError) as at_last, store.writing([pid]) as (transaction, _):
            transaction.commit(statements)
        assert not {TransientFailure, OutcomeUnknown} & {at_first.type, later.type, at_last.type}
    assert store.fetch_all([pid]) == first
    store.close()
