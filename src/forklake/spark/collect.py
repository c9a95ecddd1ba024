"""The rows of a DataFrame on the driver."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as st

from forklake.spark.tasks.arrow_types import shown_type
from forklake.spark.type_mapping import column_type

_PARTS = st.StructType([st.StructField("value", st.BinaryType()), st.StructField("metadata", st.BinaryType())])
"""What a variant is made of."""


def collect(frame: DataFrame) -> pa.Table:
    """Run a DataFrame, and take its rows as Arrow.

    PySpark fails at a NULL among variants, so those come as their parts.
    """
    fields = frame.schema.fields
    if not any(has_variants(field.dataType) for field in fields):
        return frame.toArrow()
    parted = st.StructType([st.StructField(field.name, _parted(field.dataType)) for field in fields])
    rows = frame.mapInArrow(_unchanged, parted).toArrow()
    arrays = [_shown(array, field.dataType) for array, field in zip(rows.columns, fields, strict=True)]
    return pa.table(arrays, names=rows.column_names)


def has_variants(data_type: st.DataType) -> bool:
    """Whether values of a type are, or hold, variants."""
    match data_type:
        case st.StructType():
            return any(has_variants(field.dataType) for field in data_type.fields)
        case st.ArrayType():
            return has_variants(data_type.elementType)
        case st.MapType():
            return has_variants(data_type.valueType)
    return isinstance(data_type, st.VariantType)


def _unchanged(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def _shown(array: pa.ChunkedArray, data_type: st.DataType) -> pa.ChunkedArray:
    return array.cast(shown_type(column_type(data_type))) if has_variants(data_type) else array


def _parted(data_type: st.DataType) -> st.DataType:
    """The type with variants taken apart."""
    match data_type:
        case st.VariantType():
            return _PARTS
        case st.StructType():
            return st.StructType([st.StructField(field.name, _parted(field.dataType)) for field in data_type.fields])
        case st.ArrayType():
            return st.ArrayType(_parted(data_type.elementType))
        case st.MapType():
            return st.MapType(data_type.keyType, _parted(data_type.valueType))
    return data_type
