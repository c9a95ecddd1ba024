"""On which database, and in a root or a fork, a test of rows runs.

Spark sees neither, and tests/backends tries everything about metadata on both databases. So a test of rows, of SQL or
of the command line runs once in `make test`, on a root in SQLite or on a fork in PostgreSQL, half of the tests each.
Tests marked `every_backend`, whose subject is the metadata under Spark, run on both; `FORKLAKE_TEST_PAIRS=all` runs all
on all four.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from zlib import crc32

import pytest

EVERY_PAIR = os.environ.get("FORKLAKE_TEST_PAIRS") == "all"
CLI = ("backends/test_cli.py", "backends/test_cli_diff.py", "backends/test_cli_lake.py")
OF_SESSIONS = ("backends/test_expiry_meanwhile.py", "backends/test_small_queries.py")
ONCE = tuple(Path(__file__).parent / name for name in ("spark", "sql", *CLI, *OF_SESSIONS))
PAIRS = {"sqlite": "root", "postgres": "fork"}
_PARTS = {*PAIRS, *PAIRS.values()}


def left_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests that need not run: those of another backend than the one whose turn it is, if they can run on both."""
    if EVERY_PAIR:
        return []
    unpaired = [item for item in items if not _is_pair(item)]
    backends: dict[str, set[str]] = {}
    for item in items:
        if (backend := _backend(item)) is not None and _is_pair(item):
            backends.setdefault(_known_by(item), set()).add(backend)
    return [*unpaired, *(item for item in items if _is_pair(item) and not _is_its_turn(item, backends))]


def _is_pair(item: pytest.Item) -> bool:
    """Whether it is not a fork on SQLite, or a root on PostgreSQL."""
    backend, place = _backend(item), _params(item).get("in_fork")
    return backend is None or place is None or place == PAIRS[backend]


def _is_its_turn(item: pytest.Item, backends: Mapping[str, set[str]]) -> bool:
    backend = _backend(item)
    if backend is None or item.get_closest_marker("every_backend") is not None:
        return True
    possible = sorted(backends[_known_by(item)])
    return backend == possible[crc32(_known_by(item).encode()) % len(possible)]


def _params(item: pytest.Item) -> Mapping[str, object]:
    return getattr(getattr(item, "callspec", None), "params", {})


def _backend(item: pytest.Item) -> str | None:
    """The database that a test above the metadata runs on, if it says so."""
    if not any(item.path.is_relative_to(path) for path in ONCE):
        return None
    found = _params(item).get("place", _params(item).get("backend"))
    return found if isinstance(found, str) and found in PAIRS else None


def _known_by(item: pytest.Item) -> str:
    """The same for a test on every backend."""
    parts = [part for part in item.name.replace("]", "").replace("[", "-").split("-") if part not in _PARTS]
    return "-".join([str(item.path), *parts])
