"""The exponent of a growth curve."""

from functools import partial

import pytest

from benchmarks.peers.growth import Curve, bytes_shown, measured_curve, spread_sizes
from benchmarks.report import at_most

SIZES = (10.0, 100.0, 1_000.0, 10_000.0)


@pytest.mark.parametrize("exponent", [-0.5, 0.0, 0.1, 1.0, 2.0])
def test_a_power_of_the_size_has_its_exponent(exponent: float):
    curve = Curve("cost", tuple((size, 3.0 * size**exponent) for size in SIZES))
    assert curve.exponent == pytest.approx(exponent)


def test_one_odd_point_moves_the_exponent_only_a_little():
    flat = Curve("cost", ((10.0, 1.0), (100.0, 1.0), (1_000.0, 1.2), (10_000.0, 1.0)))
    assert abs(flat.exponent) < 0.02


def test_one_size_has_no_exponent():
    with pytest.raises(ValueError, match="fewer than two sizes"):
        _ = Curve("cost", ((10.0, 1.0), (10.0, 2.0))).exponent


def test_the_figure_shows_what_was_measured_and_holds_the_bar_to_two_digits():
    curve = Curve("fork", ((10.0, 0.001), (1_000.0, 0.001 * 100**1.003)))
    figure = curve.figure("scale", "postgres", at_most(1.0))
    assert (figure.name, figure.value, figure.verdict) == ("fork, exponent", 1.0, "PASS")
    assert figure.detail == "10: 1 ms, 1,000: 101 ms"


def test_sizes_end_at_the_largest():
    assert spread_sizes(1_000_000) == [1_000, 10_000, 100_000, 1_000_000]
    assert spread_sizes(20) == [1, 2, 20]


def test_a_curve_is_measured_at_every_size_from_the_smallest_to_the_largest():
    calls = {100: 0, 10: 0}

    def called(size: int) -> None:
        calls[size] += 1

    curve = measured_curve("calls", {size: partial(called, size) for size in calls}, 3, warm_up=1)
    assert [size for size, _ in curve.points] == [10.0, 100.0]
    assert calls == {100: 4, 10: 4}


def test_bytes_are_shown_in_the_largest_unit_that_fits():
    assert [bytes_shown(n) for n in (12, 34_500, 6.78e8, 5e12)] == ["12 bytes", "34.5 KB", "678 MB", "5,000 GB"]
