"""One process: random transactions on a lake, each written down before, during and after."""

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import TypeAlias

from forklake.catalog.lakes.catalogs import list_catalogs
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import CommitUnknown, ForklakeError, NoSuchCatalog, StoreError
from trust.history import catalog_turns, turns
from trust.history.deaths import Deaths
from trust.history.desk import Desk
from trust.history.records import Begun, Dying, Ended, Outcome, Pen, Verb, now

Turn: TypeAlias = Callable[[Desk, str, str], Ended]

SHARED = ("shared0", "shared1")
"""Catalogs that all processes write to; each has one of its own besides."""
MOST_FORKS = 12
_NEWS = 10
"""After so many turns a process looks which catalogs there are."""
_SHORT, _LONG = 6, 60
"""So many steps have forks and short commits, and so many long ones."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What a process is to do. The same orders make the same choices."""

    name: str
    url: str
    seed: str
    history: Path
    turns: int
    stop: Path | None = None
    """It stops before that when this file is there."""
    dies: bool = False
    """It kills itself at some step of some commit."""
    plant: Callable[[], None] | None = None
    """Breaks the product in this process, to see whether that is noticed."""


def work(orders: Orders) -> None:
    """Carry out the orders; to be called in a process of its own."""
    # That connections are lost is what is meant to happen; what users see of it is written down.
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)
    if orders.plant is not None:
        orders.plant()
    pen = Pen(orders.history)
    lake = open_lake(orders.url)
    rng = random.Random(orders.seed)
    try:
        Worker(orders.name, Desk(lake, pen, rng), dies=orders.dies).run(orders.turns, orders.stop)
    finally:
        lake.close()
        pen.close()


class Worker:
    """Takes turns. Whatever the product refuses is written down, and the next turn is taken."""

    def __init__(self, name: str, desk: Desk, *, dies: bool = False) -> None:
        self._name = name
        self._desk = desk
        self._number = 0
        self._names: list[str] = [*SHARED, own_catalog(name)]
        if dies:
            deaths = Deaths(self._tell, self._last_step)
            deaths.install()
            self._desk = Desk(desk.lake, desk.pen, desk.rng, deaths.armed, desk.known)

    def run(self, times: int, stop: Path | None = None) -> None:
        for number in range(times):
            if stop is not None and stop.exists():
                return
            if number % _NEWS == 0:
                self._hear_news()
            self.turn()

    def turn(self) -> Ended:
        self._number += 1
        tx = f"{self._name}.{self._number}"
        verb, turn, catalog = self._choose()
        self._desk.pen.write(Begun(tx, now(), catalog, verb))
        try:
            ended = turn(self._desk, tx, catalog)
        except ForklakeError as error:
            ended = Ended(tx, now(), _outcome(verb, error), error=type(error).__name__)
            self._desk.known.pop(catalog, None)
        except Exception as error:  # the very thing that is looked for
            ended = Ended(tx, now(), "leaked", error=repr(error))
        self._desk.pen.write(ended)
        if ended.error and ended.outcome != "refused":
            sleep(0.05)
        return ended

    def _choose(self) -> tuple[Verb, Turn, str]:
        rng, forks = self._desk.rng, [name for name in self._names if name.startswith("f")]
        roots = [name for name in self._names if not name.startswith("f")]
        catalog = rng.choice(forks if forks and rng.random() < 0.3 else roots)
        dice = rng.random()
        if dice < 0.06:
            if len(forks) > MOST_FORKS:
                return "drop", catalog_turns.drop, rng.choice(forks)
            return "fork", catalog_turns.fork, catalog
        if dice < 0.08:
            return ("expire", catalog_turns.expire, catalog) if rng.random() < 0.7 else _COLLECT
        if dice < 0.14:
            return "travel", turns.travel, catalog
        return "change", turns.count if dice < 0.26 else turns.change, catalog

    def _hear_news(self) -> None:
        try:
            self._names = [info.name for info in list_catalogs(self._desk.lake) if _is_for(self._name, info.name)]
        except StoreError:
            return  # it is away; what is known will do

    def _last_step(self) -> int:
        """The step at which to die; 0 is none, so that some things get done."""
        rng = self._desk.rng
        return rng.choice((0, rng.randint(1, _SHORT), rng.randint(1, _LONG), rng.randint(1, _LONG)))

    def _tell(self, place: str) -> None:
        self._desk.pen.write(Dying(f"{self._name}.{self._number}", now(), place))


_COLLECT: tuple[Verb, Turn, str] = ("collect", catalog_turns.collect, SHARED[0])


def own_catalog(worker: str) -> str:
    """Where only this process writes: processes that follow each other in one place share it."""
    return f"own{worker.split('_', 1)[0]}"


def _is_for(worker: str, catalog: str) -> bool:
    return not catalog.startswith("own") or catalog == own_catalog(worker)


def _outcome(verb: Verb, error: ForklakeError) -> Outcome:
    """Whether nothing can have happened. Verbs on catalogs may fail after what they were asked to do is done."""
    if isinstance(error, CommitUnknown):
        return "unknown"
    on_catalogs = verb in ("fork", "drop", "expire", "collect")
    return "unknown" if on_catalogs and isinstance(error, StoreError | NoSuchCatalog) else "refused"
