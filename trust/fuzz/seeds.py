"""Statements that others have thought of: those of the tests and of the documents."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OUTSIDE = re.compile(r"(?<=')(?:(?:file|s3a?|gs|hdfs|abfss?)://|~)?/+")


def known_statements() -> list[str]:
    """All of them, in an order that is always the same. None names a place outside of the folder it is run in."""
    scripts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests" / "sql").rglob("*.sql"))]
    pages = [_BLOCK.findall((ROOT / page).read_text(encoding="utf-8")) for page in ("README.md", "docs/sql.md")]
    texts = [*scripts, *(block for page in pages for block in page)]
    return [statement for text in texts for statement in _statements(text)]


def _statements(text: str) -> list[str]:
    code = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    found = (statement.strip() for statement in code.split(";\n"))
    return [_OUTSIDE.sub("", statement.rstrip(";")) for statement in found if statement]
