"""The built wheel has all that an installation needs, and works from a folder of its own."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]
FIRST_STEPS = """
import forklake
from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.open_lake import open_lake

lake = open_lake("sqlite:lake.db", create=True, data_path="data")
create_catalog(lake, "main")
fork_catalog(lake, "main", "fork")
print(forklake.__file__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


def test_the_wheel_brings_types_and_the_sql_of_the_databases(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    assert "forklake/py.typed" in names
    for name in ("functions/postgresql.sql", "views/postgresql.sql", "views/sqlite.sql"):
        assert f"forklake/store/{name}" in names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "examples"))]


def test_the_wheel_works_without_the_repository(wheel: Path, tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    ZipFile(wheel).extractall(installed)
    env = {**os.environ, "PYTHONPATH": str(installed)}

    def run(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert Path(run("-c", FIRST_STEPS)) == installed / "forklake" / "__init__.py"
    assert run("-m", "forklake", "--version").startswith("forklake 0.")
