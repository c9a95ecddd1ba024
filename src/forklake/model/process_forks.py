"""State that must not be shared with child processes of `os.fork`: connections, reserved ids, locks."""

import os
from typing import Protocol
from weakref import WeakSet


class Forkable(Protocol):
    """An object that remains usable in both parent and child process."""

    def before_fork(self) -> None:
        """Called in the parent: release what the child must not inherit."""
        ...

    def after_fork(self) -> None:
        """Called in the child: drop what belongs to the parent."""
        ...


_LIVE: WeakSet[Forkable] = WeakSet()


def register_for_forks(forkable: Forkable) -> None:
    """Notify an object of forks of the process during its lifetime."""
    _LIVE.add(forkable)


def _before_fork() -> None:
    for forkable in list(_LIVE):
        forkable.before_fork()


def _after_fork() -> None:
    for forkable in list(_LIVE):
        forkable.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)
