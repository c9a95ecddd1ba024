"""Processes that start in milliseconds: forked from one that has imported everything and done nothing else."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess
from time import monotonic
from types import TracebackType
from typing import Any, Self

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(
    ["__main__", "forklake.store.ddl", "trust.history.worker", "trust.history.witness", "trust.history.setting"]
)

_PATIENCE_SECONDS = 300.0


class Crew:
    """Ends whatever is left of it when it goes."""

    def __init__(self) -> None:
        self._members: list[ForkServerProcess] = []

    def start(self, job: Callable[..., None], *given: Any) -> ForkServerProcess:
        member = _context.Process(target=job, args=given)
        member.start()
        self._members.append(member)
        return member

    def finish(self, members: list[ForkServerProcess], patience: float = _PATIENCE_SECONDS) -> list[str]:
        """Wait for them; who did not end well, in a sentence each."""
        wrong, deadline = [], monotonic() + patience
        for member in members:
            member.join(max(0.0, deadline - monotonic()))
            if member.exitcode != 0:
                wrong.append(f"The process {member.name} ended with {member.exitcode} instead of 0 (None: it hangs).")
        return wrong

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for member in self._members:
            if member.is_alive() and member.pid is not None:
                os.kill(member.pid, signal.SIGKILL)
            member.join()
