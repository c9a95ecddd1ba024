"""Maintenance procedures: their arguments are checked, and what they do is not built yet."""

from typing import NoReturn

import pyarrow as pa

from forklake.catalog.names import get_schema, get_table
from forklake.errors import InvalidInput, NotBuiltYet
from forklake.sql.signatures import COUNT, COUNTS, FLAG, NUMBER, TEXT, TEXTS, TIME, Called, Function, Parameter


def _checkpoint(call: Called) -> pa.Table:
    _not_built("CHECKPOINT")


def _expire_snapshots(call: Called) -> pa.Table:
    if call.get("versions") is not None and call.get("older_than") is not None:
        raise InvalidInput(
            "ducklake_expire_snapshots: cannot specify both 'versions' and 'older_than' parameters at the same time."
            " Please use only one criterion."
        )
    _not_built("ducklake_expire_snapshots")


def _cleanup_old_files(call: Called) -> pa.Table:
    _check_age(call, "ducklake_cleanup_old_files")


def _delete_orphaned_files(call: Called) -> pa.Table:
    _check_age(call, "ducklake_delete_orphaned_files")


def _check_age(call: Called, name: str) -> NoReturn:
    if call.get("cleanup_all") and call.get("older_than") is not None:
        raise InvalidInput(f"{name}: either cleanup_all OR older_than must be specified.")
    _not_built(name)


def _merge_adjacent_files(call: Called) -> pa.Table:
    for limit in ("max_compacted_files", "max_file_size", "min_file_size"):
        if limit in call.given and call.get(limit) is None:
            raise InvalidInput(f"The {limit} option must be a non-null integer.")
    for limit in ("max_compacted_files", "max_file_size"):
        if call.get(limit) == 0:
            raise InvalidInput(f"The {limit} option must be greater than zero.")
    smallest, largest = call.get("min_file_size"), call.get("max_file_size")
    if smallest is not None and largest is not None and smallest >= largest:
        raise InvalidInput("The min_file_size must be less than max_file_size.")
    _check_place(call, "ducklake_merge_adjacent_files")


def _rewrite_data_files(call: Called) -> pa.Table:
    threshold = call.get("delete_threshold")
    if threshold is not None and not 0 <= threshold <= 1:
        raise InvalidInput("The delete_threshold option must be between 0 and 1")
    _check_place(call, "ducklake_rewrite_data_files")


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


_AGES = (
    Parameter("older_than", TIME, by_name=True),
    Parameter("cleanup_all", FLAG, by_name=True),
    Parameter("dry_run", FLAG, by_name=True),
)
_SCHEMA = Parameter("schema", TEXT, by_name=True)
MAINTENANCE = (
    Function("checkpoint", (), _checkpoint),
    Function(
        "expire_snapshots",
        (
            Parameter("older_than", TIME, by_name=True),
            Parameter("versions", COUNTS, by_name=True),
            Parameter("dry_run", FLAG, by_name=True),
        ),
        _expire_snapshots,
    ),
    Function("cleanup_old_files", _AGES, _cleanup_old_files),
    Function("delete_orphaned_files", _AGES, _delete_orphaned_files),
    Function(
        "merge_adjacent_files",
        (
            Parameter("table_name", TEXT),
            _SCHEMA,
            Parameter("min_file_size", COUNT, by_name=True),
            Parameter("max_file_size", COUNT, by_name=True),
            Parameter("max_compacted_files", COUNT, by_name=True),
        ),
        _merge_adjacent_files,
    ),
    Function(
        "rewrite_data_files",
        (Parameter("table_name", TEXT), _SCHEMA, Parameter("delete_threshold", NUMBER, by_name=True)),
        _rewrite_data_files,
    ),
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
