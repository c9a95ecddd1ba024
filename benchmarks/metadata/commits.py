"""Catalogs commit side by side: more writers commit more, and nobody waits for a neighbour."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

from benchmarks.metadata.bench import Bench
from benchmarks.metadata.ducklake_writer import DuckLakeWriter, make_lake, make_lakes
from benchmarks.metadata.forklake_writer import ForklakeWriter, PlainWriter, make_plain_table
from benchmarks.metadata.tables import ROWS_PER_FILE, make_table
from benchmarks.metadata.writers import Race, race
from benchmarks.report import Bar, Figure, at_least, at_most
from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.forks import fork_catalog

NAME = "commits"
SCALING = 3
"""All writers together against one alone: at least this much more."""
LEAD = 10
"""Against DuckLake with the same number of writers: at least this much more."""
ONE_CLIENT_LEAD = 3
_SHARED = "shared"
_SLOW_DISK_US = 2_000
_SLOW = ", disk of 2 ms"


@dataclass(frozen=True, slots=True)
class Result:
    """A race, and how many of its commits are not in the database exactly once."""

    race: Race
    wrong: int


Contest = Callable[[], Result]
"""Runs in a new database: how long the history is must not depend on which contests came before."""
Results = Mapping[str, Sequence[Result]]


def commits(bench: Bench) -> Iterator[Figure]:
    """Commits per second of several processes; ours, plain INSERTs' and DuckLake's in turn."""
    results = _alternate(_contests(bench), bench.sizes.rounds)
    most = _processes(bench.sizes.writers)
    for name, found in results.items():
        yield _rate_figure(bench, name, found)
    floor = _rate(results[f"plain INSERTs, {most}"]) / _rate(results["plain INSERTs, 1 process"])
    # SQLite has one writer at a time, whatever anybody does.
    bar = at_least(SCALING) if bench.backend == "postgres" else None
    yield _ratio(bench, results, most, "1 process", bar, f"; plain INSERTs {floor:.2f} x")
    if bench.backend == "postgres":
        yield _ratio(bench, results, f"{most}{_SLOW}", f"1 process{_SLOW}", bar)
        # Like for like: DuckLake keeps its row in the metadata too.
        yield _ratio(bench, results, "rows, 1 process", "DuckLake, 1 process", at_least(ONE_CLIENT_LEAD))
        yield _ratio(bench, results, f"rows, {most}", f"DuckLake, {most}, one lake", at_least(LEAD))
        yield _ratio(bench, results, f"rows, {most}, one catalog", f"DuckLake, {most}, one lake", at_least(LEAD))
        yield _ratio(bench, results, f"rows, {most}", f"DuckLake, {most}, own lakes")
        yield _ratio(bench, results, most, f"DuckLake, {most}, one lake")
    wrong = sum(result.wrong for found in results.values() for result in found)
    yield Figure(NAME, bench.backend, "lost or doubled, in all of these", wrong, "commits", at_most(0))


def _contests(bench: Bench) -> dict[str, Contest]:
    most = bench.sizes.writers
    found: dict[str, Contest] = {_processes(n): partial(_own_catalogs, bench, n) for n in sorted({1, 2, 4, most})}
    found[f"{_processes(most)}, one catalog"] = partial(_one_catalog, bench, most)
    found |= {f"plain INSERTs, {_processes(n)}": partial(_plain, bench, n) for n in (1, most)}
    if bench.backend == "postgres":
        found |= {f"{_processes(n)}{_SLOW}": partial(_own_catalogs, bench, n, slow_disk=True) for n in (1, most)}
        found |= {f"rows, {_processes(n)}": partial(_own_catalogs, bench, n, rows=True) for n in (1, most)}
        found[f"rows, {_processes(most)}, one catalog"] = partial(_one_catalog, bench, most, rows=True)
        found["DuckLake, 1 process"] = partial(_ducklake, bench, make_lake, 1)
        found[f"DuckLake, {_processes(most)}, one lake"] = partial(_ducklake, bench, make_lake, most)
        found[f"DuckLake, {_processes(most)}, own lakes"] = partial(_ducklake, bench, make_lakes, most)
    return found


def _own_catalogs(bench: Bench, count: int, *, rows: bool = False, slow_disk: bool = False) -> Result:
    """Every writer has a fork of one parent, and adds files or rows to it."""
    place = bench.new_place()
    if slow_disk:
        with place.sql() as sql:
            database = sql.value("SELECT quote_ident(current_database())")
            # PostgreSQL waits this long before it asks the disk, as it would for a slower one.
            sql.run(f"ALTER DATABASE {database} SET commit_delay = {_SLOW_DISK_US}")
            sql.run(f"ALTER DATABASE {database} SET commit_siblings = 0")
    with closing(place.open()) as lake:
        make_table(create_catalog(lake, "parent"), "events", 10)
        for number in range(count):
            fork_catalog(lake, "parent", f"own-{number}")
    run = race([ForklakeWriter(place, f"own-{number}", rows) for number in range(count)], bench.sizes.seconds)
    with place.sql() as sql:
        forks = "WHERE catalog_id IN (SELECT catalog_id FROM lake_catalog WHERE parent_catalog_id IS NOT NULL)"
        table = "lake_inlined_batch" if rows else "lake_data_file"
        files = int(sql.value(f"SELECT count(*) FROM {table} {forks}"))
        # Being forked took each of them a snapshot.
        snapshots = int(sql.value(f"SELECT count(*) FROM lake_snapshot {forks}")) - count
    return Result(run, _difference(run, snapshots, files))


def _one_catalog(bench: Bench, count: int, *, rows: bool = False) -> Result:
    """All writers append to one table, files or rows."""
    place = bench.new_place()
    with closing(place.open()) as lake:
        make_table(create_catalog(lake, _SHARED), "events")
    run = race([ForklakeWriter(place, _SHARED, rows)] * count, bench.sizes.seconds)
    table, each = ("lake_inlined_batch", 1) if rows else ("lake_data_file", ROWS_PER_FILE)
    with place.sql() as sql:
        # The catalog and its table took a snapshot each.
        snapshots = int(sql.value("SELECT count(*) FROM lake_snapshot")) - 2
        pieces = int(sql.value(f"SELECT count(DISTINCT row_id_start) FROM {table}"))
        counted = int(sql.value("SELECT max(record_count) FROM lake_table_stats"))
    return Result(run, _difference(run, snapshots, pieces, counted // each))


def _plain(bench: Bench, count: int) -> Result:
    place = bench.new_place()
    # Set up as the database of a lake is.
    place.open().close()
    make_plain_table(place)
    run = race([PlainWriter(place, number) for number in range(count)], bench.sizes.seconds)
    with place.sql() as sql:
        return Result(run, _difference(run, int(sql.value("SELECT count(*) FROM plain_row"))))


def _ducklake(bench: Bench, make: Callable[[str, Path, int], list[DuckLakeWriter]], count: int) -> Result:
    writers = make(bench.databases.server.create_database(), bench.databases.new_folder(), count)
    run = race(writers, bench.sizes.seconds)
    if any(file.is_file() for writer in writers for file in writer.data_path.rglob("*")):
        raise AssertionError("DuckLake wrote data files, which the others do not: the rates cannot be compared")
    return Result(run, _difference(run, sum(writer.rows() for writer in writers)))


def _difference(run: Race, *found: int) -> int:
    return max(abs(run.commits - number) for number in found)


def _alternate(contests: Mapping[str, Contest], rounds: int) -> Results:
    results: dict[str, list[Result]] = {name: [] for name in contests}
    order = Random(1)
    for _ in range(rounds):
        for name in order.sample(list(contests), len(contests)):
            results[name].append(contests[name]())
    return results


def _processes(count: int) -> str:
    return "1 process" if count == 1 else f"{count} processes"


def _rate(results: Sequence[Result]) -> float:
    return median(result.race.rate for result in results)


def _rate_figure(bench: Bench, name: str, results: Sequence[Result]) -> Figure:
    rates = [result.race.rate for result in results]
    rounds = f"rounds {min(rates):,.0f} to {max(rates):,.0f}/s, " if len(rates) > 1 else ""
    failures = sum(result.race.failures for result in results)
    error = next((f" ({result.race.error[:80]})" for result in results if result.race.error), "")
    detail = f"{rounds}{failures} failed{error}; {results[-1].race.fairness}"
    return Figure(NAME, bench.backend, name, _rate(results), "/s", None, detail)


def _ratio(bench: Bench, results: Results, ours: str, other: str, bar: Bar | None = None, more: str = "") -> Figure:
    mine, theirs = _rate(results[ours]), _rate(results[other])
    detail = f"{mine:,.0f}/s against {theirs:,.0f}/s{more}"
    return Figure(NAME, bench.backend, f"{ours} : {other}", mine / theirs, "x", bar, detail)
