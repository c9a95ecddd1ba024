"""VALUES of nothing but plain literals: rows that need no Spark."""

from collections.abc import Mapping, Sequence

import pyarrow as pa
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.errors import InvalidRows
from forklake.model.column_types import TIMESTAMPS
from forklake.model.entities import Column
from forklake.spark.incoming import as_rows
from forklake.spark.zones import is_utc
from forklake.sql.constants import Parameters
from forklake.sql.cursor import parse_text
from forklake.sql.literal_values import UNKNOWN, literal_value
from forklake.sql.written_values import Written, written_rows

_READ_FROM_TEXT = TIMESTAMPS | {"date"}
_KEEP_COLUMNS = frozenset({"expressions", "from_", "where", "order", "limit", "offset", "distinct", "with_"})
"""Clauses behind which a column of a query is still what its expression says."""


def constant_rows(
    text: str, dialect: str, columns: Sequence[Column], zone: str, parameters: Parameters = None
) -> pa.Table | None:
    """The rows of VALUES for these columns; None if a value is not a plain literal of its column, for Spark."""
    rows = written_rows(text, dialect, parameters)
    if rows is None:
        return None
    for row in rows:
        if len(row) != len(columns):
            raise InvalidRows(f"the table has {len(columns)} columns but {len(row)} values were supplied")
    values = _values(rows, columns, is_utc(zone))
    if values is None:
        return None
    found = as_rows(values, columns)
    assert isinstance(found, pa.Table)
    return found


def _values(
    rows: Sequence[Sequence[Written]], columns: Sequence[Column], zone_is_utc: bool
) -> list[tuple[object, ...]] | None:
    found = []
    for row in rows:
        values = tuple(
            literal_value(written, column.type, zone_is_utc=zone_is_utc)
            for written, column in zip(row, columns, strict=True)
        )
        if any(value is UNKNOWN for value in values):
            return None
        found.append(values)
    return found


def texts_among(text: str, dialect: str, columns: Sequence[Column], parameters: Parameters = None) -> set[int]:
    """The columns of a query that are dates or times to the table and nothing but texts, as literals, in the query."""
    rows = _expressions(text, dialect)
    return {
        at
        for at, column in enumerate(columns)
        if column.type.name in _READ_FROM_TEXT
        and rows
        and all(len(row) == len(columns) and _is_text(row[at], parameters) for row in rows)
    }


def _expressions(text: str, dialect: str) -> list[list[exp.Expr]]:
    """The expressions of each row of VALUES, or of the one SELECT; none if the query is anything else."""
    try:
        tree = parse_text(text, dialect)
    except SqlglotError:
        return []
    while isinstance(tree, exp.Subquery) and _arguments(tree) <= {"this"}:
        tree = tree.this
    if isinstance(tree, exp.Values) and _arguments(tree) <= _KEEP_COLUMNS | {"alias"}:
        return [row.expressions if isinstance(row, exp.Tuple) else [row] for row in tree.expressions]
    if not isinstance(tree, exp.Select) or not _arguments(tree) <= _KEEP_COLUMNS:
        return []
    if any(expression.find(exp.Star) for expression in tree.expressions):
        return []
    return [[expression.unalias() for expression in tree.expressions]]


def _arguments(node: exp.Expr) -> set[str]:
    """The arguments that are set on a node."""
    return {name for name, value in node.args.items() if value is not None and value != [] and value is not False}


def _is_text(value: exp.Expr, parameters: Parameters) -> bool:
    match value:
        case exp.Null():
            return not _arguments(value)
        case exp.Literal():
            return value.is_string and _arguments(value) == {"this", "is_string"}
        case exp.Placeholder() if isinstance(parameters, Mapping) and _arguments(value) <= {"this"}:
            return isinstance(parameters.get(str(value.this)), str)
    return False
