"""Small scans, counts and changes of the Python interface, answered on the driver without starting Spark.

Conditions and values are given as SQL of Spark's dialect; everything else is left to Spark.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from forklake.catalog.planning.aggregates import has_files
from forklake.model.entities import Table
from forklake.spark.session.time_zones import is_utc
from forklake.spark.verbs.change_plan import ChangePlan
from forklake.spark.verbs.driver_changes import changes_on_driver, why_no_changes_on_driver
from forklake.spark.verbs.merge import NAMES, Action, MergeCounts, When, source_as_rows
from forklake.spark.verbs.update import check_assigned_names
from forklake.spark.work import Work
from forklake.sql.execution.changes_without_spark import (
    delete_without_spark,
    merge_without_spark,
    unless_spark_is_needed,
    update_without_spark,
)
from forklake.sql.parsing.cursor import quoted_name
from forklake.sql.parsing.statements import Delete, MergeWhen, Update
from forklake.sql.queries.conditions import parse_condition
from forklake.sql.queries.scan_table import choose_columns
from forklake.sql.session.state import SessionState
from forklake.sql.small.set_values import Language
from forklake.sql.small.small_change import read_chosen_rows, rows_of_change
from forklake.sql.small.small_merge import MergeText
from forklake.sql.small.small_query import NeedsSparkError

_ROWS = "__forklake_rows"
"""Stands for the table, which conditions in Python cannot name."""
_VALUE = "__forklake_value_"


def scan_without_spark(
    state: SessionState, work: Work, table: Table, where: object, columns: Sequence[str] | None
) -> pa.Table | None:
    """The rows that satisfy a condition, with the chosen columns; None if Spark has to read them.

    Also None for all rows of a table without files: they are in the metadata.
    """
    if where is None and not has_files(work.tx, table):
        return None

    def read() -> pa.Table:
        chosen, virtual = choose_columns(table, columns, where if isinstance(where, str) else "")
        if virtual or len(set(chosen)) < len(chosen):
            raise NeedsSparkError("it reads virtual columns, or a column twice")
        known = {column.name: column for column in table.definition.columns}
        query = rows_of_change(table, _condition(state, table, where), "spark", state.rules, None)
        plan = work.plan_scan(table, query.predicate)
        return read_chosen_rows(work, plan, query, [known[name] for name in chosen], state.small_query_bytes, ())

    return unless_spark_is_needed(state, read)


def count_without_spark(state: SessionState, work: Work, table: Table, where: object) -> int | None:
    """The number of rows that satisfy a condition; None if Spark has to read them."""

    def count() -> int:
        query = rows_of_change(table, _condition(state, table, where), "spark", state.rules, None)
        plan = work.plan_scan(table, query.predicate)
        return len(read_chosen_rows(work, plan, query, [], state.small_query_bytes, ["address"]))

    return unless_spark_is_needed(state, count)


def changes_without_spark(state: SessionState, work: Work, plan: ChangePlan) -> pa.Table | None:
    """The rows of a change feed; None if Spark has to read them."""

    def read() -> pa.Table:
        columns = plan.table.definition.columns
        reason = why_no_changes_on_driver(work, plan, columns, state.small_query_bytes)
        rows = None if reason is not None else changes_on_driver(work, plan, columns)
        if rows is None:
            raise NeedsSparkError(reason or "some of its rows have no ids")
        return rows

    return unless_spark_is_needed(state, read)


def delete_rows_without_spark(state: SessionState, work: Work, table: Table, where: object) -> int | None:
    """Delete the rows that satisfy a condition; None if Spark has to find them."""
    if not isinstance(where, str):
        return None
    return delete_without_spark(state, work, table, _condition(state, table, where), "spark", None)


def update_rows_without_spark(
    state: SessionState, work: Work, table: Table, assignments: Mapping[str, Any], where: object
) -> int | None:
    """Set columns of the rows that satisfy a condition; None if Spark has to find them, or to compute the values."""
    if not isinstance(where, str | None):
        return None
    check_assigned_names(table, assignments)
    given = {f"{_VALUE}{at}": value for at, value in enumerate(assignments.values())}
    texts = [value if isinstance(value, str) else f":{name}" for name, value in given.items()]
    values = tuple(zip(assignments, texts, strict=True))
    condition = _condition(state, table, where)
    statement = Update(condition.name, condition.alias, values, None, condition.where)
    return update_without_spark(state, work, table, statement, _language(state, given))


@dataclass(frozen=True, slots=True)
class PythonClause:
    """A clause of a merge, whose condition and values are SQL, values of Python, or expressions of Spark."""

    when: When
    action: Action
    condition: object
    values: Mapping[str, Any] | None


def merge_rows_without_spark(
    state: SessionState, work: Work, table: Table, source: Any, on: object, clauses: Sequence[PythonClause]
) -> MergeCounts | None:
    """Merge rows into a table; None if Spark has to compare them or to compute values.

    `on` is a condition, or a list of columns.
    """
    values: dict[str, Any] = {}

    def merge() -> MergeCounts:
        rows = source_as_rows(source, table)
        if isinstance(rows, DataFrame):
            raise NeedsSparkError("its source is a DataFrame of Spark")
        whens = [_merge_when(clause, values) for clause in clauses]
        condition = on if isinstance(on, str) else _equal_columns(on)
        text = MergeText(condition, whens, NAMES.target, NAMES.source)
        return merge_without_spark(state, work, table, rows, text, _language(state, values))

    return unless_spark_is_needed(state, merge)


def _language(state: SessionState, values: Mapping[str, Any]) -> Language:
    return Language("spark", values, is_utc(state.provider.zone), has_default=False)


def _equal_columns(names: object) -> str:
    if not isinstance(names, Sequence):
        raise NeedsSparkError("its condition is an expression of Spark")
    quoted = [quoted_name(name, "spark") for name in names]
    return " AND ".join(f"{NAMES.target}.{name} = {NAMES.source}.{name}" for name in quoted)


def _merge_when(clause: PythonClause, values: dict[str, Any]) -> MergeWhen:
    """The clause with its values as texts; those of Python are added to the parameters."""
    if clause.condition is not None and not isinstance(clause.condition, str):
        raise NeedsSparkError("a condition is an expression of Spark")
    if clause.values is None:
        return MergeWhen(clause.when, clause.action, clause.condition)
    texts = []
    for name, value in clause.values.items():
        parameter = f"{_VALUE}{len(values)}"
        values[parameter] = None if isinstance(value, str) else value
        texts.append((name, value if isinstance(value, str) else f":{parameter}"))
    return MergeWhen(clause.when, clause.action, clause.condition, tuple(texts))


def _condition(state: SessionState, table: Table, where: object) -> Delete:
    """A condition as that of a statement; NeedsSparkError if it is not given as SQL."""
    if isinstance(where, str):
        parse_condition(where, table, state.rules)
    elif where is not None:
        raise NeedsSparkError("its condition is an expression of Spark")
    return Delete((table.name,), _ROWS, None, where)
