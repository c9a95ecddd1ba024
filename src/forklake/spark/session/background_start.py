"""Spark started by a thread, while the program goes on."""

import atexit
import logging
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from threading import Thread, current_thread, get_native_id
from time import monotonic

from forklake.spark.session.child_processes import children_of_thread, kill_all

_SECONDS_TO_END = 2.0
_SECONDS_BETWEEN_LOOKS = 0.05


class BackgroundStart:
    """Runs a start in a thread. If the process ends meanwhile, so does what the thread has started."""

    def __init__(self, start: Callable[[], object]) -> None:
        self._start = start
        self._process = os.getpid()
        self._native_id: int | None = None
        # A daemon: a program does not wait for a start that it does not need.
        self._thread = Thread(target=self._run, name="forklake-spark-start", daemon=True)
        atexit.register(self._end)
        self._thread.start()

    def wait(self) -> None:
        """Wait until the start is done, whether or not it succeeded; the start itself does not wait."""
        if self._thread is not current_thread():
            self._thread.join()

    def _run(self) -> None:
        self._native_id = get_native_id()
        # Whoever needs Spark starts it again, and is told why that fails.
        with suppress(Exception):
            self._start()
        atexit.unregister(self._end)

    def _end(self) -> None:
        if os.getpid() != self._process or not self._thread.is_alive():
            return
        before = logging.root.manager.disable
        # Py4J would log that its JVM is gone.
        logging.disable()
        try:
            self._end_children()
        finally:
            logging.disable(before)

    def _end_children(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            until = monotonic() + _SECONDS_TO_END
            while monotonic() < until:
                # Looked for again: the thread may be about to start it.
                kill_all(children_of_thread(self._native_id), number)
                self._thread.join(_SECONDS_BETWEEN_LOOKS)
                if not self._thread.is_alive():
                    return
