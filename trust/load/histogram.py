"""How long things took, in memory that does not grow with how many there were."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil, log

SMALLEST_SECONDS = 0.0001
STEP = 1.05
"""A bucket ends five percent above where it begins: no quantile is further off than that."""
BUCKETS = 300
"""The last one begins at more than three minutes."""


@dataclass(slots=True)
class Histogram:
    """Times in buckets. The longest is also kept as it was."""

    counts: list[int] = field(default_factory=lambda: [0] * BUCKETS)
    longest: float = 0.0

    @property
    def count(self) -> int:
        return sum(self.counts)

    def add(self, seconds: float) -> None:
        self.counts[_bucket(seconds)] += 1
        self.longest = max(self.longest, seconds)

    def include(self, other: "Histogram") -> None:
        self.counts = [mine + theirs for mine, theirs in zip(self.counts, other.counts, strict=True)]
        self.longest = max(self.longest, other.longest)

    def quantile(self, share: float) -> float:
        """The time within which this share of them was done, rounded up to the end of its bucket."""
        wanted, seen = ceil(share * self.count), 0
        for bucket, count in enumerate(self.counts):
            seen += count
            if count and seen >= wanted:
                return min(SMALLEST_SECONDS * STEP**bucket, self.longest)
        return 0.0


def together(histograms: Iterable[Histogram]) -> Histogram:
    """All of them as one."""
    whole = Histogram()
    for histogram in histograms:
        whole.include(histogram)
    return whole


def _bucket(seconds: float) -> int:
    if seconds <= SMALLEST_SECONDS:
        return 0
    return min(BUCKETS - 1, ceil(log(seconds / SMALLEST_SECONDS) / log(STEP)))
