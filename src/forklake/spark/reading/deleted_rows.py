"""Leaving deleted rows out of a scan.

For each file with deletes there is a bitmap, one bit for each of its rows, and all of them are one value of a query: an
array that a scalar subquery brings in, one bitmap behind the other. Files without deletes that are read along have an
empty one in common. Testing a bit is plain arithmetic that Spark
compiles, so filters still reach the Parquet reader and nothing is joined.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Column as Expression
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.errors import DamagedFile
from forklake.model.entities import Table
from forklake.model.files import DataFile, DeleteFile, ScanFile
from forklake.spark.tasks.files.delete_files import Positions, read_positions
from forklake.spark.work import Work

_READERS = 8
_BITS = st.StructType([st.StructField("bits", st.ArrayType(st.LongType(), containsNull=False), nullable=False)])
"""Spark need not look for NULL among the words."""


class Bitmaps(NamedTuple):
    """Positions in files as bits, those of one file behind those of another."""

    words: np.ndarray
    starts: list[int]
    """For each file, at which word its bits begin."""

    def has(self, work: Work, start: str, position: str) -> Expression:
        """True for the rows that are in it, given where the bits of their file begin and their position, in SQL."""
        words = pa.ListArray.from_arrays(pa.array([0, len(self.words)], pa.int32()), self.words)
        bits = work.spark.createDataFrame(pa.table({"bits": words}), _BITS).scalar()
        word = F.get(bits, F.expr(f"CAST({start} + shiftright({position}, 6) AS INT)"))
        # Of the distance of a shift only the last six bits count.
        return F.call_function("shiftright", word, F.expr(f"CAST({position} AS INT)")).bitwiseAND(F.lit(1)) == 1


def build_bitmaps(files: Sequence[ScanFile], positions: Sequence[Positions]) -> Bitmaps:
    """The positions of each of the files; those without any share a first bitmap, as long as the longest of them."""
    rows = [file.data.record_count for file in files]
    untouched = [count for count, chosen in zip(rows, positions, strict=True) if not len(chosen)]
    words = [_bitmap(np.zeros(0, np.int64), max(untouched, default=0))]
    starts, end = [], len(words[0])
    for count, chosen in zip(rows, positions, strict=True):
        if not len(chosen):
            starts.append(0)
            continue
        words.append(_bitmap(chosen, count))
        starts.append(end)
        end += len(words[-1])
    return Bitmaps(np.concatenate(words), starts)


def deleted_positions(work: Work, table: Table, files: Sequence[ScanFile]) -> list[Positions]:
    """For each file of a table the positions that are deleted from it; none for files without deletes."""
    # There may be many files, and few of them with deletes.
    changed = [(file.data, file.delete) for file in files if file.delete is not None]
    with ThreadPoolExecutor(_READERS) as pool:
        found = pool.map(lambda each: _read_deleted_positions(work, table, *each), changed)
        return [np.zeros(0, np.int64) if file.delete is None else next(found) for file in files]


def _read_deleted_positions(work: Work, table: Table, data: DataFile, delete: DeleteFile) -> Positions:
    path = work.storage.path(delete.path, is_relative=delete.path_is_relative)
    # Delete files never change, and their names are given once; of one for several snapshots, some count at each.
    key = (f"{work.storage.root}\n{path}", None if delete.partial_max is None else work.tx.base)
    known = work.provider.cache.positions.get(key) if work.shortcuts else None
    if known is not None:
        return known
    try:
        found = read_positions(work.storage.files, path, work.tx.base)
        if len(found) and found[-1] >= data.record_count:
            raise DamagedFile(f"it deletes row {found[-1]} of {data.record_count}")
    except (OSError, pa.ArrowException, DamagedFile) as error:
        which = f"The delete file {path} of table '{table.name}' at version {work.tx.base}"
        raise DamagedFile(f"{which} cannot be read: {error}") from error
    work.provider.cache.positions.put(key, found, 1 + found.nbytes // 1024)
    return found


def _bitmap(positions: Positions, rows: int) -> np.ndarray:
    bits = np.zeros((rows + 63) // 64 * 64, np.uint8)
    bits[positions] = 1
    return np.packbits(bits, bitorder="little").view(np.int64)
