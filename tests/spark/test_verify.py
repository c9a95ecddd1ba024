"""Whatever is wrong with the files of a catalog is found, and nothing is found in files that are right."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.model.findings import Finding
from forklake.spark.tasks.types.reserved_columns import ROW_ID
from tests.spark.conftest import Lakehouse
from tests.spark.inside import batches, files, head
from tests.spark.type_samples import FLAT, FLAT_ROWS, NESTED, NESTED_ROWS

Damage = Callable[[Path], object]


def make(lake: CatalogHandle, name: str = "t") -> TableHandle:
    """A table with two files, rows deleted from the first, rows that were updated, and inlined rows."""
    table = lake.create_table(name, {"id": "bigint", "v": "varchar", "s": "struct<a: int, b: list<struct<c: int>>>"})
    row = {"a": 1, "b": [{"c": 2}]}
    table.append([(1, "a", row), (2, "b", row), (3, "c", row)])
    table.append([(4, "d", None), (5, "e", row)])
    table.delete("id = 2")
    table.update({"v": "'x'"}, "id = 4")
    lake.set_option("data_inlining_row_limit", 5, table=name)
    table.append([(6, "f", None), (7, "g", None)])
    table.delete("id = 6")
    return table


def problems(lake: CatalogHandle, *, deep: bool = False) -> list[str]:
    return sorted(finding.problem for finding in lake.verify(deep=deep))


@pytest.mark.parametrize("deep", [False, True])
def test_nothing_is_found_where_nothing_is_wrong(lakehouse: Lakehouse, tmp_path: Path, deep: bool) -> None:
    lake = lakehouse.lake
    table = make(lake)
    partitioned = lake.create_table("p", {"id": "bigint", "day": "date"}, partitioned_by=["day"])
    partitioned.append([(1, date(2020, 1, 1)), (2, date(2020, 1, 2)), (3, None)])
    fork = lake.fork("fork")
    fork.table("t").delete("id = 5")
    fork.table("t").rename_column("v", "w")
    fork.table("t").append([(8, "h", None)])
    fork.flush_inlined_data()
    fork.merge_adjacent_files()
    fork.rewrite_data_files(delete_threshold=0)
    leaf = fork.fork("leaf")
    leaf.drop_table("p")
    table.drop_column("s")
    table.add_column("late", "int", default="5")
    table.append([(9, "i", 1)])
    outside = tmp_path / "outside.parquet"
    pq.write_table(pa.table({"ID": [10, 11]}), outside)
    lake.add_data_files("t", str(outside), allow_missing=True)
    for catalog in (lake, fork, leaf):
        assert catalog.verify(deep=deep) == []
        catalog.expire_snapshots(older_than=timedelta(0))
        assert catalog.verify(deep=deep) == []
        catalog.cleanup_old_files(cleanup_all=True)
    for catalog in (lake, fork, leaf):
        assert catalog.verify(deep=deep) == []


def test_every_type_of_column_is_found_in_its_files(local: Lakehouse) -> None:
    local.lake.create_table("flat", FLAT).append(FLAT_ROWS)
    local.lake.create_table("nested", NESTED).append(NESTED_ROWS)
    assert local.lake.verify(deep=True) == []


def _shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def _keep_the_length(path: Path) -> None:
    path.write_bytes(b"\0" * path.stat().st_size)


def _write(*columns: str, rows: int) -> Damage:
    def write(path: Path) -> None:
        pq.write_table(pa.table({name: pa.array([1] * rows, pa.int64()) for name in columns}), path)

    return write


def _fewer_rows(path: Path) -> None:
    pq.write_table(pq.read_table(path).slice(1), path)


def _without(path: Path) -> None:
    rows = pq.read_table(path)
    names = [field.name for field in rows.schema if field.name != "s"]
    inner = rows["s"].combine_chunks().field("a")
    pq.write_table(rows.select(names).append_column("s", pa.StructArray.from_arrays([inner], ["a"])), path)


DAMAGES: dict[str, tuple[str, Damage, list[str], list[str]]] = {
    "a file is deleted": ("data", Path.unlink, ["missing_file"], ["missing_file"]),
    "a delete file is deleted": ("deletes", Path.unlink, ["missing_file"], ["missing_file"]),
    "a file is cut off": ("data", _shorten, ["wrong_size"], ["damaged_file", "wrong_size"]),
    "a file is empty": ("data", lambda path: path.write_bytes(b""), ["wrong_size"], ["damaged_file", "wrong_size"]),
    "a file is overwritten": ("data", _keep_the_length, [], ["damaged_file"]),
    "a delete file is overwritten": ("deletes", _keep_the_length, [], ["damaged_file"]),
    "a file has other rows": ("data", _fewer_rows, ["wrong_size"], ["wrong_count", "wrong_size"]),
    "a file has other columns": (
        "data",
        _write("id", "other", rows=3),
        ["wrong_size"],
        ["missing_column", "wrong_size"],
    ),
    "a field of a struct is missing": ("data", _without, ["wrong_size"], ["missing_column", "wrong_size"]),
    "updated rows have lost their ids": (
        "updated",
        _write("id", "v", "s", rows=1),
        ["wrong_size"],
        ["missing_column", "wrong_size"],
    ),
    "a delete file has other columns": (
        "deletes",
        _write("pos", rows=1),
        ["wrong_size"],
        ["missing_column", "wrong_size"],
    ),
    "a delete file deletes what is not there": (
        "deletes",
        lambda path: pq.write_table(pa.table({"file_path": ["x"], "pos": [3]}), path),
        ["wrong_size"],
        ["too_many_deletes", "wrong_size"],
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_found(lakehouse: Lakehouse, damage: str) -> None:
    table = make(lakehouse.lake)
    which, action, shallow, deep = DAMAGES[damage]
    path = _path(lakehouse, table, which)
    action(path)
    assert problems(lakehouse.lake) == shallow
    assert problems(lakehouse.lake, deep=True) == deep
    found = lakehouse.lake.verify(deep=True)
    assert {(finding.table, finding.path, finding.snapshot_id) for finding in found} == {
        ("main.t", str(path), head(lakehouse.lake))
    }


def _path(lakehouse: Lakehouse, table: TableHandle, which: str) -> Path:
    found = files(table)
    if which == "deletes":
        [path] = [file.delete.path for file in found if file.delete is not None and file.delete.delete_count][:1]
    elif which == "updated":
        [path] = [file.data.path for file in found if file.data.row_id_start is None]
    else:
        path = found[0].data.path
    return lakehouse.data / path


def test_a_footer_is_found_that_is_read_although_its_length_is_wrong(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "bigint"})
    table.append([(n,) for n in range(100)])
    table.delete("id IN (7, 9, 30)")
    [path] = local.data.rglob("*-delete.parquet")
    content = path.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    path.write_bytes(content[:-8] + (length + 2).to_bytes(4, "little") + content[-4:])
    assert pq.read_metadata(path).num_rows == 3, "or there is nothing to be found"
    assert problems(local.lake) == []
    assert problems(local.lake, deep=True) == ["damaged_file"]


def test_a_file_of_the_past_is_missed_while_a_snapshot_shows_it(lakehouse: Lakehouse) -> None:
    table = make(lakehouse.lake)
    first = lakehouse.data / files(table)[0].data.path
    shows = head(lakehouse.lake)
    table.truncate()
    first.unlink()
    [finding] = lakehouse.lake.verify()
    assert (finding.problem, finding.snapshot_id) == ("missing_file", shows)
    lakehouse.lake.expire_snapshots(older_than=timedelta(0))
    assert lakehouse.lake.verify() == []


def test_a_fork_misses_what_it_has_inherited(lakehouse: Lakehouse) -> None:
    table = make(lakehouse.lake)
    fork = lakehouse.lake.fork("fork")
    later = make(lakehouse.lake, "later")
    for missing in (files(table)[0], files(later)[0]):
        (lakehouse.data / missing.data.path).unlink()
    assert [finding.table for finding in fork.verify()] == ["main.t"]
    assert [finding.table for finding in lakehouse.lake.verify()] == ["main.t", "main.later"]


def test_files_that_no_catalog_knows_are_found(lakehouse: Lakehouse) -> None:
    table = make(lakehouse.lake)
    fork = lakehouse.lake.fork("fork")
    unknown = (lakehouse.data / files(table)[0].data.path).with_name("left.parquet")
    unknown.write_bytes(b"what a job that was killed has left")
    [finding] = lakehouse.lake.verify()
    assert (finding.problem, finding.path) == ("unknown_file", str(unknown))
    assert fork.verify() == []


def test_damaged_inlined_rows_are_found(lakehouse: Lakehouse) -> None:
    table = make(lakehouse.lake)
    [batch] = batches(table)
    store = lakehouse.lake._attachment.lake.store
    for payload in (b"no rows", batch.payload[:-20], _one_row()):
        store.fetch("UPDATE lake_inlined_batch SET payload = :payload RETURNING 1", {"payload": payload})
        assert problems(lakehouse.lake) == []
        assert problems(lakehouse.lake, deep=True) == ["damaged_rows"]


def test_defaults_that_columns_cannot_hold_are_found(lakehouse: Lakehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    table = make(lakehouse.lake)
    table.add_column("fine", "utinyint", default=255)
    with monkeypatch.context() as patched:
        patched.setattr("forklake.api.table.python_default", lambda _, value, *rest: value)
        table.add_column("s2", "timestamp_s", default="2020-01-01 05:00:00.7")
        table.add_column("j", "json")
        table.set_default("j", "nope")
    found = lakehouse.lake.verify()
    assert [(finding.problem, finding.table) for finding in found] == [("bad_default", "main.t")] * 2
    assert [column in finding.detail for finding, column in zip(found, ("s2", "j"), strict=True)] == [True, True]
    table.drop_default("j")
    table.drop_column("s2")
    assert problems(lakehouse.lake) == []


def _one_row() -> bytes:
    rows = pa.table({"1": [1]})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return bytes(sink.getvalue().to_pybytes())


def test_a_row_id_in_a_file_that_will_be_given_again_is_found(lakehouse: Lakehouse) -> None:
    table = make(lakehouse.lake)
    path = _path(lakehouse, table, "updated")
    rows = pq.read_table(path)
    at = rows.column_names.index(ROW_ID)
    pq.write_table(rows.set_column(at, ROW_ID, pa.array([1000], pa.int64())), path)
    assert problems(lakehouse.lake, deep=True) == ["low_row_id", "wrong_size"]


def test_sql_and_python_say_the_same(lakehouse: Lakehouse) -> None:
    session, lake = lakehouse.session, lakehouse.lake
    table = make(lake)
    assert session.sql("SELECT * FROM ducklake_verify('lake')").fetchall() == []
    path = lakehouse.data / files(table)[0].data.path
    _keep_the_length(path)
    assert session.sql("FROM lake.verify()").fetchall() == []
    [row] = session.sql("CALL lake.verify(deep => true)").fetchall()
    assert [Finding(*row)] == lake.verify(deep=True)
    problem, *where = session.sql(
        "SELECT problem, `table`, path FROM ducklake_verify('lake', deep => true)"
    ).fetchall()[0]
    assert (problem, *where) == ("damaged_file", "main.t", str(path))


class Noted:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, int, int]] = []
        self.done = (0, 0)

    def begin(self, what: str, files: int, size: int) -> None:
        self.begun.append((what, files, size))
        self.done = (0, 0)

    def advance(self, files: int, size: int) -> None:
        self.done = (self.done[0] + files, self.done[1] + size)

    def end(self) -> None:
        assert self.done == self.begun[-1][1:]


def test_progress_is_told(local: Lakehouse) -> None:
    make(local.lake)
    noted = Noted()
    local.lake.verify(deep=True, progress=noted)
    assert [what for what, _, _ in noted.begun] == ["Listing the files of main.t", "Reading the footers of main.t"]
