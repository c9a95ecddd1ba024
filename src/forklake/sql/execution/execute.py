"""Executes statements: dispatches each to its implementation."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow as pa
from sqlglot.errors import SqlglotError

from forklake.errors import InvalidInput
from forklake.model.module_on_use import module_on_use
from forklake.sql.execution import run_session
from forklake.sql.execution.run_query import describe, explain, run_query, summarize
from forklake.sql.parsing.constants import Parameters, parse_constant
from forklake.sql.parsing.statements import (
    AlterTable,
    AlterView,
    Attach,
    Call,
    Checkpoint,
    Comment,
    Copy,
    CreateMacro,
    CreateSchema,
    CreateSecret,
    CreateTable,
    CreateView,
    Delete,
    Describe,
    Detach,
    Drop,
    DropCatalog,
    DropSecret,
    Explain,
    ForkCatalog,
    IgnoredStatement,
    Insert,
    Merge,
    Query,
    SetSetting,
    Show,
    Statement,
    Summarize,
    TransactionControl,
    Truncate,
    Update,
    Use,
)
from forklake.sql.results.arrow_rows import arrow_rows, empty_success
from forklake.sql.results.result import Result
from forklake.sql.session.state import SessionState
from forklake.sql.values.values_clause import parse_values

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from forklake.sql.execution import copy, run_alter, run_ddl, run_dml, show
    from forklake.sql.functions import registry
else:
    copy = module_on_use("forklake.sql.execution.copy")
    run_alter = module_on_use("forklake.sql.execution.run_alter")
    run_ddl = module_on_use("forklake.sql.execution.run_ddl")
    run_dml = module_on_use("forklake.sql.execution.run_dml")
    show = module_on_use("forklake.sql.execution.show")
    registry = module_on_use("forklake.sql.functions.registry")

_COUNT = pa.schema([("Count", pa.int64())])
_FORKED = pa.schema([("catalog_id", pa.int64()), ("catalog_name", pa.string()), ("created", pa.bool_())])


def execute(state: SessionState, statement: Statement, parameters: Parameters = None) -> Result:
    """Execute a statement, in one transaction per catalog that it names."""
    try:
        return state.transactions.run(
            lambda: _dispatch(state, statement, parameters),
            reads_nothing=_inserts_literals(state, statement, parameters),
        )
    except SqlglotError as error:
        # Parsing errors are handled where they occur; generated SQL can be nested too deeply as well.
        reason = str(error).partition("\n")[0]
        raise InvalidInput(f"The statement cannot be read, or is nested too deeply: {reason}") from None


def _inserts_literals(state: SessionState, statement: Statement, parameters: Parameters) -> bool:
    """Whether a statement only inserts literal rows, and so reads nothing but the definition of its table."""
    if not isinstance(statement, Insert) or statement.overwrite or statement.query is None:
        return False
    return state.takes_shortcuts and parse_values(statement.query, state.dialect, parameters) is not None


def _dispatch(state: SessionState, statement: Statement, parameters: Parameters) -> Result:
    match statement:
        case Query():
            return run_query(state, statement.text, parameters)
        case Insert():
            return _count_result(run_dml.insert(state, statement, parameters))
        case Update():
            return _count_result(run_dml.update_rows(state, statement, parameters))
        case Delete():
            return _count_result(run_dml.delete_rows(state, statement, parameters))
        case Truncate():
            return _count_result(run_dml.truncate(state, statement))
        case Merge():
            merged = run_dml.merge_rows(state, statement, parameters)
            return _count_result(merged.changed + merged.inserted)
        case CreateTable():
            created = run_ddl.create_table(state, statement, parameters)
            return _success_result() if created is None else _count_result(created)
        case Call():
            return _call_procedure(state, statement, parameters)
        case Show():
            return Result(show.show(state, statement))
        case Describe():
            return describe(state, statement, parameters)
        case Explain():
            return explain(state, statement, parameters)
        case Summarize():
            return summarize(state, statement, parameters)
        case Copy():
            return _count_result(copy.copy_rows(state, statement, parameters))
        case ForkCatalog():
            catalog_id, name, created_now = run_session.run_fork_catalog(state, statement, parameters)
            return Result(arrow_rows(_FORKED, [(catalog_id, name, created_now)]))
        case Checkpoint():
            name = statement.name or state.current.name
            return _rows_result(registry.call_function(state, ("ducklake_checkpoint",), [name], {}))
    _execute_without_rows(state, statement, parameters)
    return _success_result()


def _execute_without_rows(state: SessionState, statement: Statement, parameters: Parameters) -> None:
    match statement:
        case Attach():
            run_session.run_attach(state, statement, parameters)
        case Detach():
            run_session.detach(state, statement)
        case Use():
            run_session.use(state, statement)
        case CreateSecret():
            run_session.create_secret(state, statement, parameters)
        case DropSecret():
            run_session.drop_secret(state, statement)
        case SetSetting():
            run_session.set_setting(state, statement, parameters)
        case TransactionControl():
            run_session.control_transaction(state, statement)
        case DropCatalog():
            run_session.run_drop_catalog(state, statement)
        case CreateSchema():
            run_ddl.create_schema(state, statement)
        case CreateView():
            run_ddl.create_view(state, statement)
        case CreateMacro():
            run_ddl.create_macro(state, statement)
        case Drop():
            run_ddl.drop(state, statement)
        case AlterTable():
            run_alter.alter_table(state, statement)
        case AlterView():
            run_ddl.alter_view(state, statement)
        case Comment():
            run_ddl.comment(state, statement)
        case IgnoredStatement():
            pass


def _call_procedure(state: SessionState, statement: Call, parameters: Parameters) -> Result:
    positional: list[object] = []
    named: dict[str, object] = {}
    for argument in statement.arguments:
        value = parse_constant(argument.value, state.dialect, parameters)
        if argument.name is None:
            positional.append(value)
        else:
            named[argument.name] = value
    return _rows_result(registry.call_function(state, statement.function, positional, named))


def _rows_result(rows: pa.Table | DataFrame) -> Result:
    return Result(rows) if isinstance(rows, pa.Table) else Result(None, lambda: rows)


def _count_result(rows: int) -> Result:
    return Result(_count_rows(rows))


@lru_cache(16)
def _count_rows(rows: int) -> pa.Table:
    """Nearly always of the same numbers."""
    return arrow_rows(_COUNT, [(rows,)])


def _success_result() -> Result:
    return Result(empty_success())
