"""The Spark that the other tests use, and a lake to attack."""

from pathlib import Path

import pytest

from tests.spark.conftest import server as server
from tests.spark.conftest import spark as spark
from trust.fuzz.damaged_lake import World, build


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A lake on SQLite, to be attacked."""
    return build(tmp_path / "world", f"sqlite:{tmp_path / 'world' / 'lake.db'}")
