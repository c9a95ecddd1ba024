"""Try to break it: transactions under faults, load and hostile input, all checked. Exits with 1 when something is
found, or when less was tried than the trial promises.
"""

import argparse
import secrets
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter

from rich.console import Console

from benchmarks.report import around_results
from trust.report import print_table, write_document
from trust.trial import Line, Part, Trial

PARTS: Mapping[str, str] = {
    "history": "many processes, and faults of clients, connections and the database while they run",
    "drivers": "rows on Spark, and drivers killed while they write",
    "surroundings": "disks, permissions, clocks and files behind our back",
    "fuzz": "hostile statements, names, files and metadata",
    "answers": "generated statements, with shortcuts and without, and in DuckDB",
    "load": "hundreds of sessions, for a while",
}
LONG = 10
"""How many times the short form the long one is."""


def main(arguments: Sequence[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    target = "trust-long" if options.long else "trust"
    if options.markdown is not None:
        if options.only:
            parser.error("--markdown writes the results of all parts, so it cannot go with --only")
        around_results(options.markdown, target)
    # As Ctrl-C does: servers and drivers that were started are stopped on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    console = Console()
    console.print(f"seed {options.seed}")
    folder = Path(tempfile.mkdtemp(prefix="forklake-trust-"))
    # Whoever runs PostgreSQL for us must be able to reach it.
    folder.chmod(0o755)
    lines: dict[str, list[Line]] = {}
    seconds: dict[str, float] = {}
    for name in options.only or PARTS:
        start = perf_counter()
        console.print(f"{name}: {PARTS[name]}", markup=False)
        lines[name] = _run(name, Trial(options.seed, folder / name, LONG if options.long else 1, _say(console)))
        seconds[name] = perf_counter() - start
        console.print(f"{name}: {seconds[name]:.0f} s")
    print_table(lines, console)
    passed = all(line.passed for tried in lines.values() for line in tried)
    if passed:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        console.print(f"Histories and lakes are left in {folder}; --seed {options.seed} makes the same choices again.")
    if options.markdown is not None:
        write_document(options.markdown, target, lines, options.seed, seconds)
    return 0 if passed else 1


def _run(name: str, trial: Trial) -> list[Line]:
    """All lines of a part; one that ends with an error has found something, and the others go on."""
    trial.folder.mkdir()
    # Parts are loaded one at a time: those that fork processes must not have started a thread of another part.
    part: Part = import_module(f"trust.{name}.part").run
    lines: list[Line] = []
    try:
        for line in part(trial):
            trial.say(f"{line.what}: {line.tried:,}, {'nothing found' if line.passed else 'FOUND'}")
            lines.append(line)
    except Exception:
        lines.append(Line("the part itself", 1, 1, found=(traceback.format_exc(),)))
    return lines


def _say(console: Console) -> Callable[[str], None]:
    return lambda text: console.print(f"  {text}", markup=False, highlight=False)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m trust", description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000), help="repeat the choices of a run")
    parser.add_argument("--long", action="store_true", help=f"{LONG} times as much of everything")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), metavar="PART", help=f"some of: {', '.join(PARTS)}")
    parser.add_argument("--markdown", type=Path, help="a document whose results between the markers are replaced")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
