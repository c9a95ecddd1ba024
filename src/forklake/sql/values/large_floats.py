"""Numbers beyond the range of FLOAT: errors in the DuckDB dialect, while Spark stores an infinity."""

from collections.abc import Sequence

from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.model.entities import Column
from forklake.model.names import fold
from forklake.spark.values.quoting import column_named

BEYOND_FLOAT = float.fromhex("0x1.ffffffp+127")
"""The least number that is rounded to an infinity."""


def refuse_large_floats(
    rows: DataFrame, columns: Sequence[Column], dialect: str, *, by_name: bool = False
) -> DataFrame:
    """The rows of a query for these columns, in their order or by name, with an error for each such number."""
    fields = rows.schema.fields
    if dialect != "duckdb" or (not by_name and len(fields) != len(columns)):
        return rows
    known = {fold(column.name): column for column in columns}
    targets = [known.get(fold(field.name)) for field in fields] if by_name else columns
    checked = {
        at: target
        for at, (field, target) in enumerate(zip(fields, targets, strict=True))
        if target is not None and target.type.name == "float32" and isinstance(field.dataType, st.DoubleType)
    }
    if not checked:
        return rows
    # Column names of a query need not be unique.
    given = rows.toDF(*(f"c{at}" for at in range(len(fields))))
    values = [column_named(f"c{at}") for at in range(len(fields))]
    kept = [_finite(value, value, checked[at]) if at in checked else value for at, value in enumerate(values)]
    return given.select(*(value.alias(f"c{at}") for at, value in enumerate(kept))).toDF(*rows.columns)


def refuse_large_float(value: Expression, column: Column | None, dialect: str) -> Expression:
    """A value for the column, whose type only Spark knows, with an error for such a number."""
    if dialect != "duckdb" or column is None or column.type.name != "float32":
        return value
    # As text, because a number is not what every type can be cast to.
    number = F.when(F.typeof(value) == "double", value.cast("string")).try_cast("double")
    return _finite(value, number, column)


def _finite(value: Expression, number: Expression, column: Column) -> Expression:
    is_beyond = (F.abs(number) >= F.lit(BEYOND_FLOAT)) & (F.abs(number) < F.lit(float("inf")))
    message = F.concat(F.lit(f"Column {column.name} of type FLOAT cannot hold "), number.cast("string"))
    return F.when(is_beyond, F.raise_error(message)).otherwise(value)
