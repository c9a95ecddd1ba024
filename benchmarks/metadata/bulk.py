"""A commit of very many files is a few round trips, not one for each row."""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any

from benchmarks.databases import Place
from benchmarks.metadata.bench import Bench
from benchmarks.metadata.round_trips import relayed
from benchmarks.metadata.tables import append, make_table
from benchmarks.report import Figure, against, at_most, duration
from benchmarks.timing import measure_in_turns
from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.model.ids import CatalogId

NAME = "bulk"
CATALOG = "loaded"
_FILES = "lake_data_file"
_STATS = "lake_file_column_stats"
_Rows = list[tuple[Any, ...]]


def bulk(bench: Bench) -> Iterator[Figure]:
    """Committing files with ten statistics each, beside plain INSERTs of the same rows one by one."""
    place, files = bench.new_place(), bench.sizes.bulk_files
    with closing(place.open()) as lake:
        catalog = create_catalog(lake, CATALOG)
        make_table(catalog, "events")
        append(catalog, "events", files)
        file_rows, stats_rows = _rows(place, _FILES), _rows(place, _STATS)
        # A fork that nobody reads: its id makes the keys of the plain rows their own.
        fork, _ = fork_catalog(lake, CATALOG, "plain")
        plain = fork.catalog_id
        times = measure_in_turns(
            {
                "commit": partial(append, catalog, "events", files),
                "files": partial(_insert_rows, place, plain, {_FILES: file_rows}),
                "all": partial(_insert_rows, place, plain, {_FILES: file_rows, _STATS: stats_rows}),
            },
            max(3, bench.sizes.repeats // 2),
            warm_up=1,
        )
    rows = len(file_rows) + len(stats_rows)
    per_file = f"{duration(times['commit'].median)} for {files:,} files"
    yield Figure(NAME, bench.backend, "files committed", files / times["commit"].median, "/s", None, per_file)
    bar = at_most(0.5) if bench.backend == "postgres" else None
    yield against(
        NAME, bench.backend, f"commit : {rows:,} INSERTs of the same rows", times["commit"], times["all"], bar
    )
    label = f"commit : {files:,} INSERTs without statistics"
    yield against(NAME, bench.backend, label, times["commit"], times["files"])
    if bench.backend == "postgres":
        yield from _round_trips(place, bench, plain, file_rows)


def _insert_rows(place: Place, catalog_id: int, tables: dict[str, _Rows]) -> None:
    """Insert rows one by one in one transaction, under keys that are new each time."""
    with place.sql() as sql:
        used = f"SELECT coalesce(max(table_id), 0) FROM {_FILES} WHERE catalog_id = {catalog_id}"
        table_id = int(sql.value(used)) + 1
        sql.run("BEGIN")
        for table, rows in tables.items():
            for row in rows:
                sql.insert(table, (catalog_id, table_id, *row[2:]))
        sql.run("COMMIT")


def _rows(place: Place, table: str) -> _Rows:
    with place.sql() as sql:
        return sql.rows(f"SELECT * FROM {table}")


def _round_trips(place: Place, bench: Bench, plain: CatalogId, file_rows: _Rows) -> Iterator[Figure]:
    files = bench.sizes.bulk_files
    with relayed(place.address) as (address, relay), closing(Place(place.backend, address).open()) as lake:
        catalog = find_catalog(lake, CATALOG)

        def counted(action: Callable[[], object]) -> int:
            before = relay.round_trips
            action()
            return relay.round_trips - before

        append(catalog, "events")
        one = counted(partial(append, catalog, "events"))
        many = counted(partial(append, catalog, "events", files))
        single = counted(partial(_insert_rows, Place(place.backend, address), plain, {_FILES: file_rows}))
    yield Figure(NAME, bench.backend, "round trips, transaction with 1 file", one, "trips")
    label = f"round trips, transaction with {files:,} files"
    detail = f"{files:,} INSERTs without statistics: {single:,}"
    yield Figure(NAME, bench.backend, label, many, "trips", at_most(20), detail)
