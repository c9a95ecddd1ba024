"""Results of SHOW and DESCRIBE. All from metadata, except for the columns of a query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from forklake.catalog.lakes.catalogs import list_with_parents
from forklake.catalog.lakes.lake import Lake, RetrySettings
from forklake.catalog.lakes.open_lake import lake_facts
from forklake.catalog.transaction.names import get_schema, list_schemas
from forklake.errors import InvalidInput
from forklake.model.entities import Definition, LakeObject, Table, TableDefinition, ViewDefinition
from forklake.model.ids import SchemaId
from forklake.model.module_on_use import module_on_use
from forklake.model.names import fold
from forklake.sql.binding.names import context_of, get_relation
from forklake.sql.parsing.statements import Name, Show
from forklake.sql.results.arrow_rows import arrow_rows
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.state import SMALL_QUERY_LIMIT, SessionState, default_small_queries

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from forklake.spark.values import type_mapping
else:
    type_mapping = module_on_use("forklake.spark.values.type_mapping")

_TEXT, _TEXTS, _ID = pa.string(), pa.list_(pa.string()), pa.int64()
_CATALOGS = pa.schema(
    [
        ("catalog_name", _TEXT),
        ("attached_as", _TEXT),
        ("parent", _TEXT),
        ("fork_snapshot", _ID),
        ("head_snapshot", _ID),
        ("metadata", _TEXT),
    ]
)
_DATABASES = pa.schema([("database_name", _TEXT)])
_SCHEMAS = pa.schema([("database_name", _TEXT), ("schema_name", _TEXT), ("current", pa.bool_())])
_NAMES = pa.schema([("name", _TEXT)])
_ALL_TABLES = pa.schema(
    [
        ("database", _TEXT),
        ("schema", _TEXT),
        ("name", _TEXT),
        ("column_names", _TEXTS),
        ("column_types", _TEXTS),
        ("temporary", pa.bool_()),
    ]
)
_VIEWS = pa.schema([("database", _TEXT), ("schema", _TEXT), ("name", _TEXT), ("sql", _TEXT)])
_COLUMNS = pa.schema([(name, _TEXT) for name in ("column_name", "column_type", "null", "key", "default", "extra")])
_SETTINGS = pa.schema([(name, _TEXT) for name in ("name", "value", "default")])


def show(state: SessionState, statement: Show) -> pa.Table:
    """The rows of a SHOW."""
    match statement.what:
        case "catalogs":
            return show_catalogs(state)
        case "databases":
            return show_databases(state, statement.name)
        case "schemas":
            return show_schemas(state, statement.name)
        case "tables":
            return show_tables(state, statement.name)
        case "all tables":
            return show_all_tables(state)
        case "views":
            return show_views(state, statement.name)
        case "columns":
            return show_columns(state, statement.name)
        case "settings":
            return show_settings(state)


def show_catalogs(state: SessionState) -> pa.Table:
    """All catalogs of the attached lakes, whether attached or not."""
    rows: list[tuple[object, ...]] = []
    for lake, attachments in _attachments_by_lake(state):
        place = lake.store.location
        for info, parent in list_with_parents(lake):
            here = [a.name for a in attachments if a.catalog.catalog_id == info.catalog_id]
            rows.append((info.name, ", ".join(here) or None, parent, info.fork_snapshot, info.head_snapshot, place))
    return arrow_rows(_CATALOGS, rows)


def show_databases(state: SessionState, name: Name = ()) -> pa.Table:
    """The names of attachments; given a name, the schemas of that attachment."""
    if name:
        return show_schemas(state, name)
    return arrow_rows(_DATABASES, [(attached,) for attached in sorted(a.name for a in state.attachments)])


def show_schemas(state: SessionState, name: Name = ()) -> pa.Table:
    """The schemas of all attached catalogs, or of one."""
    if len(name) > 1:
        raise InvalidInput(f"'{'.'.join(name)}' is not a catalog; write SHOW SCHEMAS FROM catalog.")
    attachments = [state.attachments.get(name[0])] if name else list(state.attachments)
    rows = [
        (attachment.name, schema.name, _is_current(state, attachment, schema.name))
        for attachment in attachments
        for schema in list_schemas(state.transaction(attachment))
    ]
    return arrow_rows(_SCHEMAS, sorted(rows))


def show_tables(state: SessionState, name: Name = ()) -> pa.Table:
    """The tables and views of the current schema, of another one, or of a whole catalog."""
    found = {entry.name for _, _, entry in _find_relations(state, name, "table", "view")}
    return arrow_rows(_NAMES, [(entry,) for entry in sorted(found)])


def show_all_tables(state: SessionState) -> pa.Table:
    """The tables and views of all attached catalogs. Columns of a view are known only by running its query."""
    found = [
        (attachment.name, schema, entry.name, entry.definition)
        for attached in state.attachments
        for attachment, schema, entry in _find_relations(state, (attached.name,), "table", "view")
    ]
    ordered = sorted(found, key=lambda row: row[:3])
    return arrow_rows(
        _ALL_TABLES, [(*place, *_column_names_and_types(definition), False) for *place, definition in ordered]
    )


def show_views(state: SessionState, name: Name = ()) -> pa.Table:
    """The views of the current schema, of another one, or of a whole catalog."""
    rows = [
        (attachment.name, schema, entry.name, cast("ViewDefinition", entry.definition).sql)
        for attachment, schema, entry in _find_relations(state, name, "view")
    ]
    return arrow_rows(_VIEWS, sorted(rows))


def show_columns(state: SessionState, name: Name) -> pa.Table:
    """The columns of a table; for a view, only DESCRIBE can determine them."""
    table = get_relation(state, context_of(state), name).table
    if table is None:
        raise InvalidInput(f"'{'.'.join(name)}' is a view; use DESCRIBE.")
    return describe_relation(table)


def show_settings(state: SessionState) -> pa.Table:
    """Our settings with their defaults."""
    plain = RetrySettings()
    rows = {
        f"ducklake_{f.name}": (str(getattr(state.retry, f.name)), str(getattr(plain, f.name))) for f in fields(plain)
    }
    rows["forklake_shortcuts"] = (str(state.shortcuts).lower(), "true")
    rows["forklake_small_queries"] = (state.small_queries, default_small_queries())
    rows["forklake_small_query_bytes"] = (str(state.small_query_bytes), str(SMALL_QUERY_LIMIT))
    for name, value in state.settings.items():
        rows.setdefault(fold(name), (str(value), ""))
    return arrow_rows(_SETTINGS, [(name, value, default or None) for name, (value, default) in sorted(rows.items())])


def describe_relation(table: Table) -> pa.Table:
    """The columns of a table."""
    return arrow_rows(
        _COLUMNS,
        [
            (column.name, column.type.sql(), "YES" if column.nulls_allowed else "NO", None, column.default_sql, None)
            for column in table.definition.columns
        ],
    )


def describe_schema(schema: StructType) -> pa.Table:
    """The columns of a query or a view."""
    described = [(field.name, type_mapping.column_type(field.dataType).sql()) for field in schema.fields]
    return arrow_rows(_COLUMNS, [(name, type_text, "YES", None, None, None) for name, type_text in described])


def _attachments_by_lake(state: SessionState) -> Iterable[tuple[Lake, list[Attachment]]]:
    """Each lake once, with its attachments: each attachment opens the lake separately."""
    found: dict[str, tuple[Lake, list[Attachment]]] = {}
    for attachment in state.attachments:
        _, attachments = found.setdefault(lake_facts(attachment.lake).uuid, (attachment.lake, []))
        attachments.append(attachment)
    return found.values()


def _find_relations(
    state: SessionState, name: Name, *kinds: str
) -> Iterator[tuple[Attachment, str, LakeObject[Definition]]]:
    """Tables or views with their location: of a schema, or of all schemas of a catalog."""
    attachment, schema = _catalog_and_schema(state, name)
    tx = state.transaction(attachment)
    for parent in list_schemas(tx) if schema is None else [get_schema(tx, schema)]:
        for entry in tx.objects_in(SchemaId(parent.object_id)):
            if entry.kind in kinds:
                yield attachment, parent.name, entry


def _catalog_and_schema(state: SessionState, name: Name) -> tuple[Attachment, str | None]:
    match name:
        case ():
            return state.current, state.current_schema
        case (first,):
            attached = state.attachments.find(first)
            return (state.current, first) if attached is None else (attached, None)
        case (first, schema):
            return state.attachments.get(first), schema
    raise InvalidInput(f"'{'.'.join(name)}' is not a schema; write catalog.schema.")


def _is_current(state: SessionState, attachment: Attachment, schema: str) -> bool:
    in_use = state.current_catalog
    return in_use is not None and fold(in_use) == fold(attachment.name) and fold(schema) == fold(state.current_schema)


def _column_names_and_types(definition: Definition) -> tuple[list[str], list[str]]:
    if isinstance(definition, TableDefinition):
        return [column.name for column in definition.columns], [column.type.sql() for column in definition.columns]
    return list(cast("ViewDefinition", definition).column_aliases), []
