"""Small queries planned against their table: which files are read, and whether the driver reads them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa
from sqlglot import exp

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.model.entities import Column
from forklake.spark.reading.driver_rows import driver_rows, why_not_on_driver
from forklake.spark.work import Work
from forklake.sql.binding.names import BoundRelation, Context
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.table_references import ParsedQuery, Reference
from forklake.sql.session.state import SessionState
from forklake.sql.small.answer import answer
from forklake.sql.small.parameters import with_literals
from forklake.sql.small.read_small_query import read_small_query
from forklake.sql.small.small_query import NeedsSparkError, SmallQuery


@dataclass(frozen=True, slots=True)
class SmallQueryPlan:
    """What the driver reads, and the query that it answers."""

    work: Work
    query: SmallQuery
    scan: ScanPlan
    columns: tuple[Column, ...]

    @property
    def description(self) -> str:
        """The plan as shown by EXPLAIN."""
        return describe_scan(self.scan, self.columns)


def describe_scan(scan: ScanPlan, columns: Iterable[Column]) -> str:
    """What the driver reads, as shown by EXPLAIN."""
    size = sum(file.data.file_size_bytes for file in scan.files)
    return (
        f"Driver, without Spark: {scan.table.name} at version {scan.snapshot_id}, {len(scan.files)} files"
        f" of {size:,} bytes and {len(scan.batches)} inlined batches after pruning, {scan.row_count:,} rows;"
        f" columns {', '.join(column.name for column in columns)}"
    )


def check_small(work: Work, scan: ScanPlan, columns: Sequence[Column], limit: int) -> None:
    """NeedsSparkError if the files are larger than the limit, or the columns cannot be read on the driver."""
    size = sum(file.data.file_size_bytes for file in scan.files)
    if size > limit:
        raise NeedsSparkError(f"it reads {size:,} bytes, more than forklake_small_query_bytes")
    reason = why_not_on_driver(work, scan, columns)
    if reason is not None:
        raise NeedsSparkError(reason)


def plan_small_query(
    state: SessionState,
    context: Context,
    parsed: ParsedQuery,
    reference: Reference,
    bound: BoundRelation,
    parameters: Parameters = None,
) -> SmallQueryPlan:
    """The plan of a query of one table; NeedsSparkError if it is not small."""
    table = bound.table
    if table is None or not isinstance(parsed.tree, exp.Select):
        raise NeedsSparkError("it does not read a table")
    select = parsed.tree
    if parameters and context.dialect == "spark":
        select = with_literals(select, parameters)
    query = read_small_query(parsed.text, select, reference, table, context.dialect, state.rules)
    work = state.work(bound.tx, bound.attachment)
    scan = work.plan_scan(table, query.predicate)
    needed = query.columns
    columns = [column for column in table.definition.columns if column.name in needed]
    # At least one column is needed to count rows.
    columns = columns or [column for column in table.definition.columns if not column.type.is_nested][:1]
    if not columns:
        raise NeedsSparkError("it counts rows of nested values")
    check_small(work, scan, columns, state.small_query_bytes)
    return SmallQueryPlan(work, query, scan, tuple(columns))


def run_small_query(plan: SmallQueryPlan) -> pa.Table:
    """The rows of a small query; NeedsSparkError if they turn out to need Spark."""
    predicate = plan.query.predicate
    rows = driver_rows(plan.work, plan.scan, plan.columns, predicate=predicate, with_dictionaries=True)
    return answer(plan.query, rows)
