"""The smallest and largest value of a column."""

from typing import Any, Literal

import pyarrow as pa
from pyspark.sql import functions as F

from forklake.catalog.planning.aggregates import exact_bounds
from forklake.errors import InvalidInput
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
        if text in ("infinity", "-infinity") and column.type.name != "varchar":
            raise _beyond_python(path)
        return _as_python(literal(text, column), path)
    plan = work.plan_scan(table)
    rows = scan(work, plan)
    value = F.col(".".join(quoted_name(name) for name in path))
    with translate_read_errors(table, plan.snapshot_id):
        found = rows.agg((F.min if side == "min" else F.max)(value).alias("value")).toArrow()
    return _as_python(found["value"][0], path)


def _as_python(value: pa.Scalar, path: Path) -> Any:
    try:
        return value.as_py()
    except (OverflowError, ValueError):
        raise _beyond_python(path) from None


def _beyond_python(path: Path) -> InvalidInput:
    return InvalidInput(
        f"The value of {path[-1]} is a date or time outside of the years 1 to 9999, which Python cannot represent."
    )
