"""Eight processes that insert single rows at the same time, into one catalog or each into its own."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from statistics import median

import duckdb
import pyarrow as pa

from benchmarks.databases import Backend, Databases, Place
from benchmarks.metadata.forklake_writer import PlainWriter, make_plain_table
from benchmarks.metadata.writers import Race, Writer, race
from benchmarks.report import Bar, Figure, at_least
from benchmarks.small.engines import OPEN
from forklake.errors import ForklakeError

WRITERS = 8
OWN_LEAD, SHARED_LEAD, ALONE_LEAD = 50, 10, 3
"""Commits per second as a multiple of DuckLake's: of catalogs of their own, of one catalog, and of one client."""
_ROWS = pa.table({"id": pa.array([0], pa.int64()), "item": ["first"], "price": [1.5]})


@dataclass(frozen=True, slots=True)
class RowWriter:
    """Inserts one row at a time, by SQL, into a table that is there."""

    engine: str
    place: Place
    folder: Path
    catalog: str
    number: int

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        return (ForklakeError, duckdb.Error)

    @contextmanager
    def connected(self) -> Iterator[Callable[[], object]]:
        with closing(OPEN[self.engine](self.place, self.folder, catalog=self.catalog)) as engine:
            numbers = count(self.number, WRITERS)
            yield lambda: engine.run(f"INSERT INTO t VALUES ({next(numbers)}, 'new', 1.5)")

    def create_table(self) -> None:
        with closing(OPEN[self.engine](self.place, self.folder, catalog=self.catalog)) as engine:
            engine.load("t", _ROWS)

    def rows(self) -> int:
        """Those that were inserted."""
        with closing(OPEN[self.engine](self.place, self.folder, catalog=self.catalog)) as engine:
            [(rows,)] = engine.run("SELECT count(*) FROM t")
            return int(rows) - 1


def writers(databases: Databases, backend: Backend, seconds: float, rounds: int) -> Iterator[Figure]:
    """Commits per second of one and of eight processes; ours, DuckLake's and plain INSERTs' in turn."""
    make: Mapping[str, Callable[[], Race]] = {
        name: partial(contest, databases, backend, seconds)
        for name, contest in {
            "1 writer": partial(_inserts, "Forklake", 1, own=False),
            "DuckLake, 1 writer": partial(_inserts, "DuckLake", 1, own=False),
            "8 writers, one catalog": partial(_inserts, "Forklake", WRITERS, own=False),
            "8 writers, own catalogs": partial(_inserts, "Forklake", WRITERS, own=True),
            "DuckLake, 8 writers, one lake": partial(_inserts, "DuckLake", WRITERS, own=False),
            "DuckLake, 8 writers, own lakes": partial(_inserts, "DuckLake", WRITERS, own=True),
            "plain INSERTs, 1 writer": partial(_plain, 1),
            "plain INSERTs, 8 writers": partial(_plain, WRITERS),
        }.items()
    }
    found: dict[str, list[Race]] = {name: [] for name in make}
    order = Random(1)
    for _ in range(rounds):
        for name in order.sample(list(make), len(make)):
            found[name].append(make[name]())
    rates = {name: median(race.rate for race in races) for name, races in found.items()}
    for name, races in found.items():
        detail = f"{sum(race.failures for race in races)} failed; {races[-1].fairness}"
        yield Figure("writers", backend, name, rates[name], "/s", None, detail)
    one_lake, own_lakes = "DuckLake, 8 writers, one lake", "DuckLake, 8 writers, own lakes"
    for ours, theirs, bar in (
        ("1 writer", "DuckLake, 1 writer", at_least(ALONE_LEAD)),
        ("8 writers, one catalog", one_lake, at_least(SHARED_LEAD)),
        ("8 writers, own catalogs", one_lake, at_least(OWN_LEAD)),
        ("8 writers, own catalogs", own_lakes, None),
        # What no lake on this database can exceed, as every commit writes more than one row.
        ("plain INSERTs, 8 writers", one_lake, None),
    ):
        yield _ratio(backend, rates, ours, theirs, bar)


def _ratio(backend: Backend, rates: Mapping[str, float], ours: str, theirs: str, bar: Bar | None) -> Figure:
    detail = f"{rates[ours]:,.0f}/s against {rates[theirs]:,.1f}/s"
    return Figure("writers", backend, f"{ours} : {theirs}", rates[ours] / rates[theirs], "x", bar, detail)


def _inserts(engine: str, processes: int, databases: Databases, backend: Backend, seconds: float, *, own: bool) -> Race:
    """Catalogs of their own are in one database, except of DuckLake on SQLite, where each lake takes a file."""
    place, folder = databases.new_place(backend), databases.new_folder()
    made: list[RowWriter] = []
    for number in range(processes):
        is_file = own and engine == "DuckLake" and backend == "sqlite"
        catalog = f"own_{number}" if own else "main"
        made.append(RowWriter(engine, databases.new_place(backend) if is_file else place, folder, catalog, number))
    tables = made if own else made[:1]
    for writer in tables:
        writer.create_table()
    run = race(made, seconds)
    rows = sum(writer.rows() for writer in tables)
    # DuckLake may have committed what it reports as failed.
    assert run.commits <= rows <= run.commits + run.failures, f"{engine}: {rows} rows of {run.commits} commits"
    assert engine != "Forklake" or rows == run.commits, f"{rows} rows of {run.commits} commits"
    return run


def _plain(processes: int, databases: Databases, backend: Backend, seconds: float) -> Race:
    place = databases.new_place(backend)
    # Set up as the database of a lake is.
    place.open().close()
    make_plain_table(place)
    made: list[Writer] = [PlainWriter(place, number) for number in range(processes)]
    return race(made, seconds)
