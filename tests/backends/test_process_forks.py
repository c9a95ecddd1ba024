"""`os.fork` in the middle of a session: both processes go on, each with connections and ids of its own."""

import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import forklake
from forklake.api.session import Session
from tests.attached import attach_main
from tests.conftest import Place

ROUNDS = 5


def in_a_fork(work: Callable[[], None]) -> int:
    """Run in a process that is forked off; gives its exit code."""
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join(120)
    assert child.exitcode is not None
    return child.exitcode


def append_rounds(session: Session, first: int) -> None:
    for number in range(first, first + ROUNDS):
        session.catalog("lake").table("t").append([(number,)])
    many = [(number,) for number in range(first + 1000, first + 2000)]
    session.catalog("lake").table("t").append(many)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_both_processes_append(place: Place, tmp_path: Path) -> None:
    with forklake.connect() as session:
        lake = attach_main(session, place, tmp_path)
        lake.create_table("t", {"id": "bigint"}).append([(0,)])
        assert in_a_fork(lambda: append_rounds(session, 100)) == 0
        append_rounds(session, 200)
        assert lake.table("t").count() == 1 + 2 * (ROUNDS + 1000)
        assert lake.verify() == []


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_both_processes_append_at_the_same_time(place: Place, tmp_path: Path) -> None:
    with forklake.connect() as session:
        lake = attach_main(session, place, tmp_path)
        lake.create_table("t", {"id": "bigint"}).append([(0,)])
        children = [
            multiprocessing.get_context("fork").Process(target=append_rounds, args=(session, number * 10_000))
            for number in (1, 2)
        ]
        for child in children:
            child.start()
        append_rounds(session, 30_000)
        for child in children:
            child.join(120)
        assert [child.exitcode for child in children] == [0, 0]
        assert lake.table("t").count() == 1 + 3 * (ROUNDS + 1000)
        assert lake.verify() == []


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_that_closes_the_session_leaves_it_to_the_other(place: Place, tmp_path: Path) -> None:
    with forklake.connect() as session:
        lake = attach_main(session, place, tmp_path)
        lake.create_table("t", {"id": "bigint"})

        def close() -> None:
            session.close()

        assert in_a_fork(close) == 0
        lake.table("t").append([(1,)])
        assert lake.table("t").count() == 1


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_ids_that_were_drawn_ahead_stay_with_the_process(place: Place, tmp_path: Path) -> None:
    with forklake.connect() as session:
        lake = attach_main(session, place, tmp_path)
        lake.create_table("t", {"id": "bigint"})
        ids = session._state.attachments.get("lake").lake.cache.ids
        ids.take("file", 1)
        reader, writer = os.pipe()

        def draw() -> None:
            os.write(writer, ",".join(map(str, ids.take("file", 5))).encode())

        assert in_a_fork(draw) == 0
        theirs = set(map(int, os.read(reader, 1000).decode().split(",")))
        assert theirs.isdisjoint(ids.take("file", 5))
