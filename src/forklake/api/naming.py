"""Parsing of table names given by users."""

from forklake.errors import InvalidName
from forklake.model import names
from forklake.model.names import DEFAULT_SCHEMA


def split_name(name: str) -> tuple[str, str]:
    """Schema and name of `schema.name`, or of `name` in the schema `main`; either part may be quoted."""
    found = names.split_name(name) if isinstance(name, str) else None
    if found is None:
        raise InvalidName(f"{name!r} is not a table's name; write table, or schema.table.")
    schema, table = found
    return DEFAULT_SCHEMA if schema is None else schema, table
