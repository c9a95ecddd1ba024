"""Spark, started when it is needed, without its own lines on the screen."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO

from pyspark.sql import SparkSession

from forklake.errors import QueryFailed
from forklake.spark.session import SparkHolder

_OUTPUTS = (1, 2)
_LAST_WORDS = 2000


class QuietSpark(SparkHolder):
    """Says that Spark starts, if it may; what Spark says of that itself is shown only if it fails."""

    def __init__(self, *, announce: bool, debug: bool = False) -> None:
        super().__init__()
        self._announce = announce
        self._debug = debug

    def get(self) -> SparkSession:
        if self.is_running or SparkSession.getActiveSession() is not None:
            return super().get()
        if self._announce:
            sys.stderr.write("Starting Spark ...\n")
            sys.stderr.flush()
        if self._debug:
            return super().get()
        with TemporaryFile() as log:
            try:
                # The JVM keeps what it is given here as its own outputs, for as long as it lives.
                with _outputs_to(log):
                    return super().get()
            except Exception as error:
                raise QueryFailed(f"Spark does not start: {error} {_end_of(log)}".strip()) from error


@contextmanager
def _outputs_to(file: IO[bytes]) -> Iterator[None]:
    """Let the outputs of this process, and of those it starts, go to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(number) for number in _OUTPUTS]
    try:
        for number in _OUTPUTS:
            os.dup2(file.fileno(), number)
        yield
    finally:
        for number, copy in zip(_OUTPUTS, kept, strict=True):
            os.dup2(copy, number)
            os.close(copy)


def _end_of(log: IO[bytes]) -> str:
    size = log.seek(0, os.SEEK_END)
    log.seek(max(0, size - _LAST_WORDS))
    return log.read().decode(errors="replace")
