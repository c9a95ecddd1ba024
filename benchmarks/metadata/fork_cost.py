"""A fork writes a handful of rows, whatever its parent holds."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import count

from benchmarks.databases import Place, Sql
from benchmarks.metadata.bench import FEW_FILES, LARGE, SMALL, Bench
from benchmarks.metadata.row_copying import copy_catalog
from benchmarks.report import Figure, against, at_most, no_slower_than
from benchmarks.timing import measure_in_turns
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Lake
from forklake.store.metadata_tables import TABLES

NAME = "fork_cost"
_COPIES = 3
_Fingerprint = tuple[tuple[object, ...], ...]


def fork_cost(bench: Bench) -> Iterator[Figure]:
    """Fork a large and a small parent in turn; weigh a fork; compare with a fork that copies rows."""
    place, sizes = bench.parents(), bench.sizes
    numbers = count()

    def fork(lake: Lake, parent: str) -> None:
        fork_catalog(lake, parent, f"{parent}-{next(numbers)}")

    with closing(place.open()) as lake:
        before = _fingerprint(place)
        actions = {parent: partial(fork, lake, parent) for parent in (LARGE, SMALL)}
        forks = measure_in_turns(actions, sizes.light_repeats)
        label = f"{sizes.files:,} files : {FEW_FILES} files"
        yield against(NAME, bench.backend, label, forks[LARGE], forks[SMALL], no_slower_than(1.5))
        start = place.size()
        for _ in range(sizes.catalogs):
            fork(lake, LARGE)
        weight = (place.size() - start) / sizes.catalogs
        made = f"over {sizes.catalogs:,} forks"
        yield Figure(NAME, bench.backend, "metadata of a fork", weight, "bytes", at_most(1023), made)
        changed = len(set(before) ^ set(_fingerprint(place)))
        yield Figure(NAME, bench.backend, "tables with rows of a parent changed", changed, "tables", at_most(0))
    copies = measure_in_turns({"copy": partial(copy_catalog, place, LARGE)}, _COPIES, warm_up=0)["copy"]
    yield against(NAME, bench.backend, "fork : copy of the parent's rows", forks[LARGE], copies)


def _fingerprint(place: Place) -> _Fingerprint:
    """For every table, a summary of the parents' rows that any change to one of them would change."""
    with place.sql() as sql:
        found = sql.rows(f"SELECT catalog_id FROM lake_catalog WHERE catalog_name IN ('{LARGE}', '{SMALL}')")
        parents = ", ".join(str(catalog_id) for [catalog_id] in found)
        return tuple((name, *_summary(sql, place, name, parents)) for name in _tables_of_catalogs())


def _tables_of_catalogs() -> list[str]:
    return [name for name, table in TABLES.items() if "catalog_id" in table.columns]


def _summary(sql: Sql, place: Place, table: str, parents: str) -> tuple[object, ...]:
    # On PostgreSQL, xmin is the transaction that wrote the version of the row which is now seen.
    writer = "max(xmin::text::bigint)" if place.backend == "postgres" else "NULL"
    versions = [c for c in ("end_snapshot", "head_snapshot") if c in TABLES[table].columns]
    sums = "".join(f", sum({column})" for column in versions)
    [row] = sql.rows(f"SELECT count(*), {writer}{sums} FROM {table} WHERE catalog_id IN ({parents})")
    return row
