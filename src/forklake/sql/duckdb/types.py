"""DuckDB types of table columns, for the translation."""

from functools import lru_cache

from sqlglot import exp

from forklake.model.column_types import ColumnType
from forklake.model.entities import Column
from forklake.sql.duckdb.type_hints import Types

_LEFT_TO_SPARK = frozenset({"timestamp_ns", "variant", "geometry", "timetz", "time_ns"})
"""Types that are presented to Spark as other types, with which all computation is done."""

_TEXTS_IN_SPARK = {exp.DType.UUID: ColumnType("uuid"), exp.DType.TIME: ColumnType("time")}


def duckdb_type(column: Column) -> exp.DataType | None:
    """The DuckDB type of a column; None if the translation uses the type that Spark has for it."""
    if any(field.type.name in _LEFT_TO_SPARK for field in column.walk()):
        return None
    # A copy: nodes of a tree may be changed.
    return _parse(column.type.sql()).copy()


@lru_cache(4096)
def _parse(text: str) -> exp.DataType:
    return exp.DataType.build(text, dialect="duckdb")


def texts_in_spark(types: Types) -> dict[str, ColumnType]:
    """The columns that are texts in Spark only, with their types."""
    return {
        name: _TEXTS_IN_SPARK[type_.this]
        for name, type_ in types.items()
        if isinstance(type_, exp.DataType) and type_.this in _TEXTS_IN_SPARK
    }
