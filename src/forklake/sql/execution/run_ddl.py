"""Execution of CREATE, ALTER, DROP and COMMENT."""

from contextlib import suppress

from pyspark.errors import AnalysisException
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.catalog.transaction import ddl
from forklake.catalog.transaction.names import find_object, find_table, get_macro, get_schema, get_table, get_view
from forklake.errors import InvalidChange, InvalidInput
from forklake.model.entities import (
    COMMENT,
    MacroDefinition,
    MacroImplementation,
    MacroParameter,
    ObjectKind,
    ViewDefinition,
)
from forklake.model.ids import TableId
from forklake.model.table_alterations import SetColumnComment
from forklake.spark.verbs.alter_table import alter_table
from forklake.spark.verbs.create_as import create_as
from forklake.spark.verbs.create_table import create_table as create
from forklake.sql.binding.names import (
    Context,
    context_of,
    get_relation,
    kept_in,
    resolve_ddl_schema,
    resolve_ddl_target,
)
from forklake.sql.definitions.macro_calls import find_calls
from forklake.sql.definitions.relative_names import without_catalog
from forklake.sql.duckdb.types import texts_in_spark
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import parse_text
from forklake.sql.parsing.statements import (
    AlterView,
    Comment,
    CreateMacro,
    CreateSchema,
    CreateTable,
    CreateView,
    Drop,
)
from forklake.sql.queries.bind_query import query_frame, typed_frame, view_frame
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.state import SessionState
from forklake.sql.values.defaults import column_spec
from forklake.sql.values.sort_keys import read_sort_keys


def create_schema(state: SessionState, statement: CreateSchema) -> None:
    attachment, name = resolve_ddl_schema(state, statement.name)
    with state.writing(attachment) as tx:
        ddl.create_schema(tx, name, if_not_exists=statement.if_not_exists)


def create_table(state: SessionState, statement: CreateTable, parameters: Parameters = None) -> int | None:
    """Create a table; with a query, returns the number of rows inserted."""
    context = context_of(state)
    attachment, schema, name = resolve_ddl_target(state, context, statement.name)
    with state.writing(attachment) as tx:
        if statement.if_not_exists and find_table(tx, schema, name) is not None:
            return None
        if statement.query is None:
            create(
                tx,
                state.provider,
                schema,
                name,
                [column_spec(state, column) for column in statement.columns],
                partitioned_by=statement.partitioned_by,
                sorted_by=read_sort_keys(statement.sorted_by, context.dialect),
                comment=statement.comment,
                or_replace=statement.or_replace,
            )
            return None
        if statement.columns:
            raise InvalidInput("A table created AS a query takes its columns from the query: omit the column list.")
        rows, known = typed_frame(state, context, statement.query, parameters)
        table = create_as(
            state.work(tx, attachment),
            schema,
            name,
            rows,
            partitioned_by=statement.partitioned_by,
            sorted_by=read_sort_keys(statement.sorted_by, context.dialect),
            comment=statement.comment,
            or_replace=statement.or_replace,
            with_data=statement.with_data,
            types=texts_in_spark(known),
        )
        staged = tx.tables.get(TableId(table.object_id))
        return staged.row_delta if staged is not None else 0


def create_view(state: SessionState, statement: CreateView) -> None:
    """Create a view. The query is bound once in its stored form, to check that it works."""
    context = context_of(state)
    attachment, schema, name = resolve_ddl_target(state, context, statement.name)
    with state.writing(attachment) as tx:
        parent = get_schema(tx, schema)
        if statement.if_not_exists and find_object(tx, parent, name, "view") is not None:
            return
        text = without_catalog(state, context, attachment, statement.query)
        columns = _view_columns(state, kept_in(attachment, schema, context.dialect), text)
        if len(statement.aliases) > len(columns):
            raise InvalidInput(f"View '{name}' has more names for columns than its query has columns.")
        tags = {} if statement.comment is None else {COMMENT: statement.comment}
        definition = ViewDefinition(text, context.dialect, statement.aliases, tags)
        ddl.create_view(tx, schema, name, definition, or_replace=statement.or_replace)
        if statement.or_replace:
            # Its query may refer to the object it has just replaced.
            view_frame(state, get_relation(state, context, statement.name), context)


def _view_columns(state: SessionState, context: Context, query: str) -> list[str]:
    try:
        return query_frame(state, context, query).columns
    except AnalysisException as error:
        if "UNBOUND_SQL_PARAMETER" not in str(error):
            raise
        raise InvalidInput("The query of a view cannot have parameters: write literals.") from None


def create_macro(state: SessionState, statement: CreateMacro) -> None:
    context = context_of(state)
    attachment, schema, name = resolve_ddl_target(state, context, statement.name)
    kinds = {implementation.is_table for implementation in statement.implementations}
    if len(kinds) > 1:
        raise InvalidInput("A macro is either a table or a value, in all of its implementations.")
    for implementation in statement.implementations:
        _refuse_parameters(implementation.body, context.dialect)
        _refuse_known_function(name, len(implementation.parameters), implementation.is_table, context.dialect)
    definition = MacroDefinition(
        tuple(
            MacroImplementation(
                without_catalog(state, context, attachment, implementation.body),
                context.dialect,
                tuple(
                    _macro_parameter(state, context, attachment, parameter, default)
                    for parameter, default in implementation.parameters
                ),
            )
            for implementation in statement.implementations
        )
    )
    with state.writing(attachment) as tx:
        parent = get_schema(tx, schema)
        kind: ObjectKind = "table_macro" if True in kinds else "scalar_macro"
        if statement.if_not_exists and find_object(tx, parent, name, kind) is not None:
            return
        ddl.create_macro(tx, schema, name, definition, table=True in kinds, or_replace=statement.or_replace)


def _macro_parameter(
    state: SessionState, context: Context, attachment: Attachment, name: str, default: str | None
) -> MacroParameter:
    if not default:
        return MacroParameter(name)
    text = without_catalog(state, context, attachment, default)
    if parse_text(text, context.dialect).find(exp.Query) is not None:
        raise InvalidInput(f"Default value for parameter '{name}' cannot contain subqueries")
    return MacroParameter(name, default_value=text, default_value_type="expression")


def _refuse_parameters(body: str, dialect: str) -> None:
    with suppress(SqlglotError):
        if parse_text(body, dialect).find(exp.Placeholder) is not None:
            raise InvalidInput("The text of a macro cannot have parameters of a statement: write literals.")


def _refuse_known_function(name: str, width: int, is_table: bool, dialect: str) -> None:
    """Reject names of functions that sqlglot knows: their calls are never resolved to macros."""
    call = f"{name}({', '.join(['NULL'] * width)})"
    with suppress(SqlglotError):
        tree = parse_text(f"SELECT * FROM {call}" if is_table else f"SELECT {call}", dialect)
        is_found = any(found.name == (name,) and found.is_table == is_table for found in find_calls(tree))
        if name.isidentifier() and not is_found:
            raise InvalidInput(f"A macro cannot be named '{name}': the function of this name would be called instead.")


def drop(state: SessionState, statement: Drop) -> None:
    if statement.kind == "schema":
        attachment, name = resolve_ddl_schema(state, statement.name)
        with state.writing(attachment) as tx:
            ddl.drop_schema(tx, name, cascade=statement.cascade, if_exists=statement.if_exists)
        return
    attachment, schema, name = resolve_ddl_target(state, context_of(state), statement.name)
    with state.writing(attachment) as tx:
        match statement.kind:
            case "table":
                ddl.drop_table(tx, schema, name, if_exists=statement.if_exists)
            case "view":
                ddl.drop_view(tx, schema, name, if_exists=statement.if_exists)
            case _:
                is_table = statement.kind == "macro table"
                ddl.drop_macro(tx, schema, name, table=is_table, if_exists=statement.if_exists)


def alter_view(state: SessionState, statement: AlterView) -> None:
    attachment, schema, name = resolve_ddl_target(state, context_of(state), statement.name)
    with state.writing(attachment) as tx:
        if statement.if_exists and find_object(tx, get_schema(tx, schema), name, "view") is None:
            return
        ddl.rename_view(tx, schema, name, statement.new_name)


def comment(state: SessionState, statement: Comment) -> None:
    context = context_of(state)
    if statement.kind == "schema":
        attachment, name = resolve_ddl_schema(state, statement.name)
        with state.writing(attachment) as tx:
            ddl.set_object_tag(tx, get_schema(tx, name), statement.text)
        return
    if statement.kind == "column":
        *parent, column = statement.name
        attachment, schema, name = resolve_ddl_target(state, context, tuple(parent))
        with state.writing(attachment) as tx:
            entry = find_object(tx, get_schema(tx, schema), name, "view")
            if entry is not None:
                raise InvalidChange(f"Cannot comment on columns for entry {entry.name} - it is not a table")
            commented = SetColumnComment((column,), statement.text)
            alter_table(tx, state.provider, get_table(tx, schema, name), commented)
        return
    attachment, schema, name = resolve_ddl_target(state, context, statement.name)
    with state.writing(attachment) as tx:
        match statement.kind:
            case "table":
                ddl.set_object_tag(tx, get_table(tx, schema, name), statement.text)
            case "view":
                ddl.set_object_tag(tx, get_view(tx, schema, name), statement.text)
            case _:
                parent_schema = get_schema(tx, schema)
                is_table = find_object(tx, parent_schema, name, "scalar_macro") is None
                ddl.set_object_tag(tx, get_macro(tx, schema, name, table=is_table), statement.text)
