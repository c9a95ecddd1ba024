"""What expires costs what expires, however many forks there are, of this catalog or of others."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial

from benchmarks.databases import Place
from benchmarks.metadata.bench import Bench
from benchmarks.metadata.bulk_forks import make_bulk_forks
from benchmarks.metadata.tables import make_table, new_files
from benchmarks.report import Figure, against, no_slower_than
from benchmarks.timing import Sample, seconds_of
from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.model.ids import TableId

NAME = "expiry"
BAR = no_slower_than(1.5)
FORKED, APART = "forked", "apart"
FEW_FORKS = 100
SNAPSHOTS = 20
"""Commits that expire at a time; each has replaced ten files."""
_FILES = 10
_LATER = datetime(2100, 1, 1, tzinfo=UTC)


def expiry(bench: Bench) -> Iterator[Figure]:
    """Expire a catalog's snapshots in a lake full of forks, and in one with few."""
    many = bench.sizes.forks if bench.backend == "postgres" else bench.sizes.sqlite_forks
    full, few = bench.new_place(), bench.new_place()
    with closing(_lake_with_forks(full, many)) as full_lake, closing(_lake_with_forks(few, FEW_FORKS)) as few_lake:
        for name, label in ((APART, "of another catalog"), (FORKED, "of the catalog itself")):
            sides = {"full": find_catalog(full_lake, name), "few": find_catalog(few_lake, name)}
            times = _measure(sides, 3 * bench.sizes.repeats)
            figure = f"expiry of {SNAPSHOTS} snapshots, {many:,} forks {label} : {FEW_FORKS}"
            yield against(NAME, bench.backend, figure, times["full"], times["few"], BAR)


def _measure(catalogs: dict[str, Catalog], repeats: int) -> dict[str, Sample]:
    seconds: dict[str, list[float]] = {name: [] for name in catalogs}
    for turn in range(repeats + 2):
        for name in list(catalogs)[:: -1 if turn % 2 else 1]:
            for _ in range(SNAPSHOTS):
                _replace_files(catalogs[name])
            took = seconds_of(partial(expire_snapshots, catalogs[name], older_than=_LATER))
            if turn >= 2:
                seconds[name].append(took)
    return {name: Sample(tuple(values)) for name, values in seconds.items()}


def _lake_with_forks(place: Place, forks: int) -> Lake:
    lake = place.open()
    for name in (FORKED, APART):
        make_table(create_catalog(lake, name), "events", _FILES)
    make_bulk_forks(place, FORKED, forks)
    return lake


def _replace_files(catalog: Catalog) -> None:
    tx = begin(catalog)
    table = get_table(tx, "main", "events")
    tx.end_files(table, tx.files(TableId(table.object_id)))
    tx.append_files(table, new_files(tx, table, _FILES))
    commit(tx)
