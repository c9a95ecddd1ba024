"""The maintenance operations as functions, generated from their registry."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import NoneType
from typing import Any, get_args

import pyarrow as pa

from forklake.catalog.retention.expiry import Age
from forklake.errors import InvalidInput
from forklake.maintenance.commits import Place
from forklake.maintenance.operations import OPERATIONS, Operation, OperationParameter, operation_rows
from forklake.sql.functions.read_functions import snapshot_rows
from forklake.sql.functions.signatures import (
    COUNT,
    COUNTS,
    FLAG,
    NUMBER,
    TEXT,
    TEXTS,
    TIME,
    ArgumentKind,
    Function,
    FunctionCall,
    Parameter,
)
from forklake.sql.results.arrow_rows import MOMENT, arrow_rows
from forklake.sql.session.maintenance import run_operation

_KINDS: Mapping[Any, ArgumentKind] = {
    str: TEXT,
    bool: FLAG,
    int: COUNT,
    float: NUMBER,
    Age: TIME,
    Collection[int]: COUNTS,
    Sequence[str]: TEXTS,
}
_ARROW = {int: pa.int64(), datetime: MOMENT, tuple[str, ...]: pa.list_(pa.string())}
_ALIASES = {"cleanup_orphaned_files": "delete_orphaned_files"}


def _run(operation: Operation, call: FunctionCall) -> pa.Table:
    found = run_operation(call.state, call.attachment, operation, _arguments(operation, call), called=call.name)
    if operation.name == "expire_snapshots":
        return snapshot_rows(found)
    schema = pa.schema([(name, _arrow_type(hint)) for name, hint in operation.row_types().items()])
    return arrow_rows(schema, operation_rows(found))


def _arguments(operation: Operation, call: FunctionCall) -> dict[str, Any]:
    given = {parameter.name: _argument(parameter, call) for parameter in operation.parameters}
    if "table_name" in given:
        table, schema = given.pop("table_name"), given.pop("schema")
        given["place"] = Place(call.schema if schema is None and table is not None else schema, table)
    return given


def _argument(parameter: OperationParameter, call: FunctionCall) -> Any:
    value = call.get(parameter.sql_name)
    if value is None and parameter.type is int and parameter.sql_name in call.given:
        raise InvalidInput(f"The {parameter.sql_name} option must be a non-null integer.")
    return parameter.default if value is None else value


def _arrow_type(hint: Any) -> pa.DataType:
    """The Arrow type of values with an annotation; literals are texts, and ids are numbers."""
    [hint] = [each for each in get_args(hint) if each is not NoneType] if NoneType in get_args(hint) else [hint]
    return _ARROW.get(getattr(hint, "__supertype__", hint), pa.string())


def _function(name: str, operation: Operation) -> Function:
    parameters = tuple(_parameter(p) for p in operation.parameters)
    return Function(name, parameters, partial(_run, operation))


def _parameter(given: OperationParameter) -> Parameter:
    nullable = given.default is None and not given.required
    return Parameter(
        given.sql_name, _KINDS[given.type], required=given.required, nullable=nullable, by_name=given.by_name
    )


MAINTENANCE = tuple(
    _function(name, operation)
    for name, operation in (*OPERATIONS.items(), *((alias, OPERATIONS[name]) for alias, name in _ALIASES.items()))
)
