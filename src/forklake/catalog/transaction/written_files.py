"""The files that a transaction has written, staged or not: if it is not committed, they are nobody's."""

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class WrittenFiles:
    """Paths of files below the data path, and jobs that write files whose names are not known yet."""

    paths: set[str] = field(default_factory=set)
    jobs: set[str] = field(default_factory=set)
    """The folders of jobs, each of which has one of its own."""

    def end_job(self, folder: str, paths: Iterable[str]) -> None:
        """The job that writes to a folder is done, and these are its files."""
        self.paths.update(paths)
        self.jobs.discard(folder)

    def __bool__(self) -> bool:
        return bool(self.paths or self.jobs)
