"""Which files hold only rows that a predicate keeps, so that they can be deleted without being read.

The opposite of pruning: there a file is dropped when no row can match, here it is taken when every row must. A row
is kept where the predicate is TRUE, so both FALSE and NULL count against the file. Nobody looks at the rows any more:
so only values count whose comparison is exact, and only conditions of which every part is known, as the others might
have failed.
"""

from collections.abc import Iterator

from forklake.model.column_types import INTEGERS
from forklake.model.predicates import (
    And,
    CalendarPartIn,
    Comparison,
    In,
    IsNotNull,
    IsNull,
    Not,
    Or,
    Path,
    Predicate,
    StartsWith,
    UnknownPredicate,
    negate,
)
from forklake.model.pruning import Columns, Everything, FileFilter, file_filter

EXACT = INTEGERS | {"boolean", "decimal", "date", "varchar"}
"""Types whose values are what their statistics say, with neither rounding nor zones in between."""


def survivor_filter(predicate: Predicate, columns: Columns) -> FileFilter:
    """Keeps every file that may hold a row for which the predicate is not TRUE.

    Partition values say nothing here: only the statistics of the file itself are trusted.
    """
    if not _is_exact(predicate, columns):
        return Everything()
    nulls = tuple(IsNull(path) for path in dict.fromkeys(_compared_columns(predicate)))
    return file_filter(Or((negate(predicate), *nulls)), columns)


def _is_exact(predicate: Predicate, columns: Columns) -> bool:
    """Whether every part is NULL for no other reason than a NULL in its column, and compares exact values."""
    match predicate:
        case And(parts) | Or(parts):
            return all(_is_exact(part, columns) for part in parts)
        case Not(part):
            return _is_exact(part, columns)
        case IsNull() | IsNotNull():
            return True
        case Comparison(column=path, value=value):
            return value is not None and _has_exact_values(path, columns)
        case In(column=path, values=values):
            return None not in values and _has_exact_values(path, columns)
        case StartsWith(column=path):
            return _has_exact_values(path, columns)
        case CalendarPartIn() | UnknownPredicate():
            return False


def _has_exact_values(path: Path, columns: Columns) -> bool:
    column = columns.get(tuple(name.lower() for name in path))
    return column is not None and column.type.name in EXACT


def _compared_columns(predicate: Predicate) -> Iterator[Path]:
    """The columns whose NULL may make the predicate NULL."""
    match predicate:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _compared_columns(part)
        case Not(part):
            yield from _compared_columns(part)
        case Comparison(column=column) | In(column=column) | StartsWith(column=column):
            yield column
        case _:
            return
