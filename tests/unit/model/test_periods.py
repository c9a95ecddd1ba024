"""Periods of snapshots: what overlaps, what is left open, and what kept snapshots show."""

from hypothesis import given
from hypothesis import strategies as st

from forklake.model.lineage import NO_LIMIT
from forklake.model.periods import KeptSnapshots, Period, overlapping_rows, uncovered_periods, visible_period

snapshots = st.integers(0, 20)
periods = st.builds(Period, snapshots, snapshots)


def points(period: Period) -> set[int]:
    return set(range(period.begin, period.end))


def test_an_end_counts_up_to_the_top_of_its_level() -> None:
    assert visible_period(3, None, 9) == (3, NO_LIMIT)
    assert visible_period(3, 9, 9) == (3, 9)
    assert visible_period(3, 10, 9) == (3, NO_LIMIT)


def test_a_marker_ends_a_row_if_nothing_has_before() -> None:
    assert visible_period(3, None, 9, 12) == (3, 12)
    assert visible_period(3, 5, 9, 12) == (3, 5)


@given(st.sets(snapshots), periods)
def test_the_newest_kept_snapshot_of_a_period(kept: set[int], period: Period) -> None:
    assert KeptSnapshots(kept).newest_in(period) == max(kept & points(period), default=None)
    assert all(snapshot in KeptSnapshots(kept) for snapshot in kept)
    assert 21 not in KeptSnapshots(kept)


@given(periods, st.lists(periods))
def test_what_is_not_covered_is_in_the_period_and_in_no_cover(period: Period, covers: list[Period]) -> None:
    expected = points(period).difference(*map(points, covers))
    assert set().union(*map(points, uncovered_periods(period, covers))) == expected


@given(st.lists(periods, max_size=4))
def test_overlaps_are_found_exactly_if_there_are_any(rows: list[Period]) -> None:
    found = list(overlapping_rows((row, row) for row in rows))
    counted = sum(len(points(row)) for row in rows)
    assert bool(found) == (counted > len(set().union(*map(points, rows))))
    assert all(points(both) <= points(first) & points(second) for first, second, both in found)
