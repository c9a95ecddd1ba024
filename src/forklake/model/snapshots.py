"""Snapshots and catalogs."""

from dataclasses import dataclass
from datetime import datetime

from forklake.model.changes import Change
from forklake.model.ids import CatalogId, SnapshotId


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A committed state. `catalog_id` made it; seen from a fork this may be an ancestor."""

    snapshot_id: SnapshotId
    catalog_id: CatalogId
    previous_snapshot_id: SnapshotId | None
    snapshot_time: datetime
    schema_version: int
    changes: tuple[Change, ...]
    author: str | None = None
    commit_message: str | None = None
    commit_extra_info: str | None = None


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """Information about a commit provided by the committer."""

    author: str | None = None
    message: str | None = None
    extra_info: str | None = None


@dataclass(frozen=True, slots=True)
class CatalogInfo:
    """A catalog as listed by the lake. `path` is its folder, relative to the data path of the lake."""

    catalog_id: CatalogId
    name: str
    uuid: str
    path: str
    parent_id: CatalogId | None
    fork_snapshot: SnapshotId | None
    depth: int
    begin_snapshot: SnapshotId
    end_snapshot: SnapshotId | None
    head_snapshot: SnapshotId
    schema_version: int
