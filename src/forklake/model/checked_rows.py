"""Catalog rows of files and inlined batches, unvalidated. `top` is the top snapshot of the level they belong to."""

from typing import NamedTuple

from forklake.model.ids import CatalogId, SnapshotId


class FileRow(NamedTuple):
    """A data file."""

    top: SnapshotId
    catalog_id: CatalogId
    file_id: int
    begin: SnapshotId
    end: SnapshotId | None
    path: str
    path_is_relative: bool
    size: int
    entries: int
    """Rows, or deleted rows."""
    encryption_key: str | None
    partial_max: SnapshotId | None
    footer_size: int | None
    row_id_start: int | None
    mapping_id: int | None
    table_version: SnapshotId | None


class DeleteRow(NamedTuple):
    """A delete file, with the fields of a data file first."""

    top: SnapshotId
    catalog_id: CatalogId
    file_id: int
    begin: SnapshotId
    end: SnapshotId | None
    path: str
    path_is_relative: bool
    size: int
    entries: int
    """Rows, or deleted rows."""
    encryption_key: str | None
    partial_max: SnapshotId | None
    footer_size: int | None
    data_file_id: int


class BatchRow(NamedTuple):
    """An inlined batch without its rows."""

    top: SnapshotId
    catalog_id: CatalogId
    batch_id: int
    begin: SnapshotId
    end: SnapshotId | None
    row_count: int
    row_id_start: int | None
    table_version: SnapshotId
