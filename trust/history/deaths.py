"""How a process kills itself at a step of a commit: before something is sent, while it is under way, or after."""

import os
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import psycopg

_wait = psycopg.Connection.wait


class Deaths:
    """Counts the steps of what is armed, and ends the process with kill -9 at the chosen one.

    Every exchange with the server has at least three: before it is sent, each time its answer is waited for, and when
    the answer is there.
    """

    def __init__(self, tell: Callable[[str], None], choose: Callable[[], int]) -> None:
        """`tell` is told the place before it happens; `choose` says at which step."""
        self._tell = tell
        self._choose = choose
        self._left = 0

    def install(self) -> None:
        """For all connections of this process."""
        deaths = self

        def wait(connection: psycopg.Connection[Any], gen: Generator[Any, Any, Any], *args: Any, **given: Any) -> Any:
            deaths._step("before it is sent")
            result = _wait(connection, deaths._watch(gen), *args, **given)
            deaths._step("after the answer")
            return result

        patch.object(psycopg.Connection, "wait", wait).start()

    @contextmanager
    def armed(self) -> Iterator[None]:
        self._left = self._choose()
        try:
            yield
        finally:
            self._left = 0

    def _watch(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        try:
            wanted = next(gen)
            while True:
                self._step("under way")
                wanted = gen.send((yield wanted))
        except StopIteration as done:
            return done.value

    def _step(self, place: str) -> None:
        if self._left:
            self._left -= 1
            if not self._left:
                self._tell(place)
                os.kill(os.getpid(), signal.SIGKILL)
