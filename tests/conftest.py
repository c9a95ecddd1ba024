"""What every test may ask for: a PostgreSQL, and a fresh place for a lake on each backend."""

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import settings

from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.spark.session import provider
from forklake.store import sqlite
from tests.backend_choice import left_out
from tests.effort import examples
from tests.postgres_server import TestPostgres, folder_in_memory
from tests.spark_settings import ENVIRONMENT, SETTINGS

# How long one example takes says more about the machine than about the code; pytest's timeout stands guard.
settings.register_profile("forklake", deadline=None, max_examples=examples(25))
settings.load_profile("forklake")

_schema_numbers = itertools.count(1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the backends that a test need not try."""
    left = set(left_out(items))
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how the JVM of this process has ended, if it has: every later test fails for it."""
    if "pyspark" not in sys.modules:
        return
    process = getattr(import_module("pyspark").SparkContext._gateway, "proc", None)
    if process is not None and (code := process.poll()) is not None:
        terminalreporter.write_line(
            f"The JVM of Spark (process {process.pid}) has ended with exit code {code}.", red=True
        )
        for file in Path.cwd().glob(f"hs_err_pid{process.pid}.log"):
            terminalreporter.write_line(file.read_text(encoding="utf-8", errors="replace")[:5000])


@pytest.fixture(scope="session", autouse=True)
def synchronous() -> Iterator[str]:
    """No waiting for disks: a crash of the machine may lose the lakes of tests. Gives what users have instead."""
    with pytest.MonkeyPatch.context() as patch:
        users = sqlite._SYNCHRONOUS
        patch.setattr(sqlite, "_SYNCHRONOUS", "OFF")
        yield users


@pytest.fixture(scope="session", autouse=True)
def settings_of_spark() -> Iterator[None]:
    """A session that starts Spark before the others starts it for all of them."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        patch.setattr(provider, "ONE_MACHINE", {**provider.ONE_MACHINE, **SETTINGS})
        yield


@dataclass(frozen=True, slots=True)
class Place:
    """Where a test may create its lake: nothing is there yet, and nobody else looks there."""

    url: str
    metadata_schema: str | None
    backend: str


@pytest.fixture(scope="session")
def postgres() -> Iterator[TestPostgres]:
    """One server for the whole run, started by the first test that asks."""
    with TestPostgres(folder_in_memory()) as server:
        yield server


@pytest.fixture(scope="session")
def shared_database(postgres: TestPostgres) -> str:
    """The one database whose schemas the tests share out: a schema costs far less than a database."""
    return postgres.create_database()


@pytest.fixture
def sqlite_place(tmp_path: Path) -> Place:
    """A fresh place on SQLite."""
    return Place(f"sqlite:{tmp_path / 'lake.db'}", None, "sqlite")


@pytest.fixture
def postgres_place(shared_database: str) -> Place:
    """A fresh place on PostgreSQL; its schema goes when the server does."""
    return Place(f"postgres:{shared_database}", f"lake_{next(_schema_numbers)}", "postgres")


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest) -> Place:
    """A fresh place on each backend in turn: a test that asks for it runs once for each."""
    found = request.getfixturevalue(f"{request.param}_place")
    assert isinstance(found, Place)
    return found


@pytest.fixture
def lake(place: Place) -> Iterator[Lake]:
    """A new, empty lake on each backend in turn."""
    opened = open_lake(place.url, metadata_schema=place.metadata_schema, create=True, data_path="data")
    yield opened
    opened.close()


@pytest.fixture
def main(lake: Lake) -> Catalog:
    """The catalog `main` of a new lake."""
    return create_catalog(lake, "main")
