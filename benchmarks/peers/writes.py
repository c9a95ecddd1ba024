"""Loading the tables of TPC-H, and deleting and updating a part of the large ones, in rounds of all engines.

All engines load a table before any loads the next: what else the machine does meets them alike.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from random import Random

from benchmarks.peers.bench import Bench
from benchmarks.peers.engines import Engine
from benchmarks.peers.tpch_changes import CHANGES, change_tables, check_tables
from benchmarks.peers.tpch_data import TABLES, tpch_files
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import Sample, seconds_of

NAME = "writes"
PEER = at_most(1.0)
_LOAD = "load of the 8 tables"
_CHANGE = f"delete and update 5 % of {' and '.join(change.table for change in CHANGES)}"


def writes(bench: Bench) -> Iterator[Figure]:
    """Every round begins with nothing, and the first one is there to warm up."""
    ours, raw, peers = bench.forklake("sqlite"), bench.raw(), (bench.iceberg(), bench.delta())
    others = (bench.ducklake("duckdb"), bench.ducklake("sqlite"), bench.ducklake("postgres"))
    writers: tuple[Engine, ...] = (ours, *peers, *others)
    seconds: dict[tuple[str, Engine], list[float]] = {}
    with ExitStack() as stack:
        for engine in (raw, *writers):
            stack.enter_context(closing(engine))
        random = Random(1)
        for _ in range(1 + bench.sizes.write_rounds):
            for engine, loaded in _load(bench, [raw, *writers], random).items():
                seconds.setdefault((_LOAD, engine), []).append(loaded)
            for engine in random.sample(writers, len(writers)):
                seconds.setdefault((_CHANGE, engine), []).append(seconds_of(partial(change_tables, engine)))
            check_tables(writers)
            for engine in (raw, *writers):
                for table in TABLES:
                    engine.drop(table)
    times = {key: Sample(tuple(values[1:])) for key, values in seconds.items()}
    for what in (_LOAD, _CHANGE):
        yield from _figures(what, times, ours, [raw, *peers, *others], peers)


def _load(bench: Bench, engines: Sequence[Engine], random: Random) -> dict[Engine, float]:
    """Load all tables; the seconds that each engine took."""
    seconds = dict.fromkeys(engines, 0.0)
    for table, source in tpch_files(bench).items():
        for engine in random.sample(engines, len(engines)):
            seconds[engine] += seconds_of(partial(engine.load, table, source))
    return seconds


def _figures(
    what: str,
    times: dict[tuple[str, Engine], Sample],
    ours: Engine,
    others: Sequence[Engine],
    peers: Sequence[Engine],
) -> Iterator[Figure]:
    for other in others:
        if (what, other) in times:
            bar = PEER if other in peers else None
            yield against(NAME, ours.name, f"{what} : {other.name}", times[what, ours], times[what, other], bar)
