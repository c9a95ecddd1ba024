"""Commits of one row each: how many in a second."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import count, cycle
from time import perf_counter

from benchmarks.peers.bench import Bench
from benchmarks.peers.engines import Engine
from benchmarks.peers.forklake_engine import Forklake
from benchmarks.peers.rows import COLUMNS, values
from benchmarks.report import Bar, Figure, at_least

NAME = "small"
LEAD = 20.0
_EACH_TABLE = 10
"""Commits to each of many tables, of ours."""
_WARM_UP = 10
_OTHERS_PART = 5
"""The others commit so many times fewer rows than we do: there is no bar to be sure of."""


@dataclass(slots=True)
class _Rate:
    """Commits of one engine, and the time they took."""

    engine: Engine
    each_round: int
    numbers: Iterator[int] = field(default_factory=count)
    commits: int = 0
    seconds: float = 0.0

    @property
    def per_second(self) -> float:
        return self.commits / self.seconds

    def run(self, insert: Callable[[Engine, int], object]) -> None:
        start = perf_counter()
        for _ in range(self.each_round):
            insert(self.engine, next(self.numbers))
        self.seconds += perf_counter() - start
        self.commits += self.each_round


@dataclass(frozen=True, slots=True)
class Contestants:
    """Ourselves, those whom we must leave behind, and those who are there to compare with."""

    ours: Sequence[Engine]
    peers: Sequence[Engine]
    others: Sequence[Engine]

    @property
    def all(self) -> list[Engine]:
        return [*self.ours, *self.peers, *self.others]


def contestants(bench: Bench, stack: ExitStack) -> Contestants:
    """New engines, which are closed with the stack."""
    found = Contestants(
        [bench.forklake("sqlite"), bench.forklake("postgres")],
        [bench.iceberg(), bench.delta()],
        [bench.ducklake("sqlite"), bench.ducklake("postgres")],
    )
    for engine in found.all:
        stack.enter_context(closing(engine))
    return found


def commits(bench: Bench) -> Iterator[Figure]:
    """All into one table, then into one of many after the other.

    By the same engines: closing some deletes their files, and after that ext4 creates others slowly for minutes, which
    costs those most who need the least time otherwise.
    """
    with ExitStack() as stack:
        found = contestants(bench, stack)
        yield from _into(bench, found, ["events"], f"{bench.sizes.commits:,} single-row commits")
        many = [f"events_{number}" for number in range(bench.sizes.commits // _EACH_TABLE)]
        yield from _into(bench, found, many, f"{bench.sizes.commits:,} commits to {len(many)} tables")


def _into(bench: Bench, found: Contestants, names: Sequence[str], label: str) -> Iterator[Figure]:
    for engine in found.all:
        for name in names:
            engine.create(name, COLUMNS)
    turns = {engine: cycle(names) for engine in found.all}
    rates = _rates(bench, found, lambda engine: next(turns[engine]))
    for engine in found.all:
        _check(engine, names, rates[engine])
    yield from _figures(label, found, rates)


def _rates(bench: Bench, found: Contestants, table: Callable[[Engine], str]) -> dict[Engine, _Rate]:
    """In rounds of all of them: in each, one commit of those that take long and many of ours."""
    rounds = bench.sizes.peer_commits
    many = max(1, bench.sizes.commits // rounds)
    each: dict[Engine, int] = {
        **dict.fromkeys(found.ours, many),
        **dict.fromkeys(found.peers, 1),
        **dict.fromkeys(found.others, max(1, many // _OTHERS_PART)),
    }
    rates = {engine: _Rate(engine, commits) for engine, commits in each.items()}

    def insert(engine: Engine, number: int) -> None:
        engine.run(f"INSERT INTO {engine.table(table(engine))} VALUES {values(number)}")

    for rate in rates.values():
        for _ in range(_WARM_UP):
            insert(rate.engine, next(rate.numbers))
    for _ in range(rounds):
        for rate in rates.values():
            rate.run(insert)
    return rates


def _check(engine: Engine, names: Sequence[str], rate: _Rate) -> None:
    """Every commit is there once."""
    found = sum(_count(engine, name) for name in names)
    if found != rate.commits + _WARM_UP:
        raise AssertionError(f"{engine.name} has {found} rows after {rate.commits + _WARM_UP} commits")


def _count(engine: Engine, name: str) -> int:
    if isinstance(engine, Forklake):
        return engine.catalog.table(name).count()
    return int(engine.run(f"SELECT count(*) FROM {engine.table(name)}")[0][0])


def _figures(label: str, found: Contestants, rates: Mapping[Engine, _Rate]) -> Iterator[Figure]:
    for engine in found.ours:
        ours = rates[engine]
        yield Figure(NAME, _backend(engine), label, ours.per_second, "/s")
        for peer in found.peers:
            yield _lead(label, ours, rates[peer], at_least(LEAD))
        for other in found.others:
            if _backend(other) == _backend(engine):
                yield _lead(label, ours, rates[other], None)


def _lead(label: str, ours: _Rate, theirs: _Rate, bar: Bar | None) -> Figure:
    detail = f"{ours.per_second:,.0f}/s against {theirs.per_second:,.3g}/s, in {theirs.commits:,} commits"
    lead = ours.per_second / theirs.per_second
    return Figure(NAME, _backend(ours.engine), f"{label} : {theirs.engine.name}", lead, "x", bar, detail)


def _backend(engine: Engine) -> str:
    """The last word of its name, which for a lake is where its metadata is."""
    return engine.name.split()[-1]
