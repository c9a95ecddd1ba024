"""Whether something that should stay as it is has grown."""

from collections.abc import Sequence

WARM_UP = 0.5
"""The share of a run that is not looked at: modules, caches, connections and plans come in it."""


def growth(points: Sequence[tuple[float, float]]) -> float:
    """By how much the second half of a series rises, as the straight line through it says.

    A line through all points, and not the last less the first: memory comes and goes in steps as pieces are given
    back to the system, and one step at either end would say more about the moment than about the run. Only what
    keeps rising tilts the line.
    """
    late = [point for point in points if point[0] >= points[-1][0] * WARM_UP]
    middle = sum(at for at, _ in late) / len(late)
    level = sum(value for _, value in late) / len(late)
    spread = sum((at - middle) ** 2 for at, _ in late)
    if not spread:
        return 0.0
    slope = sum((at - middle) * (value - level) for at, value in late) / spread
    return slope * (late[-1][0] - late[0][0])
