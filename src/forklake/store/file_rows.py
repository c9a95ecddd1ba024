"""Files, batches and statistics as rows."""

from forklake.model.documents import write_column_stats
from forklake.model.entities import UNCOMMITTED
from forklake.model.files import DataFile, DeleteFile, InlinedBatch, TableStats
from forklake.model.ids import CatalogId, SnapshotId, TableId
from forklake.model.statistics import ColumnStats
from forklake.store.connection import Row

Key = tuple[CatalogId, TableId]


def data_file_row(key: Key, file: DataFile, begin: SnapshotId) -> Row:
    return (
        *key,
        file.data_file_id,
        begin,
        None,
        file.path,
        file.path_is_relative,
        file.file_format,
        file.record_count,
        file.file_size_bytes,
        file.footer_size,
        file.row_id_start,
        file.partition_id,
        file.mapping_id,
        file.partial_max,
        file.encryption_key,
        begin if file.table_version == UNCOMMITTED else file.table_version,
    )


def delete_file_row(key: Key, file: DeleteFile, begin: SnapshotId) -> Row:
    return (
        *key,
        file.delete_file_id,
        begin,
        None,
        file.data_file_id,
        file.path,
        file.path_is_relative,
        file.format,
        file.delete_count,
        file.file_size_bytes,
        file.footer_size,
        file.partial_max,
        file.encryption_key,
    )


def batch_row(key: Key, batch: InlinedBatch, begin: SnapshotId) -> Row:
    version = batch.table_version if batch.table_version >= 0 else begin
    return (*key, batch.batch_id, begin, None, version, batch.row_id_start, batch.row_count, batch.payload)


def stats_row(key: Key, file: DataFile, stats: ColumnStats, keys: tuple[float, float]) -> Row:
    """The fields of the statistics are in the order of the table's columns."""
    column_id, *known = stats
    return (*key, column_id, file.data_file_id, *keys, *known)


def table_stats_row(key: Key, begin: SnapshotId, stats: TableStats) -> Row:
    return (
        *key,
        begin,
        stats.record_count,
        stats.next_row_id,
        stats.file_size_bytes,
        write_column_stats(stats.columns, stats.widths),
    )
