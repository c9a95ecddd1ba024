"""Sessions without Spark, and a lake with the command line about it."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.catalog.lakes.lake import Catalog
from forklake.cli.main import app
from forklake.sql.session.state import SessionState
from tests.attached import attach_main
from tests.backends.cutting_proxy import CuttingProxy
from tests.conftest import Place
from tests.sql_states import open_state

FORKLAKE = [sys.executable, "-m", "forklake"]


@dataclass(frozen=True, slots=True)
class Commands:
    """Commands of the CLI about a lake."""

    place: Place
    folder: Path

    @property
    def target(self) -> list[str]:
        schema = [] if self.place.metadata_schema is None else ["--metadata-schema", self.place.metadata_schema]
        return ["--lake", f"ducklake:{self.place.url}", *schema]

    def run(self, *arguments: str, env: dict[str, str] | None = None, typed: str | None = None) -> Result:
        found = CliRunner().invoke(app, [*arguments, *self.target], input=typed, env=env, catch_exceptions=False)
        assert "Traceback" not in found.output
        return found

    def fails(self, arguments: list[str], code: int, message: str) -> None:
        """The command ends with this code and this message, in one line where it is an error."""
        done = self.run(*arguments)
        assert (done.exit_code, done.stdout) == (code, "")
        assert message in " ".join(done.stderr.split())
        if code == 1:
            assert len(done.stderr.splitlines()) == 1
            assert done.stderr.startswith("forklake: ")

    def rows(self, *arguments: str) -> list[dict[str, Any]]:
        done = self.run(*arguments, "--json")
        assert done.exit_code == 0, done.output
        found = json.loads(done.stdout)
        assert isinstance(found, list)
        return found


@dataclass(frozen=True, slots=True)
class Shell(Commands):
    """The same with a catalog `main` that has a table."""

    lake: CatalogHandle


@pytest.fixture
def shell(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A shell on each backend in turn."""
    with opened_shell(place, tmp_path, monkeypatch) as opened:
        yield opened


@pytest.fixture
def sqlite_shell(sqlite_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A shell on SQLite alone, for what does not depend on the metadata database."""
    with opened_shell(sqlite_place, tmp_path, monkeypatch) as opened:
        yield opened


@contextmanager
def opened_shell(place: Place, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    for name in [name for name in os.environ if name.startswith("FORKLAKE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    with forklake.connect() as session:
        lake = attach_main(session, place, folder)
        lake.set_option("data_inlining_row_limit", 10)
        lake.create_table("t", {"id": "bigint"})
        for number in range(3):
            lake.table("t").append([(number,)])
        yield Shell(place, folder, lake)


@pytest.fixture
def session() -> Iterator[Session]:
    """A session without catalogs."""
    with forklake.connect() as opened:
        yield opened


@pytest.fixture
def state(place: Place, tmp_path: Path) -> Iterator[SessionState]:
    """The state of a session with the catalog `main` of a new lake attached as `lake`."""
    opened = open_state(place, tmp_path)
    yield opened
    opened.attachments.close()


@pytest.fixture
def catalog(state: SessionState) -> Catalog:
    """The catalog attached to the state."""
    return state.attachments.get("lake").catalog


@pytest.fixture
def proxy(postgres_place: Place) -> Iterator[CuttingProxy]:
    """A proxy before the PostgreSQL server, which can lose and stall connections."""
    with CuttingProxy(postgres_place.url.removeprefix("postgres:")) as opened:
        yield opened
