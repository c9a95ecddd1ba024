"""The processes, started once."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from time import sleep

import pytest

from tests.concurrency.crew import LIMIT_SECONDS, PROCESSES, Crew, report_for_work
from tests.conftest import Place


@pytest.fixture(scope="session")
def processes() -> Iterator[ProcessPoolExecutor]:
    """Kept for all tests: a process takes longer to start than a test to run."""
    context = multiprocessing.get_context("spawn")
    everybody_is_here = context.Barrier(PROCESSES)
    with ProcessPoolExecutor(PROCESSES, context, report_for_work, (everybody_is_here,)) as pool:
        for ready in [pool.submit(sleep, 0) for _ in range(PROCESSES)]:
            ready.result(LIMIT_SECONDS)
        yield pool


@pytest.fixture
def crew(processes: ProcessPoolExecutor, place: Place) -> Crew:
    """Processes that share the lake of the test."""
    return Crew(processes, place.url, place.metadata_schema)
