"""Scans that Spark knows by a name, which the text of a query can say.

To hand Spark a DataFrame for a query takes a projection, a view and the removal of that view, milliseconds for every
table of every query. Files and batches never change, so the view over a scan serves all later scans of the same.
"""

from collections.abc import Mapping

from pyspark.sql import DataFrame

from forklake.catalog.scan_planning import ScanPlan
from forklake.spark.manifest import RELATION_KILOBYTES
from forklake.spark.scan import prunes_structs, scan
from forklake.spark.session import NamedScan, is_remote
from forklake.spark.work import Work


def named_scan(work: Work, plan: ScanPlan) -> NamedScan | DataFrame:
    """The rows of a plan under a name; without one if nobody would ask for the same again, or Spark needs no names."""
    is_own = plan.table.object_id in work.tx.tables or plan.table.object_id in work.tx.objects
    known = work.holder.scans.get(_key(work, plan)) if work.holder.is_running and not is_own else None
    if known is not None:
        return known
    frame = scan(work, plan)
    if is_own or is_remote(work.spark):
        return frame
    made = NamedScan(work.holder.new_name(), frame)
    frame.createOrReplaceTempView(made.name)
    for gone in work.holder.scans.put(_key(work, plan), made, RELATION_KILOBYTES + _kilobytes(plan)):
        work.spark.catalog.dropTempView(gone.name)
    return made


def name_again(scans: Mapping[str, DataFrame]) -> None:
    """Give scans their names back, where others or newer scans have taken them away."""
    for name, frame in scans.items():
        frame.createOrReplaceTempView(name)


def _key(work: Work, plan: ScanPlan) -> tuple[object, ...]:
    """What decides about the rows and their columns. Ids mean the same in every catalog of a lake."""
    deletes = tuple(file.delete.delete_file_id for file in plan.files if file.delete is not None)
    by_snapshot = bool(deletes) or any(file.data.partial_max is not None for file in plan.files)
    return (
        work.tx.catalog.lake.store,
        plan.table.object_id,
        plan.table.begin_snapshot,
        tuple(file.data.data_file_id for file in plan.files),
        deletes,
        # Of files for several snapshots, a scan takes what was there at its own.
        plan.snapshot_id if by_snapshot else None,
        bool(deletes) and prunes_structs(work),
        tuple((batch.batch_id, batch.deleted) for batch in plan.batches),
    )


def _kilobytes(plan: ScanPlan) -> int:
    return len(plan.files) + sum(len(batch.payload) for batch in plan.batches) // 1024
