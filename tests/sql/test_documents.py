"""The SQL in the documents runs as it stands, from top to bottom, in one session."""

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import forklake
from tests.docs.test_documents import ROOT

BLOCK = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)


PAGES = (ROOT / "README.md", ROOT / "docs" / "sql.md")
"""Pages whose SQL is for a session; that of others is for the metadata database itself."""


def statements(page: Path) -> list[str]:
    return [
        statement
        for found in BLOCK.finditer(page.read_text(encoding="utf-8"))
        for statement in found[1].split(";\n")
        if statement.strip()
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_sql_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> None:
    monkeypatch.chdir(tmp_path)
    with forklake.connect(spark=spark) as session:
        for statement in statements(page):
            session.sql(statement).fetchall()


def test_the_sql_reference_has_examples() -> None:
    assert len(statements(ROOT / "docs" / "sql.md")) >= 40
