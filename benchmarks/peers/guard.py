"""A few ratios in a few minutes, compared with recorded ones: `python -m benchmarks.peers.guard`, with `--record`.

Each is our time against that of other work in the same run, most of which we do not write, so it says the same on
another machine. One that is larger than the recorded one by more than a third, twice in a row, has slipped.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

import forklake
from benchmarks.command import Command, show_run
from benchmarks.data.bench import Bench
from benchmarks.data.settings import Sizes
from benchmarks.databases import Databases
from benchmarks.machine import machine_facts
from benchmarks.peers.guarded import RATIOS, Ratio
from benchmarks.report import Facts, Figure, against, at_most

NAME = "guard"
RECORDED = Path(__file__).with_name("recorded.json")
TOLERANCE = 4 / 3
SIZES = Sizes(rows=2_000_000, files=4, small_files=400, small_rows=200, inserts=100, rounds=9)
"""Enough that what is compared takes longer than what it is compared by."""
QUICK = Sizes(rows=100_000, files=2, small_files=50, small_rows=100, inserts=20, rounds=3)

Ratios = Mapping[str, float]


def guard(bench: Bench, names: Iterable[str], recorded: Ratios) -> Iterator[Figure]:
    """The ratios by name, each with its bar; one that misses it is measured once more before it counts."""
    for name in names:
        figure = _measure(bench, name, RATIOS[name], recorded)
        if figure.verdict == "FAIL":
            again = _measure(bench, name, RATIOS[name], recorded)
            figure = min(figure, again, key=lambda found: found.value)
        yield figure


def with_recorded_bar(figure: Figure, recorded: Ratios) -> Figure:
    """The figure with the bar that the recorded ratio of its name sets; none if it is new."""
    before = recorded.get(figure.name)
    if before is None:
        return replace(figure, detail=f"{figure.detail}; not recorded yet")
    return replace(figure, bar=at_most(round(before * TOLERANCE, 4)), detail=f"{figure.detail}; recorded {before:.3g}")


def read_recorded(path: Path = RECORDED) -> dict[str, float]:
    """The recorded ratios; none where nothing was recorded."""
    if not path.exists():
        return {}
    found: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))["ratios"]
    return found


def record(figures: Iterable[Figure], facts: Mapping[str, Facts], path: Path = RECORDED) -> None:
    """Keep these ratios for later runs, and those that were not measured as they are."""
    measured = {figure.name: round(figure.value, 4) for figure in figures}
    content = {
        "machine": dict(facts["machine"]),
        "versions": {name: value for name, value in facts["versions"].items() if name != "source"},
        "ratios": dict(sorted({**read_recorded(path), **measured}.items())),
    }
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Run, print, write; 1 if a ratio has slipped."""
    command = Command("peers.guard", __doc__, list(RATIOS))
    command.parser.add_argument("--record", action="store_true", help="keep the ratios for later runs")
    options = command.parse(arguments)
    if options.record and options.quick:
        command.parser.error("only ratios of the full sizes are recorded")
    recorded = {} if options.record or options.quick else read_recorded()
    if not (recorded or options.record or options.quick):
        command.parser.error(f"nothing is recorded in {RECORDED.name}; --record does it")
    figures: list[Figure] = []
    with Databases() as databases:
        facts = machine_facts(databases.server.url(), ("pyspark", "pyarrow"))
        settings = {
            "spark.master": "local[2]",
            "spark.driver.memory": "2g",
            "spark.local.dir": str(databases.folder / "spark"),
        }
        with forklake.connect(settings=settings) as session:
            bench = Bench(databases, session, QUICK if options.quick else SIZES)
            for name in options.only:
                figures += show_run(name, partial(guard, bench, [name], recorded))
        if (spark := SparkSession.getActiveSession()) is not None:
            spark.stop()
    if options.record:
        record(figures, facts)
    return command.finish(options, figures, facts)


def _measure(bench: Bench, name: str, ratio: Ratio, recorded: Ratios) -> Figure:
    figure = against(NAME, "", name, *ratio.measure(bench))
    return with_recorded_bar(replace(figure, detail=f"{ratio.label}, {figure.detail}"), recorded)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
