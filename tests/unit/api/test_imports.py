"""What programs and commands import, in processes of their own: nothing slow before it is needed."""

import subprocess
import sys
from pathlib import Path

import pytest

import forklake

QUERIES = (
    "SELECT * FROM t WHERE id = 1",
    "SELECT name, price FROM t WHERE price > 1.5 AND name > 'a' AND day > DATE '2026-01-01' ORDER BY id LIMIT 1",
    "SELECT at FROM t WHERE at < TIMESTAMP '2027-01-01'",
    "SELECT count(*) FROM t",
    "SHOW TABLES",
    "DESCRIBE t",
)
CREATE = "CREATE TABLE t (id INT, name STRING, price DECIMAL(9,2), day DATE, at TIMESTAMP)"
INSERT = """INSERT INTO t VALUES
    (1, 'ä', 2.50, DATE '2026-02-03', TIMESTAMP '2026-02-03 04:05:06'), (2, 'b', 3, NULL, NULL)"""
HEAVY = (
    "pyspark",
    "py4j",
    "pandas",
    "sqlglot.dialects.duckdb",
    "sqlalchemy",
    "psycopg",
    "rich.table",
    "prompt_toolkit",
)


@pytest.fixture(params=[0, 100], ids=["files", "inlined"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    target = str(tmp_path / "lake.db")
    with forklake.connect() as session:
        session.attach(
            target,
            "main",
            catalog="main",
            data_path=str(tmp_path / "data"),
            create_if_not_exists=True,
            data_inlining_row_limit=request.param,
        )
        for statement in ("USE main", CREATE, INSERT):
            session.sql(statement)
    return target


def run_without(modules: tuple[str, ...], code: str) -> str:
    """Run code in a process in which none of these modules is imported."""
    check = f"\nfound = [name for name in {modules!r} if name in sys.modules]\nassert not found, found\n"
    command = [sys.executable, "-c", f"import sys\n{code}{check}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def test_the_package_imports_nothing_of_others() -> None:
    run_without(("pyspark", "pyarrow", "pandas", "numpy", "sqlglot", "sqlalchemy", "psycopg"), "import forklake")


def test_small_queries_of_a_program_import_neither_pyspark_nor_pandas(lake: str) -> None:
    code = f"""
import forklake
with forklake.connect() as session:
    session.sql("ATTACH '{lake}' AS main (CATALOG 'main'); USE main")
    for query in {QUERIES!r}:
        assert session.sql(query).fetchall()
"""
    run_without(HEAVY, code)


def test_small_queries_of_a_command_import_neither_pyspark_nor_pandas(lake: str) -> None:
    code = f"""
from typer.testing import CliRunner
from forklake.cli.main import app
arguments = ["sql", "--lake", {lake!r}, *{QUERIES!r}]
done = CliRunner().invoke(app, arguments, catch_exceptions=False)
assert done.exit_code == 0, done.output
"""
    run_without(HEAVY, code)
