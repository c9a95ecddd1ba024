"""Settings of a session that a single job needs otherwise."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock

from pyspark.sql import SparkSession

_ONE_AT_A_TIME = RLock()
"""Settings belong to the session, not to the job: two jobs must not put back each other's."""


@contextmanager
def spark_settings(spark: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Run with these settings, and leave the session as it was."""
    differing = {name: value for name, value in wanted.items() if spark.conf.get(name, None) != value}
    if not differing:
        yield
        return
    with _ONE_AT_A_TIME:
        before: dict[str, str | None] = {name: spark.conf.get(name, None) for name in differing}
        try:
            for name, value in differing.items():
                spark.conf.set(name, value)
            yield
        finally:
            for name, old in before.items():
                if old is None:
                    spark.conf.unset(name)
                else:
                    spark.conf.set(name, old)
