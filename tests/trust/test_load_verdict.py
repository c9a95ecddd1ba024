"""What counts as growth, and how times are kept."""

from dataclasses import replace

import pytest

from trust.load.growth import growth
from trust.load.histogram import Histogram, together
from trust.load.meter import Held
from trust.load.record import Moment, Record
from trust.load.server import Connections
from trust.load.soak import Soak
from trust.load.tally import Counts
from trust.load.verdict import MIB, connections, handles, memory

STEADY = Held(memory=200 * MIB, blocks=1000, threads=80, files=30)
IDLE = Held(memory=100 * MIB, blocks=500, threads=1, files=5)


def record_of(*held: Held) -> Record:
    moments = [Moment(float(second), Counts(), {0: each}, 20, 10 * MIB) for second, each in enumerate(held, 1)]
    return Record(Soak("postgres:", "data/", 1, len(held)), {0: IDLE}, moments, closed={0: IDLE})


def test_memory_that_keeps_rising_is_noticed() -> None:
    leaking = [replace(STEADY, memory=STEADY.memory + second * MIB) for second in range(60)]
    [sentence] = memory(record_of(*leaking))
    assert "memory grew by 30.0 MiB" in sentence


def test_memory_that_is_taken_while_warming_up_is_no_leak() -> None:
    warming = [replace(STEADY, memory=min(STEADY.memory, (100 + 5 * second) * MIB)) for second in range(60)]
    assert list(memory(record_of(*warming))) == []


def test_a_step_of_memory_at_the_end_is_no_leak() -> None:
    held = [STEADY] * 58 + [replace(STEADY, memory=STEADY.memory + 12 * MIB)] * 2
    assert list(memory(record_of(*held))) == []


def test_threads_and_files_that_grow_are_noticed() -> None:
    leaking = [replace(STEADY, threads=80 + second, files=30 + second) for second in range(60)]
    assert [sentence.split(":")[1] for sentence in handles(record_of(*leaking))] == [
        " threads grew by 30 in the second half; seed 1",
        " open files grew by 30 in the second half; seed 1",
    ]


def test_what_stays_open_after_closing_is_noticed() -> None:
    record = record_of(STEADY)
    record.closed[0] = replace(IDLE, threads=3)
    assert "3 and 5 after everything was closed" in next(handles(record))


def test_more_connections_than_the_pools_may_open_are_noticed() -> None:
    record = record_of(STEADY)
    record.moments[0] = replace(record.moments[0], connections=97)
    assert list(connections(record)) == ["97 connections were open at once, and the pools may open 96"]


def test_a_transaction_that_is_left_open_is_noticed() -> None:
    record = record_of(STEADY)
    record.after_work = Connections(20, 1)
    assert list(connections(record)) == ["1 connections were not idle after all sessions had ended"]


def test_a_series_of_one_point_does_not_grow() -> None:
    assert growth([(1.0, 5.0)]) == 0


def test_quantiles_are_right_within_five_percent() -> None:
    odd, even = Histogram(), Histogram()
    for number in range(1, 10_001):
        (odd if number % 2 else even).add(number / 1000)
    whole = together([odd, even])
    assert whole.count == 10_000
    assert [whole.quantile(share) for share in (0.5, 0.99, 0.999, 1)] == pytest.approx([5, 9.9, 9.99, 10], rel=0.05)


def test_times_beyond_all_bounds_are_kept() -> None:
    histogram = Histogram()
    histogram.add(0)
    histogram.add(100_000)
    assert (histogram.quantile(0.5), histogram.longest) == (0.0001, 100_000)
