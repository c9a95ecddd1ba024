"""The commands in the documents run as they stand, from top to bottom, and all commands are there."""

import re
import shlex
from pathlib import Path

import pytest
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from forklake.cli.main import app
from tests.docs.test_documents import ROOT

PAGE = ROOT / "docs" / "cli.md"
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MENTIONED = re.compile(r"(?:^|`)forklake (?:--[^\s`]+ [^\s`]+ )*([a-z]+(?:-[a-z]+)*)", re.MULTILINE)


def commands(page: Path) -> list[str]:
    return [line for found in SHELL.finditer(page.read_text(encoding="utf-8")) for line in found[1].splitlines()]


def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for line in commands(PAGE):
        program, *arguments = shlex.split(line)
        if program == "export":
            monkeypatch.setenv(*arguments[0].split("=", 1))
            continue
        assert program == "forklake"
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert (done.exit_code, done.stderr) == (0, ""), line


def test_the_page_names_every_command_and_no_other() -> None:
    assert set(MENTIONED.findall(PAGE.read_text(encoding="utf-8"))) == group().commands.keys()


def test_the_page_names_every_option() -> None:
    text = PAGE.read_text(encoding="utf-8")
    commands = [command for command in every(group()) if isinstance(command, TyperCommand)]
    options = {max(parameter.opts, key=len) for command in commands for parameter in command.params}
    flags = {option for option in options if option.startswith("--")}
    assert flags
    assert sorted(flag for flag in flags if flag not in text) == []


def every(found: TyperGroup) -> list[object]:
    """All commands, those of groups in place of the groups."""
    commands: list[object] = []
    for command in found.commands.values():
        commands += every(command) if isinstance(command, TyperGroup) else [command]
    return commands


def group() -> TyperGroup:
    found = get_command(app)
    assert isinstance(found, TyperGroup)
    return found
