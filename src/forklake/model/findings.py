"""The problems that verification of a catalog can find."""

from dataclasses import dataclass
from typing import Literal

from forklake.model.ids import SnapshotId

Problem = Literal[
    "missing_file",
    "wrong_size",
    "wrong_count",
    "damaged_file",
    "missing_column",
    "damaged_rows",
    "bad_default",
    "unknown_file",
    "scheduled_in_use",
    "too_many_deletes",
    "no_target",
    "no_table",
    "no_schema",
    "no_version",
    "no_mapping",
    "two_versions",
    "same_name",
    "bad_period",
    "marker_of_nothing",
    "wrong_statistics",
    "missing_statistics",
    "low_row_id",
    "broken_lineage",
    "broken_sequence",
    "unreadable",
]


@dataclass(frozen=True, slots=True)
class Finding:
    """A violated invariant. `snapshot_id` is the newest kept snapshot that shows the problem, or its cause."""

    problem: Problem
    table: str | None = None
    """The latest schema and table name."""
    path: str | None = None
    """The full path of the file."""
    snapshot_id: SnapshotId | None = None
    detail: str = ""
