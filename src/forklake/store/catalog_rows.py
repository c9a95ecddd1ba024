"""Rows of catalogs, snapshots and scheduled files, with fields in the order of the tables' columns."""

from typing import NamedTuple

from forklake.model.ids import CatalogId, SnapshotId


class CatalogRecord(NamedTuple):
    """A row of `lake_catalog`."""

    catalog_id: int
    catalog_uuid: str
    catalog_name: str
    path: str
    parent_catalog_id: CatalogId | None
    fork_snapshot: SnapshotId | None
    depth: int
    begin_snapshot: int
    end_snapshot: None
    head_snapshot: int
    head_time: object
    schema_version: int

    @staticmethod
    def new(
        catalog_id: int,
        uuid: str,
        name: str,
        folder: str,
        birth: int,
        time: object,
        *,
        parent_id: CatalogId | None = None,
        horizon: SnapshotId | None = None,
        depth: int = 0,
        schema_version: int = 0,
    ) -> "CatalogRecord":
        """A catalog whose head is its first snapshot, `birth`."""
        return CatalogRecord(
            catalog_id, uuid, name, folder, parent_id, horizon, depth, birth, None, birth, time, schema_version
        )


class SnapshotRecord(NamedTuple):
    """A row of `lake_snapshot`."""

    catalog_id: int
    snapshot_id: int
    previous_snapshot_id: SnapshotId | None
    snapshot_time: object
    schema_version: int
    changes_made: str | None
    author: str | None = None
    commit_message: str | None = None
    commit_extra_info: str | None = None
    commit_token: str | None = None


class ScheduledFileRecord(NamedTuple):
    """A row of `lake_scheduled_file`."""

    catalog_id: CatalogId
    file_id: int
    path: str
    path_is_relative: bool
    schedule_start: object
    file_size_bytes: int
