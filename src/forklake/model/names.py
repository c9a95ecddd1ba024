"""Identifiers: validation, comparison, quoting, and use in paths."""

import difflib
import re
import unicodedata
from collections.abc import Iterable

from forklake.errors import InvalidInput, InvalidName

DEFAULT_SCHEMA = "main"
"""The initial schema of every catalog, used for names without a schema."""
MAX_NAME_BYTES = 255

_SHOWN_CHARACTERS = 40
_SAFE_SEGMENT = re.compile(r"[A-Za-z0-9_-]+")
_PART = r'(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|[^."`]+)'
_QUALIFIED = re.compile(rf"({_PART})(?:\.({_PART}))?\Z")
_BARE_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_catalog_name(name: object) -> str:
    """Returns the name if it is valid for a catalog: stricter than for an object, because it starts a path."""
    checked = check_object_name(name, "catalog")
    if checked in {".", ".."}:
        raise InvalidName(f"The catalog name {checked!r} is not allowed, because it means a directory.")
    if "/" in checked or "\\" in checked:
        raise InvalidName(f"The catalog name {_quoted_excerpt(checked)} contains a slash or a backslash.")
    if checked != checked.strip():
        raise InvalidName(f"The catalog name {_quoted_excerpt(checked)} starts or ends with white space.")
    return checked


def check_object_name(name: object, what: str) -> str:
    """Returns the name if it is valid for a schema, table, view, macro or column (`what`)."""
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
"""Prefixes of the internal columns that are added to those of a table while rows are read and written."""


ROW_INDEX = "_tmp_metadata_row_index"
"""The internal name of Spark for the position of a row before it becomes `_metadata.row_index`.

Spark mistakes a column of a file with this name for the position.
"""


def check_column_name(name: object, what: str = "column") -> str:
    """Returns the name if it is valid for a column or nested field."""
    if isinstance(name, str) and "${" in name:
        # Spark substitutes settings or variables here when it reads files, even within quotes.
        raise InvalidName(
            f"The {what} name {_quoted_excerpt(name)} contains '${{', which Spark would interpret as a variable."
        )
    if isinstance(name, str) and fold(name) == ROW_INDEX:
        raise InvalidName(f"The {what} name {_quoted_excerpt(name)} is reserved by Spark for row positions in files.")
    if isinstance(name, str) and fold(name).startswith(RESERVED):
        raise InvalidName(
            f"The {what} name {_quoted_excerpt(name)} has a prefix that is reserved for internal columns."
        )
    return check_object_name(name, what)


def split_qualified(name: str) -> tuple[str, str] | None:
    """Schema and name of `schema.name`, of which either part may be quoted; None if it is nothing of that form."""
    found = split_name(name)
    return None if found is None or found[0] is None else (found[0], found[1])


def split_name(name: str) -> tuple[str | None, str] | None:
    """Schema, if there is one, and name of `schema.name` or `name`; None for other forms."""
    found = _QUALIFIED.match(name)
    if found is None:
        return None
    first, second = (None if part is None else _unquote(part) for part in found.groups())
    return (None, str(first)) if second is None else (first, second)


def _unquote(part: str) -> str:
    return part[1:-1].replace(part[0] * 2, part[0]) if part[0] in '"`' else part


def fold(name: str) -> str:
    """The key for comparing names, which are case-insensitive."""
    return name.lower()


def path_segment(name: str, uuid_text: str) -> str:
    """The directory of an object: its name if that is safe in every file system, else its uuid."""
    return name if _SAFE_SEGMENT.fullmatch(name) else uuid_text


def is_own_folder(path: str) -> bool:
    """Whether a catalog can have this folder: a direct subfolder of the data path."""
    return "/" not in path and path not in ("", ".", "..")


def is_storable(text: str) -> bool:
    """Whether the databases can store the text; they cannot store NUL and lone surrogates."""
    return "\0" not in text and _utf8_size(text) is not None


def check_text(text: str, what: str) -> str:
    """Returns the text if the databases can store it."""
    if not is_storable(text):
        raise InvalidInput(f"The {what} {_quoted_excerpt(text)} contains NUL or an unpaired surrogate.")
    return text


def quote_identifier(name: str) -> str:
    """The name in SQL double quotes, with inner quotes doubled."""
    return '"' + name.replace('"', '""') + '"'


def quote_if_needed(name: str) -> str:
    """The name, in double quotes if SQL requires it."""
    return name if _BARE_IDENTIFIER.fullmatch(name) else quote_identifier(name)


def closest_name(name: str, candidates: Iterable[str]) -> str | None:
    """The closest candidate, if any is similar."""
    by_key = {fold(candidate): candidate for candidate in candidates}
    matches = difflib.get_close_matches(fold(name), by_key, n=1)
    return by_key[matches[0]] if matches else None


def did_you_mean(name: str, candidates: Iterable[str], otherwise: str = "") -> str:
    """The end of a message about an unknown name: a suggestion with a leading space, or `otherwise`."""
    nearest = closest_name(name, candidates)
    return f" Did you mean '{nearest}'?" if nearest else otherwise


def _utf8_size(name: str) -> int | None:
    try:
        return len(name.encode("utf-8"))
    except UnicodeEncodeError:
        return None


def _quoted_excerpt(name: str) -> str:
    """The name as shown in error messages: escaped, and truncated if long."""
    return repr(name) if len(name) <= _SHOWN_CHARACTERS else repr(name[:_SHOWN_CHARACTERS]) + "..."
