"""Snapshots: the states a catalog has been in, and catalogs themselves."""

from dataclasses import dataclass
from datetime import datetime

from forklake.model.changes import Change
from forklake.model.ids import CatalogId, SnapshotId


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A committed state. `catalog_id` made it; seen from a fork it may be an ancestor's."""

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
    """What the committer says about a commit."""

    author: str | None = None
    message: str | None = None
    extra_info: str | None = None


@dataclass(frozen=True, slots=True)
class CatalogInfo:
    """A catalog as the lake lists it. `path` is its folder below the lake's data path."""

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
