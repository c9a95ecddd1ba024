"""Execution of ALTER TABLE: texts are read into alterations."""

from forklake.catalog.transaction import ddl
from forklake.catalog.transaction.names import find_object, get_schema, get_table
from forklake.model.alterations import find_column, has_column
from forklake.model.entities import Table
from forklake.model.table_alterations import AddColumn, SetDefault, SetSorting, SetType, TableAlteration
from forklake.spark.verbs.alter_table import alter_table as alter
from forklake.sql.binding.names import context_of, resolve_ddl_target
from forklake.sql.parsing.statements import (
    AddColumnText,
    AlterationText,
    AlterTable,
    RenameTo,
    SetDefaultText,
    SetSortingText,
    SetTypeText,
)
from forklake.sql.session.state import SessionState
from forklake.sql.values.defaults import column_spec, parse_column_type, stored_default
from forklake.sql.values.sort_keys import read_sort_keys


def alter_table(state: SessionState, statement: AlterTable) -> None:
    attachment, schema, name = resolve_ddl_target(state, context_of(state), statement.name)
    with state.writing(attachment) as tx:
        if statement.if_exists and find_object(tx, get_schema(tx, schema), name, "table") is None:
            return
        for written in statement.alterations:
            if isinstance(written, RenameTo):
                name = ddl.rename_table(tx, schema, name, written.new_name).name
                continue
            table = get_table(tx, schema, name)
            if _is_there(table, written):
                # Its type and default are not parsed, which might fail or start Spark.
                continue
            alteration = _read_alteration(state, table, written)
            alter(tx, state.provider, table, alteration, shortcuts=state.shortcuts)


def _is_there(table: Table, written: AlterationText) -> bool:
    """Whether the alteration is ADD COLUMN IF NOT EXISTS of an existing column."""
    if not isinstance(written, AddColumnText) or not written.if_not_exists:
        return False
    return has_column(table.definition, written.path)


def _read_alteration(state: SessionState, table: Table, written: AlterationText) -> TableAlteration:
    match written:
        case AddColumnText(path, column, if_not_exists, after, first):
            return AddColumn(column_spec(state, column), path[:-1], if_not_exists, after, first)
        case SetTypeText(path, text):
            return SetType(path, parse_column_type(text, state.dialect))
        case SetDefaultText(path, text):
            column_type = find_column(table.definition, path).type
            return SetDefault(path, *stored_default(state, text, path[-1], column_type))
        case SetSortingText(keys):
            return SetSorting(read_sort_keys(keys, state.dialect))
    return written
