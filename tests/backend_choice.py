"""On which database, and in a root or a fork, a test of rows runs.

Spark sees neither, and tests/backends tries everything about metadata on both databases. So a test of rows or of SQL
runs once in `make test`, on a root in SQLite or on a fork in PostgreSQL, half of the tests each. Tests marked
`every_backend`, whose subject is the metadata under Spark, run on both; `FORKLAKE_TEST_PAIRS=all` runs all on all four.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

import pytest

EVERY_PAIR = os.environ.get("FORKLAKE_TEST_PAIRS") == "all"
ROWS = tuple(Path(__file__).parent / name for name in ("spark", "sql"))
PAIRS = {"sqlite": "root", "postgres": "fork"}
_PARTS = {*PAIRS, *PAIRS.values()}


def is_chosen(item: pytest.Item) -> bool:
    """Whether the test runs with these parameters."""
    callspec = getattr(item, "callspec", None)
    if EVERY_PAIR or callspec is None or not any(item.path.is_relative_to(folder) for folder in ROWS):
        return True
    backend, place = _backend(callspec.params), callspec.params.get("in_fork")
    if backend is None:
        return True
    if place is not None and place != PAIRS[backend]:
        return False
    return item.get_closest_marker("every_backend") is not None or backend == _turn(item, callspec.id)


def _backend(params: Mapping[str, object]) -> str | None:
    found = params.get("place", params.get("backend"))
    return found if isinstance(found, str) and found in PAIRS else None


def _turn(item: pytest.Item, parameters: str) -> str:
    """The same whenever it is asked, and different from test to test."""
    others = [part for part in parameters.split("-") if part not in _PARTS]
    known_by = "-".join([item.path.name, getattr(item, "originalname", item.name), *others])
    return list(PAIRS)[crc32(known_by.encode()) % len(PAIRS)]
