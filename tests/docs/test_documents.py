"""The documents name only what exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARCHITECTURE = ROOT / "ARCHITECTURE.md"

BACKTICKS = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"\.?[\w-][\w./-]*")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
SUFFIXES = {".py", ".md", ".sql", ".toml", ".lock"}
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def documents() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def named_paths(text: str) -> list[str]:
    """What is in backticks and looks like a file or a folder: it has a slash, or ends like a file of ours."""
    names = [name for name in BACKTICKS.findall(FENCE.sub("", text)) if PATH.fullmatch(name)]
    return [name for name in names if "/" in name or Path(name).suffix in SUFFIXES]


def relative_links(document: Path) -> list[str]:
    links = LINK.findall(FENCE.sub("", document.read_text(encoding="utf-8")))
    return [link for link in links if not ELSEWHERE.match(link)]


def anchors(document: Path) -> set[str]:
    """The anchors that headings get: lower case, punctuation dropped, spaces as hyphens."""
    titles = re.findall(r"^#+\s+(.+?)\s*$", FENCE.sub("", document.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def exists(name: str) -> bool:
    """Whether the path is in the repository, named from its root or from the package."""
    return (ROOT / name).exists() or (ROOT / "src" / "forklake" / name).exists()


def test_every_path_the_architecture_names_exists() -> None:
    names = named_paths(ARCHITECTURE.read_text(encoding="utf-8"))
    assert names, "ARCHITECTURE.md names no path"
    assert [name for name in names if not exists(name)] == []


@pytest.mark.parametrize("document", documents(), ids=lambda document: str(document.relative_to(ROOT)))
def test_every_relative_link_resolves(document: Path) -> None:
    assert [link for link in relative_links(document) if not resolves(document, link)] == []


def resolves(document: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = document.parent / name if name else document
    if anchor and target.suffix == ".md" and target.exists():
        return anchor in anchors(target)
    return target.exists()
