"""Files in which all rows satisfy a predicate, so that they can be deleted without being read.

The opposite of pruning: a file is dropped there if no row can match, and selected here if every row must match. The
predicate must be TRUE, so both FALSE and NULL disqualify the file. As the rows are not read, only types with exact
comparison qualify, and only predicates that are fully understood, because evaluating the others might fail.
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
"""Types whose statistics are exact, without rounding or time zones."""


def survivor_filter(predicate: Predicate, columns: Columns) -> FileFilter:
    """A filter that keeps every file that may contain a row for which the predicate is not TRUE.

    Ignores partition values: only the statistics of the file itself are trusted.
    """
    if not _is_exact(predicate, columns):
        return Everything()
    nulls = tuple(IsNull(path) for path in dict.fromkeys(_compared_columns(predicate)))
    return file_filter(Or((negate(predicate), *nulls)), columns)


def _is_exact(predicate: Predicate, columns: Columns) -> bool:
    """Whether parts of the predicate are NULL only because their column is NULL, and compare exact values."""
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
    """The columns for which a NULL may make the predicate NULL."""
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
