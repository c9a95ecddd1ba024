"""Try again what failed for a passing reason, with growing, random pauses."""

import random
from collections.abc import Callable
from time import sleep
from typing import TypeVar

from forklake.catalog.lake import Lake, RetrySettings
from forklake.errors import StoreBusy, StoreError
from forklake.store.connection import OutcomeUnknown, TransientFailure

T = TypeVar("T")


def pause(retry: RetrySettings, attempt: int) -> None:
    """Wait before the next attempt; jitter keeps writers that met once from meeting again."""
    sleep(retry.retry_wait_ms / 1000 * random.uniform(0.5, 1) * retry.retry_backoff**attempt)


def with_retries(lake: Lake, operation: Callable[[], T], landed: Callable[[], T | None]) -> T:
    """Carry out an operation on catalogs, once.

    `landed` looks whether an earlier attempt got through after all, and gives its result: asked when the
    connection was lost half-way, so that nothing is done twice.
    """
    failure: StoreError
    for attempt in range(lake.retry.max_retry_count + 1):
        try:
            if attempt and (result := landed()) is not None:
                return result
            return operation()
        except OutcomeUnknown as lost:
            failure = lost
            settle(lake, lost)
        except TransientFailure as error:
            failure = error
        if attempt < lake.retry.max_retry_count:
            pause(lake.retry, attempt)
    raise StoreBusy(f"Given up after {lake.retry.max_retry_count} retries: {failure}") from failure


def settle(lake: Lake, lost: OutcomeUnknown) -> None:
    """Keep a session that lost its connection from committing later; the database may need time to come back."""
    for attempt in range(lake.retry.max_retry_count + 1):
        try:
            lake.store.settle(lost)
        except StoreError:
            pause(lake.retry, attempt)
        else:
            return
    raise StoreBusy(f"{lake.store.location} went away during COMMIT and did not come back.") from lost
