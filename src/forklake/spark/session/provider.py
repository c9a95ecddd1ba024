"""The Spark session: given by the user, or started on demand."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir
from threading import Lock, current_thread, get_ident, main_thread
from typing import TYPE_CHECKING

from forklake.errors import InvalidOption, QueryFailed
from forklake.model.module_on_use import module_on_use
from forklake.model.process_forks import register_for_forks
from forklake.spark.session.background_start import BackgroundStart
from forklake.spark.session.environment_settings import environment_settings
from forklake.spark.session.interrupts import cancel_jobs_on_interrupt
from forklake.spark.session.scan_cache import ScanCache
from forklake.spark.session.session_settings import (
    JAVA_OPTIONS,
    LOG_LEVEL,
    ZONE,
    SessionSettings,
    WatchedSettings,
    settings_from,
)

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from forklake.spark.session import jvm_start, shared_folders
else:
    jvm_start = module_on_use("forklake.spark.session.jvm_start")
    shared_folders = module_on_use("forklake.spark.session.shared_folders")

ONE_MACHINE: Mapping[str, str] = {
    "spark.master": "local[*]",
    "spark.app.name": "forklake",
    "spark.driver.memory": "2g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Errors are raised as exceptions; Spark would also log each of them several times.
    LOG_LEVEL: "FATAL",
    # The second compiler of the JVM waits ten times as long as usual for what it compiles: many sessions are short.
    JAVA_OPTIONS: "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000"
    " -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000",
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


_FIRST_QUERY = "SELECT id % 2 AS k, count(*) FROM range(10) WHERE id > 1 GROUP BY 1 ORDER BY 1"
"""Loads the classes that most queries need."""


class _SparkOfProcess:
    """What all sessions of a process share: one start of Spark, and what is left of Spark after `os.fork`."""

    def __init__(self) -> None:
        self.inherited: SparkContext | None = None
        """The context inherited from the parent process, whose connection cannot be shared."""
        self._starting = Lock()
        self._starter: int | None = None
        register_for_forks(self)

    def before_fork(self) -> None:
        """Nothing to do: Spark remains with the process that started it."""

    def after_fork(self) -> None:
        self.inherited, self._starting = _active_context(), Lock()

    @contextmanager
    def one_start(self) -> Iterator[None]:
        """Wraps a start of Spark: two at once would be two JVMs, one of them for nothing."""
        with self._starting:
            self._starter = get_ident()
            try:
                yield
            finally:
                self._starter = None

    @property
    def is_starting_here(self) -> bool:
        """Whether this thread is starting Spark, and others wait for it."""
        return self._starter == get_ident()


_PROCESS = _SparkOfProcess()


class SparkProvider:
    """Provides a session on demand. Metadata operations never need one."""

    def __init__(self, spark: SparkSession | None = None, settings: Mapping[str, str] | None = None) -> None:
        self._spark = spark
        self._given = dict(settings or {})
        # What is given to the session takes precedence over the environment of its JVM.
        self._until_start = {**environment_settings(), **ONE_MACHINE, **self._given}
        self._before_start = settings_from(self._until_start)
        self._watched = None if spark is None else WatchedSettings(spark)
        self._lock = Lock()
        self.cache = ScanCache()
        self._shared_folders: set[str] = set()
        self._settings_before_fork: SessionSettings | None = None
        self._is_inherited = False
        self._background: BackgroundStart | None = None
        register_for_forks(self)

    def before_fork(self) -> None:
        # A child process cannot tell what to make of half a start. A start itself forks for its JVM: it must not wait
        # for another start, which waits for it.
        if self._background is not None and not _PROCESS.is_starting_here:
            self._background.wait()
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
            return self._until_start.get(name) or default or ""
        found = (active or self.get()).conf
        return (found.get(name) if default is None else found.get(name, default)) or ""

    @property
    def settings(self) -> SessionSettings:
        """The interpreted settings of the session. Raises InvalidOption if they are not supported."""
        if self._watched is None:
            active = self._active()
            found = self._before_start if active is None else WatchedSettings(active).now()
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
                with _PROCESS.one_start():
                    self._spark = active_session() or _start_session(self._given)
                self._watched = WatchedSettings(self._spark)
            if self._background is not None and current_thread() is main_thread():
                self._background = None
                cancel_jobs_on_interrupt()
            return self._spark

    def check_shared(self, root: str, folder: str) -> None:
        """Ensure once for a local root that the executors of a running cluster see files in it; tried in the folder."""
        if self._spark is None or self._is_inherited or root in self._shared_folders:
            return
        if may_run_elsewhere(self._spark):
            shared_folders.check_shared(self._spark, folder)
        self._shared_folders.add(root)

    def start_in_background(self) -> None:
        """Start the session in a thread, unless there is one; whoever needs it meanwhile waits for it."""
        if self._spark is None and self._background is None and active_session() is None:
            # Two threads that import PySpark at the same time get half of it: it imports itself in circles.
            import_module(jvm_start.__name__)
            self._background = BackgroundStart(self._start_and_warm_up)

    def _start_and_warm_up(self) -> None:
        # The first query of a session takes as long as its start.
        SparkProvider.get(self).sql(_FIRST_QUERY).collect()

    def _active(self) -> SparkSession | None:
        """The session of this process, which `get` would use: its settings apply from the beginning."""
        return None if _PROCESS.inherited is not None else active_session()

    def _check_own(self) -> None:
        inherited = _PROCESS.inherited
        if self._is_inherited or (inherited is not None and inherited is _active_context()):
            raise QueryFailed(
                "Spark was started before this process was forked from another, and only that one can use it."
                " Start processes by spawn, or fork before Spark is started."
            )


def active_session() -> SparkSession | None:
    """The active session of this thread, or else the one that another thread has started.

    Does not import PySpark, without which there is none.
    """
    if "pyspark.sql" not in sys.modules:
        return None
    if _active_context() is None and "pyspark.sql.connect.session" not in sys.modules:
        # There is neither kind of session. PySpark takes much longer to say so.
        return None
    # Waits if another thread is importing it.
    sessions = import_module("pyspark.sql").SparkSession
    active: SparkSession | None = sessions.getActiveSession()
    # PySpark would return this one from `getOrCreate`, and change its settings.
    started: SparkSession | None = getattr(sessions, "_instantiatedSession", None)
    if active is None and started is not None and started.sparkContext is _active_context():
        return started
    return active


def _active_context() -> SparkContext | None:
    return None if "pyspark" not in sys.modules else import_module("pyspark").SparkContext._active_spark_context


def is_remote(spark: SparkSession) -> bool:
    """Whether a session is a client of a Spark Connect server, which may be on another machine."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")


def may_run_elsewhere(spark: SparkSession) -> bool:
    """Whether jobs of a session may run on other machines than this process."""
    master = spark.conf.get("spark.master", "") or ""
    return is_remote(spark) or not (master == "local" or master.startswith("local["))


def _start_session(given: Mapping[str, str]) -> SparkSession:
    if _names_a_server(given):
        # A server has its own settings; the given ones are for the session.
        return jvm_start.build_session(given)
    # PySpark's log repeats errors that are raised as exceptions.
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Workers use this interpreter, in which their imports are installed; another Python on the PATH may lack them.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Spark may create this folder when it looks for its own tables: not in the current directory.
    warehouse = Path(gettempdir()) / f"forklake-spark-{os.getpid()}" / "warehouse"
    settings = {"spark.sql.warehouse.dir": str(warehouse), **ONE_MACHINE, **given}
    return jvm_start.start_spark(settings, verbose=LOG_LEVEL in given)


def _names_a_server(settings: Mapping[str, str]) -> bool:
    return "spark.remote" in settings or "SPARK_REMOTE" in os.environ
