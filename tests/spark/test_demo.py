"""The demo runs, and says what it found."""

import shlex
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

import forklake
from examples import demo
from forklake.cli.main import app


def test_the_demo_runs_from_start_to_end(
    tmp_path: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    with forklake.connect(spark=spark) as session:
        demo.tour(session, tmp_path, 4000)
    shown = " ".join(capsys.readouterr().out.split())
    assert "200 customers, 4,000 orders, 4,000 events" in shown
    assert "features added a column to customers, and dropped all events" in shown
    assert "update_postimage" in shown
    assert "the shop still has 4,000 orders" in shown
    assert "0 problems found" in shown
    check_commands(tmp_path)


def check_commands(folder: Path) -> None:
    """What the demo says to try works in the lake that it has left."""
    commands = [shlex.split(command) for _, command in demo.things_to_try(folder)]
    assert len(commands) == 3
    for program, *arguments in commands:
        assert program == ".venv/bin/forklake"
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert (done.exit_code, done.stdout != "") == (0, True), done.output


def test_the_demo_ends_with_three_things_to_try(capsys: pytest.CaptureFixture[str]) -> None:
    demo.what_next(None)
    shown = capsys.readouterr().out
    assert [f"   {number}. " in shown for number in range(1, 5)] == [True, True, True, False]
    assert "make demo ARGS=--keep" in shown


def test_the_demo_takes_no_folder_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["demo", "--folder", str(tmp_path)])
    with pytest.raises(SystemExit):
        demo.main()
    assert tmp_path.exists()
