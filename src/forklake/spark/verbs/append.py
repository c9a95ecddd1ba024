"""Append rows from any source to a table."""

from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from forklake.model.entities import Table
from forklake.spark.reading.inlined import inline_rows, should_inline
from forklake.spark.values.float_range import with_doubles
from forklake.spark.values.from_arrow import from_arrow
from forklake.spark.work import Work
from forklake.spark.writing.incoming import Matching, Rows, as_rows, fit_rows, needs_spark
from forklake.spark.writing.ordering import sorts_on_driver
from forklake.spark.writing.stage_files import stage_files
from forklake.spark.writing.write_files import write_arrow, write_frame

DRIVER_BYTES = 128 * 2**20
"""Up to this size, rows on the driver are written there; larger ones by Spark's workers."""


def append(work: Work, table: Table, data: Any, matching: Matching = "name") -> int:
    """Add rows to a table and return their number. Missing columns get their defaults.

    Columns are matched by name or position. Values are cast only without loss.
    """
    zone, strict = work.provider.zone, work.refuses_large_floats
    columns = table.definition.columns
    rows = as_rows(data, with_doubles(columns) if strict else columns, zone)
    if not isinstance(rows, DataFrame) and needs_spark(rows, table, matching):
        rows = from_arrow(work.spark, rows)
    return add_rows(work, table, fit_rows(rows, table, matching, zone, refuses_large_floats=strict))


def add_rows(work: Work, table: Table, rows: Rows) -> int:
    """Stage rows that fit the table: a few are inlined, others written to files."""
    if isinstance(rows, pa.Table):
        if rows.num_rows and should_inline(work, table, rows.num_rows):
            inline_rows(work, table, rows)
            return int(rows.num_rows)
        if rows.nbytes > DRIVER_BYTES or not sorts_on_driver(work, table):
            rows = from_arrow(work.spark, rows)
    written = write_frame(work, table, rows) if isinstance(rows, DataFrame) else write_arrow(work, table, rows)
    stage_files(work, table, written)
    return sum(file.record_count for file in written)
