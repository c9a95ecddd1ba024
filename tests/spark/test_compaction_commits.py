"""Compaction goes on beside other work, in commits of its own, and leaves nothing behind that was not committed."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import forklake
from forklake.api.table import TableHandle
from forklake.errors import CommitConflict, CommitMessageRequired, CommitUnknown
from forklake.maintenance import commits
from forklake.maintenance.compaction import compact, compact_tables
from forklake.maintenance.compaction.compact import Compacted
from forklake.maintenance.compaction.move_rows import move_rows
from tests.spark.conftest import Lakehouse
from tests.spark.inside import batches, files, files_below, head, rows
from tests.spark.places import another_session


def _table(lakehouse: Lakehouse, count: int = 4, name: str = "t") -> TableHandle:
    """A table with so many files of two rows."""
    table = lakehouse.lake.create_table(name, {"id": "bigint", "v": "varchar"})
    for n in range(count):
        table.append([(2 * n, "a"), (2 * n + 1, "b")])
    return table


def _meanwhile(monkeypatch: pytest.MonkeyPatch, action: Callable[[], object], times: int = 1) -> list[int]:
    """Do something each time that files were written and are not committed yet, so many times; counts those times."""
    seen: list[int] = []

    def interrupted(*args: Any) -> Any:
        new = move_rows(*args)
        seen.append(len(seen))
        if len(seen) <= times:
            action()
        return new

    monkeypatch.setattr(compact, "move_rows", interrupted)
    return seen


def test_appends_never_get_in_the_way(lakehouse: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    table = _table(lakehouse)
    with another_session(lakehouse, table) as (_, same):
        attempts = _meanwhile(monkeypatch, lambda: same.append([(100, "x")]))
        assert lakehouse.lake.merge_adjacent_files() == [Compacted("main", "t", 4, 1)]
    assert len(attempts) == 1
    assert rows(table, "rowid", "id")[-1] == (8, 100)
    assert table.count() == 9


def test_a_delete_in_a_file_that_is_merged_makes_a_new_plan(
    lakehouse: Lakehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = _table(lakehouse)
    there = files_below(lakehouse.data)
    with another_session(lakehouse, table) as (_, same):
        attempts = _meanwhile(monkeypatch, lambda: same.delete("id = 2"))
        assert lakehouse.lake.merge_adjacent_files() == [Compacted("main", "t", 3, 1)]
    assert len(attempts) == 2
    assert rows(table, "rowid", "id") == [(n, n) for n in range(8) if n != 2]
    # The delete file, and the file that was committed.
    assert len(files_below(lakehouse.data) - there) == 2


def test_a_change_of_the_table_does_not_get_in_the_way(lakehouse: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    table = _table(lakehouse)
    with another_session(lakehouse, table) as (_, same):

        def change() -> None:
            same.rename_column("v", "w")
            same.add_column("n", "int", default="7")

        attempts = _meanwhile(monkeypatch, change)
        assert lakehouse.lake.merge_adjacent_files() == [Compacted("main", "t", 4, 1)]
    assert len(attempts) == 1
    assert rows(table, where="n = 7 AND w = 'a'") == [(n, "a", 7) for n in (0, 2, 4, 6)]


def test_a_table_that_changes_all_the_time_is_given_up_and_the_others_are_done(
    local: Lakehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, other = _table(local, 6), _table(local, name="u")
    with another_session(local, table) as (_, same):
        monkeypatch.setattr(commits, "RETRIES", 1)
        times = iter(range(6))
        attempts = _meanwhile(monkeypatch, lambda: same.delete(f"id = {2 * next(times)}"), times=2)
        before = files_below(local.data)
        with pytest.raises(CommitConflict):
            local.lake.merge_adjacent_files()
    assert len(attempts) == 3
    assert (len(files(table)), len(files(other))) == (6, 1)
    assert len(files_below(local.data) - before) == 3


def test_a_table_that_is_dropped_meanwhile_is_no_more(lakehouse: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    table = _table(lakehouse)
    with another_session(lakehouse, table) as (session, _):
        _meanwhile(monkeypatch, lambda: session.sql("DROP TABLE lake.t"))
        assert lakehouse.lake.merge_adjacent_files() == []


def test_what_may_have_been_committed_is_not_removed(local: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    _table(local)

    def lost() -> None:
        raise CommitUnknown("The connection was lost.")

    there = files_below(local.data)
    monkeypatch.setattr(commits, "RETRIES", 0)
    attempts = _meanwhile(monkeypatch, lambda: None)
    monkeypatch.setattr("forklake.catalog.transaction.commit._commit_with_retries", lambda *_: lost())
    with pytest.raises(CommitUnknown):
        local.lake.merge_adjacent_files()
    assert len(attempts) == 1
    assert len(files_below(local.data) - there) == 1


class Told:
    """Keeps what progress is told."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, int]] = []
        self.done = 0
        self.ended = 0

    def begin(self, what: str, files: int, size: int) -> None:
        assert size > 0
        self.begun.append((what, files))

    def advance(self, files: int, size: int) -> None:
        assert size > 0
        self.done += files

    def end(self) -> None:
        self.ended += 1


class Interrupting(Told):
    """Has enough after six files."""

    def advance(self, files: int, size: int) -> None:
        super().advance(files, size)
        if self.done == 6:
            raise KeyboardInterrupt


def test_a_large_table_takes_several_commits(lakehouse: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    table = _table(lakehouse, 9)
    size = files(table)[0].data.file_size_bytes
    lakehouse.lake.set_option("target_file_size", 2 * size)
    monkeypatch.setattr(compact_tables, "_COMMIT_FILES", 5)
    before, told = head(lakehouse.lake), Told()
    assert lakehouse.lake.merge_adjacent_files(progress=told) == [Compacted("main", "t", 2, 1)] * 4
    assert len([s for s in lakehouse.lake.snapshots() if s.snapshot_id > before]) == 2
    assert len(files(table)) == 5
    assert (told.begun, told.done, told.ended) == ([("merge files of t", 8)], 8, 1)
    assert rows(table, "rowid", "id") == [(n, n) for n in range(18)]


def test_an_interrupted_run_loses_nothing_and_is_run_again(local: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    table = _table(local, 8)
    size = files(table)[0].data.file_size_bytes
    local.lake.set_option("target_file_size", 2 * size)
    monkeypatch.setattr(compact_tables, "_COMMIT_FILES", 4)

    told = Interrupting()
    there = files_below(local.data)
    with pytest.raises(KeyboardInterrupt):
        local.lake.merge_adjacent_files(progress=told)
    assert (len(files(table)), told.ended) == (6, 1)
    assert len(files_below(local.data) - there) == 2
    assert local.lake.merge_adjacent_files(max_file_size=size + 1) == [Compacted("main", "t", 2, 1)] * 2
    assert rows(table, "rowid", "id") == [(n, n) for n in range(16)]


def test_compaction_is_part_of_an_open_transaction(lakehouse: Lakehouse) -> None:
    table = _table(lakehouse)
    before = head(lakehouse.lake)
    with lakehouse.session.transaction():
        assert lakehouse.lake.merge_adjacent_files() == [Compacted("main", "t", 4, 1)]
        assert head(lakehouse.lake) == before
        assert rows(table, "rowid", "id") == [(n, n) for n in range(8)]
    assert head(lakehouse.lake) > before
    assert table.changes(before + 1).fetchall() == []


def test_changes_and_compaction_do_not_go_together(local: Lakehouse) -> None:
    table = _table(local)
    local.session.sql("BEGIN")
    table.append([(9, "x")])
    with pytest.raises(forklake.ForklakeError, match="either make changes OR perform compaction"):
        local.lake.merge_adjacent_files("t")
    local.session.sql("ROLLBACK")
    assert len(files(table)) == 4
    # What is written after the compaction, to the same table or another, would be taken for a part of it.
    for change in (lambda: table.append([(9, "x")]), lambda: table.update({"v": "'x'"}, "id = 1")):
        local.session.sql("BEGIN")
        local.lake.merge_adjacent_files("t")
        with pytest.raises(forklake.ForklakeError, match="either make changes OR perform compaction"):
            change()
        local.session.sql("ROLLBACK")


def test_a_commit_message_is_asked_for_before_the_work(local: Lakehouse) -> None:
    _table(local)
    local.lake.set_option("require_commit_message", True)
    there = files_below(local.data)
    with pytest.raises(CommitMessageRequired):
        local.lake.merge_adjacent_files()
    assert files_below(local.data) == there
    local.session.sql("BEGIN")
    local.session.sql("CALL lake.set_commit_message('me', 'fewer files')")
    assert local.lake.merge_adjacent_files() == [Compacted("main", "t", 4, 1)]
    local.session.sql("COMMIT")
    assert local.lake.snapshots()[-1].commit_message == "fewer files"


def test_many_tables_are_flushed(lakehouse: Lakehouse) -> None:
    lake = lakehouse.lake
    lake.set_option("data_inlining_row_limit", 5)
    lake.create_schema("s")
    tables: Sequence[TableHandle] = [lake.create_table(name, {"id": "int"}) for name in ("b", "a", "s.a", "quiet")]
    for table in tables:
        table.append([(1,), (2,)])
    lake.set_option("auto_compact", False, table="quiet")
    done = lake.flush_inlined_data()
    assert [(each.schema_name, each.table_name, each.rows_flushed) for each in done] == [
        ("main", "a", 2),
        ("main", "b", 2),
        ("s", "a", 2),
    ]
    assert lake.flush_inlined_data(schema="s") == []
    assert len(batches(tables[3])) == 1
    assert [each.rows_flushed for each in lake.flush_inlined_data("quiet")] == [2]
    assert all(rows(table, "rowid", "id") == [(0, 1), (1, 2)] for table in tables)
