"""Statements without number, one after the other, on lakes of one database. Runs in a process of its own."""

import os
import random
import resource
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trust.fuzz.fuzzed_lake import ALIASES, fuzzed_lake
from trust.fuzz.grammar import Grammar
from trust.fuzz.hostile import raw
from trust.fuzz.judging import Subject, Verdict, judge
from trust.fuzz.mutations import mutate
from trust.fuzz.seeds import known_statements

PER_LAKE = 2_500
"""Then comes a new lake: old ones grow, and statements on them get slow."""
_SETTLE_EVERY = 10
_MOST_FOUND = 40
_GROWTH_BYTES = 400 * 2**20


@dataclass(frozen=True, slots=True)
class Orders:
    """What a process is to do."""

    seed: str
    folder: Path
    statements: int
    backend: str
    database: str = ""
    """Where PostgreSQL is; empty for SQLite."""

    def rng(self, number: int) -> random.Random:
        return random.Random(f"{self.seed}/{self.backend}/{number}")


@dataclass(slots=True)
class Tally:
    """What came of them."""

    tried: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    found: list[str] = field(default_factory=list)
    crashers: list[str] = field(default_factory=list)
    grown_bytes: int = 0
    _seen: set[str] = field(default_factory=set)

    def count(self, verdict: Verdict) -> bool:
        """Take it down; whether it is a fault that was not seen before."""
        self.tried += 1
        self.kinds[verdict.kind] = self.kinds.get(verdict.kind, 0) + 1
        if not verdict.problem or verdict.where in self._seen:
            return False
        self._seen.add(verdict.where)
        return len(self.found) < _MOST_FOUND


def statements_of(rng: random.Random, grammar: Grammar, known: Sequence[str]) -> Iterator[str]:
    """Without end: some as the grammar has them, more with something done to them, and some that are just bytes."""
    while True:
        chance = rng.random()
        if chance < 0.45:
            yield grammar.statement()
        elif chance < 0.65:
            yield mutate(rng, grammar.statement(), known)
        elif chance < 0.70:
            yield rng.choice(known)
        elif chance < 0.93:
            yield mutate(rng, rng.choice(known), known)
        else:
            yield raw(rng)


def run_statements(orders: Orders, tell: Callable[[int], None]) -> Tally:
    """Run so many; `tell` hears the number of each before it is run. Every lake is verified in its middle and end."""
    tally, known, began = Tally(), known_statements(), 0
    for first in range(0, orders.statements, PER_LAKE):
        _on_one_lake(orders, range(first, min(first + PER_LAKE, orders.statements)), known, tally, tell)
        began = began or resident_bytes()
    tally.grown_bytes = resident_bytes() - began
    if tally.grown_bytes > _GROWTH_BYTES:
        tally.found.append(f"{orders.backend}, seed {orders.seed}: memory has grown by {tally.grown_bytes} bytes")
    return tally


def _on_one_lake(
    orders: Orders, numbers: range, known: Sequence[str], tally: Tally, tell: Callable[[int], None]
) -> None:
    rng, first = orders.rng(numbers.start), numbers.start
    dialect = "spark" if (first // PER_LAKE) % 2 == 0 else "duckdb"
    folder = orders.folder / f"lake_{first}"
    target = orders.database or f"sqlite:{folder / 'lake.db'}"
    schema = f"fuzz_{first}" if orders.database else None
    verified = {numbers[len(numbers) // 2], numbers[-1]}
    with fuzzed_lake(folder, target, schema, dialect, f"kept-{rng.getrandbits(60)}") as subject:
        grammar = Grammar(rng, dialect, ALIASES, (target, f"lake_{first}/other.db"))
        state = subject.state()
        for number, text in zip(numbers, statements_of(rng, grammar, known), strict=False):
            tell(number)
            if number % _SETTLE_EVERY == 0:
                subject.settle()
                state = subject.state()
            text = text.replace("{target}", target).replace("{schema}", "").replace("{folder}", "files")
            verdict, state = judge(subject, text, state)
            if tally.count(verdict):
                small = minimise(subject, text, verdict)
                state = subject.state()
                tally.crashers.append(small)
                tally.found.append(
                    f"{orders.backend}, {dialect}, seed {orders.seed}, statement {number}: {verdict.problem}"
                    f" ({verdict.where}) for {small[:300]!r}"
                )
            if number in verified:
                told = f"{orders.backend}, seed {orders.seed}, after statement {number}"
                tally.found += [f"{told}: {problem}" for problem in subject.problems()]


def minimise(subject: Subject, text: str, verdict: Verdict, tries: int = 60) -> str:
    """The same fault in fewer characters: halves, quarters and so on are left out as long as it stays."""
    if verdict.where in ("changed", "hung"):
        return text
    size = max(1, len(text) // 2)
    while tries > 0:
        at = 0
        while at < len(text) and tries > 0:
            tries -= 1
            shorter = text[:at] + text[at + size :]
            if judge(subject, shorter, None)[0].where == verdict.where:
                text = shorter
            else:
                at += size
        if size == 1:
            break
        size //= 2
    return text


def resident_bytes() -> int:
    """How much memory the process has now; where that cannot be told, the most it ever had."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")
