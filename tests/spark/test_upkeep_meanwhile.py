"""Maintenance while somebody else commits to the same and to other tables, and expires snapshots."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import forklake
from forklake.api.session import Session
from tests.attached import attach_main
from tests.interloper import interrupted
from tests.spark.conftest import Lakehouse

TABLES = ("a", "b", "inlined")
MOMENTS = ((0, True), (1, False), (2, True), (5, True), (9, True))
"""After which reads of a call the other one acts, and whether snapshots expire then."""
VERBS: dict[str, tuple[dict[str, Any], str]] = {
    "merge_adjacent_files": ({}, ""),
    "rewrite_data_files": ({"delete_threshold": 0.0}, "delete_threshold => 0.0"),
    "flush_inlined_data": ({}, ""),
    "expire_snapshots": ({"older_than": timedelta(0)}, "older_than => now()"),
    "cleanup_old_files": ({"cleanup_all": True}, "cleanup_all => true"),
    "delete_orphaned_files": ({"older_than": timedelta(days=1)}, "older_than => TIMESTAMP '2020-01-01'"),
    "checkpoint": ({}, ""),
    "verify": ({"deep": True}, "deep => true"),
}
DOORS = (pytest.param("python", marks=pytest.mark.every_backend), "spark", "duckdb")
"""A handle, or a dialect: behind the dialects is what is behind the handle, so that one database does for each."""


@dataclass
class Lived:
    """A lake whose rows are known, at every moment."""

    lakehouse: Lakehouse
    folder: Path
    numbers: Iterator[int] = field(default_factory=count)
    rows: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in TABLES})

    def append(self, *names: str) -> None:
        """A row for each of the tables, in one commit."""
        with self.lakehouse.session.transaction():
            for name in names:
                self.rows[name].append(next(self.numbers))
                self.lakehouse.lake.table(name).append([(self.rows[name][-1],)])

    def delete_some(self) -> None:
        """Rows that are gone from files which have others."""
        for name in ("a", "b"):
            rows = [next(self.numbers) for _ in range(2)]
            self.lakehouse.lake.table(name).append([(row,) for row in rows])
            self.lakehouse.lake.table(name).delete(f"id = {rows[0]}")
            self.rows[name] += rows[1:]

    def foreign_file(self) -> str:
        """A file that is to be added to `a`."""
        row = next(self.numbers)
        self.rows["a"].append(row)
        path = self.folder / f"foreign-{row}.parquet"
        pq.write_table(pa.table({"id": pa.array([row], pa.int64())}), path)
        return str(path)

    def check(self) -> None:
        for name, rows in self.rows.items():
            found = self.lakehouse.lake.table(name).to_arrow()["id"].to_pylist()
            assert sorted(found) == sorted(rows), name
        assert self.lakehouse.lake.verify() == []


@pytest.fixture
def lived(lakehouse: Lakehouse, tmp_path: Path) -> Lived:
    for name in TABLES:
        lakehouse.lake.create_table(name, {"id": "bigint"})
        if name != "inlined":
            lakehouse.lake.set_option("data_inlining_row_limit", 0, table=name)
    return Lived(lakehouse, tmp_path)


@contextmanager
def somebody_else(session: Session, lived: Lived, at: int, *, expires: bool, times: int = 1) -> Iterator[None]:
    """After some reads of a session another one adds a row to each table, and perhaps expires all other snapshots."""
    reads = count()

    def act() -> None:
        if at <= next(reads) < at + times:
            lived.append(*TABLES)
            if expires:
                lake = lived.lakehouse.lake
                lake.expire_snapshots(versions=[each.snapshot_id for each in lake.snapshots()[:-1]])

    with interrupted(session, act):
        yield


@contextmanager
def another_session(lived: Lived, dialect: str = "spark") -> Iterator[Session]:
    with forklake.connect(spark=lived.lakehouse.spark, dialect=dialect) as session:
        attach_main(session, lived.lakehouse.place, lived.folder)
        yield session


def in_python(verb: str) -> Callable[[Session], Any]:
    return lambda session: getattr(session.catalog("lake"), verb)(**VERBS[verb][0])


def in_sql(verb: str) -> Callable[[Session], Any]:
    return lambda session: session.sql(f"CALL lake.{verb}({VERBS[verb][1]})").fetchall()


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("verb", VERBS)
def test_maintenance_loses_and_doubles_no_row(lived: Lived, verb: str, door: str) -> None:
    with another_session(lived, "spark" if door == "python" else door) as session:
        call = in_python(verb) if door == "python" else in_sql(verb)
        for at, expires in MOMENTS:
            if verb == "rewrite_data_files":
                lived.delete_some()
            lived.append(*TABLES)
            with somebody_else(session, lived, at, expires=expires):
                call(session)
    lived.check()


@pytest.mark.parametrize("door", DOORS)
def test_files_are_added_once(lived: Lived, door: str) -> None:
    with another_session(lived, "spark" if door == "python" else door) as session:
        for at, expires in MOMENTS:
            path = lived.foreign_file()
            with somebody_else(session, lived, at, expires=expires):
                if door == "python":
                    session.catalog("lake").add_data_files("a", path)
                else:
                    session.sql(f"CALL lake.add_data_files('a', '{path}')")
    lived.check()
