"""Writers of an SQLite file that have waited for a while take turns, and nobody waits for one that is gone."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest

from forklake.store import write_queue
from forklake.store.sqlite import QUEUE_SUFFIX, SqliteStore
from forklake.store.write_queue import Place, WriteQueue

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is a queue on Linux only")
LONG = 60.0
CONTEXT = multiprocessing.get_context("fork")


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody joins the line at once, and is waited for as long as a test takes."""
    monkeypatch.setattr(write_queue, "JOIN_AFTER_SECONDS", 0)
    monkeypatch.setattr(write_queue, "IGNORE_AFTER_SECONDS", LONG)


def _drawn(path: Path) -> int:
    """The number of tickets drawn so far."""
    return int.from_bytes(path.read_bytes()[:8], "big")


def _wait_until_first(place: Place) -> None:
    while not place.may_try():
        sleep(0.001)


@contextmanager
def _first(path: Path) -> Iterator[Place]:
    with WriteQueue(path).place() as place:
        _wait_until_first(place)
        yield place


def _take_a_turn(path: Path, number: int, order: Connection) -> None:
    with _first(path):
        order.send(number)


def _hold(path: Path) -> None:
    with _first(path):
        sleep(LONG)


def _hold_and_fork(path: Path, child: Connection) -> None:
    with _first(path):
        pid = os.fork()
        if not pid:
            sleep(LONG)
            os._exit(0)
        child.send(pid)
        sleep(LONG)


def _started(path: Path, process: BaseProcess) -> BaseProcess:
    """The process when it has drawn its ticket."""
    before = _drawn(path)
    process.start()
    deadline = monotonic() + LONG
    while _drawn(path) == before:
        assert monotonic() < deadline
        sleep(0.001)
    return process


def _kill(process: BaseProcess) -> None:
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    os.waitpid(process.pid, 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "lake.db-queue"
    with _first(path):
        pass
    return path


def test_processes_write_in_the_order_in_which_they_came(path: Path) -> None:
    reader, writer = CONTEXT.Pipe(duplex=False)
    with _first(path):
        crew = [
            _started(path, CONTEXT.Process(target=_take_a_turn, args=(path, number, writer))) for number in range(8)
        ]
        assert not reader.poll()
    for process in crew:
        process.join(LONG)
    assert [reader.recv() for _ in crew] == list(range(8))


def test_threads_write_in_the_order_in_which_they_came(path: Path) -> None:
    order: list[int] = []
    queue = WriteQueue(path)

    def work(number: int) -> None:
        with queue.place() as place:
            _wait_until_first(place)
            order.append(number)

    threads = [Thread(target=work, args=(number,)) for number in range(5)]
    with _first(path):
        for number, thread in enumerate(threads):
            thread.start()
            while _drawn(path) < number + 3:
                sleep(0.001)
        assert order == []
    for thread in threads:
        thread.join(LONG)
    assert order == list(range(5))


def test_whoever_comes_later_does_not_try_while_somebody_is_in_line(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _first(path):
        monkeypatch.setattr(write_queue, "JOIN_AFTER_SECONDS", LONG)
        with WriteQueue(path).place() as beside:
            assert not beside.may_try()
    with WriteQueue(path).place() as beside:
        assert beside.may_try()
        with WriteQueue(path).place() as another:
            assert another.may_try()


def test_a_writer_that_was_killed_is_not_waited_for(path: Path) -> None:
    holder = _started(path, CONTEXT.Process(target=_hold, args=(path,)))
    waiting = _started(path, CONTEXT.Process(target=_hold, args=(path,)))
    _kill(waiting)
    _kill(holder)
    with WriteQueue(path).place() as place:
        assert place.may_try()


def test_a_writer_that_was_killed_is_not_waited_for_while_its_child_lives(path: Path) -> None:
    reader, writer = CONTEXT.Pipe(duplex=False)
    holder = _started(path, CONTEXT.Process(target=_hold_and_fork, args=(path, writer)))
    child = reader.recv()
    # The child has closed what it has inherited as soon as it runs.
    while _has_open(child, path):
        sleep(0.001)
    _kill(holder)
    with WriteQueue(path).place() as place:
        assert place.may_try()
    os.kill(child, signal.SIGKILL)


def _has_open(pid: int, path: Path) -> bool:
    return any(file.resolve() == path for file in Path(f"/proc/{pid}/fd").iterdir())


def test_a_child_process_that_was_forked_during_a_turn_holds_nobody_up(path: Path) -> None:
    with _first(path):
        child = CONTEXT.Process(target=sleep, args=(LONG,))
        child.start()
    with WriteQueue(path).place() as place:
        assert place.may_try()
        child.kill()
    child.join(LONG)


def test_a_writer_that_does_not_come_to_an_end_holds_only_the_next_one_up(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = WriteQueue(path)
    with _first(path):
        with queue.place() as second, queue.place() as third:
            assert not second.may_try()
            assert not third.may_try()
            monkeypatch.setattr(write_queue, "IGNORE_AFTER_SECONDS", 0)
            assert second.may_try()
            monkeypatch.setattr(write_queue, "IGNORE_AFTER_SECONDS", LONG)
            assert not third.may_try()
        with queue.place() as later:
            assert later.may_try()


def test_ids_are_drawn_in_turn_like_any_other_write(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "lake.db")
    store.run_script(
        "CREATE TABLE lake_counter (name TEXT, value BIGINT);\nINSERT INTO lake_counter VALUES ('file', 7);"
    )
    queue = tmp_path / f"lake.db{QUEUE_SUFFIX}"
    before = _drawn(queue)
    assert store.draw_ids("file", 3) == [7, 8, 9]
    assert _drawn(queue) == before + 1
    store.close()


def test_a_place_leaves_nothing_open(path: Path) -> None:
    with _first(path), WriteQueue(path).place() as place:
        assert not place.may_try()
        assert _has_open(os.getpid(), path)
    assert not _has_open(os.getpid(), path)


@pytest.mark.parametrize("content", [b"", b"\xff" * 8, b"odd"])
def test_whatever_is_in_the_file_there_is_a_queue(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for _ in range(3):
        with _first(path):
            pass
    assert _drawn(path) > 0


@pytest.mark.parametrize("kind", ["another lake", "a link"])
def test_a_file_that_is_no_queue_stays_as_it_is(tmp_path: Path, kind: str) -> None:
    queue, other = tmp_path / f"lake.db{QUEUE_SUFFIX}", tmp_path / "other.db"
    other.write_bytes(b"SQLite format 3\0" * 64 if kind == "another lake" else b"text")
    other.rename(queue) if kind == "another lake" else queue.symlink_to(other)
    before = queue.read_bytes()
    _add_in_threads(tmp_path)
    assert queue.read_bytes() == before


def test_whoever_may_write_the_database_may_join_its_queue(tmp_path: Path) -> None:
    database = tmp_path / "lake.db"
    database.touch()
    database.chmod(0o664)
    _add_in_threads(tmp_path)
    assert (tmp_path / f"lake.db{QUEUE_SUFFIX}").stat().st_mode & 0o777 == 0o664


def test_an_interrupt_between_lock_and_transaction_keeps_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, begin = SqliteStore(tmp_path / "lake.db"), SqliteStore._execute_when_free

    def interrupted(*arguments: Any) -> None:
        begin(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "_execute_when_free", interrupted)
        with pytest.raises(KeyboardInterrupt), store.writing([]):
            pass
    for each in (store, SqliteStore(tmp_path / "lake.db", busy_timeout_ms=100)):
        with each.writing([]):
            pass
        each.close()


def test_a_database_has_one_queue_under_all_its_names(tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "link.db").symlink_to(tmp_path / "lake.db")
    _add_in_threads(tmp_path)
    store = SqliteStore(tmp_path / "links" / "link.db")
    with store.writing([]):
        pass
    store.close()
    assert [file.name for file in (tmp_path / "links").iterdir()] == ["link.db"]


def test_a_child_process_that_ends_the_turn_of_its_parent_closes_no_file_of_its_own(path: Path) -> None:
    queue = WriteQueue(path)
    place = queue.place()
    _wait_until_first(place.__enter__())
    pid = os.fork()
    if not pid:
        reused = os.open(path.parent, os.O_RDONLY)
        place.__exit__(None, None, None)
        os.fstat(reused)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    place.__exit__(None, None, None)


def test_where_a_ticket_cannot_be_drawn_writers_still_exclude_each_other(tmp_path: Path) -> None:
    # A pipe cannot be read at a position.
    os.mkfifo(tmp_path / f"lake.db{QUEUE_SUFFIX}")
    _add_in_threads(tmp_path)


def test_without_a_file_that_can_be_written_writers_still_exclude_each_other(tmp_path: Path) -> None:
    (tmp_path / f"lake.db{QUEUE_SUFFIX}").mkdir()
    _add_in_threads(tmp_path)


def _add_in_threads(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "lake.db")
    store.run_script("CREATE TABLE t (a INTEGER);\nINSERT INTO t VALUES (0);")

    def add() -> None:
        for _ in range(20):
            with store.writing([]) as (transaction, _):
                transaction.run_script("UPDATE t SET a = a + 1;")
                transaction.commit([])

    threads = [Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert store.fetch("SELECT a FROM t", {}) == [(80,)]
    store.close()
