"""A method of a handle reads one snapshot of each catalog, whoever commits while it runs.

An interloper adds a row to the tables `a` and `b`, in one transaction, after some of the reads of the session, and may
expire all snapshots before: as many rows are in the one as in the other, in every snapshot.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.api.table import TableHandle
from tests.attached import attach_main
from tests.interloper import interrupted
from tests.spark.conftest import Lakehouse

OWN = 1000
"""Rows of the interloper are numbered from here on."""


@dataclass(frozen=True, slots=True)
class Busy:
    session: Session
    lake: CatalogHandle
    a: TableHandle
    b: TableHandle
    since: int
    """The snapshot in which the first rows came."""


@pytest.fixture
def busy(lakehouse: Lakehouse, tmp_path: Path) -> Iterator[Busy]:
    for name in ("a", "b"):
        lakehouse.lake.create_table(name, {"id": "bigint", "x": "bigint"})
    lakehouse.lake.set_option("data_inlining_row_limit", 0, table="a")
    with lakehouse.session.transaction():
        for name in ("a", "b"):
            lakehouse.lake.table(name).append([(1, 1), (2, 2), (3, 3)])
    with forklake.connect(spark=lakehouse.spark) as session:
        lake = attach_main(session, lakehouse.place, tmp_path)
        since = lake.snapshots()[-1].snapshot_id
        yield Busy(session, lake, lake.table("a"), lake.table("b"), since)


@contextmanager
def interloper(busy: Busy, lakehouse: Lakehouse, at: int, *, expires: bool) -> Iterator[list[int]]:
    """A row comes into `a` and `b` after one of the reads of the session; gives its number."""
    reads, added = count(), list[int]()

    def commit() -> None:
        if next(reads) != at:
            return
        added.append(OWN + at)
        with lakehouse.session.transaction():
            for name in ("a", "b"):
                lakehouse.lake.table(name).append([(OWN + at, 0)])
        if expires:
            lake = lakehouse.lake
            lake.expire_snapshots(versions=[each.snapshot_id for each in lake.snapshots()[:-1]])

    with interrupted(busy.session, commit):
        yield added


MOMENTS = ((0, True), (1, False), (3, True))
"""After which read somebody commits, and whether snapshots expire then."""


def ids(rows: Any) -> list[int]:
    return sorted(rows.to_arrow()["id"].to_pylist())


READS: dict[str, Callable[[Busy], list[Any]]] = {
    "scan": lambda busy: ids(busy.a.scan()),
    "scan of inlined rows": lambda busy: ids(busy.b.scan()),
    "scan with a condition": lambda busy: ids(busy.a.scan("id > 0")),
    "scan with row ids": lambda busy: ids(busy.a.scan(columns=["id", "rowid"])),
    "to_spark": lambda busy: sorted(row.id for row in busy.a.to_spark().collect()),
    "count": lambda busy: [busy.a.count()],
    "count with a condition": lambda busy: [busy.a.count("id > 0")],
    "max": lambda busy: [busy.a.max("id")],
    "min": lambda busy: [busy.b.min("id")],
}
BEFORE = {"count": [3], "count with a condition": [3], "max": [3], "min": [1]}


@pytest.mark.parametrize("read", READS)
def test_a_method_that_reads_gives_rows_of_one_snapshot(busy: Busy, lakehouse: Lakehouse, read: str) -> None:
    before = READS[read](busy)
    assert before == BEFORE.get(read, [1, 2, 3])
    for at, expires in MOMENTS:
        with interloper(busy, lakehouse, at, expires=expires):
            found = READS[read](busy)
        after = READS[read](busy)
        assert found in (before, after)
        before = after


@pytest.mark.parametrize("kind", ["changes", "insertions", "deletions"])
def test_changes_are_those_up_to_one_snapshot(busy: Busy, lakehouse: Lakehouse, kind: Any) -> None:
    for at in range(0, 7, 2):
        before = busy.a.changes(busy.since, kind=kind).to_arrow().num_rows
        with interloper(busy, lakehouse, at, expires=False):
            found = busy.a.changes(busy.since, kind=kind).to_arrow().num_rows
        assert found in (before, busy.a.changes(busy.since, kind=kind).to_arrow().num_rows)


HANDED_OUT: dict[str, Callable[[TableHandle, int], Any]] = {
    "scan": lambda table, _: table.scan(),
    "scan with a condition": lambda table, _: table.scan("id > 0"),
    "changes": lambda table, since: table.changes(since),
}


@pytest.mark.parametrize("read", HANDED_OUT)
def test_what_a_method_has_handed_out_needs_its_snapshot_no_more(lakehouse: Lakehouse, read: str) -> None:
    lake = lakehouse.lake
    table = lake.create_table("t", {"id": "bigint"})
    pq.write_table(pa.table({"id": pa.array([7], pa.int64())}), lakehouse.data.parent / "foreign.parquet")
    table.add_files(str(lakehouse.data.parent / "foreign.parquet"))
    found = HANDED_OUT[read](table, lake.snapshots()[-1].snapshot_id)
    table.truncate()
    lake.expire_snapshots(versions=[each.snapshot_id for each in lake.snapshots()[:-1]])
    assert found.to_arrow()["id"].to_pylist() == [7]


def both(busy: Busy) -> Any:
    """As many rows as `a` has, and as `b` has."""
    return busy.session.sql("SELECT (SELECT count(*) FROM a) AS id, (SELECT count(*) FROM b) AS x").to_spark()


WRITES: dict[str, tuple[Callable[[Busy], Any], Callable[[set[tuple[int, int]]], set[tuple[int, int]]]]] = {
    "append": (lambda busy: busy.a.append([(7, 7)]), lambda rows: rows | {(7, 7)}),
    "append of many": (
        lambda busy: busy.a.append([(n, n) for n in range(50, 80)]),
        lambda rows: rows | {(n, n) for n in range(50, 80)},
    ),
    "update": (
        lambda busy: busy.a.update({"x": F.lit(9)}, "id = 2"),
        lambda rows: rows - {(2, 2)} | {(2, 9)},
    ),
    "delete": (lambda busy: busy.a.delete("id = 2"), lambda rows: rows - {(2, 2)}),
    "merge": (
        lambda busy: busy.a.merge([{"id": 2, "x": 9}, {"id": 4, "x": 9}], "id"),
        lambda rows: rows - {(2, 2)} | {(2, 9), (4, 9)},
    ),
    "overwrite where": (
        lambda busy: busy.a.overwrite([(2, 9)], where="id = 2"),
        lambda rows: rows - {(2, 2)} | {(2, 9)},
    ),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(("at", "expires"), MOMENTS)
def test_a_method_that_writes_is_done_once_or_is_a_conflict(
    busy: Busy, lakehouse: Lakehouse, write: str, at: int, expires: bool
) -> None:
    run, expected = WRITES[write]
    with interloper(busy, lakehouse, at, expires=expires) as added:
        try:
            run(busy)
            is_done = True
        except forklake.CommitConflict:
            is_done = False
    others = {(1, 1), (2, 2), (3, 3), *((number, 0) for number in added)}
    found = [tuple(row) for row in lakehouse.lake.table("a").to_spark().collect()]
    assert sorted(found) == sorted(expected(others) if is_done else others)
    assert busy.lake.verify() == []


SOURCES: dict[str, Callable[[Busy], Any]] = {
    "append": lambda busy: busy.lake.table("c").append(both(busy)),
    "overwrite": lambda busy: busy.lake.table("c").overwrite(both(busy)),
    "merge": lambda busy: busy.lake.table("c").merge(both(busy), "id"),
    "create_table_as": lambda busy: busy.lake.create_table_as("d", both(busy)),
    "append of a scan": lambda busy: busy.lake.table("c").append(busy.a.to_spark().selectExpr("id", "id AS x")),
}


@pytest.mark.parametrize("write", SOURCES)
def test_rows_that_a_method_is_given_are_of_one_snapshot(busy: Busy, lakehouse: Lakehouse, write: str) -> None:
    lakehouse.lake.create_table("c", {"id": "bigint", "x": "bigint"})
    at, expires = 4, True
    with interloper(busy, lakehouse, at, expires=expires):
        SOURCES[write](busy)
    rows = lakehouse.lake.table("d" if write == "create_table_as" else "c").to_arrow().to_pylist()
    assert rows
    assert all(row["id"] == row["x"] for row in rows)
