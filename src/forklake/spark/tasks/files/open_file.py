"""A Parquet file being written."""

from contextlib import suppress
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from forklake.model.column_types import FLOATS
from forklake.model.ids import ColumnId
from forklake.model.statistics import ColumnStats, merge_stats
from forklake.spark.tasks.files.dictionaries import paths_of_repeated_values
from forklake.spark.tasks.files.nan_columns import nan_column_stats, nan_columns, paths_without_leaves
from forklake.spark.tasks.files.variant_footer import close_writer, marking_sink
from forklake.spark.tasks.files.write_errors import translate_file_errors
from forklake.spark.tasks.files.write_order import ROW_GROUP_BYTES, ROW_GROUP_ROWS, WriteOrder
from forklake.spark.tasks.statistics.file_stats import FooterFacts, footer_facts, largest_number
from forklake.spark.tasks.types.reserved_columns import SNAPSHOT_ID
from forklake.spark.tasks.types.type_forms import physical_schema

_GROUPS_OF_A_TARGET = 4
_LEAST_GROUP_BYTES = 64 * 1024
_CODECS = {"uncompressed": "none", "lz4_raw": "lz4"}
_WITH_LEVEL = frozenset({"gzip", "zstd", "brotli"})
_PAGES = {"V1": "1.0", "V2": "2.0"}


class OpenFile:
    """A file for physical rows, which are buffered in memory until they fill a row group."""

    def __init__(self, order: WriteOrder, filesystem: fs.FileSystem, path: str, with_nan: set[ColumnId]) -> None:
        """`with_nan` are the columns that had a NaN so far, in any file; those found here are added."""
        self._order = order
        self._path = path
        self._with_nan = with_nan
        self._group_rows = order.row_group_rows or ROW_GROUP_ROWS
        # A small target size requires small row groups.
        small = max(order.target_bytes // _GROUPS_OF_A_TARGET, _LEAST_GROUP_BYTES)
        self._group_bytes = min(order.row_group_bytes or ROW_GROUP_BYTES, small)
        self._waiting: list[pa.Table] = []
        self._rows = 0
        self.waiting_bytes = 0
        self._has_nan = dict.fromkeys(self._float_leaves(), False)
        self._unbounded: frozenset[ColumnId] = frozenset()
        self._counted: list[ColumnStats] = []
        self._is_over = False
        self._metadata: list[pq.FileMetaData] = []
        with translate_file_errors(path):
            self._sink = marking_sink(filesystem.open_output_stream(path), order.columns)
        self._writer: pq.ParquetWriter | None = None

    @property
    def is_full(self) -> bool:
        """Whether the file, without buffered rows, has the target size, or cannot accept further rows."""
        return self._is_over or bool(self._sink.tell() >= self._order.target_bytes)

    def add(self, rows: pa.Table) -> int:
        """Add rows up to the end of a row group; returns their number.

        This is 0 if they have a NaN in a column for which the file already contains bounds.
        """
        by_bytes = (self._group_bytes - self.waiting_bytes) * rows.num_rows // max(1, rows.nbytes) + 1
        taken = rows.slice(0, min(self._group_rows - self._rows, by_bytes))
        nan = nan_columns(taken, self._order.columns) if self._has_nan else set()
        self._with_nan |= nan
        if self._writer is not None and not nan <= self._unbounded:
            self._is_over = True
            return 0
        self._has_nan |= dict.fromkeys(nan, True)
        self._waiting.append(taken)
        self._rows += taken.num_rows
        self.waiting_bytes += taken.nbytes
        if self._rows >= self._group_rows or self.waiting_bytes >= self._group_bytes:
            self.flush()
        return int(taken.num_rows)

    def flush(self) -> None:
        """Write the buffered rows as a row group."""
        if not self._rows:
            return
        group = pa.concat_tables(self._waiting)
        self._waiting, self._rows, self.waiting_bytes = [], 0, 0
        with translate_file_errors(self._path):
            writer = self._begun(group)
            self._counted += nan_column_stats(group, self._order.columns, self._unbounded)
            writer.write_table(group, row_group_size=group.num_rows)

    def close(self) -> tuple[FooterFacts, int, int | None]:
        """Finish the file; returns its facts, its size, and the largest snapshot id it contains."""
        self.flush()
        with translate_file_errors(self._path):
            added = close_writer(self._begun(), self._sink)
            size = int(self._sink.tell())
            self._sink.close()
        [metadata] = self._metadata
        facts = footer_facts(metadata, self._order.columns, contains_nan=self._has_nan)
        stats = tuple(map(self._with_own_counts, facts.column_stats))
        facts = replace(facts, column_stats=stats, footer_size=facts.footer_size + added)
        return facts, size, largest_number(metadata, SNAPSHOT_ID)

    def abandon(self) -> None:
        """Release an incomplete file."""
        # Whatever has failed may fail here again, in any way; the caller reports the cause.
        if self._writer is not None:
            with suppress(Exception):
                self._writer.close()
            self._writer.is_open = False
        with suppress(Exception):
            self._sink.close()

    def _begun(self, group: pa.Table | None = None) -> pq.ParquetWriter:
        """The writer, created with the first row group, which determines the columns with bounds and dictionaries."""
        if self._writer is None:
            self._unbounded = frozenset(self._with_nan & self._has_nan.keys())
            self._writer = self._new_writer(group)
        return self._writer

    def _new_writer(self, group: pa.Table | None) -> pq.ParquetWriter:
        order, schema = self._order, physical_schema(self._order.columns, self._order.reserved)
        codec = _CODECS.get(order.compression, order.compression)
        return pq.ParquetWriter(
            self._sink,
            schema,
            compression=codec,
            compression_level=_codec_level(codec, order.compression_level),
            # Format version 1.0 does not support unsigned integers and nanoseconds.
            version="2.6",
            data_page_version=_PAGES[order.version or "V1"],
            store_schema=False,
            # As in Spark's own writer: lets readers detect corrupted pages.
            write_page_checksum=True,
            store_decimal_as_integer=True,
            use_dictionary=True if group is None else paths_of_repeated_values(group),
            write_statistics=not self._unbounded or paths_without_leaves(schema, order.columns, self._unbounded),
            metadata_collector=self._metadata,
        )

    def _float_leaves(self) -> list[ColumnId]:
        leaves = [leaf for column in self._order.columns for _, leaf in column.leaves()]
        return [leaf.column_id for leaf in leaves if leaf.type.name in FLOATS]

    def _with_own_counts(self, stats: ColumnStats) -> ColumnStats:
        """The statistics of a column, from our own counts if the file has none."""
        own = [each for each in self._counted if each.column_id == stats.column_id]
        if not own:
            return stats
        [leaf] = [leaf for column in self._order.columns for leaf in column.walk() if leaf.column_id == stats.column_id]
        return merge_stats(leaf.type, own)._replace(column_size_bytes=stats.column_size_bytes)


def _codec_level(codec: str, level: int | None) -> int | None:
    """The compression level, limited to what the codec supports."""
    if level is None or codec not in _WITH_LEVEL:
        return None
    return min(level, int(pa.Codec.maximum_compression_level(codec)))
