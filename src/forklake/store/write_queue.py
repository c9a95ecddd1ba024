"""Writers of an SQLite file wait in line when they have waited for a while, so that none starves.

SQLite lets waiting writers try again and again, whoever came first. That is fast, as long as everybody gets a turn.
So a writer first tries like all others. After a while it joins a line: it draws a ticket and locks the byte of its
number in a file beside the database. Nobody outside the line tries while somebody is in it, and within it, each waits
until the byte of its predecessor is free, because that one is done, or dead.

SQLite's own lock excludes other writers. This file only makes them take turns: without it, or if a lock in it is
never released, they try as they would without.
"""

import os
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

from forklake.model.process_forks import register_for_forks

if sys.platform == "linux":
    # Locks of an open file: unlike those of a process, they exclude threads, and closing another file keeps them.
    from fcntl import F_OFD_GETLK, F_OFD_SETLK, F_UNLCK, F_WRLCK, fcntl
else:
    F_OFD_GETLK = F_OFD_SETLK = F_UNLCK = F_WRLCK = 0

JOIN_AFTER_SECONDS = 0.05
IGNORE_AFTER_SECONDS = 2.0
"""A predecessor that takes longer may be a process that somebody has stopped."""
_FLOCK = "hhqqi0q"
_DRAWING = 0
"""The byte that is locked while a ticket is drawn. The byte after it belongs to ticket 0."""
_TICKETS = 2**62
_TICKET_BYTES = 8


class WriteQueue:
    """The writers of one database, of all processes of this machine. Elsewhere than on Linux, there is no queue."""

    def __init__(self, path: Path, database: Path | None = None) -> None:
        """A new file gets the permissions of the database."""
        self._path = path
        self._database = database or path
        self._files: set[int] = set()
        register_for_forks(self)

    def before_fork(self) -> None:
        """Nothing to do: places remain with the process that has taken them."""

    def after_fork(self) -> None:
        # While the child has them open, the locks would be kept even if the parent dies.
        for file in self._files:
            with suppress(OSError):
                os.close(file)
        self._files = set()

    @contextmanager
    def place(self) -> Iterator["Place"]:
        """The place of one writer, from when it begins to wait until it is done."""
        file = self._open()
        if file is None:
            yield Place(None)
            return
        self._files.add(file)
        try:
            yield Place(file)
        finally:
            # In a child process, the file was closed after the fork.
            if file in self._files:
                # Not by closing alone: a child process may have inherited the open file.
                with suppress(OSError):
                    _apply(file, F_OFD_SETLK, F_UNLCK, 0, 0)
                self._files.discard(file)
                os.close(file)

    def _open(self) -> int | None:
        """None if there are no such locks, or the file cannot be written."""
        if sys.platform != "linux":
            return None
        try:
            # A longer file is not a queue, and may be another lake: a ticket would overwrite its beginning, and closing
            # the file would release SQLite's locks on it.
            is_new = not os.path.lexists(self._path)
            if not is_new:
                found = os.lstat(self._path)
                if not stat.S_ISREG(found.st_mode) or found.st_size > _TICKET_BYTES:
                    return None
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        except OSError:
            return None
        if is_new:
            # Whoever may write the database may join, as with SQLite's own files beside it.
            with suppress(OSError):
                os.fchmod(file, stat.S_IMODE(os.stat(self._database).st_mode))
        return file


class Place:
    """One writer's place: at first beside the line, later in it."""

    def __init__(self, file: int | None) -> None:
        self._file = file
        self._began = monotonic()
        self._ticket: int | None = None
        self._is_first = False

    def may_try(self) -> bool:
        """Whether this writer may try to write now. Asked repeatedly, it joins the line at some time."""
        waited = monotonic() - self._began
        if self._file is None or self._is_first or waited > IGNORE_AFTER_SECONDS:
            return True
        try:
            if self._ticket is None and waited < JOIN_AFTER_SECONDS:
                return not _is_locked(self._file, _byte_of(_last_ticket(self._file)))
            if self._ticket is None:
                self._ticket = _draw_ticket(self._file)
            if self._ticket is not None:
                self._is_first = _lock(self._file, _byte_of(self._ticket - 1))
        except OSError:
            # A full disk, or a file system without such locks.
            return True
        return self._is_first


def _draw_ticket(file: int) -> int | None:
    """Join the line; None if another process is doing so just now."""
    if not _lock(file, _DRAWING):
        return None
    try:
        ticket = _last_ticket(file) + 1
        _lock(file, _byte_of(ticket))
        os.pwrite(file, ticket.to_bytes(8, "big"), 0)
        return ticket
    finally:
        _apply(file, F_OFD_SETLK, F_UNLCK, _DRAWING, 1)


def _last_ticket(file: int) -> int:
    return int.from_bytes(os.pread(file, 8, 0), "big") % _TICKETS


def _byte_of(ticket: int) -> int:
    return _DRAWING + 1 + ticket


def _is_locked(file: int, byte: int) -> bool:
    """Whether another open file has the lock of a byte."""
    return _apply(file, F_OFD_GETLK, F_WRLCK, byte, 1) != F_UNLCK


def _lock(file: int, byte: int) -> bool:
    try:
        _apply(file, F_OFD_SETLK, F_WRLCK, byte, 1)
    except BlockingIOError:
        return False
    return True


def _apply(file: int, how: int, kind: int, start: int, length: int) -> int:
    """Set or look up a lock, and return the kind that was set or found."""
    if sys.platform != "linux":
        return kind
    found: int = struct.unpack(_FLOCK, fcntl(file, how, struct.pack(_FLOCK, kind, os.SEEK_SET, start, length, 0)))[0]
    return found
