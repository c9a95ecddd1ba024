"""Measure the data path: `python -m benchmarks.data --help`."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import forklake
from benchmarks.command import Command, chosen_sizes, show_run
from benchmarks.data.bench import Bench, Benchmark
from benchmarks.data.compaction import merge_adjacent
from benchmarks.data.inserts import inserts
from benchmarks.data.planning import planning
from benchmarks.data.point_query import point_query
from benchmarks.data.scans import deleted_rows, full_scan, small_files
from benchmarks.data.settings import QUICK, Sizes
from benchmarks.data.statements import statements
from benchmarks.data.writes import append, changes
from benchmarks.databases import SERVER_SETTINGS, Databases
from benchmarks.machine import machine_facts
from benchmarks.report import Facts, Figure
from forklake.spark.session.provider import ONE_MACHINE

BENCHMARKS: dict[str, Benchmark] = {
    "full_scan": full_scan,
    "deleted_rows": deleted_rows,
    "append": append,
    "changes": changes,
    "small_files": small_files,
    "merge_adjacent": merge_adjacent,
    "point_query": point_query,
    "planning": planning,
    "inserts": inserts,
    "statements": statements,
}
POSTGRES = {"planning", "inserts"}
"""Those that measure PostgreSQL too."""
PEERS = ("pyspark", "pyarrow")


def main(arguments: Sequence[str]) -> int:
    """Run, print, write; 1 if a bar was missed."""
    command = Command("data", __doc__, list(BENCHMARKS))
    command.parser.add_argument("--cores", type=int, default=2, metavar="N", help="cores for Spark, default 2")
    command.parser.add_argument("--memory", default="4g", help="memory for Spark, default 4g")
    command.parser.add_argument("--folder", type=Path, help="where to make the folder for the files")
    command.parser.add_argument("--keep", action="store_true", help="leave the files there")
    command.add_sizes(Sizes(), QUICK)
    options = command.parse(arguments)
    sizes = chosen_sizes(options, Sizes(), QUICK)
    figures: list[Figure] = []
    with Databases(options.folder, keep=options.keep) as databases:
        settings = {
            "spark.master": f"local[{options.cores}]",
            "spark.driver.memory": options.memory,
            "spark.local.dir": str(databases.folder / "spark"),
        }
        facts: dict[str, Facts] = {
            **machine_facts(databases.server.url() if POSTGRES.intersection(options.only) else None, PEERS),
            "sizes": asdict(sizes),
            "spark": {**ONE_MACHINE, "spark.master": settings["spark.master"], "spark.driver.memory": options.memory},
            "server": dict(SERVER_SETTINGS),
        }
        with forklake.connect(settings=settings) as session:
            bench = Bench(databases, session, sizes)
            for name in options.only:
                figures += show_run(name, partial(BENCHMARKS[name], bench))
            session.spark.stop()
    return command.finish(options, figures, facts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
