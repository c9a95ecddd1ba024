"""Session settings that single jobs have to override."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from threading import RLock

from pyspark.sql import SparkSession

READ_OPTIONS: Mapping[str, str] = {
    # Rows are never skipped because they cannot be read.
    "ignoreCorruptFiles": "false",
    "ignoreMissingFiles": "false",
    # All our files use the ISO 8601 calendar; for other files written by Spark, the footer tells the calendar.
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
    "mergeSchema": "false",
}
"""Options for every read of Parquet files; without them, session settings apply."""

WRITE_SETTINGS: Mapping[str, str] = {
    # Spark's default would write timestamps in a format without statistics that other readers do not support.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.writeLegacyFormat": "false",
    "spark.sql.parquet.fieldId.write.enabled": "true",
}
"""Settings for every Spark job that writes Parquet files, for which there are no options."""

_ONE_AT_A_TIME = RLock()
"""Settings belong to the session, not to the job: two jobs must not restore each other's values."""


@contextmanager
def spark_settings(spark: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Apply these settings in the block, and restore the session afterwards."""
    with ExitStack() as stack:
        # Read under the lock: temporary settings of another job are about to be restored.
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
