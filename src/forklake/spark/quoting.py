"""Names as Spark's expressions take them."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def quoted(name: str) -> str:
    """A name in backticks: dots and the like are part of it."""
    return "`" + name.replace("`", "``") + "`"


def named(name: str) -> Column:
    """The column of exactly this name."""
    return F.col(quoted(name))


def named_by_place(frame: DataFrame, count: int) -> DataFrame:
    """The DataFrame with plain names for its first columns: PySpark hands columns with a dot in theirs to no Python."""
    return frame.toDF(*(f"c{at}" for at in range(count)), *frame.columns[count:])
