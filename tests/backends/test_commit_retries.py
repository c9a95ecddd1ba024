"""A commit is tried again when the database fails for a reason that passes, and only then."""

import sqlite3
from pathlib import Path
from threading import Thread, Timer
from time import monotonic, sleep

import psycopg
import pytest

from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.lake import Catalog, Lake, RetrySettings, new_handle
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import CommitFailed, StoreBusy, StoreError, TransactionClosed
from forklake.store.connection import TransientFailure
from forklake.store.sqlite import SqliteStore
from tests.conftest import Place
from tests.lakes import append, file_ids, make_table, new_files

IMPATIENT = RetrySettings(max_retry_count=3, retry_wait_ms=1, retry_backoff=1)

# The sequence counts attempts: unlike rows, its numbers survive a rollback.
FAILING_TRIGGER = """
    CREATE SEQUENCE attempts;
    CREATE FUNCTION fail_at_first() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
        IF nextval('attempts') <= {failures} THEN
            {action};
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER fail_at_first BEFORE INSERT ON lake_snapshot FOR EACH ROW EXECUTE FUNCTION fail_at_first();
"""


def _raise(state: str, message: str = "on purpose") -> str:
    return f"RAISE EXCEPTION USING ERRCODE = '{state}', MESSAGE = '{message}'"


TRANSIENT = {
    "serialization failure": _raise("40001"),
    "deadlock": _raise("40P01"),
    "lock timeout": _raise("55P03"),
    "end of the session": "PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(5)",
}


@pytest.mark.parametrize("failure", TRANSIENT)
def test_a_commit_lands_once_after_failures_that_pass(failure: str, postgres_place: Place) -> None:
    catalog = _catalog(postgres_place)
    _fail(postgres_place, 2, TRANSIENT[failure])
    before = len(list_snapshots(catalog))
    snapshot_id = append(catalog, 2)
    assert _attempts(postgres_place) == 3
    assert [snapshot.snapshot_id for snapshot in list_snapshots(catalog)][before:] == [snapshot_id]
    assert len(file_ids(catalog)) == 2
    catalog.lake.close()


def test_the_number_of_retries_is_bounded_and_can_be_set(postgres_place: Place) -> None:
    catalog = _catalog(postgres_place)
    _fail(postgres_place, 1000, TRANSIENT["serialization failure"])
    before = list_snapshots(catalog)
    tx = _insert(catalog)
    with pytest.raises(CommitFailed, match=r"maximum retry count of 3 .*on purpose"):
        commit(tx)
    assert _attempts(postgres_place) == 4
    with pytest.raises(TransactionClosed):
        commit(tx)
    never = find_catalog(catalog.lake.with_retry(RetrySettings(max_retry_count=0)), "main")
    with pytest.raises(CommitFailed, match="count of 0 "):
        append(never)
    assert _attempts(postgres_place) == 5
    _sql(postgres_place, "DROP TRIGGER fail_at_first ON lake_snapshot")
    assert list_snapshots(catalog) == before
    assert append(catalog) == list_snapshots(catalog)[-1].snapshot_id
    catalog.lake.close()


@pytest.mark.parametrize("state", ["P0001", "XX000", "0A000"])
def test_another_failure_is_not_tried_again_whatever_its_message(state: str, postgres_place: Place) -> None:
    catalog = _catalog(postgres_place)
    _fail(postgres_place, 1000, _raise(state, "conflict: a unique key, could not serialize, deadlock"))
    with pytest.raises(StoreError, match="a unique key") as raised:
        append(catalog)
    assert not isinstance(raised.value, TransientFailure)
    assert _attempts(postgres_place) == 1
    _sql(postgres_place, "DROP TRIGGER fail_at_first ON lake_snapshot")
    append(catalog)
    assert len(file_ids(catalog)) == 1
    catalog.lake.close()


def test_a_commit_outlasts_lock_timeouts_while_another_session_holds_the_catalog(postgres_place: Place) -> None:
    impatient = Place(f"{postgres_place.url}&options=-clock_timeout%3D30", postgres_place.metadata_schema, "postgres")
    catalog = _catalog(impatient, RetrySettings(max_retry_count=100, retry_wait_ms=10, retry_backoff=1))
    before = len(list_snapshots(catalog))
    with _session(postgres_place) as holder:
        holder.execute("SELECT 1 FROM lake_catalog FOR UPDATE")
        release = Timer(0.4, holder.rollback)
        began = monotonic()
        release.start()
        append(catalog)
        assert monotonic() - began > 0.3
        release.join()
    assert len(list_snapshots(catalog)) == before + 1
    catalog.lake.close()


def test_a_commit_waits_for_its_turn_behind_another_one(postgres_place: Place) -> None:
    catalog = _catalog(postgres_place)
    with _session(postgres_place) as holder:
        holder.execute("SELECT 1 FROM lake_catalog FOR NO KEY UPDATE")
        waiting = Thread(target=append, args=(catalog,))
        waiting.start()
        sleep(0.2)
        assert waiting.is_alive()
    waiting.join()
    assert len(file_ids(catalog)) == 1
    catalog.lake.close()


@pytest.mark.parametrize("busy_timeout_ms", [20, 5_000], ids=["by retrying", "by waiting"])
def test_a_commit_outlasts_a_writer_of_sqlite(sqlite_place: Place, busy_timeout_ms: int) -> None:
    catalog = _catalog(sqlite_place, RetrySettings(max_retry_count=200, retry_wait_ms=5, retry_backoff=1))
    lake = _sqlite_lake(sqlite_place, catalog.lake.retry, busy_timeout_ms)
    tx = _insert(find_catalog(lake, "main"))
    began = monotonic()
    release = Timer(0.4, _hold(sqlite_place).close)
    release.start()
    snapshot_id = commit(tx)
    assert monotonic() - began > 0.3
    release.join()
    assert list_snapshots(catalog)[-1].snapshot_id == snapshot_id
    assert len(file_ids(catalog)) == 1
    lake.close()
    catalog.lake.close()


def test_retries_on_sqlite_end_too(sqlite_place: Place) -> None:
    catalog = _catalog(sqlite_place)
    lake = _sqlite_lake(sqlite_place, IMPATIENT, busy_timeout_ms=10)
    before = list_snapshots(catalog)
    tx = _insert(find_catalog(lake, "main"))
    holder = _hold(sqlite_place)
    with pytest.raises(CommitFailed, match=r"maximum retry count of 3 .*locked"):
        commit(tx)
    holder.close()
    assert list_snapshots(catalog) == before
    lake.close()
    catalog.lake.close()


def _catalog(place: Place, retry: RetrySettings = IMPATIENT) -> Catalog:
    """A catalog with the table t."""
    lake = open_lake(place.url, metadata_schema=place.metadata_schema, create=True, retry=retry)
    catalog = create_catalog(lake, "main")
    make_table(catalog)
    return catalog


def _insert(catalog: Catalog) -> Transaction:
    tx = begin(catalog)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    return tx


def _session(place: Place) -> psycopg.Connection[tuple[object, ...]]:
    options = f"-c search_path={place.metadata_schema}"
    return psycopg.connect(place.url.removeprefix("postgres:"), options=options)


def _sql(place: Place, text: str) -> None:
    with _session(place) as session:
        session.execute(text.encode())


def _fail(place: Place, failures: int, action: str) -> None:
    """Let the first so many snapshots fail."""
    _sql(place, FAILING_TRIGGER.format(failures=failures, action=action))


def _attempts(place: Place) -> int:
    with _session(place) as session:
        row = session.execute("SELECT last_value FROM attempts").fetchone()
    assert row is not None
    assert isinstance(row[0], int)
    return row[0]


def test_ids_are_drawn_again_while_sqlite_is_locked(sqlite_place: Place) -> None:
    create_catalog(open_lake(sqlite_place.url, create=True), "main")
    patient = _sqlite_lake(sqlite_place, RetrySettings(max_retry_count=50, retry_wait_ms=20), busy_timeout_ms=1)
    hasty = _sqlite_lake(sqlite_place, RetrySettings(max_retry_count=0), busy_timeout_ms=1)
    transactions = [begin(find_catalog(lake, "main")) for lake in (patient, hasty)]
    holder = _hold(sqlite_place)
    with pytest.raises(StoreBusy, match=r"Failed after 0 retries: .* is locked"):
        transactions[1].new_ids("file", 100)
    release = Timer(0.3, holder.close)
    release.start()
    assert len(set(transactions[0].new_ids("file", 100))) == 100
    release.join()
    for lake in (patient, hasty):
        lake.close()


def _sqlite_lake(place: Place, retry: RetrySettings, busy_timeout_ms: int) -> Lake:
    return new_handle(SqliteStore(_file(place), busy_timeout_ms=busy_timeout_ms), None, retry)


def _file(place: Place) -> Path:
    return Path(place.url.removeprefix("sqlite:"))


def _hold(place: Place) -> sqlite3.Connection:
    """Take the turn to write; whoever closes it, in whatever thread, gives it back."""
    holder = sqlite3.connect(_file(place), isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    return holder


def test_other_retry_settings_leave_the_caches_of_a_lake_alone(lake: Lake) -> None:
    other = lake.with_retry(RetrySettings(max_retry_count=1))
    assert other.cache is lake.cache
    assert other.retry.max_retry_count == 1
