"""Footers read in a process that may die: `python -m forklake.maintenance.footer_canary`.

Some footers that are not whole make Arrow end the process that looks at their columns: no exception, nothing to catch.
The process is started when it is needed, and ends by itself when it was not asked for a while.
"""

import atexit
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock, Timer

from pyarrow import fs

from forklake.errors import InvalidInput
from forklake.maintenance.footers import read_footer

DEADLY = "Arrow ends the process that reads its footer"
"""What is said of such a file."""
_IDLE_SECONDS = 30.0
_AT_ONCE = 1_000
_READ = b"."
_ENDED = 0
_LENGTH_BYTES = 8


def deadly_footers(files: fs.FileSystem, paths: Sequence[str]) -> set[str]:
    """Those of the files whose footers nobody here may read."""
    deadly: set[str] = set()
    at = 0
    while at < len(paths):
        some = paths[at : at + _AT_ONCE]
        read = _CANARY.read(files, some)
        if read < len(some):
            deadly.add(some[read])
        at += read + 1 if read < len(some) else len(some)
    return deadly


class _Canary:
    """The process, shared by threads."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def read(self, files: fs.FileSystem, paths: Sequence[str]) -> int:
        """How many of the footers it read before it died; all of them if it lives."""
        order = pickle.dumps((files, paths))
        with self._lock:
            while True:
                read, code = self._ask(order, len(paths))
                # One that has ended by itself just now was not asked in time.
                if code != _ENDED:
                    return read

    def _ask(self, order: bytes, count: int) -> tuple[int, int | None]:
        if self._process is None:
            command = [sys.executable, "-m", __name__]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        read = b""
        with suppress(BrokenPipeError):
            process.stdin.write(len(order).to_bytes(_LENGTH_BYTES, "little") + order)
            process.stdin.flush()
            read = process.stdout.read(count)
        return len(read), None if len(read) == count else self.close()

    def close(self) -> int | None:
        """Wait for its end; gives what it returned."""
        process, self._process = self._process, None
        if process is None:
            return None
        with suppress(BrokenPipeError):
            process.communicate()
        return process.returncode


_CANARY = _Canary()
atexit.register(_CANARY.close)


def _serve() -> None:
    while True:
        idle = Timer(_IDLE_SECONDS, os._exit, (_ENDED,))
        idle.daemon = True
        idle.start()
        length = sys.stdin.buffer.read(_LENGTH_BYTES)
        idle.cancel()
        if not length:
            return
        _read_all(*pickle.loads(sys.stdin.buffer.read(int.from_bytes(length, "little"))))


def _read_all(files: fs.FileSystem, paths: Sequence[str]) -> None:
    for path in paths:
        with suppress(InvalidInput):
            footer = read_footer(files, path, path).metadata
            for group in range(footer.num_row_groups):
                for column in range(footer.num_columns):
                    _ = footer.row_group(group).column(column).statistics
        sys.stdout.buffer.write(_READ)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _serve()
