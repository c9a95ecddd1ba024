"""When a driver dies: at the n-th time that it comes to a step of a commit, or when somebody else says so."""

import os
import random
import signal
from collections.abc import Callable
from threading import Lock, Timer
from typing import Any

from forklake.spark.tasks.files.open_file import OpenFile
from forklake.spark.writing import stage_files, write_files
from forklake.store.postgres import PostgresStore, PostgresTransaction
from forklake.store.sqlite import SqliteStore, SqliteTransaction

ANY_TIME = "at any time"
STEPS = {
    "before the files are written": 12,
    "while Arrow writes files": 12,
    "while Spark writes files": 2,
    "after the files, before the commit": 12,
    "before the statements of the commit": 12,
    "with the catalog locked": 5,
    "after the commit, before the answer": 12,
}
"""The steps, and how often at most a driver passes the step before it dies there."""

_LONGEST_WRITE = 0.4
"""Seconds: Spark is in the middle of its files within this time."""


def kill_group() -> None:
    """End this process and the Spark that it has started, in this instant."""
    os.killpg(os.getpgrp(), signal.SIGKILL)


class Fate:
    """Counts how often the step was reached, by whichever thread."""

    def __init__(self, step: str, last: int, rng: random.Random, told: Callable[[str], object]) -> None:
        self._step, self._left, self._rng, self._told = step, last, rng, told
        self._lock = Lock()

    def reached(self) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                self._told(self._step)
                kill_group()

    def reached_soon(self) -> None:
        """The same, for a step that lasts: somewhere in it."""
        with self._lock:
            self._left -= 1
            if self._left == 0:
                Timer(self._rng.uniform(0, _LONGEST_WRITE), self._strike).start()

    def _strike(self) -> None:
        self._told(self._step)
        kill_group()

    def watch(self) -> None:
        """Put itself in the way of the step, for the rest of this process."""
        match self._step:
            case "before the files are written":
                _before(OpenFile, "__init__", self.reached)
            case "while Arrow writes files":
                _before(OpenFile, "close", self.reached)
            case "while Spark writes files":
                _before(write_files, "_write_by_spark", self.reached_soon)
            case "after the files, before the commit":
                _before(stage_files, "new_data_files", self.reached)
            case "before the statements of the commit":
                for owner, name in _COMMITS:
                    _before(owner, name, self.reached)
            case "with the catalog locked":
                for transaction in (SqliteTransaction, PostgresTransaction):
                    _after(transaction, "fetch_all", self.reached)
            case "after the commit, before the answer":
                for owner, name in _COMMITS:
                    _after(owner, name, self.reached)


_COMMITS: list[tuple[type, str]] = [
    (SqliteStore, "append"),
    (PostgresStore, "append"),
    (SqliteTransaction, "commit"),
    (PostgresTransaction, "commit"),
]


def _before(owner: Any, name: str, act: Callable[[], None]) -> None:
    function = getattr(owner, name)

    def watched(*arguments: Any, **named: Any) -> Any:
        act()
        return function(*arguments, **named)

    setattr(owner, name, watched)


def _after(owner: Any, name: str, act: Callable[[], None]) -> None:
    function = getattr(owner, name)

    def watched(*arguments: Any, **named: Any) -> Any:
        result = function(*arguments, **named)
        act()
        return result

    setattr(owner, name, watched)
