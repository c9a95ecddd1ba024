"""The word DEFAULT in place of a value: what a column has when nothing is given for it."""

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
    """VALUES with NULL for each DEFAULT, and behind its columns one more for each that has any, which says where."""

    text: str
    columns: tuple[Column, ...]
    """Those of the text, with those that say where a value is a default."""
    marked: tuple[int, ...]
    """The places of the columns that have a default somewhere."""


def is_default(text: str) -> bool:
    return text.strip().upper() == "DEFAULT"


def marked_values(text: str, dialect: str, columns: Sequence[Column]) -> MarkedValues | None:
    """VALUES for these columns with its defaults marked; None if it has none, or if the text is another query."""
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
    """The values of each row of VALUES; none if the text is anything else."""
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


def with_defaults(rows: DataFrame, values: MarkedValues, table: Table) -> DataFrame:
    """The rows of marked VALUES, with the defaults of the columns of the table where they are meant."""
    given = rows.toDF(*(f"c{at}" for at in range(len(values.columns))))
    width, fields = len(values.columns) - len(values.marked), given.schema.fields
    found = {at: column_named(f"c{at}") for at in range(width)}
    for flag, at in enumerate(values.marked, width):
        column = values.columns[at]
        otherwise = fit_value(found[at], fields[at].dataType, column, table)
        found[at] = F.when(column_named(f"c{flag}"), default_value(column, table)).otherwise(otherwise)
    return given.select(*(value.alias(values.columns[at].name) for at, value in found.items()))
