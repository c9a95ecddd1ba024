"""Excluding deleted rows from a scan.

Each file with deletes has a bitmap with one bit per row. All bitmaps are concatenated to a single array, which is
passed to the query as a scalar subquery. Files without deletes in the same scan share an empty bitmap. Testing a bit is
plain arithmetic that Spark compiles, so filters are still pushed down to the Parquet reader, and no join is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from forklake.errors import DamagedFile
from forklake.model.entities import Table
from forklake.model.files import DataFile, DeleteFile, ScanFile
from forklake.model.module_on_use import module_on_use
from forklake.model.threads import map_in_threads
from forklake.spark.tasks.files.delete_files import Positions, read_positions
from forklake.spark.work import Work

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import functions as F
    from pyspark.sql import types as st
else:
    F, st = module_on_use("pyspark.sql.functions"), module_on_use("pyspark.sql.types")

_READERS = 8


class Bitmaps(NamedTuple):
    """Positions in files as bits, with the bitmaps of all files concatenated."""

    words: np.ndarray
    starts: list[int]
    """For each file, the index of the first word of its bits."""

    def has(self, work: Work, start: str, position: str) -> Expression:
        """TRUE for rows in the bitmaps, given the start of their file's bits and their position as SQL."""
        words = pa.ListArray.from_arrays(pa.array([0, len(self.words)], pa.int32()), self.words)
        # Not nullable, so that Spark does not test the words for NULL.
        array = st.ArrayType(st.LongType(), containsNull=False)
        schema = st.StructType([st.StructField("bits", array, nullable=False)])
        bits = work.spark.createDataFrame(pa.table({"bits": words}), schema).scalar()
        word = F.get(bits, F.expr(f"CAST({start} + shiftright({position}, 6) AS INT)"))
        # Only the lowest six bits of a shift distance count.
        return F.call_function("shiftright", word, F.expr(f"CAST({position} AS INT)")).bitwiseAND(F.lit(1)) == 1


def build_bitmaps(files: Sequence[ScanFile], positions: Sequence[Positions]) -> Bitmaps:
    """Bitmaps of the positions in each file; files without any share the first one, sized for the longest of them."""
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
    """The deleted positions of each file of a table; empty for files without deletes."""
    # There may be many files, few of which have deletes.
    changed = [(file.data, file.delete) for file in files if file.delete is not None]
    found = iter(map_in_threads(lambda each: _read_deleted_positions(work, table, *each), changed, _READERS))
    return [np.zeros(0, np.int64) if file.delete is None else next(found) for file in files]


def _read_deleted_positions(work: Work, table: Table, data: DataFile, delete: DeleteFile) -> Positions:
    path = work.storage.path(delete.path, is_relative=delete.path_is_relative)
    # Delete files are immutable and have unique names; of one for several snapshots, the base determines what applies.
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
