"""Copying rows from several files to a new one, unchanged and in order; on executors or the driver.

Only names are converted: the caller ensures that the types are the same. Row id and snapshot id, which a row would lose
together with its file, are written as additional columns.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from forklake.errors import DamagedFile
from forklake.model.entities import Column
from forklake.spark.tasks.files.delete_files import Positions, read_positions
from forklake.spark.tasks.files.file_systems import file_system_at
from forklake.spark.tasks.files.write_file import RowWriter, WriteOrder, WrittenFile
from forklake.spark.tasks.types.nested import Children, with_children
from forklake.spark.tasks.types.promote import default_array
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from forklake.spark.tasks.types.to_physical import physical_array
from forklake.spark.tasks.types.type_forms import physical_schema, physical_type

_BATCH_ROWS = 65_536
_SMALL_FILE = 2**20
_READERS = 8
"""Number of small files read concurrently: on an object store, opening each of them has a latency."""
_AHEAD = 2 * _READERS


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to copy from. Paths are those of the data path's file system."""

    path: str
    record_count: int
    file_size_bytes: int
    names: tuple[str | None, ...]
    """The names of the table's columns in the file; None for columns added after it was written."""
    row_id_start: int | None = None
    """None if the file contains row ids."""
    snapshot_id: int | None = None
    """The snapshot of all rows; None if the file contains snapshot ids."""
    delete_path: str | None = None


def copy_rows(order: WriteOrder, sources: Sequence[SourceFile], snapshot_id: int) -> list[WrittenFile]:
    """Write the rows that the files have at a snapshot, in the order of the files; leaves no files on failure.

    This is one file, unless its footer could not represent NaN correctly; the order determines the reserved columns.
    """
    files, _ = file_system_at(order.root)
    schema = physical_schema(order.columns, order.reserved)
    writer = RowWriter(order)
    written: list[WrittenFile] = []
    try:
        for source, batches in _read_ahead(files, sources):
            deleted = _deleted_positions(files, source, snapshot_id)
            position = 0
            for batch in batches:
                rows = pa.Table.from_arrays(_output_arrays(order, source, batch, position), schema=schema)
                written += writer.add_physical(_without_deleted(rows, deleted - position))
                position += batch.num_rows
            if position != source.record_count:
                raise DamagedFile(f"The file {source.path} has {position} rows, not {source.record_count}.")
        return written + writer.close()
    except BaseException:
        writer.remove()
        raise


Batches = Iterator[pa.RecordBatch]


def _read_ahead(files: fs.FileSystem, sources: Sequence[SourceFile]) -> Iterator[tuple[SourceFile, Batches]]:
    """The files with their batches. Small ones are read ahead, so that the writer does not have to wait."""
    with ThreadPoolExecutor(_READERS) as pool:
        ahead: deque[tuple[SourceFile, Future[list[pa.RecordBatch]] | None]] = deque()
        left = iter(sources)
        while True:
            while len(ahead) < _AHEAD and (source := next(left, None)) is not None:
                ahead.append((source, pool.submit(_read_whole, files, source) if _is_small(source) else None))
            if not ahead:
                return
            source, read = ahead.popleft()
            yield source, iter(read.result()) if read is not None else _read_batches(files, source)


def _is_small(source: SourceFile) -> bool:
    return source.file_size_bytes <= _SMALL_FILE


def _read_whole(files: fs.FileSystem, source: SourceFile) -> list[pa.RecordBatch]:
    return list(_read_batches(files, source))


def _read_batches(files: fs.FileSystem, source: SourceFile) -> Batches:
    columns = [name for name in source.names if name is not None]
    columns += [ROW_ID] * (source.row_id_start is None) + [SNAPSHOT_ID] * (source.snapshot_id is None)
    try:
        # Small files are read at once; for a large one, this would load all of it.
        with pq.ParquetFile(
            source.path,
            filesystem=files,
            pre_buffer=_is_small(source),
            arrow_extensions_enabled=True,
            page_checksum_verification=True,
        ) as file:
            yield from file.iter_batches(_BATCH_ROWS, columns=columns, use_threads=not _is_small(source))
    except (OSError, pa.ArrowException) as error:
        raise DamagedFile(f"The file {source.path} cannot be read: {error}") from error


def _deleted_positions(files: fs.FileSystem, source: SourceFile, snapshot_id: int) -> Positions:
    if source.delete_path is None:
        return np.zeros(0, np.int64)
    try:
        found = read_positions(files, source.delete_path, snapshot_id)
    except (OSError, pa.ArrowException) as error:
        raise DamagedFile(f"The delete file {source.delete_path} cannot be read: {error}") from error
    if len(found) and found[-1] >= source.record_count:
        raise DamagedFile(f"The delete file {source.delete_path} deletes row {found[-1]} of {source.record_count}.")
    return found


def _output_arrays(order: WriteOrder, source: SourceFile, batch: pa.RecordBatch, position: int) -> list[pa.Array]:
    """A batch, starting at a position of its file, with the columns of the table and the reserved ones."""
    arrays = []
    for column, name in zip(order.columns, source.names, strict=True):
        if name is None:
            arrays.append(physical_array(default_array(column, batch.num_rows), column))
        else:
            arrays.append(_in_physical_form(batch.column(name), column))
    return arrays + [_reserved_array(name, source, batch, position) for name in order.reserved]


def _in_physical_form(array: pa.Array, column: Column) -> pa.Array:
    """Values in the form in which we write them. Writers differ in names of elements and in nullability."""
    wanted = physical_type(column)
    if array.type == wanted:
        return array
    if column.type.is_nested:

        def in_form(children: Children) -> Children:
            return [_in_physical_form(*pair) for pair in zip(children, column.children, strict=True)]

        return with_children(array, wanted, in_form)
    stored = array.storage if isinstance(array, pa.ExtensionArray) else array
    if isinstance(wanted, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(wanted, stored.cast(wanted.storage_type))
    return stored.cast(wanted)


def _reserved_array(name: str, source: SourceFile, batch: pa.RecordBatch, position: int) -> pa.Array:
    if name == ROW_ID and source.row_id_start is not None:
        first = source.row_id_start + position
        return pa.array(np.arange(first, first + batch.num_rows, dtype=np.int64))
    if name == SNAPSHOT_ID and source.snapshot_id is not None:
        return pa.repeat(pa.scalar(source.snapshot_id, pa.int64()), batch.num_rows)
    return batch.column(name).cast(pa.int64())


def _without_deleted(rows: pa.Table, deleted: Positions) -> pa.Table:
    """The rows without those at these positions; positions outside of the range are ignored."""
    here = deleted[np.searchsorted(deleted, 0) : np.searchsorted(deleted, rows.num_rows)]
    if not len(here):
        return rows
    kept = np.ones(rows.num_rows, bool)
    kept[here] = False
    return rows.filter(pa.array(kept))
