"""What very many of something cost: growth curves of memory and time."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path

from benchmarks.databases import Place
from benchmarks.metadata.bench import Bench
from benchmarks.metadata.bulk_forks import make_bulk_forks
from benchmarks.metadata.bulk_rows import make_bulk_snapshots, make_bulk_tables
from benchmarks.metadata.tables import append, make_table, scan
from benchmarks.report import Bar, Figure, no_slower_than
from benchmarks.timing import Sample, measure_in_turns
from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import last_snapshots
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin

NAME = "many"
FLAT = no_slower_than(1.5)
_PAGE = 50
_CONNECTIONS = 50
_STEP = 10
"""From one size of a curve to the next."""


def many(bench: Bench) -> Iterator[Figure]:
    """A curve for each: open attachments, sessions, tables of a catalog, columns of a table, snapshots."""
    yield from _processes(bench, "attachments", bench.sizes.attachments)
    # Each session holds a connection, of which PostgreSQL has a hundred.
    most = bench.sizes.sessions if bench.backend == "sqlite" else min(bench.sizes.sessions, _CONNECTIONS)
    yield from _processes(bench, "sessions", most)
    yield from _curve(bench, "tables", bench.sizes.tables, _with_tables)
    yield from _curve(bench, "columns", bench.sizes.columns, _with_columns)
    yield from _curve(bench, "snapshots", bench.sizes.snapshots, _with_snapshots)


def sizes_up_to(most: int) -> list[int]:
    """The sizes of a curve: powers of ten below the largest, at most three of them, and that one."""
    found = [most]
    while len(found) < 4 and found[0] >= _STEP * _STEP:
        found.insert(0, found[0] // _STEP)
    return found


def _with_tables(place: Place, lake: Lake, tables: int) -> None:
    make_table(create_catalog(lake, "main"), "events", 10)
    make_bulk_tables(place, "main", tables)


def _with_columns(place: Place, lake: Lake, columns: int) -> None:
    make_table(create_catalog(lake, "main"), "events", 10)
    make_table(find_catalog(lake, "main"), "wide", columns={f"c{number}": "bigint" for number in range(columns)})


def _with_snapshots(place: Place, lake: Lake, snapshots: int) -> None:
    make_table(create_catalog(lake, "main"), "events", 10)
    make_bulk_snapshots(place, "main", snapshots)


Fill = Callable[[Place, Lake, int], None]


def _curve(bench: Bench, what: str, most: int, fill: Fill) -> Iterator[Figure]:
    """The operations that have to be flat, in lakes of each size in turn."""
    sizes = sizes_up_to(most)
    places = {size: bench.new_place() for size in sizes}
    lakes = {size: place.open() for size, place in places.items()}
    try:
        for size in sizes:
            fill(places[size], lakes[size], size)
            places[size].settle()
        operations = {size: _operations(lakes[size]) for size in sizes}
        for name in operations[most]:
            actions = {str(size): operations[size][name] for size in sizes}
            times = measure_in_turns(actions, bench.sizes.light_repeats // 2, warm_up=5)
            yield from _growth(bench, f"{name}, {{:,}} {what}", {size: times[str(size)] for size in sizes})
    finally:
        for lake in lakes.values():
            lake.close()


def _operations(lake: Lake) -> dict[str, Callable[[], object]]:
    numbers, catalog = count(), find_catalog(lake, "main")
    return {
        "fork": lambda: fork_catalog(lake, "main", f"fork-{next(numbers)}"),
        "attach": partial(find_catalog, lake, "main"),
        "commit": partial(append, catalog, "events"),
        "scan": partial(scan, catalog, "events"),
        "look up a table": lambda: _look_up(lake, catalog),
        "page of snapshots": partial(last_snapshots, catalog, _PAGE),
    }


def _look_up(lake: Lake, catalog: Catalog) -> None:
    lake.cache.objects.clear()
    get_table(begin(catalog), "main", "events")


def _growth(bench: Bench, label: str, times: dict[int, Sample]) -> Iterator[Figure]:
    smallest, *larger = sorted(times)
    yield Figure(NAME, bench.backend, label.format(smallest), times[smallest].median * 1e3, "ms")
    for size in larger:
        bar: Bar | None = FLAT if size == larger[-1] else None
        ratio = times[size].median / times[smallest].median
        detail = f"{times[size].median * 1e3:.3g} ms against {times[smallest].median * 1e3:.3g} ms"
        yield Figure(NAME, bench.backend, f"{label.format(size)} : {smallest:,}", ratio, "x", bar, detail)


def _processes(bench: Bench, what: str, most: int) -> Iterator[Figure]:
    """Memory and time of one more of something, each size in a new process."""
    place = bench.new_place()
    with closing(place.open()) as lake:
        make_table(create_catalog(lake, "parent"), "events", 10)
        make_bulk_forks(place, "parent", most)
    module = Path(__file__).with_name("many_process.py")
    for size in sizes_up_to(most):
        run = [sys.executable, str(module), what, place.url, str(size)]
        done = subprocess.run(run, check=True, capture_output=True, text=True)
        seconds, kilobytes, connections = (float(part) for part in done.stdout.split())
        detail = f"{connections:,.0f} connections, {kilobytes:,.1f} KiB each"
        label = f"{size:,} {what}, each"
        yield Figure(NAME, bench.backend, label, seconds * 1e3, "ms", None, detail)
