"""The smallest and largest value of a column."""

from typing import Any, Literal

from pyspark.sql import functions as F

from forklake.catalog.planning.aggregates import exact_bounds
from forklake.model.alterations import find_column
from forklake.model.column_tree import Path
from forklake.model.entities import Table
from forklake.model.statistics import exact_value
from forklake.spark.reading.scan import scan
from forklake.spark.session.failures import translate_read_errors
from forklake.spark.tasks.types.default_literals import literal
from forklake.spark.values.quoting import quoted_name
from forklake.spark.work import Work


def extreme_value(work: Work, table: Table, path: Path, side: Literal["min", "max"]) -> Any:
    """The smallest or largest value; None if there is none. Without Spark if metadata is exact."""
    column = find_column(table.definition, path)
    bounds = exact_bounds(work.tx, table, path) if work.shortcuts else None
    if bounds is not None:
        text = bounds.min_value if side == "min" else bounds.max_value
        if text is not None and column.type.name == "blob":
            # Bytes are hexadecimal in bounds, but characters in literals.
            return exact_value(column.type, text)
        return literal(text, column).as_py()
    plan = work.plan_scan(table)
    rows = scan(work, plan)
    value = F.col(".".join(quoted_name(name) for name in path))
    with translate_read_errors(table, plan.snapshot_id):
        found = rows.agg((F.min if side == "min" else F.max)(value).alias("value")).toArrow()
    return found["value"][0].as_py()
