"""Listing the files of a fork costs little more than listing those of its parent, however deep the fork is."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial

from benchmarks.metadata.bench import LARGE, Bench
from benchmarks.metadata.tables import append, new_files, scan
from benchmarks.report import Figure, against, duration, no_slower_than
from benchmarks.timing import measure_in_turns, seconds_of
from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.model.ids import DataFileId, TableId

NAME = "listing"
BARS = {1: 1.3, 10: 1.3, 100: 2.0}
"""How much longer than the parent's listing a fork's may take, by depth."""


def listing(bench: Bench) -> Iterator[Figure]:
    """Two chains of forks: one whose levels wrote to another table, one whose levels wrote to this one."""
    place, sizes = bench.parents(), bench.sizes
    depths = [depth for depth in BARS if depth <= sizes.depth]
    with closing(place.open()) as lake:
        parent = find_catalog(lake, LARGE)
        replaceable = [file.data.data_file_id for file in scan(parent, "events").files[: sizes.depth]]
        elsewhere = _chain(parent, "elsewhere", sizes.depth, None)
        here = _chain(parent, "here", sizes.depth, replaceable)
    place.settle()
    with closing(place.open()) as lake:
        names = {"parent": LARGE}
        names |= {f"depth {depth}, written elsewhere": elsewhere[depth - 1] for depth in depths}
        names |= {f"depth {depth}, written here": here[depth - 1] for depth in depths}
        found = {label: find_catalog(lake, name) for label, name in names.items()}
        heavy = measure_in_turns({label: partial(scan, c, "events") for label, c in found.items()}, sizes.repeats)
        for depth in depths:
            for where in ("elsewhere", "here"):
                label = f"depth {depth}, written {where}"
                yield against(NAME, bench.backend, label, heavy[label], heavy["parent"], no_slower_than(BARS[depth]))
        light = measure_in_turns({label: partial(scan, c, "few") for label, c in found.items()}, sizes.light_repeats)
        for depth in depths:
            label = f"depth {depth}, written elsewhere"
            yield against(NAME, bench.backend, f"{label}, 10 files", light[label], light["parent"])
    for where, chain in (("elsewhere", elsewhere), ("here", here)):
        yield _deepest(bench, chain[-1], f"deepest, depth {len(chain):,}, written {where}")


def _chain(parent: Catalog, prefix: str, depth: int, replaceable: list[DataFileId] | None) -> list[str]:
    """The names of a chain of forks, each of which wrote before it was forked."""
    names = []
    above = parent
    for level in range(depth):
        name = f"{prefix}-{level + 1}"
        above, _ = fork_catalog(parent.lake, above.name, name)
        if replaceable is None:
            append(above, "elsewhere")
        else:
            _replace_file(above, replaceable[level])
        names.append(name)
    return names


def _replace_file(catalog: Catalog, file_id: DataFileId) -> None:
    tx = begin(catalog)
    table = get_table(tx, "main", "events")
    tx.end_files(table, tx.files(TableId(table.object_id), [file_id]))
    tx.append_files(table, new_files(tx, table, 1))
    commit(tx)


def _deepest(bench: Bench, name: str, label: str) -> Figure:
    """It works, and this is how long it takes: by a client that has seen nothing yet, and then again."""
    with closing(bench.parents().open()) as lake:
        parent, fork = find_catalog(lake, LARGE), find_catalog(lake, name)
        first = seconds_of(lambda: scan(fork, "events"))
        again = measure_in_turns(
            {"fork": lambda: scan(fork, "events"), "parent": lambda: scan(parent, "events")},
            bench.sizes.repeats,
            warm_up=1,
        )
        files = len(scan(fork, "events").files)
    figure = against(NAME, bench.backend, label, again["fork"], again["parent"])
    detail = f"{figure.detail}; the first time {duration(first)}; {files:,} files"
    return Figure(NAME, bench.backend, label, figure.value, "x", None, detail)
