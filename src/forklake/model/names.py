"""Identifiers: what may be a name, how names compare, how they are quoted and used in paths."""

import difflib
import re
import unicodedata
from collections.abc import Iterable

from forklake.errors import InvalidInput, InvalidName

DEFAULT_SCHEMA = "main"
"""The schema that every catalog begins with, and where names without a schema are looked for."""
MAX_NAME_BYTES = 255

_SHOWN_CHARACTERS = 40
_SAFE_SEGMENT = re.compile(r"[A-Za-z0-9_-]+")
_BARE_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_catalog_name(name: object) -> str:
    """The name, if a catalog may have it: stricter than an object name, because it leads a path."""
    checked = check_object_name(name, "catalog")
    if checked in {".", ".."}:
        raise InvalidName(f"The catalog name {checked!r} is not allowed, because it means a directory.")
    if "/" in checked or "\\" in checked:
        raise InvalidName(f"The catalog name {_quoted_excerpt(checked)} contains a slash or a backslash.")
    if checked != checked.strip():
        raise InvalidName(f"The catalog name {_quoted_excerpt(checked)} starts or ends with white space.")
    return checked


def check_object_name(name: object, what: str) -> str:
    """The name, if a schema, table, view, macro or column (`what`) may have it."""
    if not isinstance(name, str):
        raise InvalidName(f"The {what} name must be a string, not {type(name).__name__}.")
    if not name:
        raise InvalidName(f"The {what} name is empty.")
    if any(unicodedata.category(character) == "Cc" for character in name):
        raise InvalidName(f"The {what} name {_quoted_excerpt(name)} contains a control character.")
    size = _utf8_size(name)
    if size is None:
        raise InvalidName(f"The {what} name {_quoted_excerpt(name)} cannot be encoded as UTF-8.")
    if size > MAX_NAME_BYTES:
        raise InvalidName(f"The {what} name {_quoted_excerpt(name)} has {size} bytes, more than {MAX_NAME_BYTES}.")
    return name


RESERVED = ("__forklake_", "_ducklake_internal_")
"""How the names of columns begin that stand beside those of a table while its rows are read and written."""


ROW_INDEX = "_tmp_metadata_row_index"
"""Spark's own name for the position of a row on its way to `_metadata.row_index`. It takes a column of a file that is
called so for the position."""


def check_column_name(name: object, what: str = "column") -> str:
    """The name, if a column or a field of one may have it."""
    if isinstance(name, str) and "${" in name:
        # When it reads files, Spark puts the value of a setting or a variable there, whatever the quotes.
        raise InvalidName(f"The {what} name {_quoted_excerpt(name)} contains '${{', which Spark takes for a variable.")
    if isinstance(name, str) and fold(name) == ROW_INDEX:
        raise InvalidName(
            f"The {what} name {_quoted_excerpt(name)} is Spark's own, for the positions of rows in files."
        )
    if isinstance(name, str) and fold(name).startswith(RESERVED):
        raise InvalidName(
            f"The {what} name {_quoted_excerpt(name)} begins like those of the columns that we add ourselves."
        )
    return check_object_name(name, what)


def fold(name: str) -> str:
    """The key under which names are compared: case does not count."""
    return name.lower()


def path_segment(name: str, uuid_text: str) -> str:
    """The directory of an object: its name if that is safe in any file system, else its uuid."""
    return name if _SAFE_SEGMENT.fullmatch(name) else uuid_text


def is_own_folder(path: str) -> bool:
    """Whether a catalog can have this folder below the data path: a whole one, in nobody else's."""
    return "/" not in path and path not in ("", ".", "..")


def is_storable(text: str) -> bool:
    """Whether the databases can hold the text: NUL and lone surrogates they cannot."""
    return "\0" not in text and _utf8_size(text) is not None


def check_text(text: str, what: str) -> str:
    """The text, if the databases can hold it."""
    if not is_storable(text):
        raise InvalidInput(f"The {what} {_quoted_excerpt(text)} contains NUL or half a character.")
    return text


def quote_identifier(name: str) -> str:
    """The name in SQL double quotes, quotes inside doubled."""
    return '"' + name.replace('"', '""') + '"'


def quote_if_needed(name: str) -> str:
    """The name as it is if SQL reads it so, else in double quotes."""
    return name if _BARE_IDENTIFIER.fullmatch(name) else quote_identifier(name)


def closest_name(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was most likely meant, if any is close."""
    by_key = {fold(candidate): candidate for candidate in candidates}
    matches = difflib.get_close_matches(fold(name), by_key, n=1)
    return by_key[matches[0]] if matches else None


def did_you_mean(name: str, candidates: Iterable[str], otherwise: str = "") -> str:
    """The end of an error about a name that is not there: the nearest one there is, with a space before it."""
    nearest = closest_name(name, candidates)
    return f" Did you mean '{nearest}'?" if nearest else otherwise


def _utf8_size(name: str) -> int | None:
    try:
        return len(name.encode("utf-8"))
    except UnicodeEncodeError:
        return None


def _quoted_excerpt(name: str) -> str:
    """The name as an error message repeats it: escaped, and shortened if long."""
    return repr(name) if len(name) <= _SHOWN_CHARACTERS else repr(name[:_SHOWN_CHARACTERS]) + "..."
