"""What changes of a table cost, beside formats that do the same and beside writing it all anew."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from benchmarks.peers.answers import check_same
from benchmarks.peers.bench import Bench
from benchmarks.peers.change_feed import feed
from benchmarks.peers.change_statements import PARTS, Statement, deletion, merging, updating, write_source
from benchmarks.peers.change_targets import TABLE, OnDelta, OnForklake, OnIceberg, Targets, freshen_all
from benchmarks.peers.change_upkeep import compaction, expiry
from benchmarks.peers.engines import Engine
from benchmarks.peers.tpch_data import tpch_files
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import Sample, measure_in_turns, seconds_of

NAME = "change"
PEER = at_most(1.0)
_SUMS = "SELECT count(*), sum(l_orderkey), sum(l_quantity) FROM {table}"


def change(bench: Bench) -> Iterator[Figure]:
    """Delete, update, merge; then compaction, expiry and the feed of changes."""
    source = tpch_files(bench, bench.sizes.change_scale)[TABLE]
    with ExitStack() as stack:
        targets = _targets(bench, stack, source)
        for statement in _statements(bench, source):
            yield from _measure_change(bench, targets, statement, source)
    yield from compaction(bench, source)
    yield from expiry(bench)
    yield from feed(bench, source)


def _targets(bench: Bench, stack: ExitStack, source: Path) -> Targets:
    ours, iceberg, delta = bench.forklake(), bench.iceberg(), bench.delta()
    engines: tuple[Engine, ...] = (ours, iceberg, delta)
    for engine in engines:
        stack.enter_context(closing(engine))
        engine.load(TABLE, source)
    targets = (OnForklake(ours), OnIceberg(iceberg), OnDelta(delta))
    return {target.name: target for target in targets}


def _statements(bench: Bench, source: Path) -> Iterator[Statement]:
    rows = bench.spark.read.parquet(str(source))
    for label, count in PARTS.items():
        merged = bench.databases.new_folder() / "source"
        write_source(rows, count, merged)
        yield from (deletion(label, count), updating(label, count), merging(label, merged, rows.columns))


def _measure_change(bench: Bench, targets: Targets, statement: Statement, source: Path) -> Iterator[Figure]:
    answers = {}
    for name, target in targets.items():
        target.change(statement.text)
        answers[name] = target.answer(_SUMS)
    rewriting, answers["spark"] = _measure_rewrite(bench, statement, source)
    check_same(statement.label, answers)
    times = measure_in_turns(
        {name: partial(target.change, statement.text) for name, target in targets.items()},
        bench.sizes.change_rounds,
        warm_up=0,
        before=partial(freshen_all, targets),
    )
    (ours, sample), *others = times.items()
    freshen_all(targets)
    for name, other in others:
        yield against(NAME, ours, f"{statement.label} : {name}", sample, other, PEER)
    yield against(NAME, ours, f"{statement.label} : rewriting by spark", sample, rewriting)


def _measure_rewrite(bench: Bench, statement: Statement, source: Path) -> "tuple[Sample, list[tuple[object, ...]]]":
    """All rows written anew, once: it takes the longest by far."""
    folder = bench.databases.new_folder() / "rewritten"
    query = bench.spark.sql(statement.rewriting.format(table=f"parquet.`{source}`"))
    seconds = seconds_of(lambda: query.write.parquet(folder.as_uri()))
    answer = bench.spark.sql(_SUMS.format(table=f"parquet.`{folder}`")).collect()
    return Sample((seconds,)), [tuple(row) for row in answer]
