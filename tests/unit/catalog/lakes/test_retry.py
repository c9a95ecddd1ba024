"""Pauses between retries grow up to a limit, and settings that make no sense are refused by their names."""

from itertools import pairwise

import pytest

from forklake.catalog.lakes.lake import RetrySettings
from forklake.catalog.lakes.retry import LONGEST_PAUSE_SECONDS, pause_seconds
from forklake.errors import InvalidOption


def test_pauses_grow_and_none_is_longer_than_the_limit() -> None:
    pauses = [pause_seconds(RetrySettings(), attempt) for attempt in range(3000)]
    assert pauses[:3] == pytest.approx([0.1, 0.15, 0.225])
    assert all(earlier <= later for earlier, later in pairwise(pauses))
    assert pauses[-1] == max(pauses) == LONGEST_PAUSE_SECONDS


@pytest.mark.parametrize("backoff", [1.0, 2, 1e300])
def test_without_a_wait_retries_follow_at_once(backoff: float) -> None:
    assert pause_seconds(RetrySettings(retry_wait_ms=0, retry_backoff=backoff), 1) == 0


@pytest.mark.parametrize("backoff", [2, 1e300])
def test_an_enormous_backoff_is_no_error(backoff: float) -> None:
    assert pause_seconds(RetrySettings(retry_backoff=backoff), 10_000) == LONGEST_PAUSE_SECONDS


@pytest.mark.parametrize("count", [-1, 1.5, float("nan")])
def test_a_count_that_cannot_be_counted_to_is_refused(count: int) -> None:
    with pytest.raises(InvalidOption, match="ducklake_max_retry_count"):
        RetrySettings(max_retry_count=count)


@pytest.mark.parametrize("wait", [-1, -0.001, float("nan"), float("inf")])
def test_a_wait_that_cannot_be_waited_is_refused(wait: float) -> None:
    with pytest.raises(InvalidOption, match="ducklake_retry_wait_ms"):
        RetrySettings(retry_wait_ms=wait)


@pytest.mark.parametrize("backoff", [0, 0.999, -2, float("nan"), float("inf")])
def test_a_backoff_that_would_shorten_pauses_is_refused(backoff: float) -> None:
    with pytest.raises(InvalidOption, match="ducklake_retry_backoff"):
        RetrySettings(retry_backoff=backoff)
