"""Our functions by name: `ducklake_snapshots('lake')`, `lake.snapshots()`, or `snapshots()` of the current catalog."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame

from forklake.catalog.transaction.names import find_schema, get_schema
from forklake.errors import InvalidInput, NoSuchCatalog
from forklake.model.names import closest_name, did_you_mean, fold
from forklake.sql.binding.names import Context, attached_as, context_of, in_use, read_transaction, schema_in
from forklake.sql.functions.change_feed import CHANGE_FUNCTIONS
from forklake.sql.functions.operations import MAINTENANCE
from forklake.sql.functions.procedures import PROCEDURES
from forklake.sql.functions.read_functions import READ_FUNCTIONS
from forklake.sql.functions.signatures import Function, FunctionCall
from forklake.sql.parsing.statements import Name
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.catalog_changes import catalog_to_fork
from forklake.sql.session.state import SessionState

FUNCTIONS: Mapping[str, Function] = {
    function.name: function for function in (*READ_FUNCTIONS, *CHANGE_FUNCTIONS, *PROCEDURES, *MAINTENANCE)
}
_PREFIX = "ducklake_"
_READING = {function.name for function in (*READ_FUNCTIONS, *CHANGE_FUNCTIONS)}


@dataclass(frozen=True, slots=True)
class FoundFunction:
    """One of our functions by its short name, its catalog, and the schema in which it looks up tables."""

    function: Function
    attachment: Attachment
    schema: str | None
    """None if it was not named."""


def is_function(state: SessionState, context: Context, name: Name) -> bool:
    """Whether the name is one of our functions, in a context."""
    return long_function(name) is not None or short_function(state, context, name) is not None


def call_function(
    state: SessionState,
    name: Name,
    arguments: Sequence[object],
    named: Mapping[str, object],
    context: Context | None = None,
) -> pa.Table | DataFrame:
    """Call a function. Metadata is returned as an Arrow table, rows of tables as a DataFrame."""
    function, call = bind_call(state, name, arguments, named, context or context_of(state))
    if call.context.is_kept:
        check_keepable(function)
    return function.run(call)


def bind_call(
    state: SessionState,
    name: Name,
    arguments: Sequence[object],
    named: Mapping[str, object],
    context: Context,
) -> tuple[Function, FunctionCall]:
    """The function of a name, and its call with these arguments, which is yet to run."""
    function = long_function(name)
    if function is not None:
        return function, _bind_long_form(state, context, function, arguments, named)
    found = short_function(state, context, name)
    if found is None:
        raise InvalidInput(f"There is no function '{'.'.join(name)}'.{_hint(name[-1])}")
    function, attachment, schema = found.function, found.attachment, found.schema
    if schema is None:
        schema = schema_in(context, attachment)
    else:
        schema = get_schema(read_transaction(state, context, attachment), schema).name
    given = function.bind(arguments, named, short=True, zone=state.time_zone)
    return function, FunctionCall(state, attachment, schema, given, context, function.name)


def _bind_long_form(
    state: SessionState,
    context: Context,
    function: Function,
    arguments: Sequence[object],
    named: Mapping[str, object],
) -> FunctionCall:
    by_name = {fold(key): value for key, value in named.items()}
    if not arguments and "catalog" not in by_name:
        raise InvalidInput(
            f"{function.name}: the catalog is missing. Its signature is {function.signature(short=False)}."
        )
    name = f"{_PREFIX}{function.name}"
    alias, *rest = arguments if arguments else (by_name.pop("catalog"),)
    is_fork = function.name == "fork_catalog"
    attachment = _attachment_to_fork(state, context, alias) if is_fork else _get_attachment(state, context, alias)
    given = function.bind(rest, by_name, short=False, zone=state.time_zone)
    return FunctionCall(state, attachment, schema_in(context, attachment), given, context, name)


def check_keepable(function: Function) -> None:
    """Raises InvalidInput for functions with side effects, which views and macros cannot call."""
    if function.name not in _READING:
        raise InvalidInput(f"{function.name} changes something: views and macros cannot call it. Call it by itself.")


def _attachment_to_fork(state: SessionState, context: Context, name: object) -> Attachment:
    """Resolve the catalog as FORK CATALOG does."""
    if name is None or state.current_catalog is None or context.is_kept:
        return _get_attachment(state, context, name)
    try:
        return catalog_to_fork(state, str(name))
    except NoSuchCatalog:
        return _get_attachment(state, context, name)


def _get_attachment(state: SessionState, context: Context, alias: object) -> Attachment:
    if alias is None:
        raise InvalidInput("Catalog cannot be NULL")
    if context.is_kept:
        raise NoSuchCatalog(
            f"'{alias}' is the name of an attachment, which views and macros cannot use: they read"
            " the catalog they are in. Call the function by its short name, such as snapshots()."
        )
    found = state.attachments.find(str(alias))
    if found is None:
        nearest = closest_name(str(alias), [attachment.name for attachment in state.attachments])
        hint = f'; did you mean "{nearest}"?' if nearest else ""
        raise NoSuchCatalog(f'Failed to find attached database "{alias}"{hint}')
    return found


def long_function(name: Name) -> Function | None:
    """The function of a name such as `ducklake_snapshots`, which takes the catalog as an argument."""
    folded = fold(name[-1])
    return FUNCTIONS.get(folded.removeprefix(_PREFIX)) if len(name) == 1 and folded.startswith(_PREFIX) else None


def short_function(state: SessionState, context: Context, name: Name) -> FoundFunction | None:
    """The function of a name such as `lake.snapshots`."""
    function = FUNCTIONS.get(fold(name[-1]))
    if function is None:
        return None
    own = in_use(state, context)
    match name[:-1]:
        case ():
            return None if own is None else FoundFunction(function, own, None)
        case (first,):
            attached = attached_as(state, context, first)
            if attached is not None:
                return FoundFunction(function, attached, None)
            is_schema = own is not None and find_schema(read_transaction(state, context, own), first) is not None
            return FoundFunction(function, own, first) if own is not None and is_schema else None
        case (first, schema):
            attached = attached_as(state, context, first)
            return None if attached is None else FoundFunction(function, attached, schema)
    return None


def _hint(name: str) -> str:
    return did_you_mean(name, [*FUNCTIONS, *(_PREFIX + known for known in FUNCTIONS)])
