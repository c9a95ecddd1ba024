"""Checks of existing rows before a constraint is added."""

from forklake.errors import InvalidChange
from forklake.model.entities import Table
from forklake.model.predicates import IsNull
from forklake.spark.reading.scan import scan
from forklake.spark.values.quoting import column_named
from forklake.spark.work import Work


def check_no_nulls(work: Work, table: Table, name: str) -> None:
    """Reject NOT NULL for a column with NULLs; often decided by statistics without reading."""
    plan = work.plan_scan(table, IsNull((name.lower(),)))
    if plan.row_count and not scan(work, plan).where(column_named(name).isNull()).isEmpty():
        raise InvalidChange(f"Cannot SET NOT NULL on column {name} - the column has NULL values")
