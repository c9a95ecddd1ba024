"""Reading what one update changed: both sides of every row."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from benchmarks.peers.answers import check_same
from benchmarks.peers.bench import Bench
from benchmarks.peers.change_statements import updating
from benchmarks.peers.change_targets import TABLE, delta_version
from benchmarks.peers.engines import Engine, Rows
from benchmarks.peers.forklake_engine import Forklake
from benchmarks.peers.spark_engines import Delta, Iceberg
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import Sample, measure_in_turns, seconds_of

NAME = "change"
PEER = at_most(1.0)
_AGGREGATES = "count(*), sum(l_orderkey), sum(l_quantity)"
_KINDS = {"update_before": "update_preimage", "update_after": "update_postimage"}


def feed(bench: Bench, source: Path) -> Iterator[Figure]:
    """The changes of an update of one row in a hundred."""
    ours, iceberg, delta = bench.forklake(), bench.iceberg(), bench.delta()
    engines: tuple[Engine, ...] = (ours, iceberg, delta)
    with ExitStack() as stack:
        for engine in engines:
            stack.enter_context(closing(engine))
        found = {
            ours.name: _ours(ours, source),
            iceberg.name: _iceberg(iceberg, source),
            delta.name: _delta(delta, source),
        }
        check_same("feed", {name: sorted(read()) for name, (_, read) in found.items()})
        times = measure_in_turns(
            {name: read for name, (_, read) in found.items()}, bench.sizes.change_rounds, warm_up=0
        )
    (name, sample), *others = times.items()
    for other, theirs in others:
        # Delta has written what its feed reads at the update already: the same work is both together, below.
        bar = None if other == delta.name else PEER
        yield against(NAME, name, f"feed of 1 % : {other}", sample, theirs, bar)
    both = {name: Sample((found[name][0] + sample.median,)) for name, sample in times.items()}
    for other, _ in others:
        # To give a feed at all, Iceberg has to write whole files anew here: other work than ours and Delta's.
        bar = None if other == iceberg.name else PEER
        yield against(NAME, name, f"update 1 % and its feed : {other}", both[name], both[other], bar)


Updated = tuple[float, Callable[[], Rows]]
"""The seconds that the update took, and what reads its changes."""


def _update(engine: Engine) -> float:
    """The second one: the first of its kind would take longer."""
    engine.run(updating("1 %", 101).text.format(table=engine.table(TABLE)))
    return seconds_of(partial(engine.run, updating("1 %", 100).text.format(table=engine.table(TABLE))))


def _ours(engine: Forklake, source: Path) -> Updated:
    engine.load(TABLE, source)
    seconds = _update(engine)
    [[version]] = engine.run(f"SELECT id FROM {engine.attachment}.last_committed_snapshot()")
    changes = f"{engine.attachment}.table_changes('{TABLE}', {version}, {version})"
    return seconds, partial(engine.run, f"SELECT change_type, {_AGGREGATES} FROM {changes} GROUP BY change_type")


def _delta(engine: Delta, source: Path) -> Updated:
    """It keeps changes only of tables that are told to, and writes them a second time."""
    engine.load(TABLE, source)
    engine.run(f"ALTER TABLE {engine.table(TABLE)} SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    seconds = _update(engine)
    version = delta_version(engine, TABLE)
    changes = f"table_changes('{engine.table(TABLE)}', {version}, {version})"
    return seconds, partial(engine.run, f"SELECT _change_type, {_AGGREGATES} FROM {changes} GROUP BY _change_type")


def _iceberg(engine: Iceberg, source: Path) -> Updated:
    """It has no changes of tables with deletion vectors, so this one writes files anew; keys say what an update is."""
    engine.load(TABLE, source)
    engine.run(f"ALTER TABLE {engine.table(TABLE)} SET TBLPROPERTIES ('write.update.mode' = 'copy-on-write')")
    seconds = _update(engine)
    snapshots = f"SELECT snapshot_id FROM {engine.table(TABLE)}.snapshots ORDER BY committed_at DESC LIMIT 2"
    [[after], [before]] = engine.run(snapshots)
    options = f"map('start-snapshot-id', '{before}', 'end-snapshot-id', '{after}')"
    keys = "array('l_orderkey', 'l_linenumber')"

    def read() -> Rows:
        [[view]] = engine.run(
            f"CALL ice.system.create_changelog_view(table => '{engine.schema}.{TABLE}', options => {options},"
            f" identifier_columns => {keys})"
        )
        rows = engine.run(f"SELECT lower(_change_type), {_AGGREGATES} FROM {view} GROUP BY _change_type")
        return [(_KINDS[kind], *values) for kind, *values in rows]

    return seconds, read
