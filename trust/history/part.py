"""The part `history` of the trial: four phases, each checked on its own, and all transactions counted."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from time import monotonic

from tests.postgres_server import TestPostgres
from trust.history.faults import calm, cut_connections, kill_clients, kill_servers
from trust.history.phase import SETTINGS, Phase, Result, phase
from trust.trial import Line, Trial

KILLS = 500
RESTARTS = 50
CUTS = 100
TRANSACTIONS = 10_000
_CALM_AT_LEAST = 2_000
_MOST_TOLD = 4


def run(trial: Trial) -> Iterator[Line]:
    """All phases; in the long form again and again, each time in a new lake."""
    with TestPostgres(settings=SETTINGS) as server:
        killed = _phases(trial, server, "killed-clients", lambda lake: kill_clients(lake, KILLS))
        yield _line("clients killed in mid-commit (kill -9)", killed, KILLS * trial.times)
        restarted = _phases(trial, server, "killed-servers", lambda lake: kill_servers(lake, RESTARTS))
        yield _line("PostgreSQL killed (kill -9) and restarted", restarted, RESTARTS * trial.times)
        cut = _phases(trial, server, "cut-connections", lambda lake: cut_connections(lake, CUTS))
        yield _line("connections cut or stalled around COMMIT", cut, CUTS * trial.times)
        so_far = sum(result.transactions for result in [*killed, *restarted, *cut])
        # A few get nowhere: the catalog was dropped before they looked.
        left = max(_CALM_AT_LEAST, (TRANSACTIONS - so_far // trial.times) * 11 // 10)
        quiet = _phases(trial, server, "calm", lambda lake: calm(lake, left))
        checked = so_far + sum(result.transactions for result in quiet)
        found = tuple(sentence for result in quiet for sentence in result.found)
        told = _told(result.errors for result in quiet)
        yield Line("transactions checked, all phases", checked, TRANSACTIONS * trial.times, told, found)


def _phases(trial: Trial, server: TestPostgres, name: str, act: Callable[[Phase], Result]) -> list[Result]:
    results = []
    for number in range(1, trial.times + 1):
        began = monotonic()
        with phase(trial, f"{name}-{number}", server) as lake:
            result = act(lake)
        results.append(result)
        places = f", {_told([result.places])}" if result.places else ""
        trial.say(
            f"history, {name} {number}, seed {trial.seed}: {result.faults} faults{places};"
            f" {result.transactions} transactions, {len(result.found)} findings, {monotonic() - began:.0f} s"
        )
    return results


def _line(what: str, results: list[Result], at_least: int) -> Line:
    found = tuple(sentence for result in results for sentence in result.found)
    told = _told(result.errors for result in results)
    return Line(what, sum(result.faults for result in results), at_least, told, found)


def _told(counters: Iterable[Counter[str]]) -> str:
    """The most frequent ones, with how often they were."""
    total: Counter[str] = sum(counters, Counter())
    return ", ".join(f"{name} {times}" for name, times in total.most_common(_MOST_TOLD)) or "no error"
