"""Change feed functions: rows inserted, deleted or changed between two points."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import cast

from pyspark.sql import DataFrame

from forklake.catalog.reading.snapshot_ranges import snapshot_range
from forklake.catalog.transaction.names import find_object, get_schema, get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import InvalidInput
from forklake.model.entities import Table
from forklake.spark.values.quoting import column_named
from forklake.spark.verbs.change_plan import ChangePlan, Kind, plan_changes
from forklake.spark.verbs.changes import table_changes
from forklake.spark.work import Work
from forklake.sql.functions.signatures import POINT, TEXT, Function, FunctionCall, Parameter

LEADING_COLUMNS = 2
"""Number of columns before those of the table: the snapshot and the row id."""
CHANGE_KINDS: Mapping[str, Kind] = {
    "table_changes": "changes",
    "table_insertions": "insertions",
    "table_deletions": "deletions",
}
"""The functions, and which changes they show. Only the feed of all has the leading columns."""


def change_plan(call: FunctionCall, kind: Kind) -> tuple[Work, ChangePlan]:
    """The changes between two points, both inclusive, with the columns of the table at the end point."""
    start, end = call.get("start_snapshot"), call.get("end_snapshot")
    if start is None or end is None:
        raise InvalidInput("Snapshot identifier cannot be NULL")
    if isinstance(start, datetime) != isinstance(end, datetime):
        raise InvalidInput("The points of a change feed must be two versions or two timestamps, not one of each.")
    first, last = snapshot_range(call.tx.view, start, end)
    tx = begin(call.attachment.catalog.at(last))
    table = _find_feed_table(tx, call.get("schema") or call.schema, call.get("table_name"))
    work = call.state.work(tx, call.attachment)
    return work, plan_changes(work, table, first, last, kind)


def _read_feed(call: FunctionCall, kind: Kind) -> DataFrame:
    work, plan = change_plan(call, kind)
    found = table_changes(work, plan)
    return found if kind == "changes" else _drop_leading_columns(found, plan.table)


def _find_feed_table(tx: Transaction, schema: str, name: str) -> Table:
    entry = find_object(tx, get_schema(tx, schema), name, "table", "view")
    if entry is None:
        return get_table(tx, schema, name)
    if entry.kind == "view":
        raise InvalidInput(f'"{name}" is a View, not a table. Data change feed functions only support tables.')
    return cast("Table", entry)


def _drop_leading_columns(rows: DataFrame, table: Table) -> DataFrame:
    """Only the columns of the table, selected by position as their names may equal those of the leading columns."""
    columns = table.definition.columns
    numbered = rows.toDF(*(f"c{at}" for at in range(LEADING_COLUMNS + len(columns))))
    own = enumerate(columns, LEADING_COLUMNS)
    return numbered.select(*(column_named(f"c{at}").alias(column.name) for at, column in own))


_PARAMETERS = (
    Parameter("schema", TEXT, required=True, long_form=True),
    Parameter("table_name", TEXT, required=True),
    Parameter("start_snapshot", POINT, required=True, nullable=True),
    Parameter("end_snapshot", POINT, required=True, nullable=True),
)
CHANGE_FUNCTIONS = tuple(
    Function(name, _PARAMETERS, partial(_read_feed, kind=kind)) for name, kind in CHANGE_KINDS.items()
)
