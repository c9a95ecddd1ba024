"""What a column of a table is to DuckDB, in the words of the translation."""

from sqlglot import exp

from forklake.model.column_types import ColumnType
from forklake.model.entities import Column
from forklake.sql.duckdb.type_hints import Types

_LEFT_TO_SPARK = frozenset({"timestamp_ns", "variant", "geometry", "timetz", "time_ns"})
"""Types whose values are shown as something else, which is all that there is to compute with."""

_TEXTS_IN_SPARK = {exp.DType.UUID: ColumnType("uuid"), exp.DType.TIME: ColumnType("time")}


def duckdb_type(column: Column) -> exp.DataType | None:
    """The type of a column; None for one that the translation takes for what Spark has of it."""
    if any(field.type.name in _LEFT_TO_SPARK for field in column.walk()):
        return None
    return exp.DataType.build(column.type.sql(), dialect="duckdb")


def texts_in_spark(types: Types) -> dict[str, ColumnType]:
    """The columns that are texts to Spark alone, with their types."""
    return {
        name: _TEXTS_IN_SPARK[type_.this]
        for name, type_ in types.items()
        if isinstance(type_, exp.DataType) and type_.this in _TEXTS_IN_SPARK
    }
