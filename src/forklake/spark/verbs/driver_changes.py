"""Change feeds of few rows, read on the driver and without Spark."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.model.entities import Column
from forklake.spark.reading.driver_rows import driver_rows, why_not_on_driver
from forklake.spark.reading.virtual_columns import ADDRESS, POSITION_BITS
from forklake.spark.tasks.types.arrow_types import shown_schema
from forklake.spark.tasks.types.python_array import mask
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from forklake.spark.verbs.change_plan import CHANGE_TYPE, ROW, SNAPSHOT, ChangePlan, positions_deleted
from forklake.spark.work import Work


def plans_of_changes(plan: ChangePlan) -> list[ScanPlan]:
    """What is read for a change feed."""
    history = plan.history
    inserted = plan.inserted(history.inserted, history.inserted_batches)
    if plan.kind == "insertions":
        return [inserted]
    deleted = [plan.with_deletes(), plan.deleted_from_batches()]
    return deleted if plan.kind == "deletions" else [inserted, *deleted]


def why_no_changes_on_driver(work: Work, plan: ChangePlan, columns: Sequence[Column], most_bytes: int) -> str | None:
    """The reason why these columns of a change feed cannot be read on the driver; None if they can."""
    plans = plans_of_changes(plan)
    size = sum(file.data.file_size_bytes for each in plans for file in each.files)
    if size > most_bytes:
        return f"it reads {size:,} bytes, more than forklake_small_query_bytes"
    if any(file.data.partial_max is not None for each in plans for file in each.files):
        return "some of its files have rows of several snapshots"
    # Judged together: each of the plans may be as large as one that is read alone.
    together = ScanPlan(
        plan.table,
        plan.last,
        tuple(file for each in plans for file in each.files),
        tuple(batch for each in plans for batch in each.batches),
    )
    return why_not_on_driver(work, together, columns)


def changes_on_driver(work: Work, plan: ChangePlan, columns: Sequence[Column]) -> pa.Table | None:
    """The changes with these columns, as Spark gives them; None if rows have no ids to tell updates by."""
    history, parts = plan.history, []
    if plan.kind != "deletions":
        inserted = plan.inserted(history.inserted, history.inserted_batches)
        parts.append((_read(work, inserted, columns), False))
    if plan.kind != "insertions":
        parts.append((_deleted_from_files(work, plan, columns), True))
        parts.append((_read(work, plan.deleted_from_batches(), columns), True))
    rows = pa.concat_tables([part for part, _ in parts])
    if rows[ROW_ID].null_count or rows[SNAPSHOT_ID].null_count:
        return None
    leading = {SNAPSHOT: rows[SNAPSHOT_ID], ROW: rows[ROW_ID]}
    if plan.kind == "changes":
        is_deleted = np.concatenate([np.full(len(part), deleted) for part, deleted in parts])
        leading[CHANGE_TYPE] = change_types(rows, is_deleted)
    own = shown_schema(columns)
    fields = [*(pa.field(name, array.type) for name, array in leading.items()), *own]
    return pa.Table.from_arrays([*leading.values(), *rows.columns[: len(own)]], schema=pa.schema(fields))


def _read(work: Work, plan: ScanPlan, columns: Sequence[Column]) -> pa.Table:
    return driver_rows(work, plan, columns, ("snapshot id", "row id"))


def _deleted_from_files(work: Work, plan: ChangePlan, columns: Sequence[Column]) -> pa.Table:
    """The deleted rows of files, with the snapshots that deleted them."""
    gone = positions_deleted(work, plan.table, plan.history.deleted)
    rows = driver_rows(work, plan.with_deletes(), columns, ("address", "row id"))
    addresses = [(number << POSITION_BITS) + found for number, of_file in enumerate(gone) for found, _ in of_file]
    ends = [np.full(len(found), snapshot_id) for of_file in gone for found, snapshot_id in of_file]
    nothing = np.zeros(0, np.int64)
    known, snapshots = np.concatenate([nothing, *addresses]), np.concatenate([nothing, *ends])
    order = np.argsort(known)
    known, snapshots = known[order], snapshots[order]
    read = rows[ADDRESS].to_numpy()
    is_gone = np.isin(read, known)
    snapshot_ids = pa.array(snapshots[np.searchsorted(known, read[is_gone])].astype(np.int64))
    place = rows.column_names.index(ADDRESS)
    return rows.filter(mask(is_gone)).set_column(place, SNAPSHOT_ID, snapshot_ids)


def change_types(rows: pa.Table, is_deleted: np.ndarray) -> pa.Array:
    """A row id that was deleted and inserted in one snapshot was updated."""
    changes = np.stack([rows[SNAPSHOT_ID].to_numpy(), rows[ROW_ID].to_numpy()], axis=1)
    _, groups = np.unique(changes, axis=0, return_inverse=True)
    groups = groups.reshape(-1)
    is_updated = np.bincount(groups, is_deleted).astype(bool) & np.bincount(groups, ~is_deleted).astype(bool)
    deletes = np.where(is_updated[groups], "update_preimage", "delete")
    inserts = np.where(is_updated[groups], "update_postimage", "insert")
    return pa.array(np.where(is_deleted, deletes, inserts), pa.string())
