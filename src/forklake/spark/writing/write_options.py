"""The options for writing files, in the form required by the writers."""

from dataclasses import dataclass

from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import InvalidOption
from forklake.model.entities import Table
from forklake.model.ids import TableId
from forklake.spark.work import Work

_ROW_BYTES = {"boolean": 1, "int8": 1, "int16": 2, "int32": 4, "float32": 4, "date": 4, "varchar": 16, "blob": 64}
_UNREADABLE = frozenset({"brotli"})
"""Codecs accepted as option values, because other readers support them, but not by Spark."""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    target_bytes: int
    compression: str
    compression_level: int | None
    row_group_rows: int | None
    row_group_bytes: int | None
    version: str | None
    hive: bool

    def for_spark(self, table: Table, tx: Transaction) -> dict[str, str]:
        """For Spark's writer, which has no target size: the estimated number of rows that reach it."""
        options = {
            # Spark's lz4 uses Hadoop framing, which few other readers support.
            "compression": "lz4_raw" if self.compression == "lz4" else self.compression,
            "maxRecordsPerFile": str(max(1, self.target_bytes // _bytes_per_row(table, tx))),
            # The output of tasks need not be renamed a second time: nothing reads it before our commit.
            "mapreduce.fileoutputcommitter.algorithm.version": "2",
            "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
        }
        if self.row_group_bytes is not None:
            options["parquet.block.size"] = str(self.row_group_bytes)
        if self.row_group_rows is not None:
            options["parquet.block.row.count.limit"] = str(self.row_group_rows)
        if self.version is not None:
            options["parquet.writer.version"] = {"V1": "PARQUET_1_0", "V2": "PARQUET_2_0"}[self.version]
        if self.compression_level is not None:
            options[f"parquet.compression.codec.{self.compression}.level"] = str(self.compression_level)
        return options


def write_options(work: Work, table: Table) -> WriteOptions:
    """The effective options of a table."""

    def number(name: str) -> int | None:
        value = work.option(name, table)
        return None if value is None else int(value)

    compression = work.option("parquet_compression", table) or "snappy"
    if compression in _UNREADABLE:
        raise InvalidOption(f"Spark cannot read files compressed by {compression}; set parquet_compression to zstd.")
    return WriteOptions(
        target_bytes=number("target_file_size") or 1,
        compression=compression,
        compression_level=number("parquet_compression_level"),
        row_group_rows=number("parquet_row_group_size"),
        row_group_bytes=number("parquet_row_group_size_bytes"),
        version=work.option("parquet_version", table),
        hive=work.option("hive_file_pattern", table) == "true",
    )


def _bytes_per_row(table: Table, tx: Transaction) -> int:
    """The average size of a row in the table's files; without files, an estimate from its types."""
    if not tx.is_new(TableId(table.object_id)):
        stats = tx.view.stats(TableId(table.object_id))
        if stats.record_count and stats.file_size_bytes:
            return max(1, stats.file_size_bytes // stats.record_count)
    return sum(_ROW_BYTES.get(leaf.type.name, 8) for _, leaf in table.definition.leaves())
