"""How a cost grows with a size: measured at several sizes, and the exponent that fits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean

from benchmarks.report import Bar, Figure, duration
from benchmarks.timing import measure_in_turns

FLAT = 0.1
"""What does not depend on a size stays below this exponent."""
LINEAR = 1.0


@dataclass(frozen=True, slots=True)
class Curve:
    """A cost at each of several sizes, from the smallest to the largest."""

    name: str
    points: tuple[tuple[float, float], ...]
    """Sizes with their costs."""

    @property
    def exponent(self) -> float:
        """The cost grows like the size to this power, by least squares over the logarithms of both.

        0 is flat, 1 grows like the size; ten times the size costs ten to this power times as much.
        """
        if len({size for size, _ in self.points}) < 2:
            raise ValueError(f"{self.name} was measured at fewer than two sizes")
        sizes, costs = [log(size) for size, _ in self.points], [log(cost) for _, cost in self.points]
        mean_size, mean_cost = fmean(sizes), fmean(costs)
        together = sum((s - mean_size) * (c - mean_cost) for s, c in zip(sizes, costs, strict=True))
        return together / sum((s - mean_size) ** 2 for s in sizes)

    def figure(self, benchmark: str, backend: str, bar: Bar | None, shown: Callable[[float], str] = duration) -> Figure:
        """The exponent, to the two digits that a measurement is good for, with what was measured as the detail."""
        detail = ", ".join(f"{size:,.0f}: {shown(cost)}" for size, cost in self.points)
        return Figure(benchmark, backend, f"{self.name}, exponent", round(self.exponent, 2) + 0.0, "", bar, detail)


def measured_curve(name: str, actions: Mapping[int, Callable[[], object]], repeats: int, *, warm_up: int = 2) -> Curve:
    """The median seconds of an action at each size; all sizes in turn, so that a slow moment strikes all."""
    times = measure_in_turns({str(size): action for size, action in actions.items()}, repeats, warm_up=warm_up)
    return Curve(name, tuple((float(size), times[str(size)].median) for size in sorted(actions)))


def spread_sizes(largest: int, points: int = 4, factor: int = 10) -> list[int]:
    """Sizes up to the largest, each so many times the one before."""
    return sorted({max(1, largest // factor**step) for step in range(points)})


def bytes_shown(count: float) -> str:
    """A number of bytes for people."""
    units: Sequence[str] = ("bytes", "KB", "MB", "GB")
    power = next((power for power in range(len(units)) if count < 1000 ** (power + 1)), len(units) - 1)
    return f"{count / 1000**power:,.4g} {units[power]}"
