"""Data files, delete files and inlined batches: where the rows of a table are.

Files are named tuples, because a plan may hold a hundred thousand of them.
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
    """A Parquet file of rows. The same id always means the same physical file, in every catalog."""

    data_file_id: DataFileId
    path: str
    record_count: int
    file_size_bytes: int
    footer_size: int | None = None
    path_is_relative: bool = True
    """Relative paths start at the lake's data path."""
    file_format: str = "parquet"
    row_id_start: int | None = None
    partition_id: PartitionId | None = None
    mapping_id: MappingId | None = None
    partial_max: SnapshotId | None = None
    encryption_key: str | None = None
    begin_snapshot: SnapshotId = UNCOMMITTED
    owner: CatalogId | None = None
    table_version: SnapshotId | None = None
    """Where the version of the table began whose column names the file was written with."""


@dataclass(frozen=True, slots=True)
class NewDataFile:
    """A data file to be added, with what only the metadata database keeps of it."""

    file: DataFile
    column_stats: tuple[ColumnStats, ...] = ()
    partition_values: tuple[str | None, ...] = ()
    embeds_row_ids: bool = False
    """The file carries its own row ids: it takes none from the table's counter."""


class DeleteFile(NamedTuple):
    """The positions deleted from one data file, all of them: a later delete writes a longer file."""

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
    """A few rows kept in the metadata database. `payload` belongs to whoever reads and writes data."""

    batch_id: BatchId
    table_version: SnapshotId
    row_count: int
    payload: bytes
    row_id_start: int | None = None
    begin_snapshot: SnapshotId = UNCOMMITTED
    owner: CatalogId | None = None
    deleted: frozenset[int] = frozenset()
    """Positions in the batch whose rows are deleted."""

    @property
    def live_rows(self) -> int:
        return self.row_count - len(self.deleted)


@dataclass(frozen=True, slots=True)
class TableStats:
    """What is known about a table without reading it. `record_count` is exact: deletes are subtracted."""

    record_count: int = 0
    next_row_id: int = 0
    file_size_bytes: int = 0
    columns: Mapping[ColumnId, ColumnStats] = field(default_factory=dict)
    widths: Mapping[ColumnId, float] = field(default_factory=dict)
    """By column, the width of the widest interval of pruning keys that any file has; unbounded ones aside."""


class ScanFile(NamedTuple):
    """A data file to read, with its delete file if it has one."""

    data: DataFile
    delete: DeleteFile | None = None

    @property
    def live_rows(self) -> int:
        return self.data.record_count - (self.delete.delete_count if self.delete else 0)


class ScheduledFile(NamedTuple):
    """A file that nobody can see, waiting for its deletion. Its path starts at the lake's data path."""

    file_id: int
    path: str
    file_size_bytes: int | None
