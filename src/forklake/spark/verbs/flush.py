"""Flush: moves inlined rows to files, keeping their row ids and snapshots."""

from forklake.catalog.planning.scan_planning import ScanPlan, plan_scan
from forklake.model.entities import Table
from forklake.spark.reading.inlined import inlined_rows
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from forklake.spark.work import Work
from forklake.spark.writing.write_files import new_data_files, write_arrow


def flush_inlined(work: Work, table: Table) -> int:
    """Write the inlined rows of a table to files; returns their number.

    The batches end in this snapshot and are kept for earlier ones: time travel and change feed return the same as
    before, until their snapshots expire. Requires a transaction that does nothing else.
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
