"""Processes that work on one lake at the same time."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.synchronize import Barrier
from time import sleep, time
from typing import TypeAlias, TypeVar

from forklake.catalog.lakes.open_lake import open_lake

R = TypeVar("R")
Job: TypeAlias = tuple[Callable[..., R], tuple[object, ...]]
"""A function that takes a lake, and its other arguments."""

PROCESSES = 8
LIMIT_SECONDS = 60
"""A process that takes longer starves."""
HEAD_START_SECONDS = 0.2


class Crew:
    """Runs jobs in processes of their own. All begin at the same moment, each with a connection of its own."""

    def __init__(self, pool: ProcessPoolExecutor, url: str, metadata_schema: str | None) -> None:
        self._pool = pool
        self._url = url
        self._metadata_schema = metadata_schema

    def run(self, job: Callable[..., R], arguments: Sequence[tuple[object, ...]]) -> list[R]:
        """What the job returned for each tuple of arguments, in order."""
        return self.run_all([(job, given) for given in arguments])

    def run_all(self, jobs: Sequence[Job[R]]) -> list[R]:
        """What each of several jobs returned, in order."""
        assert len(jobs) <= PROCESSES
        begin_at = time() + HEAD_START_SECONDS
        running = [self._submit(begin_at, job, given) for job, given in jobs]
        return [done.result(LIMIT_SECONDS) for done in running]

    def _submit(self, begin_at: float, job: Callable[..., R], given: tuple[object, ...]) -> Future[R]:
        return self._pool.submit(_work, self._url, self._metadata_schema, begin_at, job, given)


def report_for_work(everybody_is_here: Barrier) -> None:
    """A new process waits for the others, so that none is still starting when a test begins."""
    everybody_is_here.wait(LIMIT_SECONDS)


def _work(
    url: str, metadata_schema: str | None, begin_at: float, job: Callable[..., R], arguments: tuple[object, ...]
) -> R:
    lake = open_lake(url, metadata_schema=metadata_schema)
    try:
        sleep(max(0.0, begin_at - time()))
        return job(lake, *arguments)
    finally:
        lake.close()
