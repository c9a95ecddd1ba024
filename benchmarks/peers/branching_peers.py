"""The same eight tables, forked by us and branched table by table by those who have branches of tables."""

from collections.abc import Callable, Iterator, Mapping
from itertools import count

from benchmarks.databases import Backend
from benchmarks.peers.bench import Bench
from benchmarks.peers.engines import SparkEngine
from benchmarks.peers.forklake_engine import Forklake
from benchmarks.peers.spark_engines import Delta, Iceberg
from benchmarks.peers.tpch_data import TABLES, tpch_files
from benchmarks.peers.tpch_lake import register_tables
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import measure_in_turns

NAME = "branching"
LIMIT = 1.0


def other_branches(bench: Bench) -> Iterator[Figure]:
    """Our fork beside `CREATE BRANCH` of each table in Iceberg, and `SHALLOW CLONE` of each in Delta."""
    backends: tuple[Backend, ...] = ("sqlite", "postgres")
    ours = {backend: bench.forklake(backend) for backend in backends}
    for engine in ours.values():
        register_tables(bench, engine)
    iceberg, delta = bench.iceberg(), bench.delta()
    for name, source in tpch_files(bench).items():
        iceberg.load(name, source)
        delta.load(name, source)
    peers: Mapping[str, Callable[[], object]] = {
        "Iceberg, CREATE BRANCH": _branching(iceberg),
        "Delta, SHALLOW CLONE": _cloning(delta),
    }
    actions: dict[str, Callable[[], object]] = {backend: _forking(engine) for backend, engine in ours.items()}
    times = measure_in_turns({**actions, **peers}, bench.sizes.peer_forks, warm_up=0)
    for backend in ours:
        for peer in peers:
            label = f"fork of {len(TABLES)} tables : {peer}"
            yield against(NAME, backend, label, times[backend], times[peer], at_most(LIMIT))
    for used in (*ours.values(), iceberg, delta):
        used.close()


def _forking(engine: Forklake) -> Callable[[], object]:
    numbers = count()

    def fork() -> None:
        engine.catalog.fork(f"fork-{next(numbers)}")

    fork()
    return fork


def _branching(engine: Iceberg) -> Callable[[], object]:
    numbers = count()

    def branch() -> None:
        number = next(numbers)
        for name in TABLES:
            engine.run(f"ALTER TABLE {engine.table(name)} CREATE BRANCH fork_{number}")

    branch()
    for name in TABLES:
        _check(engine, name, f"{engine.table(name)}.branch_fork_0")
    return branch


def _cloning(engine: Delta) -> Callable[[], object]:
    numbers = count()

    def clone() -> None:
        number = next(numbers)
        for name in TABLES:
            engine.run(f"CREATE TABLE {engine.table(f'{name}_{number}')} SHALLOW CLONE {engine.table(name)}")

    clone()
    for name in TABLES:
        _check(engine, name, engine.table(f"{name}_0"))
    return clone


def _check(engine: SparkEngine, name: str, branch: str) -> None:
    """The branch has all rows of the table."""
    found = engine.run(f"SELECT count(*) FROM {branch}")
    if found != engine.run(f"SELECT count(*) FROM {engine.table(name)}"):
        raise AssertionError(f"{branch} of {engine.name} has {found} rows")
