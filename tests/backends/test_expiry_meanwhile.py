"""Statements whose snapshot somebody else expires while they run."""

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.errors import CommitConflict, NoSuchSnapshot
from tests.attached import attach_main
from tests.conftest import Place
from tests.interloper import interrupted


@pytest.fixture
def session(place: Place, tmp_path: Path) -> Iterator[Session]:
    with forklake.connect() as opened:
        lake = attach_main(opened, place, tmp_path)
        lake.create_table("t", {"id": "bigint"}).append([(0,)])
        for option in ("expire_older_than", "delete_older_than"):
            lake.set_option(option, "1 day")
        yield opened


@contextmanager
def expirer(session: Session, place: Place, folder: Path, *, reads: range) -> Iterator[list[int]]:
    """After some of the reads of a session, somebody commits, and expires all but the newest snapshot."""
    count = iter(range(1000))
    expired: list[int] = []
    with forklake.connect() as other:
        lake = attach_main(other, place, folder)

        def commit_and_expire() -> None:
            if next(count) in reads:
                lake.table("t").append([(1,)])
                older = [snapshot.snapshot_id for snapshot in lake.snapshots()[:-1]]
                expired.extend(each.snapshot_id for each in lake.expire_snapshots(versions=older))

        with interrupted(session, commit_and_expire):
            yield expired


STATEMENTS: dict[str, Callable[[Session], Any]] = {
    "INSERT": lambda session: session.sql("INSERT INTO t VALUES (7)"),
    "append": lambda session: session.catalog("lake").table("t").append([(7,)]),
    "append to files": lambda session: session.catalog("lake").table("t").append([(7,)] * 100),
    "overwrite": lambda session: session.catalog("lake").table("t").overwrite([(7,)]),
    "TRUNCATE": lambda session: session.sql("TRUNCATE TABLE t"),
    "ALTER": lambda session: session.sql("ALTER TABLE t ADD COLUMN b BIGINT"),
    "CREATE": lambda session: session.sql("CREATE TABLE u (id BIGINT)"),
    "count": lambda session: session.catalog("lake").table("t").count(),
    "SHOW": lambda session: session.sql("SHOW TABLES"),
    "flush": lambda session: session.catalog("lake").flush_inlined_data(),
    "CALL flush": lambda session: session.sql("CALL lake.flush_inlined_data()"),
    "merge files": lambda session: session.catalog("lake").merge_adjacent_files(),
    "rewrite files": lambda session: session.catalog("lake").rewrite_data_files("t"),
    "expire": lambda session: session.catalog("lake").expire_snapshots(),
    "CALL expire": lambda session: session.sql("CALL lake.expire_snapshots()"),
    "clean up": lambda session: session.catalog("lake").cleanup_old_files(),
    "delete orphans": lambda session: session.catalog("lake").delete_orphaned_files(),
    "checkpoint": lambda session: session.catalog("lake").checkpoint(),
    "CHECKPOINT": lambda session: session.sql("CHECKPOINT"),
}


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_a_statement_without_begin_is_carried_out_again(
    session: Session, place: Place, tmp_path: Path, statement: Callable[[Session], Any], at: int
) -> None:
    with expirer(session, place, tmp_path, reads=range(at, at + 1)):
        statement(session)
    assert session.catalog("lake").verify() == []


def test_rows_of_a_statement_that_is_carried_out_again_are_there_once(
    session: Session, place: Place, tmp_path: Path
) -> None:
    with expirer(session, place, tmp_path, reads=range(3)) as expired:
        session.catalog("lake").table("t").append([(7,)] * 100)
    assert expired
    assert session.catalog("lake").table("t").count() == 1 + 3 + 100
    assert len(list((tmp_path / "data").rglob("*.parquet"))) == 1 + 3 + 1


MANY_COMMITS: dict[str, Callable[[Session], Any]] = {
    "flush": lambda session: session.catalog("lake").flush_inlined_data(),
    "CALL flush": lambda session: session.sql("CALL lake.flush_inlined_data()"),
    "merge files": lambda session: session.catalog("lake").merge_adjacent_files(),
    "CALL merge files": lambda session: session.sql("CALL lake.merge_adjacent_files()"),
}


@pytest.mark.parametrize("work", MANY_COMMITS.values(), ids=MANY_COMMITS)
def test_work_with_many_commits_goes_on_after_those_that_it_has_made(
    session: Session, place: Place, tmp_path: Path, work: Callable[[Session], Any]
) -> None:
    lake = session.catalog("lake")
    for name in ("in_files", "in_more_files"):
        table = lake.create_table(name, {"id": "bigint"})
        lake.set_option("data_inlining_row_limit", 0, table=name)
        table.append([(1,)])
        table.append([(2,)])
    lake.create_table("u", {"id": "bigint"}).append([(1,)])
    before = lake.snapshots()[-1].snapshot_id
    for at in range(4, 12):
        with expirer(session, place, tmp_path, reads=range(at, at + 1)):
            work(session)
    assert lake.snapshots()[-1].snapshot_id > before
    assert [lake.table(name).count() for name in ("in_files", "in_more_files", "u")] == [2, 2, 1]
    assert lake.verify() == []


@pytest.mark.parametrize("work", MANY_COMMITS.values(), ids=MANY_COMMITS)
def test_work_that_is_always_overtaken_by_expiry_is_a_conflict(
    session: Session, place: Place, tmp_path: Path, work: Callable[[Session], Any]
) -> None:
    with (
        expirer(session, place, tmp_path, reads=range(1000)),
        pytest.raises(CommitConflict, match=r"snapshot .* has expired|one after it has expired"),
    ):
        work(session)
    assert session.catalog("lake").verify() == []


class Stream:
    """An object of another library that hands out its rows once."""

    def __init__(self, rows: pa.Table) -> None:
        self._reader = rows.to_reader(max_chunksize=10)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._reader.__arrow_c_stream__(requested_schema)


GIVEN = pa.table({"id": range(100, 200)})
ONE_SHOT: dict[str, Callable[[], Any]] = {
    "reader": lambda: GIVEN.to_reader(max_chunksize=10),
    "stream": lambda: Stream(GIVEN),
    "generator": lambda: (row for row in GIVEN.to_pylist()),
}


USES: dict[str, tuple[Callable[[CatalogHandle, Any], Any], str, int]] = {
    "append": (lambda lake, rows: lake.table("t").append(rows), "t", 1 + 3 + 100),
    "overwrite": (lambda lake, rows: lake.table("t").overwrite(data=rows), "t", 100),
    "create_table_as": (lambda lake, rows: lake.create_table_as("u", rows), "u", 100),
}


@pytest.mark.parametrize("source", ONE_SHOT.values(), ids=ONE_SHOT)
@pytest.mark.parametrize("use", USES)
def test_rows_that_can_be_read_once_are_all_there_when_a_statement_is_carried_out_again(
    session: Session, place: Place, tmp_path: Path, use: str, source: Callable[[], Any]
) -> None:
    write, table, count = USES[use]
    with expirer(session, place, tmp_path, reads=range(3)) as expired:
        write(session.catalog("lake"), source())
    assert expired
    assert session.catalog("lake").table(table).count() == count


def test_a_statement_that_has_committed_something_is_not_carried_out_again(session: Session) -> None:
    lake, attempts = session.catalog("lake"), []

    def append_and_expire() -> None:
        attempts.append(1)
        lake.table("t").append([(7,)])
        lake.expire_snapshots(versions=[each.snapshot_id for each in lake.snapshots()[:-1]])
        raise NoSuchSnapshot("No snapshot found")

    with pytest.raises(NoSuchSnapshot):
        session._state.transactions.run(append_and_expire)
    assert len(attempts) == 1
    assert lake.table("t").count() == 2


def test_a_statement_with_many_commits_keeps_none_of_its_transactions(session: Session) -> None:
    transactions, attachment = session._state.transactions, session._state.attachments.get("lake")

    def append_often() -> None:
        begun = []
        for _ in range(3):
            with transactions.writing("lake", attachment.catalog) as transaction:
                begun.append(weakref.ref(transaction))
            del transaction
        gc.collect()
        assert [each() for each in begun] == [None] * 3

    transactions.run(append_often)


def test_inside_a_transaction_it_fails_and_can_be_begun_again(session: Session, place: Place, tmp_path: Path) -> None:
    table = session.catalog("lake").table("t")
    with (
        expirer(session, place, tmp_path, reads=range(1)),
        pytest.raises((NoSuchSnapshot, CommitConflict), match=r"expired|No snapshot|no longer"),
        session.transaction(),
    ):
        session.catalog("lake").table("t").append([(7,)])
    with session.transaction():
        table.append([(7,)])
    assert table.count() == 3
