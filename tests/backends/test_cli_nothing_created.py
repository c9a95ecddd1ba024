"""A lake whose name is mistyped is an error of every command, and nothing is created for it."""

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from forklake.cli.main import app

CREATING = {"init"}
"""The only command that creates a lake."""


def examples(group: TyperGroup) -> dict[str, list[str]]:
    """The arguments of an example of each command: they are complete."""
    found: dict[str, list[str]] = {}
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            found |= {f"{name} {inner}": arguments for inner, arguments in examples(command).items()}
        elif isinstance(command, TyperCommand):
            first = (command.epilog or "").removeprefix("Example: forklake ").partition(", or: ")[0]
            found[name] = shlex.split(first)
    return found


def all_examples() -> dict[str, list[str]]:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    found = examples(group)
    assert found.keys() >= CREATING
    return {name: arguments for name, arguments in found.items() if name not in CREATING}


COMMANDS = {
    **all_examples(),
    "sql with a statement": ["sql", "-c", "CREATE TABLE t (id INT)"],
    "sql with arguments": ["sql", "SELECT 1"],
    "sql in the other dialect": ["sql", "--dialect", "duckdb", "-c", "SELECT 1"],
    "init of nothing": ["sql", "--data-path", "data", "-c", "SELECT 1"],
}
LAKES = ["typo.sqlite", "sqlite:typo.sqlite", "ducklake:sqlite:typo.sqlite", "no/such/folder/lake.db"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory; settings and history of users are elsewhere."""
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "home"))
    found = tmp_path / "work"
    found.mkdir()
    monkeypatch.chdir(found)
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_creates_no_lake(folder: Path, name: str) -> None:
    for lake in LAKES:
        done = CliRunner().invoke(app, [*COMMANDS[name], "--lake", lake])
        assert (done.exit_code, done.stdout) == (1, ""), done.output
        assert done.stderr.startswith("forklake: There is no lake at "), done.stderr
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_changes_no_file_that_is_not_a_lake(folder: Path, name: str) -> None:
    empty, text, other = folder / "empty.db", folder / "text.db", folder / "other.db"
    empty.touch()
    text.write_text("no lake", encoding="utf-8")
    with closing(sqlite3.connect(other)) as database, database:
        database.execute("CREATE TABLE notes (note TEXT)")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    for file in (empty, text, other):
        done = CliRunner().invoke(app, [*COMMANDS[name], "--lake", str(file)])
        assert (done.exit_code, done.stdout) == (1, ""), done.output
        assert done.stderr.startswith("forklake: "), done.stderr
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_a_statement_that_attaches_a_lake_creates_none(folder: Path) -> None:
    assert CliRunner().invoke(app, ["init", "--lake", "lake.db", "--data-path", "data"]).exit_code == 0
    before = {file.name for file in folder.iterdir()}
    for lake in LAKES:
        done = CliRunner().invoke(app, ["sql", "--lake", "lake.db", "-c", f"ATTACH '{lake}' AS other (CATALOG 'main')"])
        assert done.exit_code == 1
        assert done.stderr.startswith("forklake: There is no lake at "), done.stderr
        assert {file.name for file in folder.iterdir()} == before
