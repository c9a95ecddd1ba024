"""Scans registered as views in Spark, to be used by name in the text of a query.

Passing a DataFrame to a query requires a projection, the creation of a view and its removal, which takes milliseconds
per table and query. Files and batches are immutable, so the view of a scan can be reused for later identical scans.
"""

from pyspark.sql import DataFrame

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.spark.reading.manifest import RELATION_KILOBYTES
from forklake.spark.reading.scan import compiles_unions, prunes_structs, scan
from forklake.spark.session.provider import is_remote
from forklake.spark.session.scan_cache import NamedScan, drop_unused_views
from forklake.spark.work import Work


def named_scan(work: Work, plan: ScanPlan) -> NamedScan | DataFrame:
    """The rows of a plan by name; a DataFrame if an identical scan is unlikely, or Spark needs no names."""
    is_own = plan.table.object_id in work.tx.tables or plan.table.object_id in work.tx.objects
    # Errors in the metadata are raised without starting Spark.
    if is_own or not work.shortcuts or not work.provider.is_running or is_remote(work.spark):
        return scan(work, plan)
    drop_unused_views()
    key = _scan_key(work, plan)
    known = work.provider.cache.scans.get(key)
    if known is None:
        columns = tuple(column.name for column in plan.table.definition.columns)
        known = work.provider.cache.name_scan(scan(work, plan, for_view=True), columns)
        work.provider.cache.scans.put(key, known, RELATION_KILOBYTES + _kilobytes(plan))
    return known


def cached_scan(work: Work, plan: ScanPlan) -> DataFrame:
    """The rows of a plan, from an earlier identical scan if there is one."""
    found = named_scan(work, plan)
    return found.frame if isinstance(found, NamedScan) else found


def _scan_key(work: Work, plan: ScanPlan) -> tuple[object, ...]:
    """What determines the rows and their columns. Ids are valid in all catalogs of a lake."""
    deletes = [file.delete for file in plan.files if file.delete is not None]
    by_snapshot = any(delete.partial_max is not None for delete in deletes) or any(
        file.data.partial_max is not None for file in plan.files
    )
    return (
        work.tx.catalog.lake.store,
        plan.table.object_id,
        plan.table.begin_snapshot,
        tuple(file.data.data_file_id for file in plan.files),
        tuple(delete.delete_file_id for delete in deletes),
        # From files with several snapshots, a scan reads the rows up to its own snapshot.
        plan.snapshot_id if by_snapshot else None,
        bool(deletes) and (prunes_structs(work), compiles_unions(work)),
        tuple((batch.batch_id, batch.deleted) for batch in plan.batches),
    )


def _kilobytes(plan: ScanPlan) -> int:
    """About a kilobyte per file, a bit per row of files with deletes, and the inlined rows."""
    bits = sum(file.data.record_count for file in plan.files if file.delete is not None)
    return len(plan.files) + bits // 8192 + sum(len(batch.payload) for batch in plan.batches) // 1024
