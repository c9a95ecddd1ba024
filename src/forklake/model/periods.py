"""Periods of snapshots in which rows exist, and the kept snapshots within them."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from forklake.model.ids import SnapshotId
from forklake.model.lineage import NO_LIMIT

T = TypeVar("T")


class Period(NamedTuple):
    """A half-open range of snapshots; its end is NO_LIMIT if it is open."""

    begin: int
    end: int


class KeptSnapshots:
    """The snapshots of a catalog that have not expired."""

    def __init__(self, ids: Iterable[int]) -> None:
        self._ids = array("q", sorted(set(ids)))

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, snapshot_id: int) -> bool:
        return self.newest_in(Period(snapshot_id, snapshot_id + 1)) is not None

    def newest_in(self, period: Period) -> SnapshotId | None:
        """The newest kept snapshot of a period; None if there is none."""
        at = bisect_left(self._ids, period.end)
        return SnapshotId(self._ids[at - 1]) if at and self._ids[at - 1] >= period.begin else None


def visible_period(begin: int, end: int | None, top: int, marked: int | None = None) -> Period:
    """When a row is visible: its own end counts only up to the top of its level, an end marker always."""
    own = NO_LIMIT if end is None or end > top else end
    return Period(begin, own if marked is None else min(own, marked))


def overlapping_rows(rows: Iterable[tuple[Period, T]]) -> Iterator[tuple[T, T, Period]]:
    """Yields two rows and their common period, for each row that begins before all preceding ones have ended."""
    last: tuple[Period, T] | None = None
    for period, row in sorted(rows, key=lambda entry: entry[0]):
        if last is not None and period.begin < min(last[0].end, period.end):
            yield last[1], row, Period(period.begin, min(last[0].end, period.end))
        if last is None or period.end > last[0].end:
            last = (period, row)


def uncovered_periods(period: Period, covers: Iterable[Period]) -> Iterator[Period]:
    """The parts of a period that are not covered by the others."""
    begin = period.begin
    for cover in sorted(covers):
        if cover.begin >= period.end:
            break
        if cover.begin > begin:
            yield Period(begin, cover.begin)
        begin = max(begin, cover.end)
    if begin < period.end:
        yield Period(begin, period.end)
