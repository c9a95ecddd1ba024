"""The 22 queries on several engines in turn, as ratios of their times."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from statistics import geometric_mean

from benchmarks.peers.answers import check_same
from benchmarks.peers.engines import Engine
from benchmarks.peers.plots import Bars
from benchmarks.peers.tpch_data import name_tables
from benchmarks.report import Bar, Figure, duration
from benchmarks.timing import Sample, measure_in_turns

Times = Mapping[str, Mapping[str, Sample]]
"""For each query, its times on each engine."""


def time_queries(queries: Mapping[str, str], engines: tuple[Engine, ...], rounds: int, warm_up: int = 0) -> Times:
    """Every query runs on all engines once to compare the answers, as often as it takes to warm up, and in rounds."""
    return {name: _measure(name, query, engines, rounds, warm_up) for name, query in queries.items()}


def _measure(name: str, query: str, engines: tuple[Engine, ...], rounds: int, warm_up: int) -> Mapping[str, Sample]:
    actions: dict[str, Callable[[], object]] = {}
    answers = {}
    for engine in engines:
        text = name_tables(query, engine)
        answers[engine.name] = engine.run(text)
        actions[engine.name] = partial(engine.run, text)
    check_same(name, answers)
    return measure_in_turns(actions, rounds, warm_up=warm_up)


def ratio_of_each(benchmark: str, phase: str, times: Times, ours: str, other: str) -> Iterator[Figure]:
    """Our time for each query by that of another engine, with those of all as the detail."""
    for query, samples in times.items():
        detail = ", ".join(f"{engine} {duration(sample.median)}" for engine, sample in samples.items())
        ratio = samples[ours].median / samples[other].median
        yield Figure(benchmark, ours, f"{phase}: {query} : {other}", ratio, "x", None, detail)


def mean_ratio(benchmark: str, phase: str, times: Times, ours: str, other: str, bar: Bar | None) -> Figure:
    """The geometric mean over all queries, with the totals and the extremes as the detail."""
    ratios = {query: samples[ours].median / samples[other].median for query, samples in times.items()}
    best, worst = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    totals = [sum(samples[engine].median for samples in times.values()) for engine in (ours, other)]
    detail = (
        f"{duration(totals[0])} against {duration(totals[1])} for all;"
        f" from {ratios[best]:.2f} ({best}) to {ratios[worst]:.2f} ({worst}),"
        f" {sum(ratio > 1 for ratio in ratios.values())} of {len(ratios)} slower"
    )
    mean = geometric_mean(ratios.values())
    return Figure(benchmark, ours, f"{phase}: {len(times)} queries : {other}", mean, "x", bar, detail)


def chart(phase: str, times: Times) -> Bars:
    groups = {query: {engine: s.median for engine, s in samples.items()} for query, samples in times.items()}
    return Bars(f"tpch-{phase}", f"TPC-H, {phase}", "s", groups)


def totals_chart(phases: Iterable[Bars]) -> Bars:
    """What all queries take together, for each phase and engine."""
    groups = {chart.title.removeprefix("TPC-H, "): _totals(chart) for chart in phases}
    return Bars("tpch", "TPC-H, all queries", "s", groups)


def _totals(chart: Bars) -> dict[str, float]:
    engines = dict.fromkeys(engine for bars in chart.groups.values() for engine in bars)
    return {engine: sum(bars[engine] for bars in chart.groups.values()) for engine in engines}
