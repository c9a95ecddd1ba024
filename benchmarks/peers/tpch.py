"""TPC-H on everything: loaded and queried, changed and queried again, compacted and queried again."""

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial

from benchmarks.peers.bench import Bench
from benchmarks.peers.engines import Engine
from benchmarks.peers.forklake_engine import Forklake
from benchmarks.peers.plots import Bars
from benchmarks.peers.spark_engines import RawSpark
from benchmarks.peers.tpch_changes import CHANGES, change_tables, check_tables, compact_tables, warm_up
from benchmarks.peers.tpch_data import TABLES, tpch_files, tpch_queries
from benchmarks.peers.tpch_queries import chart, mean_ratio, ratio_of_each, time_queries, totals_chart
from benchmarks.report import Bar, Figure, against, at_most
from benchmarks.timing import Sample, seconds_of

NAME = "tpch"
FLOOR, PEER = at_most(1.02), at_most(1.0)


@dataclass(frozen=True, slots=True)
class _Lakes:
    """Everything that has the eight tables."""

    bench: Bench
    ours: Forklake
    raw: RawSpark
    """Plain Spark on the files of ours, but for rows that were changed since: it has no way to know of them."""
    peers: tuple[Engine, ...]
    """On the same Spark, doing the same work."""
    others: tuple[Engine, ...]
    """On another engine: to compare with."""

    @property
    def writers(self) -> tuple[Engine, ...]:
        return (self.ours, *self.peers, *self.others)

    @property
    def all(self) -> tuple[Engine, ...]:
        return (self.raw, *self.writers)

    def bars(self, floor: Bar | None) -> dict[str, Bar | None]:
        """What ours must reach against each of the others."""
        return {
            self.raw.name: floor,
            **{engine.name: PEER for engine in self.peers},
            **{engine.name: None for engine in self.others},
        }


def tpch(bench: Bench) -> Iterator[Figure]:
    """Every engine gives the same answers at every step, or there are no figures."""
    with ExitStack() as stack:
        lakes = _lakes(bench)
        for engine in lakes.all:
            stack.enter_context(closing(engine))
        yield from _load(lakes)
        yield from _change(lakes)
        yield from _compact(lakes)
        bench.charts.append(totals_chart(chart for chart in bench.charts if isinstance(chart, Bars)))


def _lakes(bench: Bench) -> _Lakes:
    others = (bench.ducklake("duckdb"), bench.ducklake("sqlite"), bench.ducklake("postgres"))
    peers = () if bench.alone else (bench.iceberg(), bench.delta())
    return _Lakes(bench, bench.forklake("sqlite"), bench.raw(), peers, others)


def _load(lakes: _Lakes) -> Iterator[Figure]:
    for engine in lakes.all:
        for table, source in tpch_files(lakes.bench).items():
            engine.load(table, source)
    _share_files(lakes, TABLES)
    yield from _query(lakes, "loaded", FLOOR)


def _change(lakes: _Lakes) -> Iterator[Figure]:
    for engine in lakes.writers:
        warm_up(engine, tpch_files(lakes.bench))
        change_tables(engine)
    for change in CHANGES:
        lakes.raw.rewrite(change.table, change.query(lakes.raw.table(change.table)))
    check_tables(lakes.all)
    # Here queries are code that only we run. What the peers run is what plain Spark runs, and is warm from that.
    yield from _query(lakes, "changed", None, warm_up=lakes.bench.sizes.changed_warm_ups)


def _compact(lakes: _Lakes) -> Iterator[Figure]:
    yield from _once(lakes, "compaction of lineitem and orders", compact_tables, lakes.writers)
    _share_files(lakes, [change.table for change in CHANGES])
    check_tables(lakes.all)
    yield from _query(lakes, "compacted", FLOOR)


def _share_files(lakes: _Lakes, tables: Collection[str]) -> None:
    """Let plain Spark read the files that ours has now."""
    for table, source in tpch_files(lakes.bench).items():
        if table in tables:
            schema = lakes.bench.spark.read.parquet(str(source)).schema
            lakes.raw.point(table, lakes.ours.files(table), schema)


def _once(lakes: _Lakes, what: str, action: Callable[[Engine], None], engines: tuple[Engine, ...]) -> Iterator[Figure]:
    """What changes the tables is done and timed once by each engine."""
    times = {engine.name: Sample((seconds_of(partial(action, engine)),)) for engine in engines}
    ours = times.pop(lakes.ours.name)
    for name, bar in lakes.bars(None).items():
        if name in times:
            yield against(NAME, lakes.ours.name, f"{what} : {name}", ours, times[name], bar)


def _query(lakes: _Lakes, phase: str, floor: Bar | None, warm_up: int = 0) -> Iterator[Figure]:
    times = time_queries(tpch_queries(), lakes.all, lakes.bench.sizes.query_rounds, warm_up)
    ours = lakes.ours.name
    for name, bar in lakes.bars(floor).items():
        yield mean_ratio(NAME, phase, times, ours, name, bar)
    if phase == "loaded":
        yield from ratio_of_each(NAME, phase, times, ours, lakes.raw.name)
    lakes.bench.charts.append(chart(phase, times))
