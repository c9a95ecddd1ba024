"""Small UPDATEs and DELETEs of one table, carried out on the driver without starting Spark."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import pyarrow as pa

from forklake.model.entities import Column, Table
from forklake.spark.reading.virtual_columns import ADDRESS
from forklake.spark.session.time_zones import is_utc
from forklake.spark.tasks.types.arrow_types import shown_type
from forklake.spark.tasks.types.reserved_columns import ROW_ID
from forklake.spark.values.arrow_type import type_in_arrow
from forklake.spark.verbs.delete import delete_planned
from forklake.spark.verbs.update import update_known_rows
from forklake.spark.work import Work
from forklake.spark.writing.incoming import fit_rows
from forklake.sql.binding.names import Context
from forklake.sql.execution.without_spark import needs_spark_error, small_query_rows
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.statements import Delete, Update
from forklake.sql.session.state import SessionState
from forklake.sql.small.small_change import constants_to_set, read_chosen_rows, rows_of_change
from forklake.sql.small.small_query import NeedsSparkError

Found = TypeVar("Found")


def delete_without_spark(
    state: SessionState, work: Work, table: Table, statement: Delete, dialect: str, parameters: Parameters
) -> int | None:
    """DELETE; None if Spark has to find the rows."""

    def delete() -> int:
        query = rows_of_change(table, statement, dialect, state.rules, parameters)
        plan = work.plan_delete(table, query.predicate)
        rows = read_chosen_rows(work, plan.partial, query, [], state.small_query_bytes)
        return delete_planned(work, plan, rows[ADDRESS].to_numpy())

    return unless_spark_is_needed(state, delete)


def update_without_spark(
    state: SessionState, work: Work, table: Table, statement: Update, dialect: str, parameters: Parameters
) -> int | None:
    """UPDATE that sets columns to constants; None if Spark has to find the rows or to compute the values."""

    def update() -> int:
        utc = is_utc(state.provider.zone)
        constants = constants_to_set(table, statement, dialect, parameters, zone_is_utc=utc)
        query = rows_of_change(table, statement, dialect, state.rules, parameters)
        plan = work.plan_scan(table, query.predicate)
        columns = table.definition.columns
        chosen = read_chosen_rows(work, plan, query, columns, state.small_query_bytes)
        values = [
            pa.repeat(constants[column.name], len(chosen)) if column.name in constants else chosen[column.name]
            for column in columns
        ]
        rows = fit_rows(pa.table(values, names=[column.name for column in columns]), table)
        assert isinstance(rows, pa.Table)
        return update_known_rows(work, plan, rows, chosen[ROW_ID], chosen[ADDRESS])

    return unless_spark_is_needed(state, update)


def rows_without_spark(
    state: SessionState, context: Context, query: str, columns: Sequence[Column], parameters: Parameters
) -> pa.Table | None:
    """The rows of a query to be inserted into these columns; None if Spark has to find or to convert them."""
    rows = small_query_rows(state, context, query, parameters)
    if rows is None or rows.num_columns != len(columns):
        return None
    return rows if all(map(_is_stored_unchanged, rows.schema.types, columns)) else None


def _is_stored_unchanged(given: pa.DataType, column: Column) -> bool:
    """Whether values of this type are values of the column as they are, with nothing to cast or to check."""
    return not column.type.is_nested and given == shown_type(column.type) and type_in_arrow(given) == column.type


def unless_spark_is_needed(state: SessionState, run: Callable[[], Found]) -> Found | None:
    """What the driver finds; None if Spark is needed or wanted."""
    if not state.takes_shortcuts or state.small_queries == "spark":
        return None
    try:
        return run()
    except NeedsSparkError as reason:
        if state.small_queries == "driver":
            raise needs_spark_error(str(reason), "statement") from None
        return None
