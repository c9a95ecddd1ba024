"""Planning a scan for one id looks at few rows of metadata, not at all files."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from random import Random

from benchmarks.metadata.bench import LARGE, Bench
from benchmarks.metadata.tables import ROWS_PER_FILE, scan
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import measure_in_turns
from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog
from forklake.model.predicates import Comparison

NAME = "point_predicate"


def point_predicate(bench: Bench) -> Iterator[Figure]:
    """A scan of the one file that holds an id, against a scan of all files."""
    place, sizes = bench.parents(), bench.sizes
    ids = Random(1)

    def point(catalog: Catalog) -> None:
        wanted = ids.randrange(sizes.files * ROWS_PER_FILE)
        found = scan(catalog, "events", Comparison(("id",), "=", wanted)).files
        if len(found) != 1:
            raise AssertionError(f"{len(found)} files may hold the id {wanted}; exactly one does")

    with closing(place.open()) as lake:
        parent = find_catalog(lake, LARGE)
        fork, _ = fork_catalog(lake, LARGE, "point")
        for label, catalog in (("parent", parent), ("fork", fork)):
            actions = {"point": partial(point, catalog), "all": partial(_list_all, catalog)}
            times = measure_in_turns(actions, 3 * sizes.repeats)
            name = f"one id : all {sizes.files:,} files, {label}"
            yield against(NAME, bench.backend, name, times["point"], times["all"], at_most(0.1))


def _list_all(catalog: Catalog) -> None:
    scan(catalog, "events")
