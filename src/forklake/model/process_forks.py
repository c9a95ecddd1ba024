"""What must not be shared by a process and one that `os.fork` makes of it: connections, ids drawn ahead, locks."""

import os
from typing import Protocol
from weakref import WeakSet


class Forkable(Protocol):
    """Something that both processes go on with, each for itself."""

    def before_fork(self) -> None:
        """Let go of what the other process must not even know of."""
        ...

    def after_fork(self) -> None:
        """In the new process, let go of what is the other's."""
        ...


_LIVE: WeakSet[Forkable] = WeakSet()


def register_for_forks(forkable: Forkable) -> None:
    """Let something know of forks of the process, for as long as it is there."""
    _LIVE.add(forkable)


def _before_fork() -> None:
    for forkable in list(_LIVE):
        forkable.before_fork()


def _after_fork() -> None:
    for forkable in list(_LIVE):
        forkable.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)
