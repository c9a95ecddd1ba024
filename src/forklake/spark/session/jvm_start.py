"""Start of Spark in our own JVM, whose output during the start is shown only if it fails.

PySpark has no public API to redirect the output of its JVM, so `launch_gateway` and the gateway of the context are
used.
"""

import atexit
import os
import select
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Lock, Thread, get_native_id

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from forklake.errors import QueryFailed
from forklake.spark.session.child_processes import children_of_thread, kill_all
from forklake.spark.session.class_archive import ClassArchive, class_archive
from forklake.spark.session.session_settings import JAVA_OPTIONS

_ERROR_OUTPUT = 2
_KEPT_BYTES = 2000
_SECONDS_FOR_LAST_WORDS = 5


def start_spark(settings: Mapping[str, str], *, verbose: bool = False) -> SparkSession:
    """A session with these settings, and the JVM it needs. Raises QueryFailed if it does not start."""
    if SparkContext._gateway is not None:
        return build_session(settings)
    with class_archive(settings) as archive:
        try:
            return _start(settings, archive, verbose=verbose)
        except QueryFailed:
            if not archive.options:
                raise
    session = _start(settings, ClassArchive(), verbose=verbose)
    # Spark starts without it, so the archive was the cause.
    archive.discard()
    return session


def _start(settings: Mapping[str, str], archive: ClassArchive, *, verbose: bool) -> SparkSession:
    output, message = StartOutput(verbose=verbose), ""
    try:
        with _end_jvm_on_failure():
            try:
                _launch_jvm(settings, archive, output)
                session = build_session(settings)
            except Exception as error:
                # Py4J asks the JVM for the message.
                message = str(error)
                raise
    except Exception as error:
        raise QueryFailed(f"Spark does not start: {message}\n{output.last_output()}".strip()) from error
    output.pass_on()
    return session


def build_session(settings: Mapping[str, str]) -> SparkSession:
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    with _end_jvm_on_failure():
        return builder.getOrCreate()


class StartOutput:
    """The standard error of a JVM: buffered during its start, and forwarded to ours afterwards."""

    def __init__(self, *, verbose: bool) -> None:
        self._is_passed_on = verbose
        self._kept = b""
        self._lock = Lock()
        self._source, self.target = os.pipe()
        self._reader = Thread(target=self._read_all, name="forklake-spark-output", daemon=True)
        self._reader.start()

    def pass_on(self) -> None:
        """Discard the buffered output, and show everything from now on."""
        with self._lock:
            self._take_all()
            self._is_passed_on, self._kept = True, b""
        # The reader thread ends with the process, and may have missed the last output.
        atexit.register(self._show_rest)

    def last_output(self) -> str:
        """The end of the buffered output, after the JVM has ended."""
        self._reader.join(_SECONDS_FOR_LAST_WORDS)
        return self._kept.decode(errors="replace").strip()

    def _show_rest(self) -> None:
        with self._lock:
            self._take_all()

    def _take_all(self) -> None:
        while self._has_more(timeout=0) and self._read():
            pass

    def _read_all(self) -> None:
        while True:
            self._has_more(timeout=None)
            # Read under the lock: output written before `pass_on` must not be shown after it.
            with self._lock:
                if self._has_more(timeout=0) and not self._read():
                    return

    def _has_more(self, timeout: int | None) -> bool:
        """Whether there is something to read, or end of file."""
        ready = select.poll()
        ready.register(self._source, select.POLLIN)
        return bool(ready.poll(timeout))

    def _read(self) -> bool:
        """Read the available output; False at end of file."""
        found = os.read(self._source, 65536)
        if self._is_passed_on:
            with suppress(OSError):
                os.write(_ERROR_OUTPUT, found)
        else:
            self._kept = (self._kept + found)[-_KEPT_BYTES:]
        return bool(found)


def _launch_jvm(settings: Mapping[str, str], archive: ClassArchive, output: StartOutput) -> None:
    conf = SparkConf()
    for name, value in settings.items():
        conf.set(name, value)
    if archive.options:
        conf.set(JAVA_OPTIONS, " ".join([settings.get(JAVA_OPTIONS, ""), *archive.options]).strip())
    inherited = () if archive.lock is None else (archive.lock,)
    try:
        gateway = launch_gateway(conf, {"stderr": output.target, "pass_fds": inherited})  # type: ignore[no-untyped-call]
    finally:
        os.close(output.target)
    SparkContext._ensure_initialized(gateway=gateway)


@contextmanager
def _end_jvm_on_failure() -> Iterator[None]:
    """Terminate a newly started JVM if its start fails or is interrupted.

    A partially initialised JVM would interfere with the next start.
    """
    was_running, others = SparkContext._gateway is not None, set(children_of_thread(get_native_id()))
    try:
        yield
    except BaseException:
        if not was_running:
            _end_gateway()
            # An interrupt may have come before PySpark had a gateway.
            kill_all(set(children_of_thread(get_native_id())) - others)
        raise


def _end_gateway() -> None:
    gateway = SparkContext._gateway
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    if gateway is not None:
        with suppress(Exception):
            gateway.shutdown()
        with suppress(Exception):
            gateway.proc.kill()
