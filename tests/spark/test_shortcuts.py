"""The switch that turns every shortcut off: what is not read with it is read without it."""

from collections.abc import Callable
from pathlib import Path

import pytest

import forklake
from forklake.api.session import Session
from forklake.errors import DamagedFile
from tests.spark.conftest import Lakehouse
from tests.spark.inside import files_below


@pytest.fixture
def lost(local: Lakehouse) -> Lakehouse:
    """With a table of ids from 0 to 19 in two files, of which the second is gone."""
    table = local.lake.create_table("t", {"id": "int"})
    known: set[Path] = set()
    for first in (0, 10):
        known = set(files_below(local.data))
        table.append(local.spark.range(first, first + 10, 1, numPartitions=1).selectExpr("cast(id AS int) AS id"))
    [second] = set(files_below(local.data)) - known
    second.unlink()
    return local


READS: dict[str, Callable[[Lakehouse], object]] = {
    "excluded files of a query": lambda lake: lake.session.sql("SELECT id FROM lake.t WHERE id < 5").fetchall(),
    "excluded files of a scan": lambda lake: lake.lake.table("t").scan("id < 5").fetchall(),
    "excluded files of an update": lambda lake: lake.session.sql("UPDATE lake.t SET id = -id WHERE id < 5"),
    "excluded files of a delete": lambda lake: lake.session.sql("DELETE FROM lake.t WHERE id < 5"),
    "files that are deleted whole": lambda lake: lake.session.sql("DELETE FROM lake.t WHERE id >= 10"),
    "files that are deleted whole in Python": lambda lake: lake.lake.table("t").delete("id >= 10"),
    "a count": lambda lake: lake.session.sql("SELECT count(*) FROM lake.t").fetchall(),
    "a count in Python": lambda lake: lake.lake.table("t").count(),
    "the largest value": lambda lake: lake.lake.table("t").max("id"),
    "statistics without NULL": lambda lake: lake.session.sql("ALTER TABLE lake.t ALTER COLUMN id SET NOT NULL"),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS.keys())
def test_without_shortcuts_files_are_read_that_metadata_answer_for(
    lost: Lakehouse, read: Callable[[Lakehouse], object]
) -> None:
    lost.session.sql("SET forklake_shortcuts = false")
    with pytest.raises(DamagedFile):
        read(lost)
    lost.session.sql("RESET forklake_shortcuts")
    read(lost)


@pytest.fixture
def fresh(local: Lakehouse) -> Session:
    """A session on the lake that has no Spark yet, with a small table in it."""
    session = forklake.connect(shortcuts=False)
    session.attach(local.place.url, "lake", catalog="main", metadata_schema=local.place.metadata_schema)
    session.sql("CREATE TABLE lake.small (id INT, name VARCHAR)")
    return session


@pytest.mark.parametrize(
    "text", ["INSERT INTO lake.small VALUES (1, 'a')", "SELECT * FROM lake.small", "SELECT count(*) FROM lake.small"]
)
def test_without_shortcuts_small_statements_are_left_to_spark(fresh: Session, text: str) -> None:
    fresh.sql(text).fetchall()
    assert fresh._state.provider.is_running
    with forklake.connect() as other:
        other._state.attachments = fresh._state.attachments
        other.sql(text).fetchall()
        assert not other._state.provider.is_running


def test_without_shortcuts_no_scan_is_kept(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int"})
    table.append(local.spark.range(10).selectExpr("cast(id AS int) AS id"))
    local.session.sql("SET forklake_shortcuts = false")
    table.delete("id = 3")
    assert local.session.sql("SELECT sum(id) FROM lake.t").fetchall() == [(42,)]
    holder = local.session._state.provider
    assert (len(holder.cache.scans), len(holder.cache.relations)) == (0, 0)


def test_a_cursor_begins_with_the_switch_of_its_session(local: Lakehouse) -> None:
    local.session.sql("SET forklake_shortcuts = false")
    cursor = local.session.cursor()
    cursor.sql("SET forklake_shortcuts = true")
    assert (local.session._state.shortcuts, cursor._state.shortcuts) == (False, True)
