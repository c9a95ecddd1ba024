"""Measure beside what others would use: `python -m benchmarks.peers --help`."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import forklake
from benchmarks.command import Command, chosen_sizes, show_run
from benchmarks.databases import SERVER_SETTINGS, Databases
from benchmarks.machine import machine_facts
from benchmarks.peers.bench import Bench, Benchmark
from benchmarks.peers.branching import branching
from benchmarks.peers.change import change
from benchmarks.peers.plots import write_charts
from benchmarks.peers.scale import scale
from benchmarks.peers.settings import QUICK, Sizes
from benchmarks.peers.small import small
from benchmarks.peers.spark import DELTA_VERSION, ICEBERG_VERSION, spark_facts, start_spark
from benchmarks.peers.tpch import tpch
from benchmarks.peers.writes import writes
from benchmarks.report import Facts

BENCHMARKS: dict[str, Benchmark] = {
    "tpch": tpch,
    "writes": writes,
    "change": change,
    "small": small,
    "branching": branching,
    "scale": scale,
}
ALONE = ("tpch",)
"""What says something without Iceberg and Delta, too."""
PACKAGES = ("pyspark", "pyarrow", "duckdb", "duckdb-extension-ducklake")


def main(arguments: Sequence[str]) -> int:
    """Run, print, write; 1 if a bar was missed."""
    alone = "--alone" in arguments
    command = Command(
        "peers", __doc__, ALONE if alone else list(BENCHMARKS), target="bench-alone" if alone else "bench"
    )
    command.parser.add_argument("--alone", action="store_true", help="without Iceberg and Delta, so on any Spark")
    command.parser.add_argument("--cores", type=int, default=2, metavar="N", help="cores for each engine, default 2")
    command.parser.add_argument("--memory", default="4g", help="memory for Spark, default 4g")
    command.parser.add_argument("--folder", type=Path, help="where to make the folder for the files")
    command.parser.add_argument("--keep", action="store_true", help="leave the files there")
    command.parser.add_argument("--charts", type=Path, help="a folder to draw charts in")
    command.add_earlier()
    command.add_sizes(Sizes(), QUICK)
    options = command.parse(arguments)
    sizes = chosen_sizes(options, Sizes(), QUICK)
    with Databases(options.folder, keep=options.keep) as databases:
        facts: dict[str, Facts] = {
            **_machine_facts(databases, alone=alone),
            "sizes": asdict(sizes),
            "spark": spark_facts(options.cores, options.memory, alone=alone),
            "server": dict(SERVER_SETTINGS),
        }
        figures = command.earlier(options, facts)
        spark = start_spark(databases.folder, options.cores, options.memory, alone=alone)
        with forklake.connect(spark=spark) as session:
            bench = Bench(databases, session, sizes, options.cores, alone)
            for name in options.only:
                figures += show_run(name, partial(BENCHMARKS[name], bench))
        spark.stop()
        if options.charts is not None:
            write_charts(options.charts, bench.charts)
    return command.finish(options, sorted(figures, key=lambda figure: list(BENCHMARKS).index(figure.benchmark)), facts)


def _machine_facts(databases: Databases, *, alone: bool) -> dict[str, Facts]:
    facts = machine_facts(databases.server.url(), PACKAGES)
    if alone:
        return facts
    return {**facts, "versions": {**facts["versions"], "iceberg": ICEBERG_VERSION, "delta": DELTA_VERSION}}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
