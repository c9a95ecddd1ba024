"""Kill Spark drivers while they write, and check after each of them what is there."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.postgres_server import TestPostgres
from trust.drivers.driver import Orders
from trust.drivers.fate import ANY_TIME, STEPS
from trust.drivers.lake import Place
from trust.drivers.processes import SparkProcess
from trust.trial import Line, Trial

KILLS = 10
TRANSACTIONS = 60
LONGEST_LIFE = 10.0
"""Seconds that a driver lives which dies at any time."""
PATIENCE = 90.0
"""Seconds after which a driver is killed that has not come to its step."""


def run(trial: Trial) -> Iterator[Line]:
    """One driver after the other works and is killed; the next one starts while a reader looks at what is left."""
    with ExitStack() as stack:
        server = stack.enter_context(TestPostgres())
        place = Place(f"postgres:{server.create_database()}", str(trial.sub_folder("data")))
        campaign = _Campaign(trial, place, stack)
        for number in range(campaign.kills):
            campaign.kill_one(number)
        yield from campaign.lines()


@dataclass(slots=True)
class _Campaign:
    trial: Trial
    place: Place
    stack: ExitStack
    deaths: Counter[str] = field(default_factory=Counter)
    transactions: int = 0
    committed: int = 0
    orphans: int = 0
    found: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    _made: dict[str, list[str]] = field(default_factory=dict)
    _reader: SparkProcess | None = None
    _next: SparkProcess | None = None

    @property
    def kills(self) -> int:
        return KILLS * self.trial.times

    def kill_one(self, number: int) -> None:
        """One driver from its first operation to its death, and what it has left."""
        reader = self._started_reader()
        rng, step = self.trial.rng("life", number), self._step(number)
        driver = self._next or self._start_driver(number)
        driver.must_hear("ready")
        driver.say(json.dumps(self._made))
        by_itself = driver.died_within(rng.uniform(0.5, LONGEST_LIFE) if step == ANY_TIME else PATIENCE)
        if by_itself and step == ANY_TIME:
            self.found.append(f"seed {self.trial.seed}, driver {number} ended before it was killed")
        if still := driver.kill():
            self.left.append(f"seed {self.trial.seed}, driver {number}: processes {still} outlived it")
        # It starts while the reader looks, and touches nothing until it is told to.
        self._next = self._start_driver(number + 1) if number + 1 < self.kills else None
        reader.say(str(self._log(number)))
        self._take(json.loads(reader.must_hear()))
        died = step if by_itself else ANY_TIME
        self.trial.say(f"driver {number} killed {died}: {self.transactions} transactions, {len(self.found)} findings")

    def lines(self) -> Iterator[Line]:
        times = self.trial.times
        seen = "acknowledged rows are there once, others wholly or not at all; orphans are all that is left"
        kills = sum(self.deaths.values())
        yield Line("kill -9 of Spark drivers in mid-write", kills, self.kills, seen, tuple(self.found + self.left))
        for step in (*STEPS, ANY_TIME):
            yield Line(f"- Spark driver killed {step}", self.deaths[step], times, "as above")
        outcome = f"{self.committed} acknowledged or found whole; {self.orphans} orphans, all removed"
        yield Line("transactions of killed Spark drivers, checked", self.transactions, TRANSACTIONS * times, outcome)

    def _step(self, number: int) -> str:
        """Every step in turn, and any time after them."""
        steps = [*STEPS, ANY_TIME]
        return steps[number % len(steps)]

    def _start_driver(self, number: int) -> SparkProcess:
        step = self._step(number)
        last = self.trial.rng("last", number).randrange(1, STEPS.get(step, 1) + 1)
        orders = Orders(self.place.to_json(), str(self._log(number)), f"{self.trial.seed}/{number}", step, last)
        return self._start("trust.drivers.driver", [orders.to_text()], f"driver-{number}")

    def _log(self, number: int) -> Path:
        return self.trial.folder / f"driver-{number}.jsonl"

    def _take(self, checked: dict[str, Any]) -> None:
        self.deaths[checked["died"] or ANY_TIME] += 1
        self.transactions += checked["transactions"]
        self.committed = checked["committed"]
        self.orphans += checked["orphans"]
        self._made = checked["made"]
        self.found += [f"seed {self.trial.seed}, {each}" for each in checked["found"]]

    def _started_reader(self) -> SparkProcess:
        if self._reader is None:
            self._reader = self._start("trust.drivers.reader", [json.dumps(self.place.to_json())], "reader")
            self._reader.must_hear("ready")
        return self._reader

    def _start(self, module: str, arguments: list[str], name: str) -> SparkProcess:
        process = SparkProcess(module, arguments, self.trial.folder / f"{name}.err")
        self.stack.callback(process.kill)
        return process
