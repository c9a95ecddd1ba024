"""The keyword DEFAULT in place of a value."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from forklake.errors import InvalidRows, SyntaxProblem
from forklake.model.column_types import ColumnType
from forklake.model.entities import Column, Table
from forklake.model.ids import ColumnId
from forklake.spark.values.quoting import column_named
from forklake.spark.writing.incoming import default_value, fit_value
from forklake.sql.parsing.cursor import Cursor

_FLAG = Column(ColumnId(0), "is_default", ColumnType("boolean"))


@dataclass(frozen=True, slots=True)
class MarkedValues:
    """VALUES with NULL for each DEFAULT, and a flag column appended for each column with a DEFAULT."""

    text: str
    columns: tuple[Column, ...]
    """The columns of the text, including the flags."""
    marked: tuple[int, ...]
    """Positions of the columns that have a DEFAULT in some row."""


def is_default(text: str) -> bool:
    return text.strip().upper() == "DEFAULT"


def marked_values(text: str, dialect: str, columns: Sequence[Column]) -> MarkedValues | None:
    """VALUES for these columns with its defaults marked; None if it has none, or for any other query."""
    rows = _rows(Cursor(text, dialect))
    marked = sorted({at for row in rows for at, value in enumerate(row) if is_default(value)})
    if not marked:
        return None
    for row in rows:
        if len(row) != len(columns):
            raise InvalidRows(f"the table has {len(columns)} columns but {len(row)} values were supplied")
    written = ", ".join(_row(row, marked) for row in rows)
    return MarkedValues(f"VALUES {written}", (*columns, *[_FLAG] * len(marked)), tuple(marked))


def _rows(cursor: Cursor) -> list[list[str]]:
    """The values of each row of VALUES; empty for any other text."""
    rows: list[list[str]] = []
    if not cursor.accept("VALUES"):
        return []
    try:
        while not rows or cursor.accept(","):
            cursor.expect("(")
            rows.append([cursor.text_until(",")])
            while cursor.accept(","):
                rows[-1].append(cursor.text_until(","))
            cursor.expect(")")
    except SyntaxProblem:
        return []
    return rows if cursor.at_end else []


def _row(values: Sequence[str], marked: Sequence[int]) -> str:
    written = ["NULL" if is_default(value) else f"{value}\n" for value in values]
    return f"({', '.join([*written, *(str(is_default(values[at])).lower() for at in marked)])})"


def with_defaults(
    rows: DataFrame, values: MarkedValues, table: Table, *, refuses_large_floats: bool = False
) -> DataFrame:
    """The rows of marked VALUES, with column defaults of the table where marked."""
    given = rows.toDF(*(f"c{at}" for at in range(len(values.columns))))
    width, fields = len(values.columns) - len(values.marked), given.schema.fields
    found = {at: column_named(f"c{at}") for at in range(width)}
    for flag, at in enumerate(values.marked, width):
        column = values.columns[at]
        otherwise = fit_value(found[at], fields[at].dataType, column, table, refuses_large_floats=refuses_large_floats)
        found[at] = F.when(column_named(f"c{flag}"), default_value(column, table)).otherwise(otherwise)
    return given.select(*(value.alias(values.columns[at].name) for at, value in found.items()))
