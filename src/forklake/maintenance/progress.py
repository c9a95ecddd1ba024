"""Progress reporting of long operations."""

from typing import Protocol


class Progress(Protocol):
    """Receives the progress of an operation. Never called by two threads at once."""

    def begin(self, what: str, files: int, size: int) -> None:
        """Work on this number of files and bytes begins."""
        ...

    def advance(self, files: int, size: int) -> None:
        """This number of further files and bytes is done."""
        ...

    def end(self) -> None:
        """The current work has ended, successfully or not."""
        ...


class SilentProgress:
    """Ignores all progress."""

    def begin(self, what: str, files: int, size: int) -> None:
        pass

    def advance(self, files: int, size: int) -> None:
        pass

    def end(self) -> None:
        pass


QUIET = SilentProgress()
