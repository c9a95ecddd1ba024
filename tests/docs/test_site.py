"""The documents build as a site, without a warning and without a network."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_documents import ROOT, relative_links

LOADED = re.compile(
    r'<(?:script|img|iframe|source)[^>]*\ssrc="(https?:)?//|<link[^>]*\shref="(https?:)?//', re.IGNORECASE
)
IN_STYLE = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", re.IGNORECASE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it, in another folder."""
    folder = tmp_path_factory.mktemp("site")
    # Not --quiet: that silences warnings before they are counted.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in ROOT.glob("docs/**/*.md")}
    assert {page for page in pages if not (site / page).exists()} == set()


def test_a_page_of_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    assert [str(page) for page in site.rglob("*.html") if LOADED.search(page.read_text(encoding="utf-8"))] == []
    assert [str(style) for style in site.rglob("*.css") if IN_STYLE.search(style.read_text(encoding="utf-8"))] == []


def test_the_page_of_decisions_lists_all_of_them() -> None:
    decisions = sorted(f"decisions/{path.name}" for path in ROOT.glob("docs/decisions/*.md"))
    assert relative_links(ROOT / "docs" / "decisions.md") == decisions
