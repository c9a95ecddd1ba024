"""Measure the metadata store: `python -m benchmarks.metadata --help`."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from benchmarks.command import Command, chosen_sizes, show_run
from benchmarks.databases import SERVER_SETTINGS, Backend, Databases
from benchmarks.machine import machine_facts
from benchmarks.metadata.bench import Bench, Benchmark
from benchmarks.metadata.bulk import bulk
from benchmarks.metadata.catalogs import catalogs
from benchmarks.metadata.commits import commits
from benchmarks.metadata.expiry import expiry
from benchmarks.metadata.fork_cost import fork_cost
from benchmarks.metadata.listing import listing
from benchmarks.metadata.long_history import long_history
from benchmarks.metadata.many import many
from benchmarks.metadata.point_predicate import point_predicate
from benchmarks.metadata.settings import QUICK, Sizes
from benchmarks.metadata.wide_tables import wide_tables
from benchmarks.report import Facts, Figure

BENCHMARKS: dict[str, Benchmark] = {
    "listing": listing,
    "point_predicate": point_predicate,
    # After the others of the large parent: its copies of rows would lie about in their database.
    "fork_cost": fork_cost,
    "bulk": bulk,
    "long_history": long_history,
    "commits": commits,
    "catalogs": catalogs,
    "expiry": expiry,
    "wide_tables": wide_tables,
    "many": many,
}
BACKENDS: dict[str, tuple[Backend, ...]] = {
    "sqlite": ("sqlite",),
    "postgres": ("postgres",),
    "both": ("sqlite", "postgres"),
}


PEERS = ("duckdb", "duckdb-extension-ducklake")


def main(arguments: Sequence[str]) -> int:
    """Run, print, write; 1 if a bar was missed or a measurement is not to be believed."""
    command = Command("metadata", __doc__, list(BENCHMARKS))
    command.parser.add_argument("--backend", choices=sorted(BACKENDS), default="both")
    command.add_sizes(Sizes(), QUICK)
    options = command.parse(arguments)
    sizes = chosen_sizes(options, Sizes(), QUICK)
    figures: list[Figure] = []
    with Databases() as databases:
        server = databases.server.url() if options.backend != "sqlite" else None
        facts: dict[str, Facts] = {
            **machine_facts(server, PEERS),
            "sizes": asdict(sizes),
            "server": dict(SERVER_SETTINGS),
        }
        for backend in BACKENDS[options.backend]:
            bench = Bench(databases, backend, sizes)
            for name in options.only:
                figures += show_run(f"{name} on {backend}", partial(BENCHMARKS[name], bench))
    return command.finish(options, figures, facts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
