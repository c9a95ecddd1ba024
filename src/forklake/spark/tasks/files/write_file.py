"""Writes rows to Parquet files with final names, on executors or the driver."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import suppress

import pyarrow as pa

from forklake.model.ids import ColumnId
from forklake.spark.tasks.files.file_names import data_file_name
from forklake.spark.tasks.files.file_systems import file_system_at
from forklake.spark.tasks.files.open_file import OpenFile
from forklake.spark.tasks.files.partitioned_rows import Key, rows_by_partition
from forklake.spark.tasks.files.write_errors import write_in_folder
from forklake.spark.tasks.files.write_order import WriteOrder, WrittenFile, from_table, to_batch

__all__ = ["RowWriter", "WriteOrder", "WrittenFile", "from_table", "to_batch", "write_rows"]

_MOST_OPEN = 64
_MOST_WAITING_BYTES = 256 * 2**20


def write_rows(order: WriteOrder, batches: Iterable[pa.RecordBatch]) -> Iterator[WrittenFile]:
    """Write rows, yielding each file when it is finished. On failure, all of them are deleted."""
    writer = RowWriter(order)
    try:
        for batch in batches:
            yield from writer.add(batch)
        yield from writer.close()
    except BaseException:
        writer.remove()
        raise


class RowWriter:
    """Writes batches of shown rows: the table's columns, followed by the reserved ones.

    Rows are written to the file of their partition, and to a new one when it has the target size. The number of open
    files is limited, so rows should be ordered by partition.
    """

    def __init__(self, order: WriteOrder) -> None:
        self._order = order
        self._filesystem, root = file_system_at(order.root)
        self._prefix = root.rstrip("/") + "/"
        self._open: OrderedDict[Key, tuple[str, OpenFile]] = OrderedDict()
        self._begun: list[str] = []
        self._with_nan: set[ColumnId] = set()

    def add(self, batch: pa.RecordBatch) -> list[WrittenFile]:
        """Write a batch; returns the files finished by this."""
        return [file for key, rows in rows_by_partition(self._order, batch) for file in self._add(key, rows)]

    def add_physical(self, rows: pa.Table) -> list[WrittenFile]:
        """Write rows of one partition in physical form, including reserved columns."""
        return list(self._add((), rows))

    def close(self) -> list[WrittenFile]:
        """Finish the open files."""
        return [self._close(key) for key in list(self._open)]

    def remove(self) -> None:
        """Delete everything that was written, as far as possible."""
        for _, file in self._open.values():
            file.abandon()
        for path in self._begun:
            with suppress(OSError):
                self._filesystem.delete_file(self._prefix + path)

    def _add(self, key: Key, rows: pa.Table) -> Iterator[WrittenFile]:
        while rows.num_rows:
            if key not in self._open:
                if len(self._open) >= _MOST_OPEN:
                    yield self._close(next(iter(self._open)))
                self._open[key] = self._begin(key)
            self._open.move_to_end(key)
            _, file = self._open[key]
            rows = rows.slice(file.add(rows))
            if file.is_full:
                yield self._close(key)
        self._spare_memory()

    def _begin(self, key: Key) -> tuple[str, OpenFile]:
        order = self._order
        folder = order.folder.strip("/") + "/"
        if order.partition is not None and order.hive:
            folder += order.partition.folder(key)
        path = folder + data_file_name()
        self._begun.append(path)
        if order.begun is not None:
            order.begun(path)
        files, full = self._filesystem, self._prefix + path
        return path, write_in_folder(files, self._prefix + folder, lambda: OpenFile(order, files, full, self._with_nan))

    def _close(self, key: Key) -> WrittenFile:
        path, file = self._open[key]
        facts, size, max_snapshot_id = file.close()
        del self._open[key]
        return WrittenFile(
            path=path,
            file_size_bytes=size,
            footer_size=facts.footer_size,
            record_count=facts.record_count,
            column_stats=facts.column_stats,
            partition_values=key,
            max_snapshot_id=max_snapshot_id,
        )

    def _spare_memory(self) -> None:
        """Limit the memory used by buffered rows of many open files."""
        while sum(file.waiting_bytes for _, file in self._open.values()) > _MOST_WAITING_BYTES:
            max((file for _, file in self._open.values()), key=lambda file: file.waiting_bytes).flush()
