"""Progress bar on a terminal: files and bytes done, and the estimated remaining time."""

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars


class TerminalProgress:
    """A single bar for the most recently begun task; removed at the end. Used in a `with` block."""

    def __init__(self, console: Console | None = None) -> None:
        self._bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[done]}/{task.fields[files]} files"),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=console or Console(stderr=True),
            transient=True,
        )
        self._task: TaskID | None = None
        self._done = 0

    def begin(self, what: str, files: int, size: int) -> None:
        self.end()
        self._done = 0
        self._task = self._bars.add_task(what, total=size, done=0, files=files)

    def advance(self, files: int, size: int) -> None:
        if self._task is not None:
            self._done += files
            self._bars.update(self._task, advance=size, done=self._done)

    def end(self) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None

    def __enter__(self) -> "TerminalProgress":
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()
