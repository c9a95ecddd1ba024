"""Change feed functions: rows inserted, deleted or changed between two points."""

from datetime import datetime
from typing import cast

from pyspark.sql import DataFrame

from forklake.catalog.reading.snapshot_ranges import snapshot_range
from forklake.catalog.transaction.names import find_object, get_schema, get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import InvalidInput
from forklake.model.entities import Table
from forklake.spark.values.quoting import column_named
from forklake.spark.verbs.changes import Kind, table_changes
from forklake.sql.functions.signatures import POINT, TEXT, Function, FunctionCall, Parameter

_LEADING = 2
"""Number of columns before those of the table: the snapshot and the row id."""


def _changes(call: FunctionCall) -> DataFrame:
    return _read_feed(call, "changes")[0]


def _insertions(call: FunctionCall) -> DataFrame:
    return _drop_leading_columns(*_read_feed(call, "insertions"))


def _deletions(call: FunctionCall) -> DataFrame:
    return _drop_leading_columns(*_read_feed(call, "deletions"))


def _read_feed(call: FunctionCall, kind: Kind) -> tuple[DataFrame, Table]:
    """The changes between two points, both inclusive, with the columns of the table at the end point."""
    start, end = call.get("start_snapshot"), call.get("end_snapshot")
    if start is None or end is None:
        raise InvalidInput("Snapshot identifier cannot be NULL")
    if isinstance(start, datetime) != isinstance(end, datetime):
        raise InvalidInput("The points of a change feed must be two versions or two timestamps, not one of each.")
    first, last = snapshot_range(call.tx.view, start, end)
    tx = begin(call.attachment.catalog.at(last))
    table = _find_feed_table(tx, call.get("schema") or call.schema, call.get("table_name"))
    return table_changes(call.state.work(tx, call.attachment), table, first, last, kind), table


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
    numbered = rows.toDF(*(f"c{at}" for at in range(_LEADING + len(columns))))
    return numbered.select(*(column_named(f"c{at}").alias(column.name) for at, column in enumerate(columns, _LEADING)))


_PARAMETERS = (
    Parameter("schema", TEXT, required=True, long_form=True),
    Parameter("table_name", TEXT, required=True),
    Parameter("start_snapshot", POINT, required=True, nullable=True),
    Parameter("end_snapshot", POINT, required=True, nullable=True),
)
CHANGE_FUNCTIONS = (
    Function("table_changes", _PARAMETERS, _changes),
    Function("table_insertions", _PARAMETERS, _insertions),
    Function("table_deletions", _PARAMETERS, _deletions),
)
