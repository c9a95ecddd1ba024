"""Looking up a row, counting all, and reading a table as it was long ago."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from functools import partial
from random import Random

from benchmarks.peers.answers import check_same
from benchmarks.peers.bench import Bench
from benchmarks.peers.engines import Engine, Rows
from benchmarks.peers.forklake_engine import Forklake
from benchmarks.peers.rows import COLUMNS, values, write_rows
from benchmarks.peers.small_commits import Contestants, contestants
from benchmarks.peers.small_ddl import ratios
from benchmarks.peers.spark_engines import Delta, Iceberg
from benchmarks.report import Figure, against
from benchmarks.timing import Sample, measure_in_turns

NAME = "small"
_TABLE = "rows"
_READS = 10
"""In the place of each piece of small work: most of a small query is Spark's planning, which varies by half."""


def reads(bench: Bench) -> Iterator[Figure]:
    """One row by its id, and the number of all rows, of a table in one file; plain Spark beside it."""
    source = write_rows(bench.databases.new_folder() / "rows.parquet", bench.sizes.lookup_rows)
    with ExitStack() as stack:
        found, raw = contestants(bench, stack), stack.enter_context(closing(bench.raw()))
        engines: list[Engine] = [*found.all, raw]
        for engine in engines:
            engine.load(_TABLE, source)
        lookup = f"one row of {bench.sizes.lookup_rows:,}"
        for label, query in ((lookup, _lookup(bench.sizes.lookup_rows)), ("count", _count)):
            check_same(label, {engine.name: query(engine, 7) for engine in engines})
            random = Random(1)
            actions = {engine.name: partial(_any, query, engine, random) for engine in engines}
            times = _times(bench, actions)
            yield from ratios(found, label, times)
            for ours in found.ours:
                backend = ours.name.split()[-1]
                yield against(NAME, backend, f"{label} : plain Spark", times[ours.name], times[raw.name])


def _times(bench: Bench, actions: Mapping[str, Callable[[], object]]) -> dict[str, Sample]:
    rounds = _READS * bench.sizes.small_rounds
    return measure_in_turns(actions, rounds, warm_up=rounds // 2)


def _any(query: Callable[[Engine, int], Rows], engine: Engine, random: Random) -> None:
    assert len(query(engine, random.randrange(1_000_000))) == 1


def _lookup(rows: int) -> Callable[[Engine, int], Rows]:
    return lambda engine, number: engine.run(f"SELECT * FROM {engine.table(_TABLE)} WHERE id = {number % rows}")


def _count(engine: Engine, _: int) -> Rows:
    return engine.run(f"SELECT count(*) FROM {engine.table(_TABLE)}")


def time_travel(bench: Bench) -> Iterator[Figure]:
    """A table as it was in the middle of its snapshots, with the same rows in as many files for all of them.

    Ours has many more snapshots, since other tables of its catalog change as well: at the peers, so many take hours.
    """
    with ExitStack() as stack:
        every = contestants(bench, stack)
        found = Contestants(every.ours, every.peers, ())
        rows = bench.sizes.peer_snapshots
        for engine in found.all:
            _commit_rows(engine, rows, bench.sizes.snapshots)
        half = rows // 2
        actions = {engine.name: partial(_as_of, engine, _middle(engine, half)) for engine in found.all}
        expected: Rows = [(half, half * (half - 1) // 2)]
        check_same("time travel", {"expected": expected, **{name: action() for name, action in actions.items()}})
        times = _times(bench, actions)
        label = f"the middle of {bench.sizes.snapshots:,} snapshots, peers of {rows:,}"
        yield from ratios(found, label, times)


def _commit_rows(engine: Engine, rows: int, snapshots: int) -> None:
    engine.create(_TABLE, COLUMNS)
    for number in range(rows):
        engine.run(f"INSERT INTO {engine.table(_TABLE)} VALUES {values(number)}")
        if isinstance(engine, Forklake):
            other = engine.catalog.create_table(f"other_{number}", {"id": "bigint"})
            for further in range(snapshots // rows - 2):
                other.append([(further,)])


def _middle(engine: Engine, half: int) -> int:
    """The version after half of the rows."""
    if isinstance(engine, Forklake):
        [[version]] = engine.run(
            f"SELECT max(snapshot_id) FROM (SELECT snapshot_id FROM {engine.table(_TABLE)} ORDER BY id LIMIT {half})"
        )
        return int(version)
    if isinstance(engine, Iceberg):
        rows = engine.run(f"SELECT snapshot_id FROM {engine.table(_TABLE)}.snapshots ORDER BY committed_at")
        return int(rows[half - 1][0])
    assert isinstance(engine, Delta)
    return half


def _as_of(engine: Engine, version: int) -> Rows:
    """Rows are read, not only counted."""
    return engine.run(f"SELECT count(*), sum(id) FROM {engine.table(_TABLE)} VERSION AS OF {version}")
