"""Rows go from files to a new file as they are, in order, with what they would lose written beside them."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from forklake.errors import DamagedFile
from forklake.spark.tasks.files import copy_rows as module
from forklake.spark.tasks.files.copy_rows import SourceFile, copy_rows
from forklake.spark.tasks.files.delete_files import write_positions
from forklake.spark.tasks.files.write_file import WriteOrder, WrittenFile
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from tests.unit.spark.tasks.samples import columns

ID, NAME, TAGS = columns(id="bigint", name="varchar", tags="varchar[]")
COLUMNS = (ID, replace(NAME, initial_default="new"), TAGS)
NAMES = ("id", "name", "tags")
NOW = 100


def order(folder: Path, *reserved: str) -> WriteOrder:
    return WriteOrder(str(folder), "out", COLUMNS, reserved=reserved)


def source(
    folder: Path,
    number: int,
    ids: list[int],
    *,
    names: tuple[str | None, ...] = NAMES,
    row_ids: int | list[int] = 0,
    snapshots: int | list[int] = 1,
) -> SourceFile:
    """A file whose rows follow from their ids. Lists of row ids and snapshots are in the file."""
    arrays = {
        "id": pa.array(ids, pa.int64()),
        "name": [f"n{id}" for id in ids],
        "tags": [[f"t{id}", None] for id in ids],
    }
    stored = {name: arrays[known] for known, name in zip(arrays, names, strict=True) if name is not None}
    start = snapshot = None
    if isinstance(row_ids, int):
        start = row_ids
    else:
        stored[ROW_ID] = pa.array(row_ids)
    if isinstance(snapshots, int):
        snapshot = snapshots
    else:
        stored[SNAPSHOT_ID] = pa.array(snapshots)
    path = folder / f"{number}.parquet"
    pq.write_table(pa.table(stored), path)
    return SourceFile(str(path), len(ids), path.stat().st_size, names, start, snapshot)


def read(folder: Path, written: list[WrittenFile]) -> pa.Table:
    [file] = written
    return pq.read_table(folder / file.path, partitioning=None)


def test_rows_are_copied_in_the_order_of_the_files(tmp_path: Path) -> None:
    sources = [source(tmp_path, n, [n, n + 100], row_ids=2 * n, snapshots=n) for n in range(50)]
    written = copy_rows(order(tmp_path, SNAPSHOT_ID), sources, NOW)
    rows = read(tmp_path, written)
    assert rows["id"].to_pylist() == [id for n in range(50) for id in (n, n + 100)]
    assert rows["tags"].to_pylist()[:2] == [["t0", None], ["t100", None]]
    assert rows[SNAPSHOT_ID].to_pylist() == [n for n in range(50) for _ in range(2)]
    assert (written[0].record_count, written[0].max_snapshot_id) == (100, 49)
    assert ROW_ID not in rows.column_names
    tags = pq.read_schema(tmp_path / written[0].path).field("tags").type
    assert tags.value_field.metadata == {b"PARQUET:field_id": str(TAGS.children[0].column_id).encode()}


def test_ids_and_snapshots_are_those_of_the_file_or_in_the_file(tmp_path: Path) -> None:
    sources = [
        source(tmp_path, 1, [1, 2], row_ids=40, snapshots=5),
        source(tmp_path, 2, [3, 4], row_ids=[7, 9], snapshots=6),
        source(tmp_path, 3, [5], row_ids=50, snapshots=[3]),
    ]
    rows = read(tmp_path, copy_rows(order(tmp_path, ROW_ID, SNAPSHOT_ID), sources, NOW))
    assert rows[ROW_ID].to_pylist() == [40, 41, 7, 9, 50]
    assert rows[SNAPSHOT_ID].to_pylist() == [5, 5, 6, 6, 3]


def test_renamed_columns_are_found_and_missing_ones_have_their_default(tmp_path: Path) -> None:
    sources = [
        source(tmp_path, 1, [1], names=("key", None, None)),
        source(tmp_path, 2, [2], names=("key", "id", "tags")),
    ]
    rows = read(tmp_path, copy_rows(order(tmp_path), sources, NOW))
    assert rows.to_pylist() == [
        {"id": 1, "name": "new", "tags": None},
        {"id": 2, "name": "n2", "tags": ["t2", None]},
    ]


@pytest.mark.parametrize("small", [0, 2**20], ids=["large", "small"])
def test_deleted_rows_are_left_out_of_every_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(module, "_SMALL_FILE", small)
    monkeypatch.setattr(module, "_BATCH_ROWS", 10)
    gone = [0, 9, 10, 25, 29]
    write_positions(fs.LocalFileSystem(), str(tmp_path / "d"), "x", pa.array(gone).to_numpy())
    whole = replace(source(tmp_path, 1, list(range(30))), delete_path=str(tmp_path / "d"))
    more = source(tmp_path, 2, list(range(30, 60)), row_ids=100)
    rows = read(tmp_path, copy_rows(order(tmp_path, ROW_ID), [whole, more], NOW))
    left = [id for id in range(30) if id not in gone]
    assert rows["id"].to_pylist() == [*left, *range(30, 60)]
    assert rows[ROW_ID].to_pylist() == [*left, *range(100, 130)]


def test_nothing_is_left_of_a_copy_that_fails(tmp_path: Path) -> None:
    good = source(tmp_path, 1, [1])
    short = replace(good, record_count=2)
    missing = replace(good, path=str(tmp_path / "no.parquet"))
    undeletable = replace(good, delete_path=str(tmp_path / "no-delete.parquet"))
    write_positions(fs.LocalFileSystem(), str(tmp_path / "d"), "x", pa.array([1]).to_numpy())
    beyond = replace(good, delete_path=str(tmp_path / "d"))
    for bad, problem in (
        (beyond, "deletes row 1 of 1"),
        (short, "has 1 rows, not 2"),
        (missing, r"no\.parquet cannot be read"),
        (undeletable, r"delete file .*no-delete\.parquet cannot be read"),
    ):
        with pytest.raises(DamagedFile, match=problem):
            copy_rows(order(tmp_path), [good, bad], NOW)
        assert not list((tmp_path / "out").glob("*"))


def test_a_file_may_have_none_of_the_columns(tmp_path: Path) -> None:
    older = replace(source(tmp_path, 1, [1, 2]), names=(None, None, None))
    rows = read(tmp_path, copy_rows(order(tmp_path, SNAPSHOT_ID), [older], NOW))
    assert rows.to_pylist() == [{"id": None, "name": "new", "tags": None, SNAPSHOT_ID: 1}] * 2


def test_a_copy_of_nothing_writes_nothing(tmp_path: Path) -> None:
    assert copy_rows(order(tmp_path), [], NOW) == []
    assert not (tmp_path / "out").exists()
