"""Arguments in Python that mean nothing are refused with an error of ours, and nothing is written."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.errors import InvalidInput, InvalidRows
from tests.attached import attach_main
from tests.conftest import Place


@pytest.fixture
def lake(sqlite_place: Place, tmp_path: Path) -> Iterator[CatalogHandle]:
    with forklake.connect() as session:
        found = attach_main(session, sqlite_place, tmp_path)
        found.create_table("t", {"id": "bigint"}).append([{"id": 1}])
        yield found


BAD: list[Callable[[Any, Any], object]] = [
    lambda t, _: t.append([{1: 1}]),
    lambda t, _: t.append(pd.DataFrame([[1, 2]], columns=["id", "id"])),
    lambda t, _: t.append([{"id": 2}], by="x"),
    lambda t, _: t.overwrite([{"id": 2}], by="x"),
    lambda t, _: t.scan(5),
    lambda t, _: t.count(5),
    lambda t, _: t.delete(5),
    lambda t, _: t.scan(columns=[]),
    lambda t, _: t.to_spark(columns=[]),
    lambda t, _: t.scan(columns="id"),
    lambda t, _: t.scan(columns=[5]),
    lambda t, _: t.scan(version="1"),
    lambda t, _: t.scan(timestamp="2026-01-01"),
    lambda t, _: t.min(None),
    lambda t, _: t.max([1]),
    lambda t, _: t.merge([], "id", "x"),
    lambda _, lake: lake.create_table("bad", [("a", "int")]),
    lambda _, lake: lake.create_table("bad", None),
    lambda _, lake: lake.create_table("bad", {"a": 5}),
    lambda _, lake: lake.create_table("bad", {5: "int"}),
    lambda _, lake: lake.create_table("bad", {"\ud800": "int"}),
    lambda _, lake: lake.create_table("bad", {"a": "int"}, partitioned_by=5),
    lambda _, lake: lake.create_table("bad", {"a": "int"}, partitioned_by=[("a",)]),
    lambda _, lake: lake.create_table("bad", {"a": "int"}, sorted_by=[5]),
    lambda _, lake: lake.create_table("bad", {"a": "int"}, comment=5),
    lambda _, lake: lake.create_table("bad", {"a": "int"}, comment="\ud800"),
    lambda _, lake: lake.create_table_as("bad", 5),
    lambda _, lake: lake.create_table(5, {"a": "int"}),
    lambda _, lake: lake.drop_table(None),
    lambda _, lake: lake.rename_table("t", 5),
    lambda _, lake: lake.create_schema(5),
    lambda _, lake: lake.drop_schema(None),
    lambda _, lake: lake.tables(5),
    lambda _, lake: lake.has_table(None),
    lambda _, lake: lake.table(5),
    lambda _, lake: lake.fork(5),
    lambda _, lake: lake.fork("\ud800"),
    lambda _, lake: lake.fork("f", version="x"),
    lambda _, lake: lake.fork("f", timestamp="x"),
    lambda _, lake: lake.set_option(5, 1),
    lambda _, lake: lake.set_option("data_inlining_row_limit", object()),
    lambda _, lake: lake.set_option("data_inlining_row_limit", 1, table=5),
    lambda _, lake: lake.add_data_files("t", 5),
    lambda _, lake: lake.add_data_files("t", [5]),
    lambda _, lake: lake.expire_snapshots(older_than="x"),
    lambda _, lake: lake.expire_snapshots(older_than=5),
    lambda _, lake: lake.expire_snapshots(versions=5),
    lambda _, lake: lake.expire_snapshots(versions=["x"]),
    lambda _, lake: lake.cleanup_old_files(older_than="x"),
    lambda _, lake: lake.delete_orphaned_files(older_than="x"),
    lambda _, lake: lake.cleanup_dropped_catalogs(older_than=5),
    lambda _, lake: lake.expire_snapshots(older_than=timedelta(days=-1)),
    lambda _, lake: lake.expire_snapshots(older_than=timedelta(microseconds=-1), dry_run=True),
    lambda _, lake: lake.cleanup_old_files(older_than=timedelta(days=-1)),
    lambda _, lake: lake.delete_orphaned_files(older_than=timedelta(days=-1)),
    lambda _, lake: lake.cleanup_dropped_catalogs(older_than=timedelta(days=-1)),
    lambda _, lake: lake.merge_adjacent_files(5),
    lambda _, lake: lake.merge_adjacent_files("t", min_file_size="x"),
    lambda _, lake: lake.rewrite_data_files("t", delete_threshold="x"),
    lambda _, lake: lake.flush_inlined_data(schema=5),
    lambda _, lake: lake.file_holders(5),
    lambda _, lake: lake.file_holders("\ud800"),
    lambda _, lake: lake.file_holders("x", limit="y"),
    lambda _, lake: lake.drop_catalog(None),
    lambda t, _: t.append(5),
    lambda t, _: t.append([{"id": "\ud800"}]),
    lambda t, _: t.update(5),
    lambda t, _: t.update({5: "1"}),
    lambda t, _: t.merge([], 5),
    lambda t, _: t.merge([], [5]),
    lambda t, _: t.merge([], "id", WHEN_MATCHED(5).update()),
    lambda t, _: t.merge([], "id", WHEN_MATCHED().update(5)),
    lambda t, _: t.merge([], "id", WHEN_NOT_MATCHED().insert({5: 1})),
    lambda t, _: t.scan().fetchmany("x"),
    lambda t, _: t.scan().show("x"),
    lambda t, _: t.scan().fetchmany(-1),
    lambda t, _: t.scan().fetchmany(10**23),
    lambda t, _: t.scan().show(-1),
    lambda t, _: t.changes("x"),
    lambda t, _: t.changes(0, "x"),
    lambda t, _: t.changes(0, kind="x"),
    lambda t, _: t.delete("id = '\ud800'"),
    lambda t, _: t.scan(version=True),
    lambda t, _: t.add_files(5),
    lambda t, _: t.add_column(5, "int"),
    lambda t, _: t.add_column("a", 5),
    lambda t, _: t.add_column("a", "int", default=object()),
    lambda t, _: t.add_column("a", "int", comment=5),
    lambda t, _: t.drop_column(5),
    lambda t, _: t.rename_column("id", 5),
    lambda t, _: t.rename_column("id", "\ud800"),
    lambda t, _: t.set_type("id", 5),
    lambda t, _: t.set_default("id", object()),
    lambda t, _: t.set_default("id", 5, expression=True),
    lambda t, _: t.drop_default(5),
    lambda t, _: t.set_not_null(5),
    lambda t, _: t.drop_not_null(5),
    lambda t, _: t.move_column("id", 5),
    lambda t, _: t.set_partitioning(5),
    lambda t, _: t.set_partitioning([5]),
    lambda t, _: t.set_sort_order(5),
    lambda t, _: t.set_sort_order([5]),
]


@pytest.mark.parametrize("call", BAD)
def test_a_bad_argument_is_refused(lake: CatalogHandle, call: Callable[[Any, Any], object]) -> None:
    before = len(lake.snapshots())
    with pytest.raises((InvalidInput, InvalidRows)):
        call(lake.table("t"), lake)
    assert len(lake.snapshots()) == before


def test_a_parameter_without_a_question_mark_is_refused(lake: CatalogHandle) -> None:
    session = forklake.connect()
    with pytest.raises(InvalidInput, match=r"0 parameters \(\?\), but 1 values"):
        session.sql("SELECT 1", [5])


CONNECT: Any = forklake.connect
WHEN_MATCHED: Any = forklake.when_matched
WHEN_NOT_MATCHED: Any = forklake.when_not_matched
SESSION_BAD: list[Callable[[Any], object]] = [
    lambda session: session.attach(5, "x", catalog="main"),
    lambda session: session.attach("sqlite:///x.db", 5, catalog="main"),
    lambda session: session.attach("sqlite:///x.db", "x", catalog=5),
    lambda session: session.attach("sqlite:///x.db", "x", catalog="main", snapshot_version="x"),
    lambda session: session.attach("sqlite:///x.db", "x", catalog="main", snapshot_time="x"),
    lambda session: session.attach("sqlite:///x.db", "\ud800", catalog="main"),
    lambda session: session.detach(5),
    lambda session: session.catalog(5),
    lambda session: session.sql(None),
    lambda session: session.sql("SELECT 1", debug="x"),
    lambda _: CONNECT(dialect=5),
    lambda _: CONNECT(spark=5),
    lambda _: CONNECT(settings=5),
    lambda _: CONNECT(settings={"a": 5}),
    lambda _: CONNECT(shortcuts="x"),
]


@pytest.mark.parametrize("call", SESSION_BAD)
def test_a_bad_argument_of_a_session_is_refused(call: Callable[[Any], object]) -> None:
    with pytest.raises(InvalidInput):
        call(forklake.connect())


def test_an_argument_that_is_missing_is_told_by_python(lake: CatalogHandle) -> None:
    with pytest.raises(TypeError, match="required"):
        lake.create_table()  # type: ignore[call-arg]
