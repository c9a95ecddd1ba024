"""What was tried and found: as a table on the terminal, and in the document."""

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.machine import machine_facts
from benchmarks.report import replace_results
from trust.trial import Line

_COLUMNS = ("part", "what was tried", "times", "at least", "found", "what users see")


def print_table(lines: Mapping[str, Sequence[Line]], console: Console) -> None:
    table = Table(*_COLUMNS)
    for row in _rows(lines):
        table.add_row(*row)
    console.print(table)
    for part, tried in lines.items():
        for line in tried:
            for sentence in line.found:
                console.print(f"[bold red]{part}: {line.what}:[/] ", end="")
                console.print(sentence, markup=False)
            if line.tried < line.at_least:
                console.print(f"[bold red]{part}: {line.what}:[/] took place {line.tried} times of {line.at_least}")


def write_document(
    path: Path, target: str, lines: Mapping[str, Sequence[Line]], seed: int, seconds: Mapping[str, float]
) -> None:
    """Replace the results of the last run of a make target, between its two markers."""
    body = "\n".join(
        [_when(seed, seconds), "", _markdown_row(_COLUMNS), _markdown_row(["---"] * len(_COLUMNS))]
        + [_markdown_row(row) for row in _rows(lines)]
    )
    replace_results(path, target, body)


def _when(seed: int, seconds: Mapping[str, float]) -> str:
    facts = machine_facts(None, ("pyspark", "pyarrow"))
    machine, versions = facts["machine"], facts["versions"]
    took = ", ".join(f"{part} {took:.0f} s" for part, took in seconds.items())
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, seed {seed}, {machine['cores']} cores, {machine['memory_gb']} GB, "
        f"{platform.system()}, Python {versions['python']}, PySpark {versions['pyspark']}, "
        f"source {versions['source']}; {took}."
    )


def _rows(lines: Mapping[str, Sequence[Line]]) -> list[tuple[str, ...]]:
    return [
        (
            part,
            line.what,
            f"{line.tried:,}",
            f"{line.at_least:,}",
            "nothing" if line.passed else str(len(line.found) or "too few"),
            line.outcome,
        )
        for part, tried in lines.items()
        for line in tried
    ]


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
