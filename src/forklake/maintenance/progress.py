"""How far long work has come: told to whoever wants to know."""

from typing import Protocol


class Progress(Protocol):
    """Told what is being done, and how much of it is done. Never called from two threads at once."""

    def begin(self, what: str, files: int, size: int) -> None:
        """Work on so many files, of so many bytes in all, begins."""
        ...

    def advance(self, files: int, size: int) -> None:
        """So many more files and bytes are done."""
        ...

    def end(self) -> None:
        """The work that was begun last is over, done or not."""
        ...


class SilentProgress:
    """Tells nobody."""

    def begin(self, what: str, files: int, size: int) -> None:
        pass

    def advance(self, files: int, size: int) -> None:
        pass

    def end(self) -> None:
        pass


QUIET = SilentProgress()
