"""Maintenance procedures: their arguments are checked, and what they do is not built yet."""

from typing import NoReturn

import pyarrow as pa

from forklake.catalog.names import get_schema, get_table
from forklake.errors import NotBuiltYet
from forklake.sql.signatures import FLAG, TEXT, TEXTS, Called, Function, Parameter


def _checkpoint(call: Called) -> pa.Table:
    _not_built("CHECKPOINT")


def _add_data_files(call: Called) -> pa.Table:
    _check_place(call, "ducklake_add_data_files")


def _check_place(call: Called, name: str) -> NoReturn:
    """The table that was named must be there."""
    tx = call.state.transaction(call.attachment)
    schema, table = call.get("schema"), call.get("table_name")
    if table is not None:
        get_table(tx, schema or call.schema, table)
    elif schema is not None:
        get_schema(tx, schema)
    _not_built(name)


def _not_built(name: str) -> NoReturn:
    raise NotBuiltYet(f"{name}: not built yet")


_SCHEMA = Parameter("schema", TEXT, by_name=True)
MAINTENANCE = (
    Function("checkpoint", (), _checkpoint),
    Function(
        "add_data_files",
        (
            Parameter("table_name", TEXT, required=True),
            Parameter("files", TEXTS, required=True),
            _SCHEMA,
            Parameter("allow_missing", FLAG, by_name=True),
            Parameter("ignore_extra_columns", FLAG, by_name=True),
            Parameter("hive_partitioning", FLAG, by_name=True),
        ),
        _add_data_files,
    ),
)
