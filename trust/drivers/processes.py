"""Processes with a Spark of their own, and their end: with everything that they have started."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Timer

LONGEST_ANSWER = 600.0
"""Seconds: who says nothing for so long never will."""
DEATH_SECONDS = 20


class SparkProcess:
    """A module that runs in a session of its own and speaks lines; its errors go to a file."""

    def __init__(self, module: str, arguments: Sequence[str], errors: Path, before: Sequence[str] = ()) -> None:
        with errors.open("wb") as file:
            self._process = subprocess.Popen(
                [*before, sys.executable, "-m", module, *arguments],
                cwd=Path(__file__).parents[2],
                start_new_session=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        self._errors = errors

    @property
    def is_over(self) -> bool:
        return self._process.poll() is not None

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def hear(self) -> str:
        """The next line; empty when there is none any more."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def must_hear(self, expected: str = "") -> str:
        """The next line, which must come, and must be this one if one is given."""
        watch = Timer(LONGEST_ANSWER, self._process.kill)
        watch.start()
        try:
            line = self.hear()
        finally:
            watch.cancel()
        if not line or expected not in ("", line):
            raise RuntimeError(f"a process of Spark ended: {self._errors.read_text(errors='replace')[-2000:]}")
        return line

    def died_within(self, seconds: float) -> bool:
        """Whether it ended by itself."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> list[int]:
        """End it and its Spark at once; returns the processes that had to be ended one by one after that."""
        if not self.is_over:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()
        return end_session(self._process.pid)


def end_session(session: int) -> list[int]:
    """Workers of Spark have a group of their own, and go when they miss their master; what does not go is ended."""
    deadline = time.monotonic() + DEATH_SECONDS
    while (left := _of_session(session)) and time.monotonic() < deadline:
        time.sleep(0.05)
    for process in left:
        os.kill(process, signal.SIGKILL)
    return left


def _of_session(session: int) -> list[int]:
    """The living processes of a session; those that only wait to be buried are dead."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                state, _, _, of = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue
            if int(of) == session and state != "Z":
                found.append(int(folder.name))
    return found
