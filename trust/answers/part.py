"""Right answers: statements by the ten thousand, and none answered differently for a shortcut."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from trust.answers.check_answers import too_many_avoided
from trust.answers.check_duckdb import COMPARED, REFUSED
from trust.answers.check_small import too_few_answered
from trust.answers.child import run_child
from trust.answers.tally import Tally
from trust.trial import Line, Trial

STATEMENTS = 20_000
_ROUNDS = {"conditions": 5, "answers": 3}
_AT_LEAST = {
    "conditions": 14_000, "answers": 320, "small": 2_000, "constants": 280, "settings": 100, "snapshots": 30,
    "duckdb": 4_500,
}  # fmt: skip
_WHAT = {
    "conditions": "conditions: files that are chosen, and deleted unread, for each",
    "answers": "whole statements, with shortcuts and without",
    "small": "small queries, by the driver and by Spark",
    "constants": "constants in VALUES and in SELECT, for every type",
    "settings": "statements under other settings of Spark",
    "snapshots": "statements while another session commits",
    "duckdb": "statements of the DuckDB dialect, in DuckDB as well",
}
_SECONDS = 1800.0
_REFUSED_AT_MOST = 0.25


def run(trial: Trial) -> Iterator[Line]:
    """Two processes, each with a Spark and lakes of its own."""
    with ThreadPoolExecutor(len(_ROUNDS)) as threads:
        started = [
            threads.submit(
                run_child,
                piece,
                trial.folder / piece,
                str(trial.seed),
                rounds * trial.times,
                _SECONDS * trial.times,
                trial.say,
            )
            for piece, rounds in _ROUNDS.items()
        ]
        totals = {kind: Tally() for kind in _WHAT}
        for future in started:
            for kind, tally in future.result().items():
                totals[kind].add(tally)
    yield from lines(totals, trial.times)
    tried = sum(tally.tried for tally in totals.values())
    bulk = sum(tally.in_bulk for tally in totals.values())
    yield Line("all of these", tried, STATEMENTS * trial.times, f"{bulk:,} judged in bulk, {tried - bulk:,} end to end")


def lines(totals: Mapping[str, Tally], times: int) -> Iterator[Line]:
    """A line for each kind; the dialect must not refuse so much that little is left to compare."""
    for kind, what in _WHAT.items():
        tally = totals[kind]
        at_least = _AT_LEAST[kind] * (1 if kind == "snapshots" else times)
        outcome = "; ".join(f"{count:,} {name}" for name, count in sorted(tally.outcomes.items()) if count)
        yield Line(
            what,
            tally.tried,
            at_least,
            outcome,
            (*tally.found, *_too_many_refused(tally), *too_many_avoided(tally), *_too_few(kind, tally)),
        )


def _too_few(kind: str, tally: Tally) -> Iterator[str]:
    if kind == "small":
        yield from too_few_answered(tally)


def _too_many_refused(tally: Tally) -> Iterator[str]:
    refused, compared = tally.outcomes[REFUSED], tally.outcomes[COMPARED]
    if refused > _REFUSED_AT_MOST * (refused + compared):
        yield f"{refused} of {refused + compared} expressions are refused: too many to say that the others are right"
