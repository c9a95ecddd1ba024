"""Scans that Spark knows by name: what a user may notice of them."""

import pytest

import forklake
from forklake.catalog.lake import RecentlyUsed
from forklake.spark.session import NamedScan
from tests.attached import attach_main
from tests.spark.conftest import CONNECT, Lakehouse

pytestmark = pytest.mark.skipif(CONNECT, reason="a client hands its DataFrames over with the query")


def views_of(local: Lakehouse) -> set[str]:
    """The temporary views of ours that Spark has."""
    holder = local.session._state.holder
    return {table.name for table in local.spark.catalog.listTables() if holder.is_ours(table.name)}


@pytest.fixture
def local(local: Lakehouse) -> Lakehouse:
    """With two tables of one file each."""
    rows = local.spark.range(0, 10, 1, numPartitions=1).selectExpr("cast(id AS int) AS id")
    for name in ("t", "u"):
        local.lake.create_table(name, {"id": "int"}).append(rows)
    return local


def ids(local: Lakehouse, query: str) -> list[int]:
    return sorted(row[0] for row in local.session.sql(query).fetchall())


def test_a_table_in_several_queries_is_one_view_until_it_changes(local: Lakehouse) -> None:
    for highest in (3, 5):
        assert ids(local, f"SELECT id FROM lake.t WHERE id < {highest}") == list(range(highest))
    [first] = views_of(local)
    local.session.sql("INSERT INTO lake.u VALUES (10)")
    local.session.sql("SELECT id FROM lake.t").fetchall()
    assert views_of(local) == {first}
    local.session.sql("DELETE FROM lake.t WHERE id > 1")
    assert ids(local, "SELECT id FROM lake.t") == [0, 1]
    assert len(views_of(local)) == 2
    before = local.lake.snapshots()[-2].snapshot_id
    assert len(ids(local, f"SELECT id FROM lake.t VERSION AS OF {before}")) == 10
    assert len(views_of(local)) == 2


def test_a_table_can_be_joined_with_itself(local: Lakehouse) -> None:
    assert ids(local, "SELECT a.id FROM lake.t a JOIN lake.t b ON a.id = b.id + 1 WHERE b.id < 2") == [1, 2]
    assert len(views_of(local)) == 1


def test_views_that_somebody_has_dropped_are_made_again(local: Lakehouse) -> None:
    query = "SELECT t.id FROM lake.t JOIN lake.u USING (id) WHERE t.id < 2"
    assert ids(local, query) == [0, 1]
    for name in views_of(local):
        local.spark.catalog.dropTempView(name)
    assert ids(local, query) == [0, 1]
    assert len(views_of(local)) == 2


def test_the_view_used_longest_ago_goes_first(local: Lakehouse) -> None:
    kept: RecentlyUsed[tuple[object, ...], NamedScan] = RecentlyUsed(450)
    local.session._state.holder.scans = kept
    local.session.sql("SELECT * FROM lake.t").fetchall()
    [first] = views_of(local)
    local.session.sql("SELECT * FROM lake.u").fetchall()
    local.session.sql("SELECT * FROM lake.t").fetchall()
    local.session.sql("DELETE FROM lake.u WHERE id = 1")
    assert len(ids(local, "SELECT * FROM lake.u")) == 9
    assert len(views_of(local)) == 2
    assert first in views_of(local)


def test_closing_a_session_takes_its_views_away(local: Lakehouse) -> None:
    before = {table.name for table in local.spark.catalog.listTables()}
    with forklake.connect(spark=local.spark) as session:
        attach_main(session, local.place, local.data.parent)
        assert session.sql("SELECT sum(id) FROM lake.t").fetchall() == [(45,)]
        assert len({table.name for table in local.spark.catalog.listTables()} - before) == 1
    assert {table.name for table in local.spark.catalog.listTables()} == before


def test_rows_of_an_open_transaction_are_seen_and_not_kept(local: Lakehouse) -> None:
    with local.session.transaction():
        local.session.sql("INSERT INTO lake.t VALUES (10)")
        assert len(ids(local, "SELECT id FROM lake.t WHERE id > 4")) == 6
        local.session.sql("ALTER TABLE lake.u RENAME COLUMN id TO number")
        assert ids(local, "SELECT number FROM lake.u WHERE number < 2") == [0, 1]
        assert not views_of(local)
        local.session.rollback()
        local.session.begin()
    assert len(ids(local, "SELECT id FROM lake.t WHERE id > 4")) == 5
    assert ids(local, "SELECT id FROM lake.u WHERE id < 2") == [0, 1]


def test_inlined_rows_are_kept_by_what_is_left_of_them(local: Lakehouse) -> None:
    local.session.sql("INSERT INTO lake.t VALUES (10), (11)")
    assert ids(local, "SELECT id FROM lake.t WHERE id > 8") == [9, 10, 11]
    local.session.sql("DELETE FROM lake.t WHERE id = 10")
    assert ids(local, "SELECT id FROM lake.t WHERE id > 8") == [9, 11]


def test_a_fork_shows_its_own_rows_and_its_parent_the_parents(local: Lakehouse) -> None:
    assert ids(local, "SELECT id FROM lake.t WHERE id > 7") == [8, 9]
    local.lake.fork("f")
    with forklake.connect(spark=local.spark) as session:
        session.attach(local.place.url, "f", catalog="f")
        session.sql("DELETE FROM f.t WHERE id = 9")
        assert [row[0] for row in session.sql("SELECT id FROM f.t WHERE id > 7").fetchall()] == [8]
    assert ids(local, "SELECT id FROM lake.t WHERE id > 7") == [8, 9]
