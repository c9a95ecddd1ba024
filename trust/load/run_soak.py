"""Run a soak: start the clients, watch them, and look at what they leave."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from time import monotonic, sleep
from typing import TypeVar

from trust.load.client import STOP_SECONDS, UPKEEP, Books, Pipe, Sample, work
from trust.load.lake import check_rows, check_size, make_lake, verify_catalogs
from trust.load.meter import Held
from trust.load.record import Moment, Record
from trust.load.server import Connections, Server
from trust.load.show import moment_line
from trust.load.soak import Soak
from trust.load.tally import Counts

T = TypeVar("T")
START_SECONDS = 120
LOOK_SECONDS = 0.1
"""Connections are counted this often, and not only when a report is due: most live for a moment."""
QUIET_SECONDS = 5
"""A connection that was closed is gone from the server's list a moment later."""


def run_soak(soak: Soak, say: Callable[[str], None]) -> Record:
    """A soak from its beginning to its end, in an empty database."""
    record = Record(soak)
    at_first = make_lake(soak)
    numbers = [UPKEEP, *range(soak.clients)]
    with Server(soak.url) as server:
        with _clients(soak, numbers) as pipes:
            record.before = {number: _receive(pipe, Held, START_SECONDS) for number, pipe in pipes.items()}
            _tell(pipes, "run")
            _watch(record, server, pipes, say)
            record.books = [_receive(pipe, Books, STOP_SECONDS) for pipe in pipes.values()]
            record.after_work = _connections_at_rest(server, lambda now: not now.busy)
            _tell(pipes, "close")
            record.closed = {number: _receive(pipe, Held, STOP_SECONDS) for number, pipe in pipes.items()}
            record.after_close = _connections_at_rest(server, lambda now: not now.open)
            _tell(pipes, "end")
        own = record.own()
        say(f"looking at the rows of {len(own)} forks")
        record.found += check_rows(soak, own, record.shared())
        record.verified, found = verify_catalogs(soak, own)
        record.found += found
        record.found += check_size(soak, own, at_first)
    return record


@contextmanager
def _clients(soak: Soak, numbers: Sequence[int]) -> Iterator[dict[int, Pipe]]:
    """Running clients, and how to talk to each; on leaving, none is left."""
    context = multiprocessing.get_context("spawn")
    pipes: dict[int, Pipe] = {}
    processes = []
    for number in numbers:
        ours, theirs = context.Pipe()
        if soak.processes:
            process = context.Process(target=work, args=(soak, number, theirs), daemon=True)
            process.start()
            theirs.close()
            processes.append(process)
        else:
            Thread(target=work, args=(soak, number, theirs), daemon=True).start()
        pipes[number] = ours
    try:
        yield pipes
        for process in processes:
            process.join(STOP_SECONDS)
    finally:
        for process in processes:
            if process.is_alive():
                process.kill()
                process.join()
            process.close()
        for pipe in pipes.values():
            pipe.close()


def _tell(pipes: dict[int, Pipe], word: str) -> None:
    for pipe in pipes.values():
        pipe.send(word)


def _receive(pipe: Pipe, kind: type[T], seconds: float) -> T:
    if not pipe.poll(seconds):
        raise TimeoutError(f"a client has not sent its {kind.__name__} within {seconds} s")
    received = pipe.recv()
    assert isinstance(received, kind)
    return received


def _watch(record: Record, server: Server, pipes: dict[int, Pipe], say: Callable[[str], None]) -> None:
    """Ask all clients for a sample, interval by interval; at the end, for their last."""
    began = monotonic()
    while (passed := monotonic() - began) < record.soak.seconds:
        most = _most_connections(record, server, min(record.soak.interval, record.soak.seconds - passed))
        _tell(pipes, "sample")
        _add_moment(record, server, pipes, monotonic() - began, most)
        say(moment_line(record))
    _tell(pipes, "stop")
    record.last = _collect(pipes)[0]


def _most_connections(record: Record, server: Server, seconds: float) -> int:
    """The most connections that are open at once in this time."""
    most, end = 0, monotonic() + seconds
    while monotonic() < end:
        most = max(most, server.connections().open)
        record.looked += 1
        sleep(LOOK_SECONDS)
    return most


def _add_moment(record: Record, server: Server, pipes: dict[int, Pipe], at: float, most: int) -> None:
    counts, held = _collect(pipes)
    record.moments.append(Moment(at, counts, held, most, server.size()))


def _collect(pipes: dict[int, Pipe]) -> tuple[Counts, dict[int, Held]]:
    counts, held = Counts(), {}
    for number, pipe in pipes.items():
        sample = _receive(pipe, Sample, 2 * STOP_SECONDS)
        counts.include(sample.counts)
        held[number] = sample.held
    return counts, held


def _connections_at_rest(server: Server, is_quiet: Callable[[Connections], bool]) -> Connections:
    """The connections as they are when it is quiet, or when it does not become so."""
    deadline = monotonic() + QUIET_SECONDS
    while not is_quiet(now := server.connections()) and monotonic() < deadline:
        sleep(LOOK_SECONDS)
    return now
