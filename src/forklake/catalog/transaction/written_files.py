"""Files written by a transaction, staged or not: without commit they are orphans."""

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class WrittenFiles:
    """Paths of files below the data path, and jobs writing files with names that are not known yet."""

    paths: set[str] = field(default_factory=set)
    jobs: set[str] = field(default_factory=set)
    """The folders of jobs, one for each."""

    def end_job(self, folder: str, paths: Iterable[str]) -> None:
        """The job writing to a folder has ended, and wrote these files."""
        self.paths.update(paths)
        self.jobs.discard(folder)

    def __bool__(self) -> bool:
        return bool(self.paths or self.jobs)
