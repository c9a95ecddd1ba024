"""Compaction of one table in one transaction: moves rows to fewer or smaller files, without other changes.

The original files end in this snapshot and are kept for earlier ones: time travel and change feed return the same as
before, until their snapshots expire. In a fork, inherited files end only there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from forklake.errors import CommitMessageRequired
from forklake.maintenance.compaction.compaction_choice import CompactionGroup
from forklake.maintenance.compaction.move_rows import move_rows
from forklake.maintenance.progress import Progress
from forklake.model.entities import Table
from forklake.spark.work import Work


@dataclass(frozen=True, slots=True)
class Compacted:
    """A group of files that were compacted into one, or none if no rows were left."""

    schema_name: str
    table_name: str
    files_processed: int
    files_created: int


def compact(
    work: Work, table: Table, kind: Literal["merge", "rewrite"], groups: Sequence[CompactionGroup], progress: Progress
) -> list[Compacted]:
    """Write and stage the compacted files for all groups. Requires a transaction that does nothing else."""
    if not groups:
        return []
    _check_message(work, table)
    tx = work.tx
    tx.compact(table, kind)
    new = move_rows(work, table, groups, lambda group: progress.advance(len(group.files), group.size))
    for group, files in zip(groups, new, strict=True):
        tx.append_files(table, files)
        tx.end_files(table, group.files)
    tx.end_compaction(table)
    schema = tx.object_with_id(table.schema_id)
    name = "" if schema is None else schema.name
    return [Compacted(name, table.name, len(group.files), len(files)) for group, files in zip(groups, new, strict=True)]


def _check_message(work: Work, table: Table) -> None:
    """The commit checks this too, but only after all the work is done."""
    info = work.tx.info
    if work.option("require_commit_message", table) == "true" and not (info.author and info.message):
        raise CommitMessageRequired(
            "Commit Information for the snapshot is required but has not been provided."
            " Begin a transaction, set author and message with set_commit_message, and compact in it."
        )
