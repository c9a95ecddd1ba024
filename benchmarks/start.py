"""How long programs and commands take from their start to the first row, in CPU seconds and by the clock.

    python -m benchmarks.start [--times N]

Each run is a process of its own, and those to be compared take turns: on a busy machine compare CPU seconds.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import forklake

_ROWS = 100_000
_ONE_ROW = "SELECT * FROM orders WHERE id = 1"
_BY_SPARK = "SELECT id % 7 AS k, sum(id) FROM orders GROUP BY 1 ORDER BY 1"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5, help="runs of each kind")
    times = parser.parse_args().times
    with TemporaryDirectory(prefix="forklake-start-") as folder:
        lake = _make_lake(Path(folder))
        python, command = [sys.executable], [sys.executable, "-m", "forklake"]
        kinds: dict[str, tuple[Sequence[str], Mapping[str, str]]] = {
            "import forklake": ([*python, "-c", "import forklake"], {}),
            "forklake --version": ([*command, "--version"], {}),
            "forklake tables": ([*command, "tables", "--lake", lake], {}),
            "a small query": ([*command, "sql", "--lake", lake, "-c", _ONE_ROW], {}),
            "a query by Spark, no archive": (
                [*command, "sql", "--lake", lake, "-c", _BY_SPARK],
                {"FORKLAKE_CLASS_ARCHIVE": "off"},
            ),
            "a query by Spark, with archive": (
                [*command, "sql", "--lake", lake, "-c", _BY_SPARK],
                {"XDG_CACHE_HOME": folder},
            ),
        }
        # The first start writes the archive, and its JVM holds the output open until that is done.
        _run(*kinds["a query by Spark, with archive"])
        found: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
        for _ in range(times):
            for kind, (arguments, environment) in kinds.items():
                found[kind].append(_run(arguments, environment))
    print(f"{'':32}{'clock, median':>15}{'least':>8}{'CPU, median':>15}{'least':>8}")
    for kind, seconds in found.items():
        clock, cpu = zip(*seconds, strict=True)
        print(f"{kind:32}{median(clock):15.2f}{min(clock):8.2f}{median(cpu):15.2f}{min(cpu):8.2f}")
    print("The CPU seconds of Spark's JVM, which ends after the command, are not among them.")


def _make_lake(folder: Path) -> str:
    target = str(folder / "lake.db")
    with forklake.connect() as session:
        lake = session.attach(target, "main", catalog="main", data_path=str(folder / "data"), create_if_not_exists=True)
        orders = lake.create_table("orders", {"id": "bigint", "item": "varchar"})
        orders.append([(number, f"item {number}") for number in range(_ROWS)])
    return target


def _run(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """The seconds of one process, by the clock and of the CPU, without those that are left behind."""
    before, began = getrusage(RUSAGE_CHILDREN), perf_counter()
    subprocess.run(arguments, env={**os.environ, **environment}, check=True, capture_output=True)
    seconds, after = perf_counter() - began, getrusage(RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
