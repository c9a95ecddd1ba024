"""The files that a transaction has written, staged or not: if it is not committed, they are nobody's."""

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class WrittenFiles:
    """Paths of files below the data path, and jobs that write files whose names are not known yet."""

    paths: set[str] = field(default_factory=set)
    jobs: dict[str, str] = field(default_factory=dict)
    """By the mark that the names of its files end in, or the name of its own folder, where a job writes."""

    def begin_job(self, mark: str, folder: str) -> None:
        self.jobs[mark] = folder

    def end_job(self, mark: str, paths: Iterable[str]) -> None:
        """A job is done, and these are its files."""
        self.paths.update(paths)
        self.jobs.pop(mark, None)

    def __bool__(self) -> bool:
        return bool(self.paths or self.jobs)
