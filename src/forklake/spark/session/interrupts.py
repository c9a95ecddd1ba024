"""Handling of Ctrl-C during Spark jobs: raises KeyboardInterrupt and cancels the jobs."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from types import FrameType

_PAUSE_SECONDS = 0.05
_QUIET_LOOKS = 10
_PATIENCE_SECONDS = 10.0
"""Tasks that cannot be cancelled within this time are left running."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Wraps Spark jobs: an interrupt cancels them, and is raised as KeyboardInterrupt.

    PySpark may raise another error while it handles an interrupt, for example that a job was cancelled.
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


def cancel_jobs_on_interrupt() -> None:
    """Cancel all jobs before an interrupt is raised, as PySpark does if it is started by the main thread.

    A call of PySpark can lose an interrupt, and then it waits for its job. A process that ignores them keeps doing so.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        return

    def cancel(number: int, frame: FrameType | None) -> None:
        from pyspark import SparkContext

        try:
            context = SparkContext._active_spark_context
            if context is not None:
                context.cancelAllJobs()
        finally:
            if callable(before):
                before(number, frame)
            else:
                raise KeyboardInterrupt

    signal.signal(signal.SIGINT, cancel)


def _is_interrupt(error: BaseException | None, before: BaseException | None) -> bool:
    """Whether an error was caused by an interrupt, other than one that was already being handled."""
    seen: set[int] = set()
    while error is not None and error is not before and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _cancel_jobs() -> None:
    """Cancel all jobs. PySpark does so only once, and not if its connection is in use during the interrupt.

    An interrupted call continues in the JVM, and may start its next job after the previous ones are cancelled. PySpark
    cannot cancel future jobs, so they are cancelled as they appear, until there are none for a while.
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
