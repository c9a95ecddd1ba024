"""Retries after transient failures, with growing random pauses."""

import random
from collections.abc import Callable
from time import sleep
from typing import TypeVar

from forklake.catalog.lakes.lake import Lake, RetrySettings
from forklake.errors import ForklakeError, StoreBusy, StoreError
from forklake.store.connection import DuplicateRow, OutcomeUnknown, TransientFailure

LONGEST_PAUSE_SECONDS = 5.0

T = TypeVar("T")


def pause(retry: RetrySettings, attempt: int) -> None:
    """Wait before the next attempt; the jitter prevents that writers collide repeatedly."""
    sleep(pause_seconds(retry, attempt) * random.uniform(0.5, 1))


def pause_seconds(retry: RetrySettings, attempt: int) -> float:
    """The maximum duration of a pause, which grows with each attempt up to a limit."""
    try:
        return min(retry.retry_wait_ms / 1000 * retry.retry_backoff**attempt, LONGEST_PAUSE_SECONDS)
    except OverflowError:
        return LONGEST_PAUSE_SECONDS


def with_retries(
    lake: Lake,
    operation: Callable[[], T],
    landed: Callable[[], T | None],
    *,
    exhausted: Callable[[StoreError], ForklakeError] | None = None,
    unknown: Callable[[], ForklakeError] | None = None,
    duplicates: int | None = None,
) -> T:
    """Execute an operation on the metadata database exactly once.

    `landed` checks if a previous attempt succeeded, and returns its result: called if the connection was lost, so that
    nothing is done twice. `exhausted` and `unknown` create the errors for an operation that kept failing, and for one
    with unknown outcome. After `duplicates` retries, an existing row no longer counts as a transient failure.
    """
    failure: StoreError
    for attempt in range(lake.retry.max_retry_count + 1):
        try:
            return operation()
        except OutcomeUnknown as lost:
            if (result := _resolve_outcome(lake, lost, landed, unknown)) is not None:
                return result
            failure = lost
        except TransientFailure as error:
            failure = error
            if isinstance(error, DuplicateRow) and duplicates is not None and attempt >= duplicates:
                break
        if attempt < lake.retry.max_retry_count:
            pause(lake.retry, attempt)
    if exhausted is not None:
        raise exhausted(failure) from failure
    raise StoreBusy(f"Failed after {lake.retry.max_retry_count} retries: {failure}") from failure


def _resolve_outcome(
    lake: Lake,
    lost: OutcomeUnknown,
    landed: Callable[[], T | None],
    unknown: Callable[[], ForklakeError] | None,
) -> T | None:
    """The result of `landed` once the lost session can no longer commit; waits until the database is available."""
    for attempt in range(lake.retry.max_retry_count + 1):
        try:
            lake.store.settle(lost)
            return landed()
        except StoreError:
            pause(lake.retry, attempt)
    if unknown is not None:
        raise unknown() from lost
    raise StoreBusy(f"{lake.store.location} became unavailable during COMMIT, and has not recovered.") from lost
