"""Quoting of names in Spark's expressions."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def quoted_name(name: str) -> str:
    """A name in backticks, so that dots and other special characters are part of it."""
    return "`" + name.replace("`", "``") + "`"


def select_columns(frame: DataFrame, columns: Sequence[Column | str]) -> DataFrame:
    """Selects columns, as SQL if possible: expressions take JVM calls for each of their parts."""
    texts = [column for column in columns if isinstance(column, str)]
    if len(texts) == len(columns):
        return frame.selectExpr(*texts)
    return frame.select(*(F.expr(column) if isinstance(column, str) else column for column in columns))


def column_named(name: str) -> Column:
    """The column with exactly this name."""
    return F.col(quoted_name(name))


def rename_by_position(frame: DataFrame, count: int) -> DataFrame:
    """The DataFrame with plain names for its first columns: PySpark cannot pass columns with dots to Python."""
    return frame.toDF(*(f"c{at}" for at in range(count)), *frame.columns[count:])
