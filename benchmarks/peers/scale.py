"""What work costs in lakes of very different sizes: very many catalogs, and a table of very many files."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from functools import partial
from itertools import count
from random import Random
from time import perf_counter

from benchmarks.databases import Backend, Place
from benchmarks.metadata.bulk_forks import bulk_fork_name, make_bulk_forks
from benchmarks.metadata.tables import ROWS_PER_FILE, scan
from benchmarks.peers.bench import Bench
from benchmarks.peers.growth import FLAT, LINEAR, Curve, bytes_shown, measured_curve, spread_sizes
from benchmarks.peers.many_files import TABLE, append_file, make_files
from benchmarks.peers.plots import Lines
from benchmarks.report import Bar, Figure, at_most
from forklake.catalog.lakes.catalogs import find_catalog, list_catalogs
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Lake
from forklake.model.predicates import Comparison

NAME = "scale"
PARENT = "parent"
_BACKEND: Backend = "postgres"
_LIGHT = 20
"""What takes milliseconds is repeated so many times as often as what takes seconds."""
_PARENT_FILES = 100
_USED = 20
"""Forks that are worked on, of however many there are: a client works on its forks more than once."""


class _Measured:
    """The operations that must not depend on the size of a lake, on catalogs all over it."""

    def __init__(self, lake: Lake, names: list[str], files: int) -> None:
        self._lake = lake
        self._names = names
        self._handles = [find_catalog(lake, name) for name in names]
        self._files = files
        self._numbers = count()
        self._random = Random(1)

    def fork(self) -> None:
        fork_catalog(self._lake, PARENT, f"new-{next(self._numbers)}")

    def attach(self) -> None:
        find_catalog(self._lake, self._names[next(self._numbers) % len(self._names)])

    def commit(self) -> None:
        append_file(self._handles[next(self._numbers) % len(self._handles)])

    def point_query(self) -> None:
        wanted = self._random.randrange(self._files * ROWS_PER_FILE)
        handle = self._handles[next(self._numbers) % len(self._handles)]
        assert len(scan(handle, TABLE, Comparison(("id",), "=", wanted)).files) == 1

    def planning(self) -> None:
        assert len(scan(self._handles[0], TABLE).files) >= self._files

    def listing(self) -> None:
        assert sum(1 for _ in list_catalogs(self._lake)) > len(self._names)


_Operation = Callable[[_Measured], None]
_FLAT: dict[str, _Operation] = {
    "fork": _Measured.fork,
    "attach": _Measured.attach,
    "commit of a file": _Measured.commit,
    "planning of a point query": _Measured.point_query,
}


def scale(bench: Bench) -> Iterator[Figure]:
    """Growth curves in catalogs and in files of one table, on one PostgreSQL."""
    yield from _in_catalogs(bench)
    yield from _in_files(bench)


def _in_catalogs(bench: Bench) -> Iterator[Figure]:
    listing: dict[str, _Operation] = {"listing of all catalogs": _Measured.listing}
    yield from _growth(bench, "catalogs", bench.sizes.catalogs, _lake_of_catalogs, listing)


def _in_files(bench: Bench) -> Iterator[Figure]:
    planning: dict[str, _Operation] = {"planning of a whole scan": _Measured.planning}
    yield from _growth(bench, "files", bench.sizes.table_files, _lake_of_files, planning)


def _lake_of_catalogs(place: Place, lake: Lake, size: int) -> _Measured:
    make_files(place, PARENT, _PARENT_FILES)
    make_bulk_forks(place, PARENT, size)
    names = [bulk_fork_name(number) for number in Random(1).sample(range(size), min(_USED, size))]
    return _Measured(lake, names, _PARENT_FILES)


def _lake_of_files(place: Place, lake: Lake, size: int) -> _Measured:
    make_files(place, PARENT, size)
    return _Measured(lake, [PARENT], size)


def _growth(
    bench: Bench,
    what: str,
    largest: int,
    build: Callable[[Place, Lake, int], _Measured],
    linear: Mapping[str, _Operation],
) -> Iterator[Figure]:
    """A lake of each size at the same time, so that every operation is measured on all of them in turn."""
    lakes: dict[int, _Measured] = {}
    weights: list[tuple[float, float]] = []
    building = 0.0
    with ExitStack() as stack:
        for size in spread_sizes(largest):
            place = bench.databases.new_place(_BACKEND)
            lake = stack.enter_context(closing(place.open()))
            empty = place.size()
            start = perf_counter()
            lakes[size] = build(place, lake, size)
            building = perf_counter() - start
            weights.append((float(size), float(place.size() - empty)))
        yield Figure(NAME, _BACKEND, f"{largest:,} {what}, in", building, "s", None, _weight(weights[-1]))
        curves = [
            *(_curve(lakes, name, action, bench.sizes.small_rounds * _LIGHT, _LIGHT) for name, action in _FLAT.items()),
            *(_curve(lakes, name, action, min(3, bench.sizes.small_rounds), 1) for name, action in linear.items()),
        ]
    for curve in curves:
        bar: Bar = at_most(LINEAR if curve.name in linear else FLAT)
        yield Curve(f"{curve.name}, by {what}", curve.points).figure(NAME, _BACKEND, bar)
    yield Curve(f"bytes of metadata, by {what}", tuple(weights)).figure(NAME, _BACKEND, None, bytes_shown)
    lines = {curve.name: tuple((size, seconds * 1000) for size, seconds in curve.points) for curve in curves}
    bench.charts.append(Lines(f"growth-{what}", f"Time by {what}", what, "ms", lines))


def _curve(lakes: Mapping[int, _Measured], name: str, action: _Operation, repeats: int, warm_up: int) -> Curve:
    return measured_curve(name, {size: partial(action, lake) for size, lake in lakes.items()}, repeats, warm_up=warm_up)


def _weight(point: tuple[float, float]) -> str:
    size, weight = point
    return f"{bytes_shown(weight)} of metadata, {weight / size:,.0f} bytes each"
