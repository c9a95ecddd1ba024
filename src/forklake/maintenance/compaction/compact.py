"""Compaction of one table in one transaction: its rows move to fewer or smaller files, and nothing else changes.

The files they come from end in this snapshot and stay for those before it: what was read of them, by time travel or
as changes, is read again, until their snapshots expire. In a fork, inherited files end there only.
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
    """Files of a table that became one; none, if no row of them was left."""

    schema_name: str
    table_name: str
    files_processed: int
    files_created: int


def compact(
    work: Work, table: Table, kind: Literal["merge", "rewrite"], groups: Sequence[CompactionGroup], progress: Progress
) -> list[Compacted]:
    """Write and stage what the groups become, one after the other. Needs a transaction that does nothing else."""
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
    """Refused by the commit as well, but then all the work would be done."""
    info = work.tx.info
    if work.option("require_commit_message", table) == "true" and not (info.author and info.message):
        raise CommitMessageRequired(
            "Commit Information for the snapshot is required but has not been provided."
            " Begin a transaction, set author and message with set_commit_message, and compact in it."
        )
