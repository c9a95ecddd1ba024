"""Which files hold only rows that a predicate keeps, so that they can be deleted without being read.

The opposite of pruning: there a file is dropped when no row can match, here it is taken when every row must. A row
is kept where the predicate is TRUE, so both FALSE and NULL count against the file.
"""

from collections.abc import Iterator

from forklake.model.predicates import And, Comparison, In, IsNull, Not, Or, Path, Predicate, StartsWith, Unknown, negate
from forklake.model.pruning import Columns, FileFilter, file_filter


def spared_filter(predicate: Predicate, columns: Columns) -> FileFilter:
    """Keeps every file that may hold a row for which the predicate is not TRUE.

    Partition values say nothing here: only the statistics of the file itself are trusted.
    """
    certain = _certain(predicate)
    nulls = tuple(IsNull(path) for path in dict.fromkeys(_compared(certain)))
    return file_filter(Or((negate(certain), *nulls)), columns)


def _certain(predicate: Predicate) -> Predicate:
    """The predicate with conditions that are NULL for other reasons than a NULL in their column made unknown."""
    match predicate:
        case And(parts):
            return And(tuple(_certain(part) for part in parts))
        case Or(parts):
            return Or(tuple(_certain(part) for part in parts))
        case Not(part):
            return Not(_certain(part))
        case Comparison(value=None):
            return Unknown()
        case In(values=values) if None in values:
            return Unknown()
        case _:
            return predicate


def _compared(predicate: Predicate) -> Iterator[Path]:
    """The columns whose NULL may make the predicate NULL."""
    match predicate:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _compared(part)
        case Not(part):
            yield from _compared(part)
        case Comparison(column=column) | In(column=column) | StartsWith(column=column):
            yield column
        case _:
            return
