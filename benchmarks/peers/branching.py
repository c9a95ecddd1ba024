"""What a fork of a whole lake costs, measured as others measured theirs."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import count
from statistics import fmean, quantiles
from threading import Barrier

from benchmarks.databases import Backend, Place
from benchmarks.peers.bench import Bench
from benchmarks.peers.branching_clients import many_clients
from benchmarks.peers.branching_depth import depths
from benchmarks.peers.branching_peers import other_branches
from benchmarks.peers.tpch_data import TABLES
from benchmarks.peers.tpch_lake import CATALOG, Counts, register_tables, table_counts
from benchmarks.report import Figure, against, at_most, duration
from benchmarks.timing import measure_in_turns, seconds_of
from forklake.catalog.lakes.catalogs import create_catalog, drop_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_table
from forklake.catalog.transaction.transaction import begin
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type

NAME = "branching"
MEAN_MS = 10.0
FLAT = 1.5
WORKERS = 4
_BACKENDS: tuple[Backend, ...] = ("sqlite", "postgres")
_PUBLISHED = {
    "serial": "Bauplan 83 ms, Snowflake 8.4 s, Databricks 25 s",
    f"{WORKERS} workers": "Bauplan 195 ms, Databricks 34 s",
    "chained": "Bauplan 91 ms, Snowflake 10.1 s",
}
"""Means that others published for eight tables of TPC-H at scale 1, on their own services."""
_COMMIT_TABLES = 1_000
_PATIENCE_SECONDS = 120


@dataclass(frozen=True, slots=True)
class _Times:
    """Seconds of each fork, and of each drop."""

    created: list[float]
    dropped: list[float]


def branching(bench: Bench) -> Iterator[Figure]:
    """Forks of eight tables, of very many tables, by very many clients, and of forks; branches of the peers."""
    for backend in _BACKENDS:
        yield from _latencies(bench, backend)
        yield _flatness(bench, backend)
    yield from many_clients(bench)
    for backend in _BACKENDS:
        yield from depths(bench, backend)
    yield from other_branches(bench)


def _latencies(bench: Bench, backend: Backend) -> Iterator[Figure]:
    """One fork after the other, several at a time, and each of the one before; made and dropped."""
    engine = bench.forklake(backend)
    register_tables(bench, engine)
    place, forks = engine.place, bench.sizes.forks
    with closing(open_lake(place.url)) as lake:
        expected = table_counts(lake, CATALOG)
        _serial(lake, "warm", 5, expected)
        found = {
            "serial": _serial(lake, "serial", forks, expected),
            f"{WORKERS} workers": _parallel(place, forks, expected),
            "chained": _fork_chain(lake, forks, expected),
        }
    for way, times in found.items():
        yield _latency(backend, way, times)


def _serial(lake: Lake, prefix: str, forks: int, expected: Counts) -> _Times:
    names = [f"{prefix}-{number}" for number in range(forks)]
    created = [seconds_of(partial(fork_catalog, lake, CATALOG, name)) for name in names]
    _check(lake, names, expected)
    return _Times(created, [seconds_of(partial(drop_catalog, lake, name)) for name in names])


def _fork_chain(lake: Lake, forks: int, expected: Counts) -> _Times:
    names = [f"chained-{number}" for number in range(forks)]
    pairs = zip([CATALOG, *names], names, strict=False)
    created = [seconds_of(partial(fork_catalog, lake, parent, name)) for parent, name in pairs]
    _check(lake, names, expected)
    return _Times(created, [seconds_of(partial(drop_catalog, lake, name)) for name in reversed(names)])


def _parallel(place: Place, forks: int, expected: Counts) -> _Times:
    """Workers with a connection each."""
    # With a limit, so that nobody waits for ever for one that failed.
    start, dropping = (Barrier(WORKERS, timeout=_PATIENCE_SECONDS) for _ in range(2))

    def work(worker: int) -> _Times:
        names = [f"worker-{worker}-{number}" for number in range(-(-forks // WORKERS))]
        with closing(open_lake(place.url)) as lake:
            start.wait()
            created = [seconds_of(partial(fork_catalog, lake, CATALOG, name)) for name in names]
            _check(lake, names, expected)
            dropping.wait()
            return _Times(created, [seconds_of(partial(drop_catalog, lake, name)) for name in names])

    with ThreadPoolExecutor(WORKERS) as pool:
        done = list(pool.map(work, range(WORKERS)))
    return _Times([t for times in done for t in times.created], [t for times in done for t in times.dropped])


def _check(lake: Lake, names: list[str], expected: Counts) -> None:
    """Every fork has every table, with all its rows."""
    for name in names:
        found = table_counts(lake, name)
        if found != expected:
            raise AssertionError(f"the fork {name} has the tables {found} and not {expected}")


def _latency(backend: Backend, way: str, times: _Times) -> Figure:
    percentile = quantiles(times.created, n=20, method="inclusive")[-1]
    detail = (
        f"95 % within {duration(percentile)}; dropped in {duration(fmean(times.dropped))} mean;"
        f" published by others, not measured here: {_PUBLISHED[way]}"
    )
    label = f"fork of {len(TABLES)} tables, {way}, mean"
    return Figure(NAME, backend, label, fmean(times.created) * 1000, "ms", at_most(MEAN_MS), detail)


def _flatness(bench: Bench, backend: Backend) -> Figure:
    """Forks of a catalog with eight tables and of one with very many, in turn."""
    few, many = len(TABLES), bench.sizes.most_tables
    with (
        closing(bench.databases.new_place(backend).open()) as small,
        closing(bench.databases.new_place(backend).open()) as large,
    ):
        _create_tables(small, few)
        _create_tables(large, many)
        times = measure_in_turns({"few": _forking(small), "many": _forking(large)}, bench.sizes.forks, warm_up=10)
    label = f"fork of {many:,} tables : of {few}"
    return against(NAME, backend, label, times["many"], times["few"], at_most(FLAT))


def _create_tables(lake: Lake, tables: int) -> None:
    catalog = create_catalog(lake, CATALOG)
    columns = [ColumnSpec(name, parse_type("bigint")) for name in ("id", "amount")]
    for first in range(0, tables, _COMMIT_TABLES):
        tx = begin(catalog)
        for number in range(first, min(first + _COMMIT_TABLES, tables)):
            create_table(tx, "main", f"table_{number}", columns)
        commit(tx)


def _forking(lake: Lake) -> Callable[[], object]:
    numbers = count()
    return lambda: fork_catalog(lake, CATALOG, f"fork-{next(numbers)}")
