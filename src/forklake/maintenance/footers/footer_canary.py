"""Reads footers in a sacrificial process: `python -m forklake.maintenance.footers.footer_canary`.

Some incomplete footers make Arrow abort the process that inspects their columns, without an exception to catch. The
process is started on demand, and exits when it has been idle for a while.
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

from forklake.maintenance.footers.read_footer import read_footer
from forklake.model.process_forks import register_for_forks

DEADLY = "Arrow ends the process that reads its footer"
"""The message for such a file."""
_IDLE_SECONDS = 30.0
_AT_ONCE = 1_000
_READ = b"."
_ENDED = 0
_COULD_NOT_RUN = (1, 2)
"""Exit codes of Python if it cannot start."""
_LENGTH_BYTES = 8

Place = tuple[fs.FileSystem, str]
"""A file system and a path in it."""


def deadly_footers(places: Sequence[Place]) -> set[str]:
    """The paths of files whose footers must not be read in this process."""
    deadly: set[str] = set()
    at, suspected = 0, -1
    while at < len(places):
        read, died = _CANARY.read(places[at : at + _AT_ONCE])
        at += read
        if not died:
            continue
        # It may have died for another reason, such as Ctrl-C while waiting: a second process must die at the same file.
        if at == suspected:
            deadly.add(places[at][1])
            at += 1
        suspected = at
    return deadly


class _Canary:
    """The process, shared by threads."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        register_for_forks(self)

    def before_fork(self) -> None:
        """The process stays with the one that has started it."""

    def after_fork(self) -> None:
        self._process, self._lock = None, Lock()

    def read(self, places: Sequence[Place]) -> tuple[int, bool]:
        """The number of footers read, and whether the process died then. If it cannot run, all are assumed readable."""
        order = pickle.dumps(places)
        with self._lock:
            try:
                read, code = self._ask(order, len(places))
                if code == _ENDED:
                    # It exited because it was idle, just before it was asked.
                    read, code = self._ask(order, len(places))
            except OSError:
                return len(places), False
        if code in (None, _ENDED, *_COULD_NOT_RUN):
            return len(places), False
        return read, True

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
        """Wait for its exit; returns the exit code."""
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
        _read_footers(pickle.loads(sys.stdin.buffer.read(int.from_bytes(length, "little"))))


def _read_footers(places: Sequence[Place]) -> None:
    for files, path in places:
        # Other problems are reported when the file is read again: here, only crashes matter.
        with suppress(Exception):
            footer = read_footer(files, path, path).metadata
            for group in range(footer.num_row_groups):
                for column in range(footer.num_columns):
                    _ = footer.row_group(group).column(column).statistics
        sys.stdout.buffer.write(_READ)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _serve()
