"""Execution of DML: conditions and values become queries over the target rows."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.errors import InvalidInput, InvalidRows
from forklake.model.entities import Column, Table
from forklake.model.names import fold
from forklake.spark.reading.scan import scan_schema
from forklake.spark.reading.virtual_columns import ADDRESS
from forklake.spark.session.expression_text import user_expression as as_expression
from forklake.spark.session.scan_cache import NamedScan
from forklake.spark.tasks.types.reserved_columns import ROW_ID
from forklake.spark.values.quoting import column_named
from forklake.spark.verbs.append import append
from forklake.spark.verbs.delete import candidates_to_delete, delete, delete_all
from forklake.spark.verbs.merge import HIDDEN_IN_SOURCE, HIDDEN_IN_TARGET, Clause, MergeCounts, MergeNames, merge
from forklake.spark.verbs.overwrite import overwrite
from forklake.spark.verbs.update import candidates_to_update, check_assigned_names, update
from forklake.spark.work import Work
from forklake.spark.writing.incoming import Matching, default_value
from forklake.sql.binding.names import BoundRelation, Context, context_of, get_relation, listed_columns
from forklake.sql.binding.unknown_tables import explain_missing_table
from forklake.sql.definitions.macros import expand_macros
from forklake.sql.execution.changes_without_spark import (
    delete_without_spark,
    explain_change_without_spark,
    language_of,
    merge_statement_without_spark,
    rows_without_spark,
    update_without_spark,
)
from forklake.sql.execution.without_spark import needs_spark_error
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import quoted_name
from forklake.sql.parsing.default_words import is_default, marked_values, with_defaults
from forklake.sql.parsing.statements import Delete, Insert, Merge, MergeWhen, Name, Truncate, Update
from forklake.sql.pruning.read_predicate import parse_predicate, row_names
from forklake.sql.queries.bind_query import bind_expression, bind_query, query_frame, table_types, typed_frame
from forklake.sql.queries.conditions import mentioned_virtual_columns
from forklake.sql.session.state import SessionState
from forklake.sql.small.small_query import NeedsSparkError
from forklake.sql.values.constant_rows import constant_rows
from forklake.sql.values.python_literals import inline_parameters
from forklake.sql.values.text_columns import read_texts_as_times

_ROWS = "__forklake_rows"
_SET = "__forklake_set_"


def insert(state: SessionState, statement: Insert, parameters: Parameters = None) -> int:
    """INSERT; returns the number of rows inserted. Literal rows need no Spark."""
    context, bound = _resolve_target(state, statement.name)
    with state.writing(bound.attachment) as tx:
        table = tx.current(_require_table(bound))
        work = state.work(tx, bound.attachment)
        rows, matching = _rows_to_insert(state, context, statement, table, parameters)
        if statement.overwrite:
            return overwrite(work, table, rows, None, matching)
        return append(work, table, rows, matching)


def _rows_to_insert(
    state: SessionState, context: Context, statement: Insert, table: Table, parameters: Parameters
) -> tuple[Any, Matching]:
    columns = listed_columns(table, statement.columns)
    if statement.query is None:
        return [{}], "name"
    if state.takes_shortcuts and not statement.by_name:
        literal = constant_rows(statement.query, context.dialect, columns, state.provider.zone, parameters)
        if literal is not None:
            return literal, "name"
        small = rows_without_spark(state, context, statement.query, columns, parameters)
        if small is not None:
            return small.rename_columns([column.name for column in columns]), "name"
    if state.small_queries == "driver":
        raise needs_spark_error("its rows are neither literals nor stored as one table has them", "statement")
    values = None if statement.by_name else marked_values(statement.query, context.dialect, columns)
    if values is not None:
        rows = query_frame(state, context, values.text, parameters)
        rows = read_texts_as_times(rows, values.columns, values.text, context.dialect, parameters)
        return with_defaults(rows, values, table, refuses_large_floats=state.refuses_large_floats), "name"
    rows = query_frame(state, context, statement.query, parameters)
    if statement.by_name:
        return rows, "name"
    rows = read_texts_as_times(rows, columns, statement.query, context.dialect, parameters)
    if not statement.columns:
        return rows, "position"
    if len(rows.columns) != len(columns):
        raise InvalidRows(
            f"INSERT into table {table.name} names {len(columns)} columns but {len(rows.columns)} values were supplied"
        )
    return rows.toDF(*(column.name for column in columns)), "name"


def update_rows(state: SessionState, statement: Update, parameters: Parameters = None) -> int:
    """UPDATE; returns the number of rows updated."""
    context, bound = _resolve_target(state, statement.name)
    with state.writing(bound.attachment) as tx:
        table = tx.current(_require_table(bound))
        work = state.work(tx, bound.attachment)
        # Before the query is bound: Spark's error would show the query and its hidden columns.
        check_assigned_names(table, [column for column, _ in statement.assignments])
        language = language_of(state, context.dialect, parameters)
        small = update_without_spark(state, work, table, statement, language)
        if small is not None:
            return small
        texts = [statement.where or "", statement.sources or "", *(value for _, value in statement.assignments)]
        virtual = mentioned_virtual_columns(table, " ".join(texts))
        found = candidates_to_update(work, table, _file_predicate(state, context, table, statement), virtual)
        rows = _TargetRows(found.frame, table, (ROW_ID, ADDRESS), virtual)
        given = [(at, value) for at, (_, value) in enumerate(statement.assignments) if not is_default(value)]
        values = ", ".join(f"({value}\n) AS {_SET}{at}" for at, value in given)
        chosen = _select_over_rows(state, context, rows, statement, parameters, values)
        assignments = {
            column: _default_of(column, table) if is_default(value) else column_named(f"{_SET}{at}")
            for at, (column, value) in enumerate(statement.assignments)
        }
        return update(work, replace(found, frame=chosen), assignments)


def _default_of(name: str, table: Table) -> Expression:
    """The default of a column; NULL if there is no such column."""
    column = _column(name, table)
    return F.lit(None) if column is None else default_value(column, table)


def _column(name: str, table: Table) -> Column | None:
    return next((column for column in table.definition.columns if fold(column.name) == fold(name)), None)


def delete_rows(state: SessionState, statement: Delete, parameters: Parameters = None) -> int:
    """DELETE; returns the number of rows deleted."""
    context, bound = _resolve_target(state, statement.name)
    with state.writing(bound.attachment) as tx:
        table = tx.current(_require_table(bound))
        work = state.work(tx, bound.attachment)
        if statement.where is None and statement.sources is None:
            return delete_all(work, table)
        small = delete_without_spark(state, work, table, statement, context.dialect, parameters)
        if small is not None:
            return small
        virtual = mentioned_virtual_columns(table, f"{statement.where or ''} {statement.sources or ''}")
        found = candidates_to_delete(work, table, _file_predicate(state, context, table, statement), virtual)
        if found.frame is None:
            return delete(work, found)
        rows = _TargetRows(found.frame, table, (ADDRESS,), virtual)
        chosen = _select_over_rows(state, context, rows, statement, parameters)
        # A row matched by several source rows is deleted once.
        distinct = chosen if statement.sources is None else chosen.dropDuplicates([ADDRESS])
        return delete(work, replace(found, frame=distinct))


def truncate(state: SessionState, statement: Truncate) -> int:
    _, bound = _resolve_target(state, statement.name)
    with state.writing(bound.attachment) as tx:
        return delete_all(state.work(tx, bound.attachment), tx.current(_require_table(bound)))


def merge_rows(state: SessionState, statement: Merge, parameters: Parameters = None) -> MergeCounts:
    """MERGE; returns the numbers of rows changed and inserted."""
    context, bound = _resolve_target(state, statement.name)
    with state.writing(bound.attachment) as tx:
        table = tx.current(_require_table(bound))
        work = state.work(tx, bound.attachment)
        statement = _with_named_values(table, statement)
        small = merge_statement_without_spark(state, context, work, table, statement, parameters)
        if small is not None:
            return small
        source, source_types = typed_frame(state, context, _source_query(statement, context.dialect), parameters)
        names = MergeNames(statement.alias or table.name, statement.source_name)
        types = {names.target: table_types(table), names.source: source_types}
        virtual = mentioned_virtual_columns(table, " ".join(statement.texts))
        scans: list[NamedScan] = []
        given = {names.source: statement.source_table, names.target: None if statement.alias else statement.name}
        tables = {alias: name for alias, name in given.items() if name is not None}

        def expression(text: str) -> Expression:
            plain = inline_parameters(expand_macros(state, context, text), context.dialect, parameters)
            # The translation of DuckDB SQL needs the column types of both sides.
            may_name = _MAY_NAME_TABLES.search(plain) or (tables and _MAY_QUALIFY.search(plain))
            if context.dialect == "duckdb" or may_name:
                sides = _merge_sides(work, table, source, names, virtual)
                plain, named = bind_expression(state, context, plain, *sides, tables, types)
                scans.extend(named)
            return as_expression(plain)

        clauses = [_merge_clause(table, clause, expression) for clause in statement.clauses]
        try:
            return merge(work, table, source, expression(statement.on), clauses, names, virtual=virtual)
        except AnalysisException as error:
            raise explain_missing_table(state, context, error) from None


def explain_change(state: SessionState, statement: Update | Delete | Merge, parameters: Parameters = None) -> str:
    """Whether the driver carries out a change, and what it reads, or why Spark has to."""
    context, bound = _resolve_target(state, statement.name)
    table, work = _require_table(bound), state.work(bound.tx, bound.attachment)
    if isinstance(statement, Update):
        check_assigned_names(table, [column for column, _ in statement.assignments])
    elif isinstance(statement, Merge):
        statement = _with_named_values(table, statement)
    elif statement.where is None and statement.sources is None:
        return f"Metadata: all rows of {table.name} at version {bound.tx.base} are deleted unread"
    try:
        return explain_change_without_spark(state, context, work, table, statement, parameters)
    except NeedsSparkError as reason:
        return f"Spark, because {reason}"


_MAY_NAME_TABLES = re.compile(r"\b(?:select|from|table|values|with)\b|\*", re.IGNORECASE)
"""Keywords that occur in every subquery; a star covers columns of both sides."""
_MAY_QUALIFY = re.compile(r"\.[^.]+\.")
"""Columns qualified by schema or catalog have at least two dots."""


def _source_query(statement: Merge, dialect: str) -> str:
    text = f"SELECT * FROM {statement.source}"
    if not statement.source_columns:
        return text
    columns = ", ".join(quoted_name(name, dialect) for name in statement.source_columns)
    return f"{text} AS {quoted_name(statement.source_name, dialect)}({columns})"


def _with_named_values(table: Table, statement: Merge) -> Merge:
    return replace(statement, clauses=tuple(_named_values(table, clause) for clause in statement.clauses))


def _named_values(table: Table, clause: MergeWhen) -> MergeWhen:
    """The clause with a column for each value, if its values are in the order of the table's columns."""
    if clause.in_order is None:
        return clause
    names = [column.name for column in table.definition.columns]
    if len(clause.in_order) != len(names):
        raise InvalidRows(
            f"table {table.name} has {len(names)} columns but {len(clause.in_order)} values were supplied"
        )
    return replace(clause, values=tuple(zip(names, clause.in_order, strict=True)), in_order=None)


def _merge_sides(
    work: Work, table: Table, source: DataFrame, names: MergeNames, virtual: Sequence[str]
) -> tuple[dict[str, DataFrame], dict[str, Sequence[str]]]:
    """Frames that the expressions of a MERGE refer to, by alias, and the columns of each that stars exclude."""
    hidden = [*HIDDEN_IN_TARGET, *virtual]
    target = work.spark.createDataFrame([], scan_schema(ScanPlan(table, work.tx.base, (), ()), hidden))
    return {names.target: target, names.source: source}, {names.target: hidden, names.source: HIDDEN_IN_SOURCE}


def _merge_clause(table: Table, clause: MergeWhen, expression: Callable[[str], Expression]) -> Clause:
    condition = None if clause.condition is None else expression(clause.condition)
    if clause.values is None:
        return Clause(clause.when, clause.action, condition, by_position=clause.by_position)
    check_assigned_names(table, [name for name, _ in clause.values])
    values = {name: _default_of(name, table) if is_default(text) else expression(text) for name, text in clause.values}
    return Clause(clause.when, clause.action, condition, values)


@dataclass(frozen=True, slots=True)
class _TargetRows:
    """The target rows of a statement, with hidden columns that are available only by name."""

    frame: DataFrame
    table: Table
    known_by: Sequence[str]
    """Columns that identify rows."""
    virtual: Sequence[str]


def _select_over_rows(
    state: SessionState,
    context: Context,
    rows: _TargetRows,
    statement: Update | Delete,
    parameters: Parameters,
    values: str = "",
) -> DataFrame:
    """Rows of a table that satisfy a condition, joined with other sources, and values computed from them."""
    name = quoted_name(statement.alias or rows.table.name, context.dialect)
    known_by = "".join(f", {name}.{quoted_name(column, context.dialect)}" for column in rows.known_by)
    text = f"SELECT {name}.*{known_by}{', ' + values if values else ''} FROM {_ROWS} AS {name}"
    text += f", {statement.sources}" if statement.sources else ""
    # The parentheses keep the condition a single expression; the line break ends a trailing comment.
    text += f" WHERE ({statement.where}\n)" if statement.where else ""
    hidden = {_ROWS: [*rows.known_by, *rows.virtual]}
    known_as = {} if statement.alias else {_ROWS: statement.name}
    given, types = {_ROWS: rows.frame}, {_ROWS: table_types(rows.table)}
    bound = bind_query(state, context, text, parameters, given, hidden=hidden, stands_for=known_as, types=types)
    return bound.run(state)


def _file_predicate(state: SessionState, context: Context, table: Table, statement: Update | Delete) -> Any:
    """The predicate on the table alone, for pruning files; None with other sources."""
    if statement.where is None or statement.sources is not None:
        return None
    names = row_names(table, statement.alias or table.name)
    return parse_predicate(statement.where, context.dialect, names, state.rules)


def _resolve_target(state: SessionState, name: Name) -> tuple[Context, BoundRelation]:
    context = context_of(state)
    return context, get_relation(state, context, name)


def _require_table(bound: BoundRelation) -> Table:
    if bound.table is None:
        raise InvalidInput(f"'{bound.entry.name}' is a view: rows can only be changed in tables.")
    return bound.table
