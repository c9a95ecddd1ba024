"""Results of several runs, shown together."""

from pathlib import Path

import pytest

from benchmarks.command import Command
from benchmarks.report import Facts, Figure, at_least, at_most, write_json

FACTS: dict[str, Facts] = {"versions": {"source": "abc"}, "sizes": {"rows": 5}}
FIGURES = [
    Figure("one", "sqlite", "a figure", 0.5, "x", at_most(1.0), "1 ms against 2 ms"),
    Figure("two", "postgres", "another", 25.0, "/s", at_least(20.0)),
]


def command() -> Command:
    made = Command("peers", None, ["one", "two"])
    made.add_earlier()
    return made


def test_results_of_other_benchmarks_are_kept_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_json(path, FIGURES, FACTS)
    options = command().parse(["--json", str(path), "--add", "--only", "two"])
    assert command().earlier(options, FACTS) == FIGURES[:1]


def test_nothing_is_kept_unless_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_json(path, FIGURES, FACTS)
    assert command().earlier(command().parse(["--json", str(path), "--only", "two"]), FACTS) == []
    assert command().earlier(command().parse(["--json", str(tmp_path / "none.json"), "--add"]), FACTS) == []


@pytest.mark.parametrize("title", ["versions", "sizes"])
def test_results_of_other_code_or_sizes_are_refused(
    title: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.json"
    write_json(path, FIGURES, {**FACTS, title: {"other": 1}})
    options = command().parse(["--json", str(path), "--add", "--only", "two"])
    with pytest.raises(SystemExit):
        command().earlier(options, FACTS)
    assert f"of other {title}" in capsys.readouterr().err


@pytest.mark.parametrize("text", [None, "no place for results"])
def test_a_document_without_a_place_for_results_is_refused_before_anything_runs(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.md"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit):
        command().parse(["--markdown", str(path)])
    assert "page.md" in capsys.readouterr().err
