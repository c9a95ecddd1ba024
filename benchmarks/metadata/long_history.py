"""A commit on top of a long history costs what the first ones did."""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

from benchmarks.metadata.bench import Bench
from benchmarks.metadata.tables import append, make_table
from benchmarks.report import Figure, against, no_slower_than
from benchmarks.timing import measure_in_turns
from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake

NAME = "long_history"
BAR = no_slower_than(1.3)


def long_history(bench: Bench) -> Iterator[Figure]:
    """Commits to a catalog after many others, by the same client and with no ANALYZE; against a new catalog."""
    kinds: dict[str, Callable[[Lake], Catalog]] = {"root": _root, "fork": _fork}
    for kind, create in kinds.items():
        with closing(bench.new_place().open()) as old_lake, closing(bench.new_place().open()) as new_lake:
            old, new = create(old_lake), create(new_lake)
            for _ in range(bench.sizes.history):
                append(old, "events")
            actions = {"old": partial(append, old, "events"), "new": partial(append, new, "events")}
            times = measure_in_turns(actions, bench.sizes.light_repeats)
        label = f"{kind}, commit after {bench.sizes.history:,} commits : after none"
        yield against(NAME, bench.backend, label, times["old"], times["new"], BAR)


def _root(lake: Lake) -> Catalog:
    catalog = create_catalog(lake, "root")
    make_table(catalog, "events", 10)
    return catalog


def _fork(lake: Lake) -> Catalog:
    fork, _ = fork_catalog(lake, _root(lake).name, "fork")
    return fork
