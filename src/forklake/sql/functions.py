"""Our functions by name: `ducklake_snapshots('lake')`, `lake.snapshots()`, and `snapshots()` of the catalog in use."""

from collections.abc import Mapping, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame

from forklake.catalog.names import find_schema, get_schema
from forklake.errors import InvalidInput, NoSuchCatalog
from forklake.model.names import closest, did_you_mean, fold
from forklake.sql.attachments import Attachment
from forklake.sql.catalog_changes import catalog_to_fork
from forklake.sql.change_feed import CHANGE_FUNCTIONS
from forklake.sql.cleanup_calls import CLEANUP
from forklake.sql.compaction_calls import COMPACTION
from forklake.sql.maintenance_calls import MAINTENANCE
from forklake.sql.procedures import PROCEDURES
from forklake.sql.read_functions import READ_FUNCTIONS
from forklake.sql.signatures import Called, Function
from forklake.sql.state import SessionState
from forklake.sql.statements import Name

FUNCTIONS: Mapping[str, Function] = {
    function.name: function
    for function in (*READ_FUNCTIONS, *CHANGE_FUNCTIONS, *PROCEDURES, *CLEANUP, *COMPACTION, *MAINTENANCE)
}
_PREFIX = "ducklake_"


def is_function(state: SessionState, name: Name) -> bool:
    """Whether the name is one of ours, as seen from the session."""
    return _long(name) is not None or _short(state, name) is not None


def call_function(
    state: SessionState, name: Name, arguments: Sequence[object], named: Mapping[str, object]
) -> pa.Table | DataFrame:
    """Run a function. Metadata comes as an Arrow table, rows of tables as a DataFrame."""
    function = _long(name)
    if function is not None:
        return _call_long(state, function, arguments, named)
    found = _short(state, name)
    if found is None:
        raise InvalidInput(f"There is no function '{'.'.join(name)}'.{_hint(name[-1])}")
    function, attachment, schema = found
    if schema is None:
        schema = state.search_schema(attachment)
    else:
        schema = get_schema(state.transaction(attachment), schema).name
    return function.run(
        Called(state, attachment, schema, function.bind(arguments, named, short=True, zone=state.time_zone))
    )


def _call_long(
    state: SessionState, function: Function, arguments: Sequence[object], named: Mapping[str, object]
) -> pa.Table | DataFrame:
    by_name = {fold(key): value for key, value in named.items()}
    if not arguments and "catalog" not in by_name:
        raise InvalidInput(
            f"{function.name}: the catalog is missing. Its signature is {function.signature(short=False)}."
        )
    alias, *rest = arguments if arguments else (by_name.pop("catalog"),)
    attachment = _to_fork(state, alias) if function.name == "fork_catalog" else _attached(state, alias)
    given = function.bind(rest, by_name, short=False, zone=state.time_zone)
    return function.run(Called(state, attachment, state.search_schema(attachment), given))


def _to_fork(state: SessionState, name: object) -> Attachment:
    """The same catalog as in FORK CATALOG."""
    if name is None or state.current_catalog is None:
        return _attached(state, name)
    try:
        return catalog_to_fork(state, str(name))
    except NoSuchCatalog:
        return _attached(state, name)


def _attached(state: SessionState, alias: object) -> Attachment:
    if alias is None:
        raise InvalidInput("Catalog cannot be NULL")
    found = state.attachments.find(str(alias))
    if found is None:
        nearest = closest(str(alias), [attachment.name for attachment in state.attachments])
        hint = f'; did you mean "{nearest}"?' if nearest else ""
        raise NoSuchCatalog(f'Failed to find attached database "{alias}"{hint}')
    return found


def _long(name: Name) -> Function | None:
    folded = fold(name[-1])
    return FUNCTIONS.get(folded.removeprefix(_PREFIX)) if len(name) == 1 and folded.startswith(_PREFIX) else None


def _short(state: SessionState, name: Name) -> tuple[Function, Attachment, str | None] | None:
    """The function, the catalog it is about, and the schema it was found in."""
    function = FUNCTIONS.get(fold(name[-1]))
    if function is None:
        return None
    in_use = None if state.current_catalog is None else state.attachments.find(state.current_catalog)
    match name[:-1]:
        case ():
            return None if in_use is None else (function, in_use, None)
        case (first,):
            attached = state.attachments.find(first)
            if attached is not None:
                return function, attached, None
            is_schema = in_use is not None and find_schema(state.transaction(in_use), first) is not None
            return (function, in_use, first) if in_use is not None and is_schema else None
        case (first, schema):
            attached = state.attachments.find(first)
            return None if attached is None else (function, attached, schema)
    return None


def _hint(name: str) -> str:
    return did_you_mean(name, [*FUNCTIONS, *(_PREFIX + known for known in FUNCTIONS)])
