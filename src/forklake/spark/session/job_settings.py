"""Settings of a session that a single job needs otherwise."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from threading import RLock

from pyspark.sql import SparkSession

READ_OPTIONS: Mapping[str, str] = {
    # Rows are never left out because they cannot be read.
    "ignoreCorruptFiles": "false",
    "ignoreMissingFiles": "false",
    # All our files have the calendar of ISO 8601; of files that Spark wrote otherwise, their footers tell.
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
    "mergeSchema": "false",
}
"""Options of every read of Parquet files; without them, settings of the session decide."""

WRITE_SETTINGS: Mapping[str, str] = {
    # Spark's default would write timestamps in a form that has no statistics and that others cannot read.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.writeLegacyFormat": "false",
    "spark.sql.parquet.fieldId.write.enabled": "true",
}
"""Settings of every job of Spark that writes Parquet files, which has no options for them."""

_ONE_AT_A_TIME = RLock()
"""Settings belong to the session, not to the job: two jobs must not put back each other's."""


@contextmanager
def spark_settings(spark: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Run with these settings, and leave the session as it was."""
    with ExitStack() as stack:
        # Looked at with the lock: what another job has set for itself is about to go.
        with _ONE_AT_A_TIME:
            other = {name: value for name, value in wanted.items() if spark.conf.get(name) != value}
            if other:
                stack.enter_context(_ONE_AT_A_TIME)
                stack.callback(_apply_settings, spark, {name: spark.conf.get(name, None) for name in other})
                _apply_settings(spark, other)
        yield


def _apply_settings(spark: SparkSession, settings: Mapping[str, str | None]) -> None:
    for name, value in settings.items():
        if value is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, value)
