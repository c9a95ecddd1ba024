"""Flush: moves inlined rows to files, keeping their row ids and snapshots; each table in a separate transaction."""

from dataclasses import dataclass
from functools import partial
from typing import cast

from forklake.catalog.planning.scan_planning import ScanPlan, plan_scan
from forklake.catalog.reading.metadata_views import inlined_tables
from forklake.maintenance.commits import EVERYWHERE, Commits, Place, for_each_table
from forklake.maintenance.compaction.chosen_tables import chosen_tables
from forklake.model.entities import Table
from forklake.model.ids import TableId
from forklake.spark.reading.inlined import inlined_rows
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from forklake.spark.work import Work
from forklake.spark.writing.write_files import new_data_files, write_arrow


@dataclass(frozen=True, slots=True)
class Flushed:
    """The number of flushed rows of a table."""

    schema_name: str
    table_name: str
    rows_flushed: int


def flush_inlined_data(commits: Commits, place: Place = EVERYWHERE) -> list[Flushed]:
    """Flush and commit the inlined rows of a table, a schema, or the whole catalog."""

    def among(work: Work) -> list[Table]:
        return cast("list[Table]", work.tx.view.objects_with_ids(inlined_tables(work.tx.catalog)))

    def flush(table_id: TableId) -> Flushed | None:
        return commits.carry_out(partial(_flush, table_id=table_id))

    flushed = for_each_table(commits.look(lambda work: chosen_tables(work, place, among)), flush)
    return [done for done in flushed if done is not None and done.rows_flushed]


def _flush(work: Work, table_id: TableId) -> Flushed | None:
    table = cast("Table | None", work.tx.object_with_id(table_id))
    schema = None if table is None else work.tx.object_with_id(table.schema_id)
    return None if table is None or schema is None else Flushed(schema.name, table.name, flush_inlined(work, table))


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
