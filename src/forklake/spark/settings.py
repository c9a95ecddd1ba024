"""Settings of a session that a single job needs otherwise."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from threading import RLock

from pyspark.sql import SparkSession

_ONE_AT_A_TIME = RLock()
"""Settings belong to the session, not to the job: two jobs must not put back each other's."""


@contextmanager
def spark_settings(spark: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Run with these settings, and leave the session as it was."""
    with ExitStack() as stack:
        # Looked at with the lock: what another job has set for itself is about to go.
        with _ONE_AT_A_TIME:
            before: dict[str, str | None] = {name: spark.conf.get(name, None) for name in wanted}
            if before != wanted:
                stack.enter_context(_ONE_AT_A_TIME)
                stack.callback(_set, spark, before)
                _set(spark, wanted)
        yield


def _set(spark: SparkSession, settings: Mapping[str, str | None]) -> None:
    for name, value in settings.items():
        if value is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, value)
