"""What all phases share: a lake of its own, processes that work on it, a witness, and the checker."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from time import monotonic, sleep

from tests.postgres_server import DURABLE, TestPostgres
from trust.history.checker import check
from trust.history.crew import Crew
from trust.history.records import Begun, Ended, Looked, Planned, Record, read_histories, read_history
from trust.history.setting import set_up
from trust.history.witness import bear_witness
from trust.history.worker import SHARED, Orders, own_catalog, work
from trust.trial import Trial

# After kill -9 the server makes sure of every file of its own; one by one that takes a second.
SETTINGS = {**DURABLE, "recovery_init_sync_method": "syncfs"}
WORKERS = 6
_WITNESSES = 2
_LONGEST_PLAN = 16_384
"""Bytes of a record."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a phase."""

    faults: int
    transactions: int
    errors: Counter[str]
    """What users saw, by the class of the error."""
    found: list[str]
    places: Counter[str] = field(default_factory=Counter)
    """Where the faults took place."""


@dataclass(slots=True)
class Phase:
    """A lake in which a phase takes place."""

    trial: Trial
    name: str
    server: TestPostgres
    crew: Crew
    folder: Path
    url: str
    workers: int = WORKERS
    plant: Callable[[], None] | None = None
    wrong: list[str] = field(default_factory=list)

    def orders(self, name: str, turns: int) -> Orders:
        seed = f"{self.trial.seed}/{self.name}/{name}"
        return Orders(name, self.url, seed, self.folder / f"{name}.jsonl", turns, plant=self.plant)

    def start(self, orders: Orders) -> ForkServerProcess:
        return self.crew.start(work, orders)

    def start_all(self, turns: int, url: str | None = None) -> list[ForkServerProcess]:
        """The workers, who go on until they are told to stop."""
        made = [self.orders(name, turns) for name in self.names]
        return [self.start(replace(orders, stop=self.stop, url=url or orders.url)) for orders in made]

    @property
    def names(self) -> list[str]:
        """Of the workers; whoever takes the place of one is called after it."""
        return [f"w{number}" for number in range(self.workers)]

    @property
    def stop(self) -> Path:
        return self.folder / "stop"

    def close(self, members: Sequence[ForkServerProcess]) -> None:
        self.stop.touch()
        self.wrong += self.crew.finish(list(members))

    def result(self, faults: int, places: Counter[str] | None = None) -> Result:
        """Call the witness, and check what everybody has written down."""
        direct = [
            self.crew.start(bear_witness, self.url, self.folder / f"zz{share}.jsonl", share, _WITNESSES)
            for share in range(_WITNESSES)
        ]
        self.wrong += self.crew.finish(direct)
        histories = read_histories(self.folder)
        found = [*self.wrong, *check(histories)]
        again = f"(seed {self.trial.seed}, phase {self.name}, histories in {self.folder})"
        if not found:
            shutil.rmtree(self.folder)
        told = [f"{sentence} {again}" for sentence in found]
        return Result(faults, _count(histories), _errors(histories), told, places or Counter())


@contextmanager
def phase(
    trial: Trial,
    name: str,
    server: TestPostgres,
    *,
    workers: int = WORKERS,
    plant: Callable[[], None] | None = None,
) -> Iterator[Phase]:
    """A new lake with its catalogs, in a database of its own."""
    folder = trial.sub_folder(name)
    with Crew() as crew:
        made = Phase(trial, name, server, crew, folder, f"postgres:{server.create_database()}", workers, plant)
        catalogs = [*SHARED, *map(own_catalog, made.names)]
        made.wrong += crew.finish([crew.start(set_up, made.url, folder / "00.jsonl", catalogs)])
        yield made


def in_flight(history: Path) -> str | None:
    """The last transaction of a process, if it had planned something and did not learn what became of it."""
    last: str | None = None
    for record in read_history(history):
        match record:
            case Begun() | Ended():
                last = None
            case Planned():
                last = record.tx
    return last


def is_planned(history: Path) -> bool:
    """Whether the last thing that a process has written down is what it is going to do."""
    with history.open("rb") as lines:
        lines.seek(max(0, _size(history) - _LONGEST_PLAN))
        *_, last = lines.read().split(b"\n")[:-1] or [b""]
    return last.startswith(b'{"is":"Planned"')


def wait_for_commits(phase: Phase, wanted: int, patience: float) -> list[str]:
    """Wait until so many workers have committed something from now on; who has not, if they are too few."""
    starts = {name: _size(phase.folder / f"{name}.jsonl") for name in phase.names}
    deadline = monotonic() + patience
    while len(starts) > phase.workers - wanted and monotonic() < deadline:
        sleep(0.01)
        starts = {name: start for name, start in starts.items() if not _try_commit(phase, name, start)}
    return sorted(starts) if len(starts) > phase.workers - wanted else []


def _try_commit(phase: Phase, name: str, start: int) -> bool:
    path = phase.folder / f"{name}.jsonl"
    if _size(path) <= start:
        return False
    with path.open("rb") as history:
        history.seek(start)
        return b'"outcome":"ok"' in history.read()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _count(histories: dict[str, list[Record]]) -> int:
    """Transactions that got so far as to read something, or to plan what they would write."""
    everything = (record for records in histories.values() for record in records)
    return len({record.tx for record in everything if isinstance(record, Looked | Planned)})


def _errors(histories: dict[str, list[Record]]) -> Counter[str]:
    ended = (record for records in histories.values() for record in records if isinstance(record, Ended))
    return Counter(record.error for record in ended if record.error is not None)
