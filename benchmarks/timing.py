"""Time several actions side by side, so that a slow moment of the machine strikes all of them."""

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from statistics import median, quantiles
from time import perf_counter

_RANDOM = Random(1)
"""One for a whole run: with a single round for each of many things, every one has an order of its own."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How long an action took, each time it ran."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def spread(self) -> float:
        """The middle half of the times, from its lowest to its highest, as a part of the median."""
        if len(self.seconds) < 2:
            return 0.0
        low, _, high = quantiles(self.seconds, n=4, method="inclusive")
        return (high - low) / self.median


def seconds_of(action: Callable[[], object]) -> float:
    """Seconds that one call takes."""
    start = perf_counter()
    action()
    return perf_counter() - start


def measure_in_turns(
    actions: Mapping[str, Callable[[], object]],
    repeats: int,
    *,
    warm_up: int = 2,
    before: Callable[[], object] = lambda: None,
) -> dict[str, Sample]:
    """Run every action `repeats` times, in rounds of all of them; what `before` does before each is not counted.

    The same action under two names comes out as 1.0, within a few percent.
    """
    seconds: dict[str, list[float]] = {name: [] for name in actions}
    with _no_collections():
        for _ in range(warm_up):
            for action in actions.values():
                before()
                action()
        for order in _orders(list(actions), repeats):
            for name in order:
                before()
                seconds[name].append(seconds_of(actions[name]))
    return {name: Sample(tuple(values)) for name, values in seconds.items()}


def _orders(names: list[str], rounds: int) -> Iterator[list[str]]:
    """Shuffled, because whatever recurs by itself would strike the same action in a regular order; and every
    other round the reverse of the one before, because what comes first in a round is a little slower."""
    order = names
    for number in range(rounds):
        order = order[::-1] if number % 2 else _RANDOM.sample(names, len(names))
        yield order


@contextmanager
def _no_collections() -> Iterator[None]:
    # A full collection doubles the time of whichever action triggers it, and slows the one that comes after it.
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
