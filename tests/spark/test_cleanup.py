"""Files that nobody can see are deleted when their time has come, and no others."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import InvalidInput, ReadOnly, TransactionError
from forklake.spark.storage.storage import MARK
from tests.spark.conftest import CONNECT, Lakehouse
from tests.spark.inside import paths, rows

pytestmark = pytest.mark.every_backend

DAY = timedelta(days=1)


def make_table(lake: CatalogHandle, *, name: str = "t", files: int = 3) -> TableHandle:
    table = lake.create_table(name, {"id": "bigint"})
    for number in range(files):
        table.append(pa.table({"id": [10 * number, 10 * number + 1]}))
    return table


def forget_history(lake: CatalogHandle) -> None:
    lake.expire_snapshots(older_than=datetime(2100, 1, 1, tzinfo=UTC))


def on_disk(house: Lakehouse) -> set[Path]:
    return {
        path for path in house.data.rglob("*") if path.is_file() and path.name != MARK and "_scans" not in path.parts
    }


def make_old(path: Path, age: timedelta = 3 * DAY) -> None:
    then = (datetime.now(UTC) - age).timestamp()
    os.utime(path, (then, then))


def test_released_files_are_deleted_after_two_days(lakehouse: Lakehouse) -> None:
    lake, table = lakehouse.lake, make_table(lakehouse.lake)
    before = set(paths(lakehouse, table))
    table.delete("id < 10")
    forget_history(lake)
    [gone] = before - set(paths(lakehouse, table))
    assert lake.cleanup_old_files() == []
    assert lake.cleanup_old_files(older_than=DAY) == []
    assert gone.exists()
    assert lake.cleanup_old_files(dry_run=True, cleanup_all=True) == [str(gone)]
    assert gone.exists()
    assert lake.cleanup_old_files(older_than=timedelta()) == [str(gone)]
    assert not gone.exists()
    assert rows(table) == [(10,), (11,), (20,), (21,)]
    assert lake.cleanup_old_files(cleanup_all=True) == []


def test_the_option_says_how_long_files_wait(local: Lakehouse) -> None:
    lake, table = local.lake, make_table(local.lake)
    lake.set_option("delete_older_than", "0 seconds")
    table.truncate()
    forget_history(lake)
    assert len(lake.cleanup_old_files()) == 3
    assert on_disk(local) == set()


def test_the_option_says_which_snapshots_expire(local: Lakehouse) -> None:
    lake = local.lake
    make_table(lake)
    assert lake.expire_snapshots() == []
    lake.set_option("expire_older_than", "1 week")
    assert lake.expire_snapshots() == []
    lake.set_option("expire_older_than", "0 seconds")
    assert len(lake.expire_snapshots()) == len(lake.snapshots()) + 5
    assert len(lake.snapshots()) == 1


def test_what_spark_put_beside_a_file_goes_with_it(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "bigint"})
    table.append(local.spark.range(1000))
    assert any(path.name.endswith(".crc") for path in on_disk(local))
    table.truncate()
    forget_history(local.lake)
    local.lake.cleanup_old_files(cleanup_all=True)
    assert on_disk(local) == set()
    assert not list((local.data / "main/main/t").iterdir()), "folders of single jobs"


def test_a_file_that_is_gone_already_counts_as_deleted(local: Lakehouse) -> None:
    table = make_table(local.lake)
    [first, *_] = paths(local, table)
    table.truncate()
    forget_history(local.lake)
    first.unlink()
    assert str(first) in local.lake.cleanup_old_files(cleanup_all=True)
    assert local.lake.cleanup_old_files(cleanup_all=True) == []


def test_a_file_that_cannot_be_deleted_waits_on(local: Lakehouse) -> None:
    table = make_table(local.lake)
    [first, *others] = paths(local, table)
    table.truncate()
    forget_history(local.lake)
    first.unlink()
    first.mkdir()
    assert set(local.lake.cleanup_old_files(cleanup_all=True)) == {str(path) for path in others}
    assert local.lake.cleanup_old_files(cleanup_all=True, dry_run=True) == [str(first)]
    first.rmdir()
    assert local.lake.cleanup_old_files(cleanup_all=True) == [str(first)]


def test_a_fork_keeps_files_of_its_parent_from_being_deleted(lakehouse: Lakehouse) -> None:
    table = make_table(lakehouse.lake)
    before = rows(table)
    fork = lakehouse.lake.fork("fork")
    table.truncate()
    forget_history(lakehouse.lake)
    assert lakehouse.lake.cleanup_old_files(cleanup_all=True) == []
    assert rows(fork.table("t")) == before
    lakehouse.lake.drop_catalog("fork")
    assert len(lakehouse.lake.cleanup_old_files(cleanup_all=True)) == 3


def test_files_that_were_added_from_elsewhere_are_never_deleted(lakehouse: Lakehouse, tmp_path: Path) -> None:
    given = tmp_path / "elsewhere" / "given.parquet"
    given.parent.mkdir()
    pq.write_table(pa.table({"id": pa.array([7], pa.int64())}), given)
    table = make_table(lakehouse.lake, files=1)
    table.add_files([str(given)])
    table.truncate()
    forget_history(lakehouse.lake)
    assert len(lakehouse.lake.cleanup_old_files(cleanup_all=True)) == 1
    assert given.exists()
    lakehouse.lake.delete_orphaned_files(cleanup_all=True)
    assert given.exists()


def test_old_orphans_are_deleted_and_nothing_else(lakehouse: Lakehouse, tmp_path: Path) -> None:
    table = make_table(lakehouse.lake)
    table.delete("id = 10")
    fork = lakehouse.lake.fork("fork")
    fork.table("t").append(pa.table({"id": [100]}))
    own = lakehouse.data / "main" / "main" / "t"
    old, young, note = own / "old.parquet", own / "deep" / "young.parquet", own / "note.txt"
    of_fork, outside = lakehouse.data / "fork" / "orphan.parquet", lakehouse.data / "orphan.parquet"
    for path in (old, young, note, of_fork, outside):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"nobody knows me")
        make_old(path)
    make_old(young, DAY)
    for path in on_disk(lakehouse) - {young}:
        make_old(path)
    assert lakehouse.lake.delete_orphaned_files(dry_run=True) == [str(old)]
    assert old.exists()
    before = on_disk(lakehouse)
    assert lakehouse.lake.delete_orphaned_files() == [str(old)]
    assert on_disk(lakehouse) == before - {old}
    assert lakehouse.lake.delete_orphaned_files(older_than=2 * DAY) == []
    deleted = lakehouse.lake.delete_orphaned_files(cleanup_all=True)
    assert [path for path in deleted if path.endswith(".parquet")] == [str(young)]
    assert fork.delete_orphaned_files(cleanup_all=True) == [str(of_fork)]
    assert on_disk(lakehouse) == before - {old, young, of_fork}
    assert rows(table) == [(0,), (1,), (11,), (20,), (21,)]


def test_files_that_wait_are_no_orphans(local: Lakehouse) -> None:
    table = make_table(local.lake)
    table.truncate()
    forget_history(local.lake)
    assert local.lake.delete_orphaned_files(cleanup_all=True) == []
    assert len(local.lake.cleanup_old_files(cleanup_all=True)) == 3


def test_links_are_not_followed(local: Lakehouse, tmp_path: Path) -> None:
    make_table(local.lake)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    precious = elsewhere / "precious.parquet"
    precious.write_bytes(b"not yours")
    (local.data / "main" / "link").symlink_to(elsewhere)
    (local.data / "main" / "link.parquet").symlink_to(precious)
    assert local.lake.delete_orphaned_files(cleanup_all=True) == []
    assert precious.exists()


def test_what_a_dropped_catalog_leaves_goes_when_nobody_sees_it(lakehouse: Lakehouse) -> None:
    fork = lakehouse.lake.fork("fork")
    make_table(fork)
    nested = fork.fork("nested")
    nested.table("t").append(pa.table({"id": [100]}))
    (lakehouse.data / "fork" / "main" / "t" / "orphan.parquet").write_bytes(b"nobody knows me")
    report = lakehouse.lake.drop_catalog("fork", dry_run=True)
    assert (report.files_freed, report.files_kept, report.some_forks) == (0, 3, ("nested",))
    lakehouse.lake.drop_catalog("fork")
    assert lakehouse.lake.cleanup_dropped_catalogs() == []
    deleted = lakehouse.lake.cleanup_dropped_catalogs(cleanup_all=True)
    assert [(name, Path(path).name) for name, path in deleted if path.endswith(".parquet")] == [
        ("fork", "orphan.parquet")
    ]
    assert len(rows(nested.table("t"))) == 7
    assert lakehouse.lake.drop_catalog("nested").files_freed == 4
    waiting = lakehouse.lake.cleanup_dropped_catalogs(cleanup_all=True, dry_run=True)
    assert not [path for _, path in waiting if path.endswith(".parquet")]
    assert sorted({name for name, _ in lakehouse.lake.cleanup_dropped_catalogs(cleanup_all=True)}) == ["fork", "nested"]
    assert {path.name for path in lakehouse.data.iterdir()} <= {"main", MARK}
    assert lakehouse.lake.cleanup_dropped_catalogs(cleanup_all=True) == []


def test_who_keeps_a_file_is_told_by_any_of_its_paths(lakehouse: Lakehouse) -> None:
    table = make_table(lakehouse.lake, files=1)
    [path] = paths(lakehouse, table)
    relative = str(path.relative_to(lakehouse.data))
    [holder] = lakehouse.lake.file_holders(str(path))
    assert lakehouse.lake.file_holders(relative) == [holder]
    assert (holder.catalog_name, holder.reason, holder.snapshots) == ("main", "snapshots", 1)
    sql = f"SELECT catalog_name, reason FROM lake.file_holders('{path}')"
    assert lakehouse.session.sql(sql).fetchall() == [("main", "snapshots")]
    [found] = lakehouse.session.sql("SELECT * FROM lake.catalog_storage()").fetchall()
    assert tuple(found)[:2] == ("main", 1)


def test_a_checkpoint_does_everything(lakehouse: Lakehouse) -> None:
    lake = lakehouse.lake
    lake.set_option("data_inlining_row_limit", 1)
    lake.set_option("expire_older_than", "0 seconds")
    lake.set_option("delete_older_than", "0 seconds")
    table = make_table(lake)
    table.append([(100,)])
    table.delete("id IN (0, 1)")
    orphan = lakehouse.data / "main" / "main" / "orphan.parquet"
    orphan.write_bytes(b"nobody knows me")
    before = rows(table, "rowid", "id")
    done = {step.step: step.done for step in lake.checkpoint()}
    assert rows(table, "rowid", "id") == before
    assert list(done) == [
        "flush_inlined_data",
        "expire_snapshots",
        "merge_adjacent_files",
        "rewrite_data_files",
        "cleanup_old_files",
        "delete_orphaned_files",
    ]
    assert done["flush_inlined_data"] == 1
    assert done["expire_snapshots"] > 3
    assert done["merge_adjacent_files"] == 3
    assert done["cleanup_old_files"] == 1
    assert done["delete_orphaned_files"] == 1 or CONNECT, "over Connect, lists as well"
    lakehouse.session.sql("CHECKPOINT lake")
    assert set(paths(lakehouse, table)) == {path for path in on_disk(lakehouse) if path.suffix == ".parquet"}


@pytest.mark.parametrize(
    "call",
    [
        "expire_snapshots(versions => [1])",
        "cleanup_old_files(cleanup_all => true)",
        "delete_orphaned_files(cleanup_all => true)",
        "cleanup_orphaned_files(cleanup_all => true)",
        "cleanup_dropped_catalogs(cleanup_all => true)",
        "drop_catalog('other')",
        "checkpoint()",
    ],
)
def test_what_cannot_be_rolled_back_is_refused_in_a_transaction(local: Lakehouse, call: str) -> None:
    local.lake.fork("other")
    local.session.sql("BEGIN")
    name, given = call.removesuffix(")").split("(")
    with pytest.raises(TransactionError, match=rf"^{name} cannot run inside a transaction"):
        local.session.sql(f"CALL lake.{call}")
    with pytest.raises(TransactionError, match=rf"^ducklake_{name} cannot run inside a transaction"):
        local.session.sql(f"CALL ducklake_{name}('lake'{', ' if given else ''}{given})")
    local.session.sql("ROLLBACK")
    assert len(local.lake.snapshots()) == 1


def test_python_refuses_it_in_a_transaction_too(local: Lakehouse) -> None:
    with local.session.transaction():
        for method in (local.lake.expire_snapshots, local.lake.cleanup_old_files, local.lake.checkpoint):
            with pytest.raises(TransactionError, match=f"^{method.__name__} cannot run inside a transaction"):
                method()
        assert local.lake.expire_snapshots(dry_run=True) == []


def test_a_reader_cannot_clean_up(local: Lakehouse) -> None:
    make_table(local.lake)
    with forklake.connect(spark=local.spark) as session:
        reader = session.attach(local.place.url, "lake", catalog="main", read_only=True)
        for method in (reader.cleanup_old_files, reader.delete_orphaned_files, reader.cleanup_dropped_catalogs):
            with pytest.raises(ReadOnly):
                method(cleanup_all=True)
            assert method(cleanup_all=True, dry_run=True) == []
        with pytest.raises(ReadOnly):
            reader.expire_snapshots(versions=[1])


def test_a_time_without_a_zone_is_refused(local: Lakehouse) -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        local.lake.cleanup_old_files(older_than=datetime(2020, 1, 1))


def test_no_spark_starts_for_metadata_and_files(local: Lakehouse) -> None:
    make_table(local.lake)
    with forklake.connect() as session:
        lake = session.attach(local.place.url, "lake", catalog="main")
        forget_history(lake)
        lake.cleanup_old_files(cleanup_all=True)
        lake.delete_orphaned_files(cleanup_all=True)
        lake.cleanup_dropped_catalogs(cleanup_all=True)
        lake.catalog_storage()
        lake.verify()
        assert not lake._state.provider.is_running
