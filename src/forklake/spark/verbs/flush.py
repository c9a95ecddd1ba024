"""Flush: inlined rows move to files, under the row ids and snapshots they have."""

from forklake.catalog.planning.scan_planning import ScanPlan, plan_scan
from forklake.model.entities import Table
from forklake.spark.reading.inlined import inlined_rows
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from forklake.spark.work import Work
from forklake.spark.writing.write_files import new_data_files, write_arrow


def flush_inlined(work: Work, table: Table) -> int:
    """Write the inlined rows of a table to files; returns how many.

    The batches end in this snapshot and stay for those before it: what was read of them, by time travel or as
    changes, is read again, until their snapshots expire. Needs a transaction that does nothing else.
    """
    plan = plan_scan(work.tx, table)
    if not plan.batches:
        return 0
    work.tx.compact(table, "flush")
    inlined = ScanPlan(table, plan.snapshot_id, (), plan.batches)
    rows = inlined_rows(inlined, [ROW_ID, SNAPSHOT_ID])
    if rows.num_rows:
        written = write_arrow(work, table, rows, [ROW_ID, SNAPSHOT_ID])
        work.tx.append_files(table, new_data_files(work, table, written, embeds_row_ids=True))
    work.tx.end_batches(table, plan.batches)
    work.tx.end_compaction(table)
    return int(rows.num_rows)
