"""Parsing of table names given by users."""

import re

from forklake.errors import InvalidName
from forklake.model.names import DEFAULT_SCHEMA

_PART = r'(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|[^."`]+)'
_NAME = re.compile(rf"({_PART})(?:\.({_PART}))?\Z")


def split_name(name: str) -> tuple[str, str]:
    """Schema and name of `schema.name`, or of `name` in the schema `main`; either part may be quoted."""
    found = _NAME.match(name) if isinstance(name, str) else None
    if found is None:
        raise InvalidName(f"{name!r} is not a table's name; write table, or schema.table.")
    first, second = (None if part is None else _unquote(part) for part in found.groups())
    return (DEFAULT_SCHEMA, str(first)) if second is None else (str(first), second)


def _unquote(part: str) -> str:
    return part[1:-1].replace(part[0] * 2, part[0]) if part[0] in '"`' else part
