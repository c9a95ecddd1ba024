"""The processes that a thread has started. PySpark does not say which process it starts for its JVM."""

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path


def children_of_thread(native_id: int | None) -> Iterator[int]:
    """What a thread of this process has started, each after all that it has started itself.

    Without lists of children, as on macOS, there are none: a JVM ends by itself once it finds the end of its input.
    """
    yield from _children(f"/proc/self/task/{native_id}")


def kill_all(processes: Iterable[int], number: int = signal.SIGKILL) -> None:
    """Send a signal to processes that may have ended."""
    for process in processes:
        with suppress(OSError):
            os.kill(process, number)


def _children(task: str) -> Iterator[int]:
    with suppress(OSError):
        for child in Path(task, "children").read_text(encoding="ascii").split():
            for inner in Path("/proc", child, "task").iterdir():
                yield from _children(str(inner))
            yield int(child)
