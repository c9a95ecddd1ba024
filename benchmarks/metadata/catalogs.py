"""A lake with very many forks answers as fast as one that is almost empty."""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import count
from random import Random

from benchmarks.databases import Place
from benchmarks.metadata.bench import Bench
from benchmarks.metadata.bulk_forks import bulk_fork_name, make_bulk_forks
from benchmarks.metadata.tables import append, make_table, scan
from benchmarks.report import Figure, against, no_slower_than
from benchmarks.timing import measure_in_turns
from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Lake

NAME = "catalogs"
PARENT = "parent"
BAR = no_slower_than(1.3)
ALMOST_EMPTY = 100
"""Forks of the small lake: each is used about as often as a fork of the large one."""
_PARENT_FILES = 100


class _ForkedLake:
    """The operations that are measured, each on forks all over the lake."""

    def __init__(self, lake: Lake, forks: int) -> None:
        self._lake = lake
        self._numbers = count()
        # The same few out of many: a client works on its forks more than once.
        self._names = [bulk_fork_name(number) for number in Random(1).sample(range(forks), ALMOST_EMPTY)]
        self._handles = [find_catalog(lake, name) for name in self._names]

    def fork(self) -> None:
        fork_catalog(self._lake, PARENT, f"new-{next(self._numbers)}")

    def attach(self) -> None:
        find_catalog(self._lake, self._names[next(self._numbers) % ALMOST_EMPTY])

    def commit(self) -> None:
        append(self._handles[next(self._numbers) % ALMOST_EMPTY], "events")

    def listing(self) -> None:
        scan(self._handles[next(self._numbers) % ALMOST_EMPTY], "events")


_OPERATIONS: dict[str, Callable[[_ForkedLake], None]] = {
    "fork": _ForkedLake.fork,
    "attach": _ForkedLake.attach,
    "commit of a file": _ForkedLake.commit,
    "file listing": _ForkedLake.listing,
}


def catalogs(bench: Bench) -> Iterator[Figure]:
    """Each operation in the full lake and in the almost empty one, in turn."""
    many = bench.sizes.forks if bench.backend == "postgres" else bench.sizes.sqlite_forks
    full, empty = bench.new_place(), bench.new_place()
    with (
        closing(_lake_with_forks(full, many)) as full_lake,
        closing(_lake_with_forks(empty, ALMOST_EMPTY)) as empty_lake,
    ):
        in_full, in_empty = _ForkedLake(full_lake, many), _ForkedLake(empty_lake, ALMOST_EMPTY)
        for name, operation in _OPERATIONS.items():
            times = measure_in_turns(
                {"full": partial(operation, in_full), "empty": partial(operation, in_empty)},
                bench.sizes.light_repeats,
                warm_up=ALMOST_EMPTY // 5,
            )
            label = f"{name}, {many:,} forks : {ALMOST_EMPTY}"
            yield against(NAME, bench.backend, label, times["full"], times["empty"], BAR)


def _lake_with_forks(place: Place, forks: int) -> Lake:
    lake = place.open()
    make_table(create_catalog(lake, PARENT), "events", _PARENT_FILES)
    make_bulk_forks(place, PARENT, forks)
    return lake
