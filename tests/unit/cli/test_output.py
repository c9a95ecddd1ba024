"""Rows as JSON, as text for pipes, and as a table for people."""

import json
from datetime import UTC, datetime

import pytest
from rich.console import Console

from forklake.cli.output import OutputRows
from forklake.cli.progress import TerminalProgress

TIME = datetime(2026, 1, 31, 12, 30, 0, 5, tzinfo=UTC)
ROWS = OutputRows(("name", "files", "since", "forks"), [("a\tb\\c\n[d]", 3, TIME, ["x", "y"]), (None, 12, None, [])])


def test_json_is_one_array_of_objects(capsys: pytest.CaptureFixture[str]) -> None:
    ROWS.show(as_json=True)
    assert json.loads(capsys.readouterr().out) == [
        {"name": "a\tb\\c\n[d]", "files": 3, "since": "2026-01-31T12:30:00.000005+00:00", "forks": ["x", "y"]},
        {"name": None, "files": 12, "since": None, "forks": []},
    ]


def test_json_of_no_rows_is_an_empty_array(capsys: pytest.CaptureFixture[str]) -> None:
    OutputRows(("name",), []).show(as_json=True)
    assert capsys.readouterr().out == "[]\n"


def test_text_is_a_line_for_each_row_below_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    ROWS.show(as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "name\tfiles\tsince\tforks",
        "a\\tb\\\\c\\n[d]\t3\t2026-01-31 12:30:00.000005+00:00\tx, y",
        "\t12\t\t",
    ]


def test_no_rows_are_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    OutputRows(("name",), []).show(as_json=False)
    assert capsys.readouterr().out == ""


def be_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")


def test_a_table_on_a_terminal_has_everything(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    be_a_terminal(monkeypatch)
    long = "/data/" + "x" * 200 + ".parquet"
    OutputRows(("path", "problem"), [(long, "[bold]not markup[/bold]")]).show(as_json=False)
    out = capsys.readouterr().out
    assert "[bold]not markup[/bold]" in out
    assert out.count("x") == 200
    assert "2026" not in out


def test_people_are_told_that_there_is_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    be_a_terminal(monkeypatch)
    OutputRows(("name",), [], "No problems were found.").show(as_json=False)
    assert capsys.readouterr().out == "No problems were found.\n"


def test_progress_shows_files_and_bytes_and_leaves_nothing_behind() -> None:
    console = Console(force_terminal=True, width=120, record=True)
    with console.capture() as captured, TerminalProgress(console) as progress:
        progress.begin("Deleting files", 10, 4_000_000)
        progress.advance(3, 1_000_000)
        progress._bars.refresh()
        progress.end()
        progress.begin("Listing files", 2, 0)
        progress.advance(1, 0)
        progress.advance(1, 0)
    shown = captured.get()
    assert "Deleting files" in shown
    assert "3/10 files" in shown
    assert "1.0/4.0 MB" in shown
