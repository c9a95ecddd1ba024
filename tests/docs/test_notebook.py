"""The example notebook runs from top to bottom, and what it shows is HTML."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_documents import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def run_cell(code: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does; what its last expression gives."""
    tree = ast.parse(code)
    *body, last = tree.body
    shown = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
    exec(compile(ast.Module(tree.body if shown is None else body, []), "cell", "exec"), names)
    return None if shown is None else eval(compile(shown, "cell", "eval"), names)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_something(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    html = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"], "kept without outputs"
            shown = run_cell("".join(cell["source"]), names)
            html += [shown._repr_html_()] if hasattr(shown, "_repr_html_") else []
    assert len(html) >= 5
    assert all("<table>" in text for text in html)
    assert "table main.orders, 3 rows" in html[0]


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
