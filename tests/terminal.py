"""A program on a terminal of its own: what it shows is read, and keys are pressed."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from pathlib import Path
from time import monotonic
from types import TracebackType

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07")
CTRL_C, CTRL_D, UP, TAB, ENTER = "\x03", "\x04", "\x1b[A", "\t", "\r"


class Terminal:
    """Use it in a `with` block, which ends the program."""

    def __init__(self, command: list[str], folder: Path, env: dict[str, str] | None = None) -> None:
        self._ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        # The program must not wait for answers that only a real terminal gives.
        told = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", **(env or {})}
        self._process = subprocess.Popen(
            command, stdin=its, stdout=its, stderr=its, cwd=folder, env=told, start_new_session=True
        )
        os.close(its)
        self._unread = ""

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def wait_for(self, text: str, seconds: float = 60) -> str:
        """What is shown up to and with a text, since the last time.

        Spaces and line breaks do not count: a line that is drawn in several pieces has some between them.
        """
        wanted = re.compile(r"\s*".join(re.escape(character) for character in text if not character.isspace()))
        end = monotonic() + seconds
        while not (found := wanted.search(shown := ESCAPES.sub("", self._unread))):
            if monotonic() > end or not self._read(end - monotonic()):
                raise AssertionError(f"{text!r} did not come; this did:\n{shown}")
        # What is left is without escapes: those have been read.
        self._unread = shown[found.end() :]
        return shown[: found.end()]

    def finish(self, seconds: float = 60) -> tuple[int, str]:
        """The exit code, and what is shown until then."""
        end = monotonic() + seconds
        while monotonic() < end and self._read(end - monotonic()):
            pass
        return self._process.wait(timeout=seconds), ESCAPES.sub("", self._unread)

    def leave(self, seconds: float = 60) -> tuple[int, str]:
        """End the input, once more if the program did not yet wait for it; the same as `finish` gives."""
        end = monotonic() + seconds
        while self._process.poll() is None and monotonic() < end:
            self.press(CTRL_D)
            pause = monotonic() + 1
            while monotonic() < pause and self._read(pause - monotonic()):
                pass
        return self.finish(max(end - monotonic(), 1))

    def _read(self, seconds: float) -> bool:
        """Read some; false when there is nothing more to come."""
        if not select.select([self._ours], [], [], max(seconds, 0))[0]:
            return False
        try:
            some = os.read(self._ours, 65536)
        except OSError:
            # The other end is closed.
            return False
        self._unread += some.decode(errors="replace")
        return bool(some)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._ours)
