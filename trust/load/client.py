"""A process of the soak: one attached lake with its pool, and a thread for each of its sessions."""

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import monotonic
from typing import Protocol, TypeAlias

import pyarrow as pa

import forklake
from trust.load.meter import Held, held_now
from trust.load.session import SoakSession
from trust.load.soak import ATTACHING_AT_ONCE, BASE, HOT, Soak
from trust.load.tally import Counts, Tally
from trust.load.upkeep import Cleaner, Emptier

UPKEEP = -1
"""The number of the client that has no sessions, and keeps the lake in shape instead."""
STOP_SECONDS = 60
"""By then whatever a session is at has ended, or it hangs."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What a client did since the last one, and what it holds now."""

    counts: Counts
    held: Held


@dataclass(frozen=True, slots=True)
class Books:
    """What must be in the lake at the end, as far as one client knows."""

    own: dict[str, int]
    """Rows of the forks that only one session has written to."""
    shared: Counter[str]
    """Rows added to shared catalogs, less those deleted."""
    done: dict[int, int]
    """Operations that went well, by session."""
    found: tuple[str, ...]


class Worker(Protocol):
    """What a thread does over and over."""

    def step(self) -> None: ...

    def pause(self) -> float: ...


Pipe: TypeAlias = "Connection[object, object]"


def work(soak: Soak, number: int, lead: Pipe) -> None:
    """Held before anything; on a word, run, with a Sample whenever asked, until told to stop: one more, and the Books.

    Then on a word close, and Held again; on another, end.
    """
    if soak.processes:
        # Arrow's own allocator keeps for every thread what the thread has given back, some megabytes in all. Over
        # hundreds of threads that takes minutes to come to an end, and would hide whatever else grows.
        pa.set_memory_pool(pa.system_memory_pool())
    tally = Tally()
    before = held_now()
    with forklake.connect() as owner:
        owner.attach(soak.url, BASE, catalog=BASE)
        attaching = threading.Semaphore(ATTACHING_AT_ONCE)
        sessions = [] if number == UPKEEP else soak.numbers_of(number)
        workers = {each: SoakSession(soak, each, owner, tally, attaching) for each in sessions}
        emptiers = [Emptier(soak, owner, name, tally) for name in HOT] if number == UPKEEP else []
        cleaners = [Cleaner(owner, tally)] if number == UPKEEP else []
        lead.send(before)
        lead.recv()
        with _running([*workers.values(), *emptiers, *cleaners], tally):
            while lead.recv() == "sample":
                lead.send(Sample(tally.take(), held_now()))
        lead.send(Sample(tally.take(), held_now()))
        lead.send(_books(workers, emptiers, tally))
        lead.recv()
    lead.send(held_now())
    lead.recv()


@contextmanager
def _running(workers: Sequence[Worker], tally: Tally) -> Iterator[None]:
    """A thread for each; on leaving, all are asked to stop, and waited for."""
    stop = threading.Event()
    threads = [threading.Thread(target=_repeat, args=(each, stop), daemon=True) for each in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        deadline = monotonic() + STOP_SECONDS
        for thread in threads:
            thread.join(max(0.0, deadline - monotonic()))
        hanging = sum(thread.is_alive() for thread in threads)
        if hanging:
            tally.find(f"{hanging} sessions were still at their last operation after {STOP_SECONDS} s")


def _repeat(worker: Worker, stop: threading.Event) -> None:
    # Not all at once: the first moments would be unlike all others.
    while not stop.wait(worker.pause()):
        worker.step()


def _books(workers: Mapping[int, SoakSession], emptiers: Sequence[Emptier], tally: Tally) -> Books:
    shared: Counter[str] = Counter()
    for session in workers.values():
        shared.update(session.added)
    shared.subtract({emptier.name: emptier.deleted for emptier in emptiers})
    own = {own.catalog.name: own.rows for session in workers.values() for own in session.own}
    return Books(own, shared, {number: session.done for number, session in workers.items()}, tuple(tally.found))
