"""Creating, altering and renaming a table."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from itertools import count

from benchmarks.peers.bench import Bench
from benchmarks.peers.engines import Engine, SparkEngine
from benchmarks.peers.rows import COLUMNS
from benchmarks.peers.small_commits import Contestants, contestants
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import Sample, measure_in_turns

NAME = "small"
LIMIT = 1.0


def definitions(bench: Bench) -> Iterator[Figure]:
    """Each statement on all engines in turn."""
    with ExitStack() as stack:
        found = contestants(bench, stack)
        for engine in found.all:
            for name in ("altered", "renamed_0"):
                engine.create(name, COLUMNS)
        everybody = found.all
        yield from _measure(bench, found, "create a table", {engine: _creating(engine) for engine in everybody})
        yield from _measure(bench, found, "add a column", {engine: _altering(engine) for engine in everybody})
        yield from _measure(bench, found, "rename a table", {engine: _renaming(engine) for engine in everybody})


def _measure(
    bench: Bench, found: Contestants, label: str, actions: Mapping[Engine, Callable[[], object]]
) -> Iterator[Figure]:
    by_name = {engine.name: action for engine, action in actions.items()}
    yield from ratios(found, label, measure_in_turns(by_name, bench.sizes.small_rounds))


def ratios(found: Contestants, label: str, times: Mapping[str, Sample]) -> Iterator[Figure]:
    """Ours on each backend against everybody else who took part."""
    for engine in found.ours:
        backend = engine.name.split()[-1]
        for peer in found.peers:
            if peer.name in times:
                name = f"{label} : {peer.name}"
                yield against(NAME, backend, name, times[engine.name], times[peer.name], at_most(LIMIT))
        for other in found.others:
            if other.name in times and other.name.split()[-1] == backend:
                yield against(NAME, backend, f"{label} : {other.name}", times[engine.name], times[other.name])


def _creating(engine: Engine) -> Callable[[], object]:
    numbers = count()
    return lambda: engine.create(f"created_{next(numbers)}", COLUMNS)


def _altering(engine: Engine) -> Callable[[], object]:
    numbers = count()
    table = engine.table("altered")
    return lambda: engine.run(f"ALTER TABLE {table} ADD COLUMN added_{next(numbers)} INTEGER")


def _renaming(engine: Engine) -> Callable[[], object]:
    numbers = count(1)

    def rename() -> None:
        number = next(numbers)
        # Spark wants to be told the schema of the new name, and the others have no place for it.
        prefix = f"{engine.schema}." if isinstance(engine, SparkEngine) else ""
        engine.run(f"ALTER TABLE {engine.table(f'renamed_{number - 1}')} RENAME TO {prefix}renamed_{number}")

    return rename
