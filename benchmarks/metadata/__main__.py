"""Measure the metadata store: `python -m benchmarks.metadata --help`."""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from time import perf_counter

from benchmarks.databases import SERVER_SETTINGS, Backend, Databases
from benchmarks.machine import machine_facts, source_digest
from benchmarks.metadata.bench import Bench, Benchmark
from benchmarks.metadata.bulk import bulk
from benchmarks.metadata.catalogs import catalogs
from benchmarks.metadata.commits import commits
from benchmarks.metadata.fork_cost import fork_cost
from benchmarks.metadata.listing import listing
from benchmarks.metadata.long_history import long_history
from benchmarks.metadata.point_predicate import point_predicate
from benchmarks.metadata.settings import QUICK, Sizes
from benchmarks.report import Facts, Figure, duration, text_table, write_json, write_markdown

BENCHMARKS: dict[str, Benchmark] = {
    "listing": listing,
    "point_predicate": point_predicate,
    # After the others of the large parent: its copies of rows would lie about in their database.
    "fork_cost": fork_cost,
    "bulk": bulk,
    "long_history": long_history,
    "commits": commits,
    "catalogs": catalogs,
}
BACKENDS: dict[str, tuple[Backend, ...]] = {
    "sqlite": ("sqlite",),
    "postgres": ("postgres",),
    "both": ("sqlite", "postgres"),
}


def main(arguments: Sequence[str]) -> int:
    """Run, print, write; 1 if a bar was missed or a measurement is not to be believed."""
    options = _parser().parse_args(arguments)
    sizes = _sizes(options)
    names = options.only or list(BENCHMARKS)
    figures: list[Figure] = []
    with Databases() as databases:
        server = databases.server.url() if options.backend != "sqlite" else None
        facts: dict[str, Facts] = {**machine_facts(server), "sizes": asdict(sizes), "server": dict(SERVER_SETTINGS)}
        for backend in BACKENDS[options.backend]:
            bench = Bench(databases, backend, sizes)
            for name in (name for name in BENCHMARKS if name in names):
                figures += _run(name, bench)
    if facts["versions"]["source"] != source_digest():
        # Processes that started later ran other code than the rest: nothing fits together.
        print("The source of the package changed during the run; measure again.", file=sys.stderr)
        return 1
    print(f"\n{text_table(figures)}")
    write_json(options.json, figures, facts)
    if options.markdown is not None:
        write_markdown(options.markdown, figures, facts)
    return 1 if any(figure.verdict not in ("", "PASS") for figure in figures) else 0


def _run(name: str, bench: Bench) -> list[Figure]:
    start = perf_counter()
    print(f"{name} on {bench.backend}, load {os.getloadavg()[0]:.1f} ...", end=" ", flush=True)
    figures = list(BENCHMARKS[name](bench))
    print(duration(perf_counter() - start), flush=True)
    for figure in figures:
        _, _, label, value, bar, verdict, detail = figure.cells()
        print("  " + "  ".join(part for part in (label, value, bar, verdict, f"({detail})" if detail else "") if part))
    return figures


def _sizes(options: argparse.Namespace) -> Sizes:
    given = {field.name: getattr(options, field.name) for field in fields(Sizes)}
    start = QUICK if options.quick else Sizes()
    return replace(start, **{name: value for name, value in given.items() if value is not None})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.metadata", description=__doc__)
    parser.add_argument("--backend", choices=sorted(BACKENDS), default="both")
    parser.add_argument("--only", nargs="+", choices=list(BENCHMARKS), help="run only these benchmarks")
    parser.add_argument("--quick", action="store_true", help="small sizes: see that everything runs")
    parser.add_argument(
        "--json", type=Path, default=Path(".benchmarks/metadata.json"), help="where to write the results"
    )
    parser.add_argument("--markdown", type=Path, help="a document whose results between the markers are replaced")
    full = Sizes()
    for field in fields(Sizes):
        default = getattr(full, field.name)
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(
            option, type=type(default), metavar="N", help=f"default {default:,}, quick {getattr(QUICK, field.name):,}"
        )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
