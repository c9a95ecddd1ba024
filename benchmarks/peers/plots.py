"""Charts as SVG, written by hand: the same numbers give the same text, and it reads on light and on dark."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from itertools import cycle
from math import ceil, floor, log10
from pathlib import Path

_COLOURS = ("#2f7fc9", "#d9730d", "#2f9e5a", "#9065b0", "#d64545", "#8c7a2b")
"""Each differs enough from white and from black."""
_INK = "#767676"
"""As far from white as from black."""
_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 64, 16, 62, 34
_LINES_HEIGHT, _ROW, _GAP = 380, 11, 9
_LEGEND_STEP = 7.2
"""What a letter of the legend takes, roughly."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Groups of horizontal bars, such as the time of each query on each engine."""

    file: str
    title: str
    unit: str
    groups: Mapping[str, Mapping[str, float]]
    """For each group, its bars by the name of the series."""

    def svg(self) -> str:
        series = _first_seen(name for bars in self.groups.values() for name in bars)
        left = _LEFT + 6 * max((len(name) for name in self.groups), default=0)
        highest = max((value for bars in self.groups.values() for value in bars.values()), default=1.0) or 1.0
        parts, y = [], float(_TOP)
        for group, bars in self.groups.items():
            middle = y + len(bars) * _ROW / 2 + 4
            parts.append(_text(left - 8, middle, group, "end"))
            for name, value in bars.items():
                width = value / highest * (_WIDTH - left - _RIGHT - 60)
                parts.append(
                    _bar(left, y, width, _colour(series, name), f"{group}, {name}: {_short(value)} {self.unit}")
                )
                parts.append(_text(left + width + 4, y + _ROW - 2, _short(value), "start", small=True))
                y += _ROW
            y += _GAP
        return _document(f"{self.title} ({self.unit})", series, parts, y + 8)


@dataclass(frozen=True, slots=True)
class Lines:
    """Costs against sizes, both on logarithmic axes: what grows like a power of the size is straight."""

    file: str
    title: str
    across: str
    """What the sizes count."""
    unit: str
    lines: Mapping[str, tuple[tuple[float, float], ...]]

    def svg(self) -> str:
        points = [point for line in self.lines.values() for point in line]
        if not points or min(min(point) for point in points) <= 0:
            raise ValueError(f"{self.file}: a logarithmic axis takes positive numbers, and at least one")
        across, up = _decades(x for x, _ in points), _decades(y for _, y in points)
        parts = [part for power in range(across[0], across[1] + 1) for part in self._upright(power, across)]
        parts += [part for power in range(up[0], up[1] + 1) for part in self._level(power, up)]
        series = list(self.lines)
        for name, line in self.lines.items():
            at = [(self._x(x, across), self._y(y, up)) for x, y in line]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
            colour = _colour(series, name)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in at]
        parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _LINES_HEIGHT - 4, self.across, "middle"))
        return _document(f"{self.title} ({self.unit})", series, parts, _LINES_HEIGHT)

    def _x(self, value: float, powers: tuple[int, int]) -> float:
        return _LEFT + _part(value, powers) * (_WIDTH - _LEFT - _RIGHT)

    def _y(self, value: float, powers: tuple[int, int]) -> float:
        return _LINES_HEIGHT - _BOTTOM - 12 - _part(value, powers) * (_LINES_HEIGHT - _TOP - _BOTTOM - 12)

    def _upright(self, power: int, powers: tuple[int, int]) -> tuple[str, str]:
        x = self._x(10.0**power, powers)
        line = f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{_LINES_HEIGHT - _BOTTOM - 12}" class="grid"/>'
        return line, _text(x, _LINES_HEIGHT - _BOTTOM + 4, _power(power), "middle")

    def _level(self, power: int, powers: tuple[int, int]) -> tuple[str, str]:
        y = self._y(10.0**power, powers)
        line = f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" class="grid"/>'
        return line, _text(_LEFT - 6, y + 4, _power(power), "end")


Chart = Bars | Lines


def write_charts(folder: Path, charts: Iterable[Chart]) -> list[Path]:
    """Write each chart into its file; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for chart in charts:
        path = folder / f"{chart.file}.svg"
        path.write_text(chart.svg(), encoding="utf-8")
        written.append(path)
    return written


def _document(title: str, series: list[str], parts: list[str], height: float) -> str:
    style = (
        f"text {{ font: 12px sans-serif; fill: {_INK}; }} .title {{ font-size: 15px; font-weight: bold; }}"
        f" .small {{ font-size: 9px; }} .grid {{ stroke: {_INK}; stroke-opacity: 0.3; }}"
    )
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{style}</style>",
        f'<text x="16" y="22" class="title">{escape(title)}</text>',
    ]
    return "\n".join([*head, *_legend(series), *parts, "</svg>", ""])


def _legend(series: list[str]) -> list[str]:
    parts, x = [], 16.0
    for name in series:
        parts.append(f'<rect x="{x:.1f}" y="36" width="10" height="10" fill="{_colour(series, name)}"/>')
        parts.append(_text(x + 14, 45, name, "start"))
        x += 30 + _LEGEND_STEP * len(name)
    return parts


def _bar(x: float, y: float, width: float, colour: str, hint: str) -> str:
    box = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_ROW - 2}" fill="{colour}">'
    return f"{box}<title>{escape(hint)}</title></rect>"


def _text(x: float, y: float, text: str, anchor: str, *, small: bool = False) -> str:
    kind = ' class="small"' if small else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(text)}</text>'


def _colour(series: list[str], name: str) -> str:
    return dict(zip(series, cycle(_COLOURS), strict=False))[name]


def _first_seen(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _decades(values: Iterable[float]) -> tuple[int, int]:
    """The powers of ten around all values."""
    found = [log10(value) for value in values]
    low, high = floor(min(found)), ceil(max(found))
    return low, max(high, low + 1)


def _part(value: float, powers: tuple[int, int]) -> float:
    return (log10(value) - powers[0]) / (powers[1] - powers[0])


def _power(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
