"""Functions on the secrets of a session, which belong to no catalog. No result shows a secret."""

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

from forklake.errors import InvalidInput
from forklake.model.names import fold
from forklake.model.store_secrets import SecretRegistry
from forklake.sql.parsing.statements import Name
from forklake.sql.results.arrow_rows import arrow_rows

_SECRETS = pa.schema(
    [
        ("name", pa.string()),
        ("type", pa.string()),
        ("provider", pa.string()),
        ("persistent", pa.bool_()),
        ("storage", pa.string()),
        ("scope", pa.list_(pa.string())),
        ("secret_string", pa.string()),
    ]
)
_FOUND = pa.schema([("name", pa.string()), ("persistent", pa.string()), ("storage", pa.string())])
_STORAGE = "memory"


def list_secrets(secrets: SecretRegistry) -> pa.Table:
    """All secrets by name, with their parameters, except those that must not be shown."""
    rows = [(each.name, each.type, each.provider, False, _STORAGE, list(each.scopes), each.shown) for each in secrets]
    return arrow_rows(_SECRETS, sorted(rows))


def which_secret(secrets: SecretRegistry, path: object, type_: object) -> pa.Table:
    """The secret with which a path is accessed, if it is of the type."""
    if not isinstance(path, str) or not isinstance(type_, str):
        raise InvalidInput("which_secret takes a path and a type, such as which_secret('s3://bucket/folder', 's3').")
    found = secrets.stores.for_path(path)
    rows = [] if found is None or found.type != type_.lower() else [(found.name, "TEMPORARY", _STORAGE)]
    return arrow_rows(_FOUND, rows)


SECRET_FUNCTIONS: Mapping[str, tuple[int, Callable[..., pa.Table]]] = {
    "duckdb_secrets": (0, list_secrets),
    "which_secret": (2, which_secret),
}
"""By name, the number of arguments and the function."""


def is_secret_function(name: Name) -> bool:
    return len(name) == 1 and fold(name[0]) in SECRET_FUNCTIONS


def call_secret_function(
    secrets: SecretRegistry, name: Name, arguments: Sequence[object], named: Mapping[str, object]
) -> pa.Table:
    count, function = SECRET_FUNCTIONS[fold(name[0])]
    if named or len(arguments) != count:
        raise InvalidInput(f"{fold(name[0])} takes {count} arguments, by position.")
    return function(secrets, *arguments)
