"""The options that say how files are written, as the writers take them."""

from dataclasses import dataclass

from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import InvalidOption
from forklake.model.entities import Table
from forklake.model.ids import TableId
from forklake.spark.work import Work

_ROW_BYTES = {"boolean": 1, "int8": 1, "int16": 2, "int32": 4, "float32": 4, "date": 4, "varchar": 16, "blob": 64}
_UNREADABLE = frozenset({"brotli"})
"""Codecs that an option may name, because others know them, but not Spark."""


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
        """For Spark's writer, which knows no target size: the rows that are expected to fill it."""
        options = {
            # What Spark calls lz4 has a frame of Hadoop around it, which few others can read.
            "compression": "lz4_raw" if self.compression == "lz4" else self.compression,
            "maxRecordsPerFile": str(max(1, self.target_bytes // _bytes_per_row(table, tx))),
            # What tasks have written need not be renamed once more: nobody reads it before our commit.
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
    """The options in force for a table."""

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
    """What a row of the table takes in its files so far; without any, a guess from its types."""
    if not tx.is_new(TableId(table.object_id)):
        stats = tx.view.stats(TableId(table.object_id))
        if stats.record_count and stats.file_size_bytes:
            return max(1, stats.file_size_bytes // stats.record_count)
    return sum(_ROW_BYTES.get(leaf.type.name, 8) for _, leaf in table.definition.leaves())
