"""The Spark session: one that was given, or one started on first need."""

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
    # Errors come as exceptions; Spark would print each of them as well, several times.
    LOG_LEVEL: "FATAL",
    ZONE: "UTC",
    "spark.sql.shuffle.partitions": "16",
    # Opening a local file costs far less than the default assumes: many small files go into few tasks.
    "spark.sql.files.openCostInBytes": "262144",
    # On one machine everything is near. Read by the task that wrote it, what is shuffled is as uneven as files are.
    "spark.sql.adaptive.localShuffleReader.enabled": "false",
    # Code that Spark makes for a query stays compiled while it is kept; the default keeps that of a few queries.
    "spark.sql.codegen.cache.maxEntries": "1000",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Otherwise the Parquet filter finds no row of October 5 to 14, 1582: the older calendar has no such days.
    "spark.sql.datetime.java8API.enabled": "true",
    # With it, Spark 4 fails at a correlated subquery in SELECT over a table whose files differ in their columns.
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.PushProjectionThroughUnion",
    "spark.sql.catalogImplementation": "in-memory",
}
"""Settings of a session of our own, for one machine; the `settings` of `connect` override each of them."""


class _InheritedSpark:
    """What this process has of Spark that is another's: a context from before `os.fork`, of which two cannot share the
    connection."""

    def __init__(self) -> None:
        self.inherited: SparkContext | None = None
        register_for_forks(self)

    def before_fork(self) -> None:
        """Spark stays with the process that has started it."""

    def after_fork(self) -> None:
        self.inherited = SparkContext._active_spark_context


_PROCESS = _InheritedSpark()


class SparkProvider:
    """A session when somebody asks for one. Metadata alone never does."""

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
        # What needs Spark for nothing else goes on in the new process.
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
        """The time zone in which Spark reads texts without one; ours is UTC until it is told otherwise."""
        return self.setting(ZONE) if self._watched is None else self.settings.zone

    def setting(self, name: str, default: str | None = None) -> str:
        """The value of a setting, or the default if nobody has set it; Spark is not started for that.

        Without a default, it must be one that Spark knows, or that sessions of our own have.
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
        """What the session's settings mean for us. InvalidOption if we cannot work with them."""
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
        """The session, started now if there was none. A given one is used as it is, and its settings are left alone."""
        with self._lock:
            self._check_own()
            if self._spark is None:
                self._spark = SparkSession.getActiveSession() or _start_session(self._given)
                self._watched = WatchedSettings(self._spark)
            return self._spark

    def _active(self) -> SparkSession | None:
        """The session that is active in this process, which `get` would take: its settings count from the beginning."""
        return None if _PROCESS.inherited is not None else SparkSession.getActiveSession()

    def _check_own(self) -> None:
        inherited = _PROCESS.inherited
        if self._is_inherited or (inherited is not None and inherited is SparkContext._active_spark_context):
            raise QueryFailed(
                "Spark was started before this process was forked from another, and only that one can use it."
                " Start processes by spawn, or fork before Spark is started."
            )


def is_remote(spark: SparkSession) -> bool:
    """Whether a session is the client of a Spark Connect server, which may be on another machine."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")


def _start_session(given: Mapping[str, str]) -> SparkSession:
    if _names_a_server(given):
        # The settings of a server are its own; those given are for the session.
        return build_session(given)
    # PySpark's own log repeats errors that come as exceptions.
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Workers run this interpreter, which has what they import; another Python on the PATH may not.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Spark may make this folder when it looks for tables of its own: not in the user's folder.
    warehouse = Path(gettempdir()) / f"forklake-spark-{os.getpid()}" / "warehouse"
    settings = {"spark.sql.warehouse.dir": str(warehouse), **ONE_MACHINE, **given}
    return start_spark(settings, verbose=LOG_LEVEL in given)


def _names_a_server(settings: Mapping[str, str]) -> bool:
    return "spark.remote" in settings or "SPARK_REMOTE" in os.environ
