"""The commands in the documents run as they stand, from top to bottom, and all commands are there."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forklake.cli.main import app
from forklake.cli.running import VERBS
from tests.docs.test_documents import ROOT
from tests.docs.test_examples import blocks

PAGE = ROOT / "docs" / "cli.md"
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MENTIONED = re.compile(r"\bforklake (?:--\S+ \S+ )*([a-z]+(?:-[a-z]+)*)")


def commands(page: Path) -> list[str]:
    return [line for found in SHELL.finditer(page.read_text(encoding="utf-8")) for line in found[1].splitlines()]


def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for block in blocks(PAGE):
        exec(compile(block, str(PAGE), "exec"), {"__name__": "__main__"})
    for line in commands(PAGE):
        program, *arguments = shlex.split(line)
        if program == "export":
            monkeypatch.setenv(*arguments[0].split("=", 1))
            continue
        assert program == "forklake"
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert (done.exit_code, done.stderr) == (0, ""), line


def test_the_page_names_every_command() -> None:
    named = set(MENTIONED.findall(PAGE.read_text(encoding="utf-8")))
    assert {verb.replace("_", "-") for verb in VERBS} <= named
