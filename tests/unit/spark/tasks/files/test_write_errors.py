"""What keeps a file from being written is told with its name, and not by what goes wrong after it."""

import errno
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import fs

from forklake.errors import UnwritableFile
from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.tasks.files import open_file
from forklake.spark.tasks.files.delete_files import write_positions
from forklake.spark.tasks.files.write_errors import translate_file_errors
from forklake.spark.tasks.files.write_file import write_rows
from forklake.spark.tasks.files.write_order import WriteOrder


def test_the_reason_is_that_of_the_system() -> None:
    told = r"The file /a/b cannot be written: No space left on device\."
    with pytest.raises(UnwritableFile, match=told), translate_file_errors("/a/b"):
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28] No space left on device")


def test_a_reason_without_a_number_is_told_in_one_line() -> None:
    with (
        pytest.raises(UnwritableFile, match=r"^The file a cannot be written: AWS Error\.$"),
        translate_file_errors("a"),
    ):
        raise OSError("AWS Error.\nand much more")


def order(folder: Path) -> WriteOrder:
    column = Column(ColumnId(1), "id", parse_type("bigint"))
    return WriteOrder(root=f"{folder}/", folder="t/", columns=(column,))


class Full:
    """A file that takes no byte, and cannot even be closed."""

    closed = False

    def write(self, data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def tell(self) -> int:
        return 0

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        raise RuntimeError("file metadata is only available after writer close")


def test_a_full_disk_is_told_whatever_fails_after_it_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(sink: pa.NativeFile, columns: object) -> Full:
        sink.close()
        return Full()

    monkeypatch.setattr(open_file, "marking_sink", full)
    with pytest.raises(UnwritableFile, match="No space left on device"):
        list(write_rows(order(tmp_path), [pa.record_batch({"id": pa.array([1, 2, 3], pa.int64())})]))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_delete_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "a-delete.parquet"
    with pytest.raises(UnwritableFile, match=r"a-delete\.parquet cannot be written: No such file or directory"):
        write_positions(fs.LocalFileSystem(), str(path), "a.parquet", pa.array([1]).to_numpy())
    assert not path.exists()
