"""Compaction of a table with many files and deleted rows, and the removal of what nobody needs afterwards."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from benchmarks.peers.answers import check_same
from benchmarks.peers.bench import Bench
from benchmarks.peers.change_statements import deletion, updating
from benchmarks.peers.change_targets import TABLE, OnDelta, OnForklake, OnIceberg, Target, freshen_all
from benchmarks.peers.engines import Engine
from benchmarks.peers.tpch_data import tpch_files
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import Sample, measure_in_turns, seconds_of

NAME = "change"
PEER = at_most(1.0)
_FILES, _VERSIONS = 8, 5
_SMALL = "supplier"


def compaction(bench: Bench, source: Path) -> Iterator[Figure]:
    """A table that came in many inserts, and of which a tenth was deleted and a tenth updated."""
    ours, iceberg, delta = bench.forklake(), bench.iceberg(), bench.delta()
    engines: tuple[Engine, ...] = (ours, iceberg, delta)
    with ExitStack() as stack:
        for engine in engines:
            stack.enter_context(closing(engine))
            _fill(engine, source)
        targets: dict[str, Target] = {
            target.name: target for target in (OnForklake(ours), OnIceberg(iceberg), OnDelta(delta))
        }
        answers, files = {}, {}
        for name, target in targets.items():
            target.compact()
            answers[name] = target.answer("SELECT count(*), sum(l_orderkey), sum(l_quantity) FROM {table}")
            files[name] = len(target.engine.files(TABLE))
        check_same("compaction", answers)
        times = measure_in_turns(
            {name: target.compact for name, target in targets.items()},
            bench.sizes.change_rounds,
            warm_up=0,
            before=partial(freshen_all, targets),
        )
    (name, sample), *others = times.items()
    for other, theirs in others:
        label = f"compaction to {files[name]} files : {other}, to {files[other]}"
        yield against(NAME, name, label, sample, theirs, PEER)


def _fill(engine: Engine, source: Path) -> None:
    # The key of parts is spread like the rows that statements choose by it; the one of suppliers is not.
    part = f"SELECT * FROM parquet.`{source}` WHERE l_suppkey % {_FILES} ="
    table = engine.table(TABLE)
    engine.load(TABLE, source)
    engine.run(f"DELETE FROM {table} WHERE l_suppkey % {_FILES} <> 0")
    for number in range(1, _FILES):
        engine.run(f"INSERT INTO {table} {part} {number}")
    for statement in (deletion("", 10), updating("", 9)):
        engine.run(statement.text.format(table=table))


def expiry(bench: Bench) -> Iterator[Figure]:
    """All versions but the last one, of a small table that was changed several times and compacted."""
    source = tpch_files(bench, bench.sizes.change_scale)[_SMALL]
    seconds: dict[str, list[float]] = {}
    for _ in range(bench.sizes.change_rounds + 1):
        for engine in (bench.forklake(), bench.iceberg(), bench.delta()):
            with closing(engine):
                seconds.setdefault(engine.name, []).append(_expire(engine, source))
    # The first round is there to warm up.
    (name, ours), *others = seconds.items()
    for other, theirs in others:
        label = f"expiry of {_VERSIONS} versions : {other}"
        yield against(NAME, name, label, Sample(tuple(ours[1:])), Sample(tuple(theirs[1:])), PEER)


def _expire(engine: Engine, source: Path) -> float:
    engine.load(_SMALL, source)
    for number in range(_VERSIONS):
        engine.run(f"UPDATE {engine.table(_SMALL)} SET s_acctbal = s_acctbal + 1 WHERE s_suppkey % 10 = {number}")
    engine.compact(_SMALL)
    before = engine.run(f"SELECT sum(s_acctbal) FROM {engine.table(_SMALL)}")
    seconds = seconds_of(partial(engine.expire, _SMALL))
    check_same("expiry", {"before": before, "after": engine.run(f"SELECT sum(s_acctbal) FROM {engine.table(_SMALL)}")})
    kept = engine.files(_SMALL)
    left = list(kept[0].parent.glob("*.parquet"))
    if len(left) > len(kept):
        raise AssertionError(f"{engine.name} left {len(left)} files, of which the table needs {len(kept)}")
    return seconds
