"""The Spark session: given by the user, or started on demand."""

import logging
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir
from threading import Lock

from pyspark import SparkContext
from pyspark.sql import SparkSession

from forklake.errors import InvalidOption, QueryFailed
from forklake.model.process_forks import register_for_forks
from forklake.spark.session.jvm_start import LOG_LEVEL, build_session, start_spark
from forklake.spark.session.scan_cache import ScanCache
from forklake.spark.session.session_settings import ZONE, SessionSettings, WatchedSettings, settings_from

ONE_MACHINE: Mapping[str, str] = {
    "spark.master": "local[*]",
    "spark.app.name": "forklake",
    "spark.driver.memory": "2g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Errors are raised as exceptions; Spark would also log each of them several times.
    LOG_LEVEL: "FATAL",
    ZONE: "UTC",
    "spark.sql.shuffle.partitions": "16",
    # Opening a local file is far cheaper than the default assumes: many small files are combined into few tasks.
    "spark.sql.files.openCostInBytes": "262144",
    # Useless on one machine. If read by the task that wrote it, shuffled data is as uneven as the files are.
    "spark.sql.adaptive.localShuffleReader.enabled": "false",
    # Generated code stays compiled while it is cached; the default size holds only a few queries.
    "spark.sql.codegen.cache.maxEntries": "1000",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Otherwise the Parquet filter finds no rows of October 5 to 14, 1582: the older calendar has no such days.
    "spark.sql.datetime.java8API.enabled": "true",
    # With this rule, Spark 4 fails for a correlated subquery in SELECT over a table whose files differ in their
    # columns.
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.PushProjectionThroughUnion",
    "spark.sql.catalogImplementation": "in-memory",
}
"""Settings of our own single-machine session; each can be overridden by the `settings` of `connect`."""


class _InheritedSpark:
    """The Spark context inherited from the parent process after `os.fork`, whose connection cannot be shared."""

    def __init__(self) -> None:
        self.inherited: SparkContext | None = None
        register_for_forks(self)

    def before_fork(self) -> None:
        """Nothing to do: Spark remains with the process that started it."""

    def after_fork(self) -> None:
        self.inherited = SparkContext._active_spark_context


_PROCESS = _InheritedSpark()


class SparkProvider:
    """Provides a session on demand. Metadata operations never need one."""

    def __init__(self, spark: SparkSession | None = None, settings: Mapping[str, str] | None = None) -> None:
        self._spark = spark
        self._given = dict(settings or {})
        self._watched = None if spark is None else WatchedSettings(spark)
        self._lock = Lock()
        self.cache = ScanCache()
        self._settings_before_fork: SessionSettings | None = None
        self._is_inherited = False
        register_for_forks(self)

    def before_fork(self) -> None:
        # Operations that need only the settings of Spark continue to work in the child process.
        if self._watched is not None and not self._is_inherited:
            with suppress(Exception):
                self._settings_before_fork = self._watched.now()

    def after_fork(self) -> None:
        self._lock, self._is_inherited = Lock(), self._spark is not None

    @property
    def is_running(self) -> bool:
        return self._spark is not None

    @property
    def zone(self) -> str:
        """The time zone that Spark assumes for text without one; UTC in our own sessions unless configured."""
        return self.setting(ZONE) if self._watched is None else self.settings.zone

    def setting(self, name: str, default: str | None = None) -> str:
        """The value of a setting, or the default if it is not set; does not start Spark.

        Without a default, the setting must be known to Spark, or be one of our own sessions' settings.
        """
        if self._is_inherited and name == ZONE and self._settings_before_fork is not None:
            return self._settings_before_fork.zone
        active = None if self.is_running else self._active()
        if not self.is_running and active is None and not _names_a_server(self._given):
            return self._given.get(name) or ONE_MACHINE.get(name) or default or ""
        found = (active or self.get()).conf
        return (found.get(name) if default is None else found.get(name, default)) or ""

    @property
    def settings(self) -> SessionSettings:
        """The interpreted settings of the session. Raises InvalidOption if they are not supported."""
        if self._watched is None:
            active = self._active()
            found = settings_from({**ONE_MACHINE, **self._given}) if active is None else WatchedSettings(active).now()
        elif self._is_inherited and self._settings_before_fork is not None:
            found = self._settings_before_fork
        else:
            self._check_own()
            found = self._watched.now()
        if found.problem is not None:
            raise InvalidOption(found.problem)
        return found

    def get(self) -> SparkSession:
        """The session, started if necessary. A given session is used as it is, and its settings are not changed."""
        with self._lock:
            self._check_own()
            if self._spark is None:
                self._spark = SparkSession.getActiveSession() or _start_session(self._given)
                self._watched = WatchedSettings(self._spark)
            return self._spark

    def _active(self) -> SparkSession | None:
        """The active session of this process, which `get` would use: its settings apply from the beginning."""
        return None if _PROCESS.inherited is not None else SparkSession.getActiveSession()

    def _check_own(self) -> None:
        inherited = _PROCESS.inherited
        if self._is_inherited or (inherited is not None and inherited is SparkContext._active_spark_context):
            raise QueryFailed(
                "Spark was started before this process was forked from another, and only that one can use it."
                " Start processes by spawn, or fork before Spark is started."
            )


def is_remote(spark: SparkSession) -> bool:
    """Whether a session is a client of a Spark Connect server, which may be on another machine."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")


def _start_session(given: Mapping[str, str]) -> SparkSession:
    if _names_a_server(given):
        # A server has its own settings; the given ones are for the session.
        return build_session(given)
    # PySpark's log repeats errors that are raised as exceptions.
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Workers use this interpreter, in which their imports are installed; another Python on the PATH may lack them.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Spark may create this folder when it looks for its own tables: not in the current directory.
    warehouse = Path(gettempdir()) / f"forklake-spark-{os.getpid()}" / "warehouse"
    settings = {"spark.sql.warehouse.dir": str(warehouse), **ONE_MACHINE, **given}
    return start_spark(settings, verbose=LOG_LEVEL in given)


def _names_a_server(settings: Mapping[str, str]) -> bool:
    return "spark.remote" in settings or "SPARK_REMOTE" in os.environ
