"""Scans that Spark knows by name: what a user may notice of them."""

import gc
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import pytest
from pyspark.errors import PySparkException

import forklake
from forklake.api.session import Session
from forklake.errors import NoSuchTable
from forklake.model.lru_cache import LruCache
from forklake.spark.session.scan_cache import NamedScan, drop_unused_views
from tests.attached import attach_main
from tests.spark.conftest import CONNECT, Lakehouse
from tests.spark.inside import files_below

pytestmark = pytest.mark.skipif(CONNECT, reason="a client hands its DataFrames over with the query")


def views_of(local: Lakehouse) -> set[str]:
    """The temporary views of ours that Spark has."""
    prefix = local.session._state.provider.cache._prefix
    return {table.name for table in local.spark.catalog.listTables() if table.name.startswith(prefix)}


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


def test_frames_of_queries_can_be_joined_by_their_columns(local: Lakehouse) -> None:
    before = local.lake.snapshots()[-1].snapshot_id
    local.session.sql("ALTER TABLE lake.t ADD COLUMN b INT")
    local.session.sql("DELETE FROM lake.t WHERE id = 3")
    now, again = (local.session.sql("SELECT * FROM lake.t").to_spark() for _ in range(2))
    then = local.session.sql(f"SELECT * FROM lake.t VERSION AS OF {before}").to_spark()
    table, some = local.lake.table("t").to_spark(), local.lake.table("t").scan(where="id < 8").to_spark()
    frames = [now, again, then, table, some]
    for left, right in permutations(frames, 2):
        joined = left.join(right, left["id"] == right["id"] + 1).where(right["id"] < 3)
        found = sorted(map(tuple, joined.select(left["id"], right["id"]).collect()))
        assert found == [(1, 0), (2, 1), (3, 2)][: 3 if left is then else 2]


def test_nothing_can_be_inserted_through_a_view_of_a_query(local: Lakehouse) -> None:
    assert len(ids(local, "SELECT id FROM lake.t")) == 10
    [view] = views_of(local)
    before = files_below(local.data)
    for statement in ("INSERT INTO", "INSERT OVERWRITE"):
        with pytest.raises(PySparkException):
            local.spark.sql(f"{statement} {view} VALUES (1)")
    assert files_below(local.data) == before


def test_views_that_somebody_has_dropped_are_made_again(local: Lakehouse) -> None:
    query = "SELECT t.id FROM lake.t JOIN lake.u USING (id) WHERE t.id < 2"
    assert ids(local, query) == [0, 1]
    for name in views_of(local):
        local.spark.catalog.dropTempView(name)
    assert ids(local, query) == [0, 1]
    assert len(views_of(local)) == 2


def test_the_view_used_longest_ago_goes_first(local: Lakehouse) -> None:
    kept: LruCache[tuple[object, ...], NamedScan] = LruCache(450)
    local.session._state.provider.cache.scans = kept
    local.session.sql("SELECT * FROM lake.t").fetchall()
    [first] = views_of(local)
    local.session.sql("SELECT * FROM lake.u").fetchall()
    local.session.sql("SELECT * FROM lake.t").fetchall()
    local.session.sql("DELETE FROM lake.u WHERE id = 1")
    assert len(ids(local, "SELECT * FROM lake.u")) == 9
    drop_unused_views()
    assert len(views_of(local)) == 2
    assert first in views_of(local)


def test_a_scan_for_which_there_is_no_room_is_read_and_leaves_nothing(local: Lakehouse) -> None:
    local.session._state.provider.cache.scans = LruCache(150)
    for _ in range(3):
        assert len(ids(local, "SELECT t.id FROM lake.t JOIN lake.u USING (id)")) == 10
    drop_unused_views()
    assert not views_of(local)


def test_a_session_that_is_never_closed_leaves_nothing_once_it_is_gone(local: Lakehouse) -> None:
    gc.collect()
    drop_unused_views()
    before = {table.name for table in local.spark.catalog.listTables()}
    session = forklake.connect(spark=local.spark)
    attach_main(session, local.place, local.data.parent)
    assert len(session.sql("SELECT * FROM lake.t").fetchall()) == 10
    assert {table.name for table in local.spark.catalog.listTables()} > before
    del session
    gc.collect()
    drop_unused_views()
    assert {table.name for table in local.spark.catalog.listTables()} == before


def test_a_commit_to_another_table_changes_nothing_for_one_with_deletes(local: Lakehouse) -> None:
    local.session.sql("DELETE FROM lake.t WHERE id = 1")
    for number in range(3):
        local.session.sql(f"INSERT INTO lake.u VALUES ({number})")
        assert len(ids(local, "SELECT id FROM lake.t")) == 9
    assert len(views_of(local)) == 1


def test_many_threads_may_ask_for_one_table_at_once(local: Lakehouse) -> None:
    local.session._state.provider.cache.scans = LruCache(450)
    sessions = [local.session.cursor() for _ in range(8)]

    def count(session: Session) -> list[int]:
        names = ("t", "u") * 5
        return [len(session.sql(f"SELECT id FROM lake.{name} WHERE id >= 0").fetchall()) for name in names]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(count, sessions)) == [[10] * 10] * 8
    drop_unused_views()
    assert len(views_of(local)) == 2


def test_a_table_that_is_missing_beside_one_of_ours_is_told_in_our_words(local: Lakehouse) -> None:
    with pytest.raises(NoSuchTable, match="Table 'nope' does not exist"):
        local.session.sql("SELECT * FROM lake.t JOIN nope USING (id)")


def test_closing_a_session_takes_its_views_away(local: Lakehouse) -> None:
    gc.collect()
    drop_unused_views()
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
    local.lake.set_option("data_inlining_row_limit", 10)
    local.session.sql("INSERT INTO lake.t VALUES (10), (11)")
    assert local.session.sql("SELECT count(*) FROM lake.list_files('t')").fetchall() == [(1,)]
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
