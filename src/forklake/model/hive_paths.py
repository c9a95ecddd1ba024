"""Hive-style partition values in folder names: `year=2020/region=a%2Fb/`."""

from urllib.parse import unquote

from forklake.model.column_types import ColumnType
from forklake.model.names import fold
from forklake.model.partitions import NULL_FOLDER

_TEXTS = frozenset({"varchar", "json", "blob"})
"""Types for which an empty string is a value."""


def hive_values(path: str) -> dict[str, str | None]:
    """The values in the folders of a path, by folded name; the first of a name wins. None if the folder means NULL."""
    found: dict[str, str | None] = {}
    for folder in path.split("/")[:-1]:
        key, _, value = folder.partition("=")
        if key and "=" in folder and "=" not in value:
            found.setdefault(fold(_decode(key)), None if value == NULL_FOLDER else _decode(value))
    return found


def hive_value(text: str | None, column_type: ColumnType) -> str | None:
    """The value for a column of this type; None for the word NULL, and for an empty string unless that is a value."""
    if text is None or text.upper() == "NULL" or (not text and column_type.name not in _TEXTS):
        return None
    return text


def _decode(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text
