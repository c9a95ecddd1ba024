"""The Python examples in the documents run, and print what they say."""

import re
from pathlib import Path

import pytest

from tests.docs.test_documents import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)


def blocks(page: Path) -> list[str]:
    """The code of a page, each block moved down to its own lines, so that a traceback points into the page."""
    text = page.read_text(encoding="utf-8")
    return ["\n" * text.count("\n", 0, found.start(1)) + found[1] for found in BLOCK.finditer(text)]


def pages_with_examples() -> list[Path]:
    return [page for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))) if blocks(page)]


@pytest.mark.parametrize("page", pages_with_examples(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run_from_top_to_bottom(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), names)
        assert capsys.readouterr().out.splitlines() == PRINTED.findall(block)


def test_the_readme_has_an_example() -> None:
    assert ROOT / "README.md" in pages_with_examples()
