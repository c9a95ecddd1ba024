"""Procedures that set options and the commit message, and that fork."""

import pyarrow as pa

from forklake.catalog.transaction.options import set_option
from forklake.errors import InvalidInput
from forklake.model.names import check_text
from forklake.model.options import find_option, normalise_option
from forklake.sql.functions.signatures import ANY, FLAG, TEXT, TIME, VERSION, Function, FunctionCall, Parameter
from forklake.sql.results.arrow_rows import arrow_rows, empty_success
from forklake.sql.session.catalog_changes import fork_attached

_FORKED = pa.schema([("catalog_id", pa.int64()), ("catalog_name", pa.string()), ("created", pa.bool_())])


def _set_option(call: FunctionCall) -> pa.Table:
    option, value = find_option(call.get("option")), call.get("value")
    stored = normalise_option(option.name, value)
    schema, table = call.get("schema"), call.get("table_name")
    with call.state.writing(call.attachment) as tx:
        set_option(tx, option.name, stored, schema=schema or (call.schema if table else None), table=table)
    return empty_success()


def _set_commit_message(call: FunctionCall) -> pa.Table:
    """Only for the open transaction: outside of one there is no commit that it could describe."""
    author, message, extra = call.get("author"), call.get("commit_message"), call.get("extra_info")
    for text in (author, message, extra):
        check_text(text or "", "commit message")
    if call.state.transactions.is_open:
        call.state.transaction(call.attachment).set_commit_message(author, message, extra)
    return empty_success()


def _fork_catalog(call: FunctionCall) -> pa.Table:
    version, timestamp = call.get("version"), call.get("timestamp")
    if version is not None and timestamp is not None:
        raise InvalidInput("Either version OR timestamp must be specified - not both")
    forked, created = fork_attached(
        call.state,
        call.attachment,
        call.get("new_name"),
        version=version,
        timestamp=timestamp,
        if_not_exists=bool(call.get("if_not_exists")),
    )
    return arrow_rows(_FORKED, [(forked.catalog_id, forked.name, created)])


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
)
