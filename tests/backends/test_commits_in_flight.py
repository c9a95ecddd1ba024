"""Time travel while commits are under way: an id was drawn, and what it will stand for is not there yet."""

import random
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic, sleep
from typing import Any

import psycopg
import pytest

from forklake.catalog.lakes.catalogs import catalog_info, create_catalog, find_catalog, rename_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.reading.view import view_at, view_at_head
from forklake.errors import NoSuchSnapshot
from tests.backends.test_time_travel import Contents, contents
from tests.conftest import Place
from tests.lakes import append, make_table

SECONDS = 1
LEAST_COMMITS, LEAST_ANSWERS = 3, 6
"""For each thread, however long it takes."""
LIMIT_SECONDS = 30
# Between the drawing of the id and COMMIT.
STALL = """
    CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep({seconds}); RETURN NEW; END $$;
    CREATE TRIGGER stall AFTER INSERT ON lake_snapshot FOR EACH ROW EXECUTE FUNCTION stall();
"""


def _reader(place: Place, *, read_only: bool) -> Catalog:
    return find_catalog(open_lake(place.url, metadata_schema=place.metadata_schema, read_only=read_only), "main")


def _session(place: Place) -> psycopg.Connection[tuple[int]]:
    # Whoever waits for it by mistake goes on after twice the limit, and is found out.
    timeout = f"-c idle_in_transaction_session_timeout={2 * LIMIT_SECONDS}s"
    options = f"-c search_path={place.metadata_schema} {timeout}"
    return psycopg.connect(place.url.removeprefix("postgres:"), options=options)


def _writer(place: Place) -> Catalog:
    lake = open_lake(place.url, metadata_schema=place.metadata_schema, create=True)
    catalog = create_catalog(lake, "main")
    make_table(catalog)
    append(catalog)
    return catalog


def _last_id(lake: Lake) -> int:
    [[last]] = lake.store.fetch(lake.store.dialect.last_id("snapshot"), {})
    assert isinstance(last, int)
    return last


@pytest.mark.parametrize("read_only", [False, True], ids=["a writer", "a reader"])
def test_a_version_whose_commit_is_given_up_is_waited_for(postgres_place: Place, read_only: bool) -> None:
    writer = _writer(postgres_place)
    reader = _reader(postgres_place, read_only=read_only)
    before = contents(view_at_head(writer))
    with ThreadPoolExecutor() as pool, _session(postgres_place) as stalled:
        stalled.execute("UPDATE lake_catalog SET head_time = head_time")
        drawn = stalled.execute("SELECT nextval('lake_snapshot_seq')").fetchone()
        assert drawn is not None
        asked = pool.submit(lambda: contents(view_at(reader, version=drawn[0])))
        _check_it_waits(asked)
        stalled.rollback()
        assert asked.result(LIMIT_SECONDS) == before
    append(writer)
    assert contents(view_at(reader, version=drawn[0])) == before
    writer.lake.close()
    reader.lake.close()


@pytest.mark.parametrize("read_only", [False, True], ids=["a writer", "a reader"])
def test_a_version_whose_commit_is_under_way_shows_it(postgres_place: Place, read_only: bool) -> None:
    writer = _writer(postgres_place)
    reader = _reader(postgres_place, read_only=read_only)
    with _session(postgres_place) as session:
        session.execute(STALL.format(seconds=0.5).encode())
    last = _last_id(writer.lake)
    with ThreadPoolExecutor() as pool:
        committing = pool.submit(append, writer)
        while _last_id(reader.lake) == last:
            sleep(0.01)
        head_before = view_at_head(reader).snapshot_id
        seen = view_at(reader, version=last + 1)
        assert head_before < seen.snapshot_id == committing.result(LIMIT_SECONDS) == last + 1
    assert contents(seen) == contents(view_at_head(writer))
    writer.lake.close()
    reader.lake.close()


def test_a_fork_at_a_version_whose_commit_is_under_way_waits_and_sees_it(postgres_place: Place) -> None:
    writer = _writer(postgres_place)
    with _session(postgres_place) as session:
        session.execute(STALL.format(seconds=0.5).encode())
    last = _last_id(writer.lake)
    with ThreadPoolExecutor() as pool:
        committing = pool.submit(append, writer)
        while _last_id(writer.lake) == last:
            sleep(0.01)
        fork, _ = fork_catalog(writer.lake, "main", "fork", version=last + 1)
        assert committing.result(LIMIT_SECONDS) == last + 1
    assert contents(view_at_head(fork)) == contents(view_at(writer, version=last + 1))
    assert catalog_info(fork).fork_snapshot == last + 1
    writer.lake.close()


def test_a_fork_at_a_version_whose_commit_is_given_up_waits_and_sees_what_was_before(postgres_place: Place) -> None:
    writer = _writer(postgres_place)
    before = contents(view_at_head(writer))
    with ThreadPoolExecutor() as pool, _session(postgres_place) as stalled:
        stalled.execute("UPDATE lake_catalog SET head_time = head_time")
        drawn = stalled.execute("SELECT nextval('lake_snapshot_seq')").fetchone()
        assert drawn is not None
        asked = pool.submit(lambda: fork_catalog(writer.lake, "main", "fork", version=drawn[0])[0])
        _check_it_waits(asked)
        stalled.rollback()
        fork = asked.result(LIMIT_SECONDS)
    append(writer)
    assert contents(view_at_head(fork)) == before
    writer.lake.close()


def test_other_forks_wait_for_no_commit(postgres_place: Place) -> None:
    writer = _writer(postgres_place)
    head = view_at_head(writer).snapshot_id
    with _session(postgres_place) as stalled:
        stalled.execute("SELECT 1 FROM lake_catalog FOR NO KEY UPDATE")
        stalled.execute("SELECT nextval('lake_snapshot_seq')")
        began = monotonic()
        fork_catalog(writer.lake, "main", "at_the_head")
        fork_catalog(writer.lake, "main", "at_a_version", version=head)
        with pytest.raises(NoSuchSnapshot):
            fork_catalog(writer.lake, "main", "nowhere", version=10**6)
        assert monotonic() - began < LIMIT_SECONDS
    writer.lake.close()


def test_a_fork_that_is_there_and_the_folder_of_a_renamed_parent_are_not_waited_for(postgres_place: Place) -> None:
    writer = _writer(postgres_place)
    fork_catalog(writer.lake, "main", "fork")
    rename_catalog(writer.lake, "main", "renamed")
    with _session(postgres_place) as stalled:
        # As a commit does it: another version of the row, with the same name and folder.
        stalled.execute("UPDATE lake_catalog SET head_time = head_time")
        began = monotonic()
        assert fork_catalog(writer.lake, "renamed", "fork", if_not_exists=True)[1] is False
        assert catalog_info(fork_catalog(writer.lake, "renamed", "main")[0]).path.startswith("main-")
        assert monotonic() - began < LIMIT_SECONDS
    writer.lake.close()


def test_versions_up_to_the_head_wait_for_nothing(postgres_place: Place) -> None:
    writer = _writer(postgres_place)
    head = view_at_head(writer).snapshot_id
    with _session(postgres_place) as stalled:
        stalled.execute("SELECT 1 FROM lake_catalog FOR UPDATE")
        began = monotonic()
        assert view_at(writer, version=head).snapshot_id == head
        assert view_at_head(writer).snapshot_id == head
        with pytest.raises(NoSuchSnapshot):
            view_at(writer, version=10**6)
        assert monotonic() - began < LIMIT_SECONDS
    writer.lake.close()


def test_what_was_read_at_a_version_is_read_again_for_ever(place: Place) -> None:
    writer = _writer(place)
    if place.backend == "postgres":
        with _session(place) as session:
            session.execute(STALL.format(seconds="random() * 0.03").encode())
    deadline = monotonic() + SECONDS
    readers = [_reader(place, read_only=read_only) for read_only in (False, True)]
    with ThreadPoolExecutor(8) as pool:
        writing = [pool.submit(_until, deadline, lambda: append(writer)) for _ in range(3)]
        reading = [pool.submit(_read_versions, deadline, reader) for reader in readers for _ in range(2)]
        for done in writing:
            done.result(LIMIT_SECONDS)
        answers = [answer for done in reading for answer in done.result(LIMIT_SECONDS)]
    for version, expected in answers:
        assert contents(view_at(writer, version=version)) == expected
    for catalog in (writer, *readers):
        catalog.lake.close()


def _until(deadline: float, act: Callable[[], object]) -> None:
    times = 0
    while times < LEAST_COMMITS or monotonic() < deadline:
        act()
        times += 1


def _read_versions(deadline: float, reader: Catalog) -> list[tuple[int, Contents]]:
    """Ask about versions around the newest id, drawn or committed, and note the answers."""
    chance = random.Random(0)
    answers: list[tuple[int, Contents]] = []
    while len(answers) < LEAST_ANSWERS or monotonic() < deadline:
        version = _last_id(reader.lake) - chance.choice([0, 0, 0, 1, 2])
        answers.append((version, contents(view_at(reader, version=version))))
    return answers


def _check_it_waits(asked: Future[Any]) -> None:
    sleep(0.3)
    assert not asked.done()
