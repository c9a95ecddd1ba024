"""Arrow tables to DataFrames."""

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.model.assignment import UNTYPED
from forklake.model.column_types import ColumnType
from forklake.spark.values.arrow_type import type_in_arrow
from forklake.spark.values.assign_array import assigned_array
from forklake.spark.values.type_mapping import shown_type


def from_arrow(spark: SparkSession, rows: pa.Table) -> DataFrame:
    """The rows with the types in which tables show them.

    By default, PySpark would interpret timestamps without time zone in that of the session, and rejects unsigned
    integers, uuids and NULL variants.
    """
    if not rows.column_names:
        return spark.range(rows.num_rows).select()
    kinds = [_array_column_type(array) for array in rows.columns]
    arrays = [
        array if _is_untyped(kind) else assigned_array(array, kind, name)
        for array, kind, name in zip(rows.columns, kinds, rows.column_names, strict=True)
    ]
    schema = st.StructType(
        [st.StructField(name, _spark_type(kind)) for name, kind in zip(rows.column_names, kinds, strict=True)]
    )
    return local_frame(spark, pa.table(arrays, names=rows.column_names), schema)


def local_frame(spark: SparkSession, rows: pa.Table, schema: st.StructType) -> DataFrame:
    """The rows as a DataFrame whose filters are simplified by Spark before they are evaluated, as for files.

    Spark filters local rows during planning, with conditions as written, and fails where `s < 1 AND false` would not
    read any row. A sort prevents this; as it is by a constant, it is removed from the plan later.
    """
    return spark.createDataFrame(rows, schema).sortWithinPartitions(F.lit(True))


def _array_column_type(array: pa.ChunkedArray) -> ColumnType:
    """The type of a column. Nanosecond timestamps become microseconds if no precision is lost."""
    kind = type_in_arrow(array.type) or UNTYPED
    if kind.name != "timestamp_ns":
        return kind
    ticks = array.cast(pa.int64())
    is_whole = pc.all(pc.equal(pc.multiply(pc.divide(ticks, 1000), 1000), ticks)).as_py()
    return kind if is_whole is False else ColumnType("timestamp")


def _is_untyped(kind: ColumnType) -> bool:
    """Whether any part of it is always NULL."""
    return kind == UNTYPED or any(_is_untyped(child) for _, child in kind.fields)


def _spark_type(kind: ColumnType) -> st.DataType:
    if not _is_untyped(kind):
        return shown_type(kind)
    children = [_spark_type(child) for _, child in kind.fields]
    match kind.name:
        case "struct":
            names = [name for name, _ in kind.fields]
            return st.StructType([st.StructField(*field) for field in zip(names, children, strict=True)])
        case "list":
            return st.ArrayType(children[0])
        case "map":
            return st.MapType(children[0], children[1])
    return st.NullType()
