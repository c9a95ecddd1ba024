"""Data files, delete files and inlined batches: the storage of a table's rows.

Files are named tuples, because a plan may contain a hundred thousand of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from forklake.model.entities import UNCOMMITTED
from forklake.model.ids import (
    BatchId,
    CatalogId,
    ColumnId,
    DataFileId,
    DeleteFileId,
    MappingId,
    PartitionId,
    SnapshotId,
)
from forklake.model.statistics import ColumnStats


class DataFile(NamedTuple):
    """A Parquet file with rows. An id denotes the same physical file in every catalog."""

    data_file_id: DataFileId
    path: str
    record_count: int
    file_size_bytes: int
    footer_size: int | None = None
    path_is_relative: bool = True
    """Relative paths are relative to the data path of the lake."""
    file_format: str = "parquet"
    row_id_start: int | None = None
    partition_id: PartitionId | None = None
    mapping_id: MappingId | None = None
    partial_max: SnapshotId | None = None
    encryption_key: str | None = None
    begin_snapshot: SnapshotId = UNCOMMITTED
    owner: CatalogId | None = None
    table_version: SnapshotId | None = None
    """The begin snapshot of the table version whose column names were used to write the file."""


@dataclass(frozen=True, slots=True)
class NewDataFile:
    """A data file to be added, with the properties that are stored only in the metadata database."""

    file: DataFile
    column_stats: tuple[ColumnStats, ...] = ()
    partition_values: tuple[str | None, ...] = ()
    embeds_row_ids: bool = False
    """The file contains its row ids, and takes none from the counter of the table."""


class DeleteFile(NamedTuple):
    """All positions deleted from one data file; a later delete writes a longer file."""

    delete_file_id: DeleteFileId
    data_file_id: DataFileId
    path: str
    delete_count: int
    file_size_bytes: int
    footer_size: int | None = None
    path_is_relative: bool = True
    format: str = "parquet"
    partial_max: SnapshotId | None = None
    encryption_key: str | None = None
    begin_snapshot: SnapshotId = UNCOMMITTED
    owner: CatalogId | None = None


@dataclass(frozen=True, slots=True)
class InlinedBatch:
    """A few rows stored in the metadata database. `payload` is opaque here, and interpreted by the data layer."""

    batch_id: BatchId
    table_version: SnapshotId
    row_count: int
    payload: bytes
    row_id_start: int | None = None
    begin_snapshot: SnapshotId = UNCOMMITTED
    owner: CatalogId | None = None
    deleted: frozenset[int] = frozenset()
    """Positions of deleted rows in the batch."""

    @property
    def live_rows(self) -> int:
        return self.row_count - len(self.deleted)


@dataclass(frozen=True, slots=True)
class TableStats:
    """Statistics of a table. `record_count` is exact: deleted rows are subtracted."""

    record_count: int = 0
    next_row_id: int = 0
    file_size_bytes: int = 0
    columns: Mapping[ColumnId, ColumnStats] = field(default_factory=dict)
    widths: Mapping[ColumnId, float] = field(default_factory=dict)
    """By column, the width of the widest pruning key interval of any file, except unbounded intervals."""


class ScanFile(NamedTuple):
    """A data file to read, with its delete file if it has one."""

    data: DataFile
    delete: DeleteFile | None = None

    @property
    def live_rows(self) -> int:
        return self.data.record_count - (self.delete.delete_count if self.delete else 0)


class ScheduledFile(NamedTuple):
    """An invisible file scheduled for deletion. Its path is relative to the data path of the lake."""

    file_id: int
    path: str
    file_size_bytes: int | None
