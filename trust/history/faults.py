"""The phases: nothing goes wrong, clients are killed, the database is killed, connections are cut and stalled."""

import os
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from random import Random
from time import monotonic, sleep

from tests.backends.cutting_proxy import APPEND, BEGIN, COMMIT, FORK, LOCK, LOSSES, STALLS, CuttingProxy, Loss
from trust.history.phase import Phase, Result, in_flight, is_planned, wait_for_commits
from trust.history.records import Dying, read_history

_ANY = 1_000_000
"""So many turns that somebody else has to say when to stop."""
_PATIENCE_SECONDS = 30.0
_SLOWEST_TURN_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 2.0
_SLOWEST_FAULT_SECONDS = 5.0
"""A machine that takes longer for each is not waited for: what did not happen shows in the count."""
_NAMES = {BEGIN: "begin", LOCK: "lock", COMMIT: "commit", APPEND: "short commit", FORK: "fork"}
_BEFORE_COMMIT: tuple[Loss, ...] = ("the commit is lost", "the client is cut off", "the commit is stalled")
Cut = tuple[bytes, Loss]
"""Which message is lost, and how."""
_CUTS: tuple[Cut, ...] = (
    *((marker, loss) for marker in (COMMIT, APPEND, FORK) for loss in (*LOSSES, *STALLS)),
    *((marker, loss) for marker in (BEGIN, LOCK) for loss in _BEFORE_COMMIT),
)


def calm(phase: Phase, transactions: int) -> Result:
    """Nothing happens, but for what the processes do to each other."""
    members = [phase.start(phase.orders(name, transactions // phase.workers + 1)) for name in phase.names]
    phase.wrong += phase.crew.finish(members, _SLOWEST_TURN_SECONDS * transactions)
    return phase.result(0)


@dataclass(slots=True)
class _Victim:
    """A process that is going to die: by its own hand, or at a time that somebody else has chosen."""

    process: ForkServerProcess
    history: Path
    lives: float | None
    """For so many seconds, from its first record on; None if it ends itself."""
    dies_at: float | None = None


def kill_clients(phase: Phase, kills: int) -> Result:
    """Processes die in mid-commit, and others take their places."""
    rng, numbers, places = phase.trial.rng("kills", phase.name), count(), Counter[str]()
    slots = [_next_victim(phase, rng, slot, next(numbers)) for slot in range(phase.workers)]
    deadline = monotonic() + _SLOWEST_FAULT_SECONDS * kills
    while places.total() < kills and monotonic() < deadline:
        for slot, victim in enumerate(slots):
            if _is_over(victim):
                places.update(_death(phase, victim))
                slots[slot] = _next_victim(phase, rng, slot, next(numbers))
        sleep(0.002)
    for victim in slots:
        _kill(victim)
        places.update(_death(phase, victim))
    return phase.result(places.total(), places)


def _next_victim(phase: Phase, rng: Random, slot: int, number: int) -> _Victim:
    """Most kill themselves at a step of their choice; the others are killed whatever they are doing."""
    name, by_itself = f"w{slot}_{number}", rng.random() < 0.8
    orders = replace(phase.orders(name, _ANY), dies=by_itself)
    return _Victim(phase.start(orders), orders.history, None if by_itself else rng.uniform(0.05, 0.5))


def _is_over(victim: _Victim) -> bool:
    now = monotonic()
    if victim.lives is not None and victim.dies_at is None and victim.history.exists():
        victim.dies_at = now + victim.lives
    # In the middle of a commit, if there is one before long.
    late = -1.0 if victim.dies_at is None else now - victim.dies_at
    if late > 0 and (is_planned(victim.history) or late > _LONGEST_WAIT_SECONDS):
        _kill(victim)
    return not victim.process.is_alive()


def _kill(victim: _Victim) -> None:
    if victim.process.is_alive() and victim.process.pid is not None:
        os.kill(victim.process.pid, signal.SIGKILL)
    victim.process.join()


def _death(phase: Phase, victim: _Victim) -> list[str]:
    """Where it died, if that was between a plan and its outcome; a process that ended otherwise is a finding."""
    if victim.process.exitcode != -signal.SIGKILL:
        phase.wrong.append(f"{victim.history.stem} was to be killed and ended with {victim.process.exitcode}.")
        return []
    if not victim.history.exists() or in_flight(victim.history) is None:
        return []
    *_, last = read_history(victim.history)
    return [last.place if isinstance(last, Dying) else "from outside"]


def kill_servers(phase: Phase, kills: int) -> Result:
    """The database dies and comes back while clients go on; none of them needs any help."""
    rng, done = phase.trial.rng("restarts", phase.name), 0
    members = phase.start_all(_ANY)
    try:
        phase.wrong += _silent(phase)
        while done < kills:
            sleep(rng.uniform(0.05, 0.3))
            phase.server.kill()
            phase.server.restart()
            done += 1
            # Whoever is first: the others may still wait, and meet the next one.
            if wait_for_commits(phase, 1, _PATIENCE_SECONDS):
                phase.wrong.append(f"Nobody committed anything for {_PATIENCE_SECONDS:.0f} s after restart {done}.")
                break
        phase.wrong += _silent(phase)
    finally:
        phase.close(members)
    return phase.result(done)


def _silent(phase: Phase) -> list[str]:
    late = wait_for_commits(phase, phase.workers, _PATIENCE_SECONDS)
    return [f"{name} did not commit anything for {_PATIENCE_SECONDS:.0f} s." for name in late]


def cut_connections(phase: Phase, cuts: int, kinds: Sequence[Cut] = _CUTS) -> Result:
    """A proxy loses and holds back messages before, during and after COMMIT."""
    rng = phase.trial.rng("cuts", phase.name)
    places: Counter[str] = Counter()
    with CuttingProxy(phase.url.removeprefix("postgres:")) as proxy:
        members = phase.start_all(_ANY, f"postgres:{proxy.conninfo}")
        try:
            phase.wrong += _silent(phase)
            deadline = monotonic() + _SLOWEST_FAULT_SECONDS * cuts
            while proxy.happened.total() < cuts and monotonic() < deadline:
                marker, loss = rng.choice(kinds)
                before = proxy.happened.total()
                proxy.lose([loss], marker=marker)
                if _met(proxy, before + 1, seconds=0.5):
                    places[f"{loss} ({_NAMES[marker]})"] += 1
                sleep(rng.uniform(0, 0.05))
            proxy.lose([])
            phase.wrong += _silent(phase)
        finally:
            phase.close(members)
    return phase.result(proxy.happened.total(), places)


def _met(proxy: CuttingProxy, faults: int, seconds: float) -> bool:
    """Wait until so many faults have happened, for a while."""
    deadline = monotonic() + seconds
    while proxy.happened.total() < faults and monotonic() < deadline:
        sleep(0.005)
    return proxy.happened.total() >= faults
