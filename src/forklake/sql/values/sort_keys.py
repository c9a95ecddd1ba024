"""Sort keys as texts, in statements and in Python."""

from collections.abc import Collection, Sequence

from forklake.errors import InvalidInput, SyntaxProblem
from forklake.model.entities import SortKey
from forklake.model.names import fold, quote_if_needed
from forklake.sql.parsing import parse_ddl
from forklake.sql.parsing.cursor import Cursor, check_end, quoted_name
from forklake.sql.parsing.statements import SortText


def read_sort_keys(keys: Sequence[SortText], dialect: str) -> tuple[SortKey, ...]:
    """Sort keys; the default NULL order is that of the dialect."""
    return tuple(_sort_key(key, dialect) for key in keys)


def parse_sort_key(text: str, columns: Collection[str] = ()) -> SortKey:
    """The name of one of the columns, or a key as in SORTED BY of the dialect spark: `lower(name) DESC NULLS LAST`."""
    if fold(text) in map(fold, columns):
        name = text if quote_if_needed(text) == text else quoted_name(text, "spark")
        return _sort_key(SortText(name), "spark")
    # The line break ends a trailing comment.
    try:
        cursor = Cursor(f"({text}\n)", "spark")
        found = check_end(cursor, parse_ddl.sort_texts(cursor))
    except SyntaxProblem:
        raise InvalidInput(f"'{text}' is not a sort key.") from None
    if len(found) > 1:
        raise InvalidInput(f"'{text}' is more than one sort key; give a list of keys.")
    return _sort_key(found[0], "spark")


def _sort_key(key: SortText, dialect: str) -> SortKey:
    first = key.nulls_first if key.nulls_first is not None else dialect == "spark" and not key.descending
    return SortKey(
        key.expression, "DESC" if key.descending else "ASC", "NULLS_FIRST" if first else "NULLS_LAST", dialect
    )
