"""Figures with their bars, as a table, as JSON and as Markdown."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.timing import Sample

Facts = Mapping[str, str | int | float | bool]

BEGIN_MARKER = "<!-- results: written by make {}, do not edit -->"
END_MARKER = "<!-- end of results -->"
CREDIBLE = 0.8
"""Nothing is faster than the same work done elsewhere by more than this; noise may be."""
_NOISY = 0.3
_COLUMNS = ("benchmark", "backend", "figure", "value", "bar", "verdict", "detail")


@dataclass(frozen=True, slots=True)
class Bar:
    """What a figure must reach."""

    kind: Literal["<=", ">="]
    limit: float
    credible_from: float | None = None
    """Below this the measurement is wrong, not the code fast: both sides did the same work."""

    def verdict(self, value: float) -> str:
        if self.credible_from is not None and value < self.credible_from:
            return "SUSPECT"
        held = value <= self.limit if self.kind == "<=" else value >= self.limit
        return "PASS" if held else "FAIL"

    def __str__(self) -> str:
        return f"{self.kind} {self.limit:g}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number. Without a bar it is there to compare with."""

    benchmark: str
    backend: str
    name: str
    value: float
    unit: str = "x"
    bar: Bar | None = None
    detail: str = ""

    @property
    def verdict(self) -> str:
        return "" if self.bar is None else self.bar.verdict(self.value)

    def cells(self) -> tuple[str, ...]:
        return (
            self.benchmark,
            self.backend,
            self.name,
            f"{_number(self.value)} {self.unit}",
            str(self.bar or ""),
            self.verdict,
            self.detail,
        )


def at_most(limit: float) -> Bar:
    return Bar("<=", limit)


def no_slower_than(limit: float) -> Bar:
    """For two that do the same work: at most this ratio, and not much below one either."""
    return Bar("<=", limit, CREDIBLE)


def at_least(limit: float) -> Bar:
    return Bar(">=", limit)


def against(benchmark: str, backend: str, name: str, ours: Sample, other: Sample, bar: Bar | None = None) -> Figure:
    """The ratio of two medians, with both of them as the detail."""
    detail = f"{_describe(ours)} against {_describe(other)}"
    return Figure(benchmark, backend, name, ours.median / other.median, "x", bar, detail)


def _describe(sample: Sample) -> str:
    noise = f" (middle half spread by {sample.spread:.0%})" if sample.spread > _NOISY else ""
    return f"{duration(sample.median)}{noise}"


def duration(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.3g} ms"


def text_table(figures: Sequence[Figure]) -> str:
    """Aligned plain text."""
    rows = [_COLUMNS, *(figure.cells() for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def write_json(path: Path, figures: Iterable[Figure], facts: Mapping[str, Facts]) -> None:
    entries = [
        {
            "benchmark": figure.benchmark,
            "backend": figure.backend,
            "figure": figure.name,
            "value": figure.value,
            "unit": figure.unit,
            "bar": str(figure.bar) if figure.bar else None,
            "verdict": figure.verdict or None,
            "detail": figure.detail,
        }
        for figure in figures
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**facts, "figures": entries}, indent=2) + "\n", encoding="utf-8")


def read_json(path: Path) -> tuple[list[Figure], dict[str, Facts]]:
    """Figures and facts that were written."""
    found = json.loads(path.read_text(encoding="utf-8"))
    figures = [
        Figure(
            entry["benchmark"],
            entry["backend"],
            entry["figure"],
            entry["value"],
            entry["unit"],
            None if entry["bar"] is None else _bar_of(entry["bar"]),
            entry["detail"],
        )
        for entry in found.pop("figures")
    ]
    return figures, found


def _bar_of(text: str) -> Bar:
    kind, limit = text.split()
    return at_most(float(limit)) if kind == "<=" else at_least(float(limit))


def write_markdown(path: Path, target: str, figures: Sequence[Figure], facts: Mapping[str, Facts]) -> None:
    """Put the results between the two markers of a document, in place of those of the last run of a make target."""
    replace_results(path, target, f"{_facts_list(facts)}\n\n{_markdown_table(figures)}")


def replace_results(path: Path, target: str, body: str) -> None:
    before, after = around_results(path, target)
    text = f"{before}{BEGIN_MARKER.format(target)}\n\n{body}\n\n{END_MARKER}{after}"
    path.write_text(text, encoding="utf-8")


def around_results(path: Path, target: str) -> tuple[str, str]:
    """What stands before and behind the results of a make target; an error when there is no place for them."""
    marker = BEGIN_MARKER.format(target)
    before, begin, rest = path.read_text(encoding="utf-8").partition(marker)
    _, end, after = rest.partition(END_MARKER)
    if not begin or not end:
        raise ValueError(f"{path} lacks the markers '{marker}' and '{END_MARKER}'")
    return before, after


def _facts_list(facts: Mapping[str, Facts]) -> str:
    return "\n".join(
        f"- {title}: {', '.join(f'{name} {value}' for name, value in values.items())}"
        for title, values in facts.items()
    )


def _markdown_table(figures: Sequence[Figure]) -> str:
    rows = [_COLUMNS, ("---",) * len(_COLUMNS), *(figure.cells() for figure in figures)]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)


def _number(value: float) -> str:
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:.2f}"
