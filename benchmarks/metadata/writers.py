"""Processes that commit as fast as they can, all at the same time."""

import multiprocessing
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from time import perf_counter
from typing import Protocol

WARM_UP = 5
"""Commits of each process before the clock starts."""
_PATIENCE_SECONDS = 120


class Writer(Protocol):
    """What one process does. It travels to that process before it connects."""

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """Errors that count as a commit which did not happen."""
        ...

    def connected(self) -> AbstractContextManager[Callable[[], object]]:
        """A function that commits once."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one process achieved."""

    commits: int
    failures: int
    warm_up: int
    """Commits before the clock started."""
    seconds: float
    waits: tuple[float, float, float]
    """Seconds of its commits, failed ones included: the median, the 99th percentile and the longest."""
    error: str
    """Of the last commit that failed; empty if none did."""


@dataclass(frozen=True, slots=True)
class Race:
    """What all processes achieved together."""

    outcomes: tuple[Outcome, ...]

    @property
    def rate(self) -> float:
        """Commits of all of them in a second."""
        return sum(outcome.commits / outcome.seconds for outcome in self.outcomes)

    @property
    def commits(self) -> int:
        """All of them, those of the warm-up included."""
        return sum(outcome.commits + outcome.warm_up for outcome in self.outcomes)

    @property
    def failures(self) -> int:
        return sum(outcome.failures for outcome in self.outcomes)

    @property
    def error(self) -> str:
        """One of the errors; empty if there was none."""
        return next((outcome.error for outcome in self.outcomes if outcome.error), "")

    @property
    def fairness(self) -> str:
        counts = [outcome.commits for outcome in self.outcomes]
        middle, late, slowest = zip(*(outcome.waits for outcome in self.outcomes), strict=True)
        waits = ", ".join(
            f"{name} {min(found) * 1000:,.1f} to {max(found) * 1000:,.1f} ms"
            for name, found in (("median", middle), ("99 %", late))
        )
        slowest_text = f"slowest commit {max(slowest) * 1000:,.0f} ms"
        return f"per process {min(counts):,} to {max(counts):,}, waits {waits}, {slowest_text}"


def race(writers: Sequence[Writer], seconds: float) -> Race:
    """Let every writer commit in a process of its own for some seconds, from the same moment on."""
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(len(writers))
    results: SimpleQueue[Outcome] = context.SimpleQueue()
    processes = [context.Process(target=_write, args=(writer, seconds, start, results)) for writer in writers]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise RuntimeError("a writer failed; its error is above")
    found = Race(tuple(results.get() for _ in processes))
    if not found.commits:
        raise RuntimeError(f"not one commit succeeded: {found.outcomes[0].error}")
    return found


def _write(writer: Writer, seconds: float, start: Barrier, results: "SimpleQueue[Outcome]") -> None:
    with writer.connected() as commit_once:
        warm_up = [_error(commit_once, writer.failures) for _ in range(WARM_UP)].count("")
        start.wait(_PATIENCE_SECONDS)
        commits = failures = 0
        waits, last_error = list[float](), ""
        began = now = perf_counter()
        while now - began < seconds:
            error = _error(commit_once, writer.failures)
            commits, failures = commits + (not error), failures + bool(error)
            last_error = error or last_error
            before, now = now, perf_counter()
            waits.append(now - before)
    waits.sort()
    shown = (waits[len(waits) // 2], waits[len(waits) * 99 // 100], waits[-1])
    results.put(Outcome(commits, failures, warm_up, now - began, shown, last_error))


def _error(commit_once: Callable[[], object], failures: tuple[type[Exception], ...]) -> str:
    """What went wrong; empty if nothing did."""
    try:
        commit_once()
    except failures as error:
        return f"{type(error).__name__}: {error}"
    return ""
