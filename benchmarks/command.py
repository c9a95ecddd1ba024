"""What every benchmark's command line does alike: sizes as options, progress, results, and an exit code."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks.machine import source_digest
from benchmarks.report import Facts, Figure, around_results, duration, read_json, text_table, write_json, write_markdown

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")


class Command:
    """The command line of a family of benchmarks, `make bench-<name>` unless another target is said."""

    def __init__(
        self, name: str, description: str | None, benchmarks: Sequence[str], target: str | None = None
    ) -> None:
        self.name = name
        self._target = target or f"bench-{name}"
        self._benchmarks = benchmarks
        self.parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
        self.parser.add_argument(
            "--only", nargs="+", metavar="NAME", default=[], help=f"run only some of: {', '.join(benchmarks)}"
        )
        self.parser.add_argument("--quick", action="store_true", help="small sizes: see that everything runs")
        self.parser.add_argument(
            "--json", type=Path, default=Path(f".benchmarks/{name}.json"), help="where to write the results"
        )
        self.parser.add_argument(
            "--markdown", type=Path, help="a document whose results between the markers are replaced"
        )

    def add_earlier(self) -> None:
        """An option to measure in several runs what is shown together."""
        self.parser.add_argument(
            "--add", action="store_true", help="keep the results of other benchmarks that are there, of the same code"
        )

    def earlier(self, options: argparse.Namespace, facts: Mapping[str, Facts]) -> list[Figure]:
        """What earlier runs have measured with the same code, versions and sizes, if it is to be kept."""
        if not options.add or not options.json.exists():
            return []
        figures, known = read_json(options.json)
        for title in ("versions", "sizes"):
            if known[title] != facts[title]:
                self.parser.error(f"the results in {options.json} are of other {title}, and cannot be added to")
        return [figure for figure in figures if figure.benchmark not in options.only]

    def add_sizes(self, full: "DataclassInstance", quick: "DataclassInstance") -> None:
        """An option for every size."""
        for field in fields(full):
            default = getattr(full, field.name)
            self.parser.add_argument(
                f"--{field.name.replace('_', '-')}",
                type=type(default),
                metavar="N",
                help=f"default {default:,}, quick {getattr(quick, field.name):,}",
            )

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options; `only` becomes the names to run, in the order in which they run."""
        options = self.parser.parse_args(arguments)
        asked = [name for text in options.only for name in text.split(",")] or self._benchmarks
        unknown = [name for name in asked if name not in self._benchmarks]
        if unknown:
            self.parser.error(f"there is no benchmark {unknown[0]}; there are {', '.join(self._benchmarks)}")
        options.only = [name for name in self._benchmarks if name in asked]
        if options.markdown is not None:
            self._check_document(options.markdown)
        return options

    def _check_document(self, path: Path) -> None:
        """Say now, and not after an hour, that results cannot be written there."""
        try:
            around_results(path, self._target)
        except (OSError, ValueError) as error:
            self.parser.error(str(error))

    def finish(self, options: argparse.Namespace, figures: Sequence[Figure], facts: Mapping[str, Facts]) -> int:
        """Print and write the results; 1 if a bar was missed or a measurement is not to be believed."""
        if facts["versions"]["source"] != source_digest():
            # Processes that started later ran other code than the rest: nothing fits together.
            print("The source of the package changed during the run; measure again.", file=sys.stderr)
            return 1
        print(f"\n{text_table(figures)}")
        write_json(options.json, figures, facts)
        if options.markdown is not None:
            write_markdown(options.markdown, self._target, figures, facts)
        if options.quick:
            print("Sizes were small: everything runs and gives the same, and the bars say nothing.")
            return 0
        return 1 if any(figure.verdict not in ("", "PASS") for figure in figures) else 0


def chosen_sizes(options: argparse.Namespace, full: S, quick: S) -> S:
    """The sizes that the options ask for."""
    given: dict[str, Any] = {field.name: getattr(options, field.name) for field in fields(full)}
    return replace(
        quick if options.quick else full, **{name: value for name, value in given.items() if value is not None}
    )


def show_run(label: str, benchmark: Callable[[], Iterable[Figure]]) -> list[Figure]:
    """Run a benchmark, and print each of its figures when it is there."""
    start = perf_counter()
    print(f"{label}, load {os.getloadavg()[0]:.1f} ...", flush=True)
    figures = []
    for figure in benchmark():
        figures.append(figure)
        _, _, name, value, bar, verdict, detail = figure.cells()
        shown = (name, value, bar, verdict, f"({detail})" if detail else "")
        print("  " + "  ".join(part for part in shown if part), flush=True)
    print(f"{label} took {duration(perf_counter() - start)}", flush=True)
    return figures
