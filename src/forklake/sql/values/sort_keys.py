"""Sort keys as texts, in statements and in Python."""

from collections.abc import Sequence

from forklake.errors import InvalidInput
from forklake.model.entities import SortKey
from forklake.sql.parsing import parse_ddl
from forklake.sql.parsing.cursor import Cursor, check_end
from forklake.sql.parsing.statements import SortText


def sort_keys(keys: Sequence[SortText], dialect: str) -> tuple[SortKey, ...]:
    """Sort keys; the default NULL order is that of the dialect."""
    return tuple(_sort_key(key, dialect) for key in keys)


def parse_sort_key(text: str) -> SortKey:
    """A key as in SORTED BY of the dialect spark, such as `lower(name) DESC NULLS LAST`."""
    # The line break ends a trailing comment.
    cursor = Cursor(f"({text}\n)", "spark")
    found = check_end(cursor, parse_ddl.sort_keys(cursor))
    if len(found) > 1:
        raise InvalidInput(f"'{text}' is more than one sort key; give a list of keys.")
    return _sort_key(found[0], "spark")


def _sort_key(key: SortText, dialect: str) -> SortKey:
    first = key.nulls_first if key.nulls_first is not None else dialect == "spark" and not key.descending
    return SortKey(
        key.expression, "DESC" if key.descending else "ASC", "NULLS_FIRST" if first else "NULLS_LAST", dialect
    )
