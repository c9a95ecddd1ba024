"""Small UPDATEs, DELETEs and MERGEs, carried out on the driver without starting Spark."""

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
from forklake.spark.verbs.merge import MergeCounts
from forklake.spark.verbs.row_changes import change_known_rows
from forklake.spark.work import Work
from forklake.spark.writing.incoming import fit_rows
from forklake.sql.binding.names import Context
from forklake.sql.execution.without_spark import check_small_queries, needs_spark_error, small_query_rows
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.statements import Delete, Merge, Update
from forklake.sql.queries.conditions import mentioned_virtual_columns
from forklake.sql.session.state import SessionState
from forklake.sql.small.plan import check_small, describe_scan
from forklake.sql.small.run_small_merge import explain_small_merge, run_small_merge
from forklake.sql.small.set_values import Language, value_of
from forklake.sql.small.small_change import columns_to_read, read_chosen_rows, rows_of_change, values_to_set
from forklake.sql.small.small_merge import MergeText, SmallMerge, read_small_merge
from forklake.sql.small.small_query import NeedsSparkError
from forklake.sql.values.literal_source import literal_source

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
    state: SessionState, work: Work, table: Table, statement: Update, language: Language
) -> int | None:
    """UPDATE to values that are known here; None if Spark has to find the rows or to compute the values."""

    def update() -> int:
        values = values_to_set(table, statement, language)
        query = rows_of_change(table, statement, language.dialect, state.rules, language.parameters)
        plan = work.plan_scan(table, query.predicate)
        columns = table.definition.columns
        chosen = read_chosen_rows(work, plan, query, columns, state.small_query_bytes)
        set_to = [
            value_of(values[column.name], column, chosen) if column.name in values else chosen[column.name]
            for column in columns
        ]
        rows = fit_rows(pa.table(set_to, names=[column.name for column in columns]), table)
        assert isinstance(rows, pa.Table)
        updated = rows.append_column(ROW_ID, chosen[ROW_ID]).append_column(ADDRESS, chosen[ADDRESS])
        return change_known_rows(work, plan, updated)

    return unless_spark_is_needed(state, update)


def merge_without_spark(
    state: SessionState, work: Work, table: Table, source: pa.Table, given: MergeText, language: Language
) -> MergeCounts:
    """MERGE of rows on the driver; NeedsSparkError if only Spark carries it out."""
    merge = _small_merge(state, table, source, given, language)
    return run_small_merge(work, merge, source, state.small_query_bytes)


def _small_merge(
    state: SessionState, table: Table, source: pa.Table, given: MergeText, language: Language
) -> SmallMerge:
    if source.nbytes > state.small_query_bytes:
        raise NeedsSparkError(f"its source has {source.nbytes:,} bytes, more than forklake_small_query_bytes")
    return read_small_merge(table, source, given, language, state.rules)


def merge_statement_without_spark(
    state: SessionState, context: Context, work: Work, table: Table, statement: Merge, parameters: Parameters
) -> MergeCounts | None:
    """MERGE; None if Spark has to find the rows of its source, to compare them or to compute values."""

    def merge() -> MergeCounts:
        source = _source_of(state, context, table, statement, parameters)
        language = language_of(state, context.dialect, parameters)
        return merge_without_spark(state, work, table, source, _text_of(table, statement), language)

    return unless_spark_is_needed(state, merge)


def explain_change_without_spark(
    state: SessionState,
    context: Context,
    work: Work,
    table: Table,
    statement: Update | Delete | Merge,
    parameters: Parameters,
) -> str:
    """What the driver reads for a change; NeedsSparkError with the reason if Spark carries it out."""
    check_small_queries(state)
    dialect, whole = context.dialect, 0
    language = language_of(state, dialect, parameters)
    if isinstance(statement, Merge):
        source = _source_of(state, context, table, statement, parameters)
        merge = _small_merge(state, table, source, _text_of(table, statement), language)
        return explain_small_merge(work, merge, source, state.small_query_bytes)
    query, columns = rows_of_change(table, statement, dialect, state.rules, parameters), []
    if isinstance(statement, Delete):
        plan = work.plan_delete(table, query.predicate)
        scan, whole = plan.partial, len(plan.whole)
    else:
        values_to_set(table, statement, language)
        scan, columns = work.plan_scan(table, query.predicate), list(table.definition.columns)
    needed = columns_to_read(table, query, columns)
    check_small(work, scan, needed, state.small_query_bytes)
    return describe_scan(scan, needed) + (f"; {whole} files are deleted unread" if whole else "")


def _text_of(table: Table, statement: Merge) -> MergeText:
    return MergeText(statement.on, statement.clauses, statement.alias or table.name, statement.source_name)


def _source_of(
    state: SessionState, context: Context, table: Table, statement: Merge, parameters: Parameters
) -> pa.Table:
    if mentioned_virtual_columns(table, " ".join(statement.texts)):
        raise NeedsSparkError("it names virtual columns")
    if parameters and context.dialect != "spark":
        raise NeedsSparkError("only Spark knows its parameters")
    return _source_rows(state, context, statement, parameters)


def _source_rows(state: SessionState, context: Context, statement: Merge, parameters: Parameters) -> pa.Table:
    """The rows of a source: literals, a small table, or a small query."""
    text, columns = statement.source, statement.source_columns
    is_query = text.startswith("(")
    if is_query:
        text = text[1:-1]
        rows = literal_source(text, context.dialect, parameters, columns)
        if rows is not None:
            return rows
    if not columns and not text.endswith(";"):
        query = text if is_query else f"SELECT * FROM {text}"
        rows = small_query_rows(state, context, query, parameters)
        if rows is not None:
            return rows
    raise NeedsSparkError("its source is neither literals nor a small query of one table")


def language_of(state: SessionState, dialect: str, parameters: Parameters) -> Language:
    """What the texts of a statement are read by."""
    return Language(dialect, parameters, is_utc(state.provider.zone))


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
