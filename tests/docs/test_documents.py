"""The documents name only what exists."""

import ast
import json
import re
from pathlib import Path
from typing import get_args

import pytest

from forklake.model.changes import Change, format_changes, parse_changes
from forklake.model.documents import read_definition, write_definition
from forklake.model.entities import ObjectKind
from forklake.model.findings import Problem
from forklake.store.metadata_tables import TABLES
from forklake.store.row_kinds import RowKind

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "forklake"
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
METADATA_TABLES = ROOT / "docs" / "metadata-tables.md"

BACKTICKS = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"\.?[\w-][\w./-]*")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
SUFFIXES = {".py", ".md", ".sql", ".toml", ".lock"}
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
TARGET = re.compile(r"^([a-z-]+):.*##", re.MULTILINE)
COMMAND = re.compile(r"`make ([a-z-]+)[^`]*`")
READ_FIRST = ("README.md", *(f"docs/{name}.md" for name in ("index", "quickstart", "concepts", "cli", "python", "sql")))
COLUMN = 80
"""What a code block shows of a line without scrolling."""
DECISION = re.compile(r"# \d+\. .+\n\n\d{4}-\d\d-\d\d\n\n## Choice\n.+## Reasons\n.+## What was given up\n", re.DOTALL)


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
    return (ROOT / name).exists() or (PACKAGE / name).exists()


def test_every_path_the_architecture_names_exists() -> None:
    names = named_paths(ARCHITECTURE.read_text(encoding="utf-8"))
    assert names, "ARCHITECTURE.md names no path"
    assert [name for name in names if not exists(name)] == []


def packages() -> list[Path]:
    return sorted(path.parent for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE)


def test_the_architecture_names_every_package() -> None:
    named = set(named_paths(ARCHITECTURE.read_text(encoding="utf-8")))
    names = {f"{package.relative_to(PACKAGE)}/" for package in packages()}
    assert sorted(names - named) == []


@pytest.mark.parametrize("package", packages(), ids=lambda package: str(package.relative_to(PACKAGE)))
def test_a_package_says_what_is_in_it_and_what_it_imports(package: Path) -> None:
    text = (package / "__init__.py").read_text(encoding="utf-8")
    said = ast.get_docstring(ast.parse(text)) or ""
    assert len(said.splitlines()) >= 3
    assert re.search(r"\b[Ii]mports?\b", said)


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8")))
    named = {name for document in documents() for name in COMMAND.findall(document.read_text(encoding="utf-8"))}
    assert named - targets == set()


@pytest.mark.parametrize("document", sorted(ROOT.glob("docs/decisions/*.md")), ids=lambda document: document.stem)
def test_a_decision_says_when_what_why_and_at_what_price(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert DECISION.match(text)
    assert text.startswith(f"# {int(document.stem[:4])}. ")


@pytest.mark.parametrize("document", documents(), ids=lambda document: str(document.relative_to(ROOT)))
def test_every_relative_link_resolves(document: Path) -> None:
    assert [link for link in relative_links(document) if not resolves(document, link)] == []


def resolves(document: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = document.parent / name if name else document
    if anchor and target.suffix == ".md" and target.exists():
        return anchor in anchors(target)
    return target.exists()


def test_the_page_of_metadata_tables_names_every_table_column_and_key() -> None:
    expected = {
        name: (list(table.columns.keys()), {column.name for column in table.primary_key})
        for name, table in TABLES.items()
    }
    assert described_tables() == expected


def described_tables() -> dict[str, tuple[list[str], set[str]]]:
    """Per heading that names a table: the columns in the first table below it, and its key."""
    found = {}
    for section in re.split(r"^### ", METADATA_TABLES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name = section.partition("\n")[0]
        columns = re.search(r"^\| column \| meaning \|\n\|---\|---\|\n((?:\|.*\n)+)", section, re.MULTILINE)
        key = re.search(r"Key:((?:\s+`\w+`,?)+)\.", section)
        if columns and key:
            found[name] = (re.findall(r"^\| `(\w+)`", columns[1], re.MULTILINE), set(BACKTICKS.findall(key[1])))
    return found


def test_the_page_of_metadata_tables_names_every_kind_of_end_marker() -> None:
    rows = re.findall(r"^\| (\d+) \| ([A-Z_]+) \|", METADATA_TABLES.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(str(int(kind)), kind.name) for kind in RowKind]


def test_the_page_of_metadata_tables_names_every_kind_of_change() -> None:
    entries = re.findall(r"^\| `(\w+:[^`]+)` \|", METADATA_TABLES.read_text(encoding="utf-8"), re.MULTILINE)
    changes = [change for entry in entries for change in parse_changes(entry)]
    assert [format_changes([change]) for change in changes] == entries
    assert {type(change) for change in changes} == set(get_args(Change))


@pytest.mark.parametrize("kind", ["schema", "table", "view", "scalar_macro"])
def test_the_definitions_in_the_page_of_metadata_tables_are_the_ones_we_write(kind: ObjectKind) -> None:
    section = METADATA_TABLES.read_text(encoding="utf-8").partition(f"\n### {kind}\n")[2]
    document = json.loads(section.partition("```json\n")[2].partition("```")[0])
    assert json.loads(write_definition(read_definition(kind, document))) == document


def test_the_page_of_sql_names_every_problem_that_a_check_may_find() -> None:
    section = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8").partition("\n## Check\n")[2]
    rows = re.findall(r"^\| (`[^|]+`) \|", section, re.MULTILINE)
    assert sorted(name for row in rows for name in BACKTICKS.findall(row)) == sorted(get_args(Problem))


@pytest.mark.parametrize("name", READ_FIRST)
def test_code_fits_its_column_in_the_pages_that_are_read_first(name: str) -> None:
    blocks = FENCE.finditer((ROOT / name).read_text(encoding="utf-8"))
    lines = [line for block in blocks for line in block[0].splitlines()[1:]]
    assert [line for line in lines if len(line) > COLUMN] == []
