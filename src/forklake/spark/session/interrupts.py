"""Ctrl-C while Spark works: it comes out as what it is, and the work ends."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep

_PAUSE_SECONDS = 0.05
_QUIET_LOOKS = 10
_PATIENCE_SECONDS = 10.0
"""Tasks that do not let themselves be ended are left to their end after this."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Around work of Spark: an interrupt cancels its jobs, and is raised as KeyboardInterrupt.

    PySpark may raise another error while it handles an interrupt, such as that a job was cancelled.
    """
    before = sys.exc_info()[1]
    try:
        yield
    except BaseException as error:
        if not _is_interrupt(error, before):
            raise
        _cancel_jobs()
        if isinstance(error, KeyboardInterrupt):
            raise
        raise KeyboardInterrupt from None


def _is_interrupt(error: BaseException | None, before: BaseException | None) -> bool:
    """Whether an error came of an interrupt; not of one that was being handled before."""
    seen: set[int] = set()
    while error is not None and error is not before and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _cancel_jobs() -> None:
    """PySpark does the same once, unless its connection is in use when the interrupt comes.

    A call that is interrupted goes on in the JVM, and may start its next job when those before it are cancelled.
    PySpark cannot cancel jobs that are to come, so they are cancelled as they come, until none has for a while.
    """
    if "pyspark" not in sys.modules:
        return
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    with suppress(Exception):
        context = SparkContext._active_spark_context
        if context is not None:
            tracker, end, quiet = context.statusTracker(), monotonic() + _PATIENCE_SECONDS, 0
            while quiet < _QUIET_LOOKS and monotonic() < end:
                context.cancelAllJobs()
                sleep(_PAUSE_SECONDS)
                quiet = 0 if tracker.getActiveJobsIds() else quiet + 1
        elif (session := SparkSession.getActiveSession()) is not None:
            session.interruptAll()
