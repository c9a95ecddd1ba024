"""One Parquet file while rows are added to it."""

from contextlib import suppress

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import fs

from forklake.model.column_types import FLOATS
from forklake.model.ids import ColumnId
from forklake.spark.tasks.file_stats import FileFacts, file_facts, largest_number
from forklake.spark.tasks.nested import leaf_arrays
from forklake.spark.tasks.reserved import SNAPSHOT_ID
from forklake.spark.tasks.type_forms import physical_schema
from forklake.spark.tasks.write_order import ROW_GROUP_BYTES, ROW_GROUP_ROWS, WriteOrder

_LEAST_GROUP_BYTES = 64 * 1024
_CODECS = {"uncompressed": "none", "lz4_raw": "lz4"}
_WITH_LEVEL = frozenset({"gzip", "zstd", "brotli"})
_PAGES = {"V1": "1.0", "V2": "2.0"}


class OpenFile:
    """A file that takes physical rows. They wait in memory until they make a row group."""

    def __init__(self, order: WriteOrder, filesystem: fs.FileSystem, path: str) -> None:
        self._order = order
        self._group_rows = order.row_group_rows or ROW_GROUP_ROWS
        # A small target is reached with small row groups.
        small = max(order.target_bytes, _LEAST_GROUP_BYTES)
        self._group_bytes = min(order.row_group_bytes or ROW_GROUP_BYTES, small)
        self._waiting: list[pa.Table] = []
        self._rows = 0
        self.waiting_bytes = 0
        self._has_nan = dict.fromkeys(self._float_leaves(), False)
        self._metadata: list[pq.FileMetaData] = []
        self._sink = filesystem.open_output_stream(path)
        self._writer = self._new_writer()

    @property
    def is_full(self) -> bool:
        """Whether what is in the file, rows in memory aside, has the target size."""
        return bool(self._sink.tell() >= self._order.target_bytes)

    def add(self, rows: pa.Table) -> int:
        """Take rows up to the end of a row group; returns how many."""
        by_bytes = (self._group_bytes - self.waiting_bytes) * rows.num_rows // max(1, rows.nbytes) + 1
        taken = rows.slice(0, min(self._group_rows - self._rows, by_bytes))
        self._waiting.append(taken)
        self._rows += taken.num_rows
        self.waiting_bytes += taken.nbytes
        if self._rows >= self._group_rows or self.waiting_bytes >= self._group_bytes:
            self.flush()
        return int(taken.num_rows)

    def flush(self) -> None:
        """Write the rows in memory as a row group."""
        if not self._rows:
            return
        group = pa.concat_tables(self._waiting)
        self._waiting, self._rows, self.waiting_bytes = [], 0, 0
        self._look_for_nan(group)
        self._writer.write_table(group, row_group_size=group.num_rows)

    def close(self) -> tuple[FileFacts, int, int | None]:
        """Finish the file; returns its facts, its size, and the largest snapshot id it embeds."""
        self.flush()
        self._writer.close()
        size = int(self._sink.tell())
        self._sink.close()
        [metadata] = self._metadata
        facts = file_facts(metadata, self._order.columns, contains_nan=self._has_nan)
        return facts, size, largest_number(metadata, SNAPSHOT_ID)

    def abandon(self) -> None:
        """Let go of a file that is not to be."""
        # Whatever has failed may fail once more here; the cause is told by whoever abandons.
        with suppress(OSError, pa.ArrowException):
            self._writer.close()
        self._writer.is_open = False
        with suppress(OSError, pa.ArrowException):
            self._sink.close()

    def _new_writer(self) -> pq.ParquetWriter:
        order = self._order
        codec = _CODECS.get(order.compression, order.compression)
        return pq.ParquetWriter(
            self._sink,
            physical_schema(order.columns, order.reserved),
            compression=codec,
            compression_level=_level(codec, order.compression_level),
            # Format version 1.0 would have no unsigned numbers and no nanoseconds.
            version="2.6",
            data_page_version=_PAGES[order.version or "V1"],
            store_schema=False,
            store_decimal_as_integer=True,
            metadata_collector=self._metadata,
        )

    def _float_leaves(self) -> list[ColumnId]:
        leaves = [leaf for column in self._order.columns for _, leaf in column.leaves()]
        return [leaf.column_id for leaf in leaves if leaf.type.name in FLOATS]

    def _look_for_nan(self, rows: pa.Table) -> None:
        """The statistics of Arrow leave NaN out without a word."""
        for column, data in zip(self._order.columns, rows.columns, strict=False):
            leaves = [leaf for _, leaf in column.leaves()]
            if any(self._has_nan.get(leaf.column_id) is False for leaf in leaves):
                for chunk in data.chunks:
                    self._note_nan([leaf.column_id for leaf in leaves], leaf_arrays(chunk))

    def _note_nan(self, ids: list[ColumnId], arrays: list[pa.Array]) -> None:
        for column_id, array in zip(ids, arrays, strict=True):
            if self._has_nan.get(column_id) is False:
                self._has_nan[column_id] = pc.any(pc.is_nan(array)).as_py() or False


def _level(codec: str, level: int | None) -> int | None:
    """The level as the codec can take it."""
    if level is None or codec not in _WITH_LEVEL:
        return None
    return min(level, int(pa.Codec.maximum_compression_level(codec)))
