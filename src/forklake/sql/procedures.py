"""Procedures that change something: options, the commit message, forks, and where inlined rows are."""

import pyarrow as pa

from forklake.catalog.catalogs import catalog_info
from forklake.catalog.forks import fork_catalog
from forklake.catalog.metadata_views import inlined_tables
from forklake.catalog.names import get_schema, get_table
from forklake.catalog.options import set_option
from forklake.catalog.transaction import Transaction
from forklake.errors import InvalidInput
from forklake.model.ids import TableId
from forklake.model.names import check_text
from forklake.model.options import find_option, normalise_option
from forklake.spark.flush import flush_inlined
from forklake.sql.arrow_rows import arrow_rows, done
from forklake.sql.signatures import ANY, FLAG, TEXT, TIME, VERSION, Called, Function, Parameter

_FORKED = pa.schema([("catalog_id", pa.int64()), ("catalog_name", pa.string()), ("created", pa.bool_())])
_FLUSHED = pa.schema([("schema_name", pa.string()), ("table_name", pa.string()), ("rows_flushed", pa.int64())])


def _set_option(call: Called) -> pa.Table:
    option, value = find_option(call.get("option")), call.get("value")
    stored = normalise_option(option.name, value)
    schema, table = call.get("schema"), call.get("table_name")
    with call.state.writing(call.attachment) as tx:
        set_option(tx, option.name, stored, schema=schema or (call.schema if table else None), table=table)
    return done()


def _set_commit_message(call: Called) -> pa.Table:
    """For the current transaction only: a statement outside of one has nothing that it could be said of."""
    author, message, extra = call.get("author"), call.get("commit_message"), call.get("extra_info")
    for text in (author, message, extra):
        check_text(text or "", "commit message")
    if call.state.transactions.is_open:
        call.state.transaction(call.attachment).set_commit_message(author, message, extra)
    return done()


def _fork_catalog(call: Called) -> pa.Table:
    version, timestamp = call.get("version"), call.get("timestamp")
    if version is not None and timestamp is not None:
        raise InvalidInput("Either version OR timestamp must be specified - not both")
    catalog = call.attachment.catalog
    if version is None and timestamp is None:
        version = catalog.pinned
    forked, created = fork_catalog(
        call.attachment.lake,
        catalog_info(catalog).name,
        call.get("new_name"),
        version=version,
        timestamp=timestamp,
        if_not_exists=bool(call.get("if_not_exists")),
    )
    return arrow_rows(_FORKED, [(forked.catalog_id, forked.name, created)])


def _flush_inlined_data(call: Called) -> pa.Table:
    """Move inlined rows to files, each table in a transaction of its own unless one is open."""
    rows = []
    for schema, name in _tables_to_flush(call):
        with call.state.writing(call.attachment) as tx:
            flushed = flush_inlined(call.state.work(tx, call.attachment), get_table(tx, schema, name))
        if flushed:
            rows.append((schema, name, flushed))
    return arrow_rows(_FLUSHED, rows)


def _tables_to_flush(call: Called) -> list[tuple[str, str]]:
    """Schema and name of the tables that were asked for and have inlined rows."""
    tx = call.state.transaction(call.attachment)
    schema_name, table_name = call.get("schema_name"), call.get("table_name")
    wanted = None if schema_name is None else get_schema(tx, schema_name).object_id
    if table_name is not None:
        table = get_table(tx, schema_name or call.schema, table_name)
        has_rows = table.object_id in inlined_tables(call.attachment.catalog)
        return [(get_schema(tx, schema_name or call.schema).name, table.name)] if has_rows else []
    found = [_name_of(tx, table_id) for table_id in inlined_tables(call.attachment.catalog)]
    return sorted((schema, name) for schema_id, schema, name in found if wanted in (None, schema_id))


def _name_of(tx: Transaction, table_id: TableId) -> tuple[int, str, str]:
    table = tx.object_with_id(table_id)
    schema = None if table is None else tx.object_with_id(table.schema_id)
    return (-1, "", "") if table is None or schema is None else (schema.object_id, schema.name, table.name)


PROCEDURES = (
    Function(
        "set_option",
        (
            Parameter("option", TEXT, required=True),
            Parameter("value", ANY, required=True, nullable=True),
            Parameter("table_name", TEXT),
            Parameter("schema", TEXT),
        ),
        _set_option,
    ),
    Function(
        "set_commit_message",
        (
            Parameter("author", TEXT, required=True, nullable=True),
            Parameter("commit_message", TEXT, required=True, nullable=True),
            Parameter("extra_info", TEXT),
        ),
        _set_commit_message,
    ),
    Function(
        "fork_catalog",
        (
            Parameter("new_name", TEXT, required=True),
            Parameter("version", VERSION, by_name=True),
            Parameter("timestamp", TIME, by_name=True),
            Parameter("if_not_exists", FLAG, by_name=True),
        ),
        _fork_catalog,
    ),
    Function(
        "flush_inlined_data",
        (Parameter("schema_name", TEXT, by_name=True), Parameter("table_name", TEXT, by_name=True)),
        _flush_inlined_data,
    ),
)
