"""Collects the rows of a DataFrame on the driver."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.spark.tasks.types.variants import with_filled_parts
from forklake.spark.values.type_mapping import column_type


def collect(frame: DataFrame) -> pa.Table:
    """Run a DataFrame and return its rows as an Arrow table.

    PySpark fails for NULL variants, because it declares their parts as not nullable. So rows with variants are
    transferred as bytes, and their parts are filled here to match the declaration.
    """
    frame = _with_arrow_types(frame)
    fields = frame.schema.fields
    if not any(_has_variants(field.dataType) for field in fields):
        return frame.toArrow()
    batches = frame.mapInArrow(_pack_batches, "batch binary").toArrow()["batch"]
    if not len(batches):
        return frame.limit(0).toArrow()
    rows = pa.concat_tables([pa.ipc.open_stream(batch.as_buffer()).read_all() for batch in batches])
    arrays = [
        with_filled_parts(array, column_type(field.dataType)) if _has_variants(field.dataType) else array
        for array, field in zip(rows.columns, fields, strict=True)
    ]
    return pa.table(arrays, names=rows.column_names)


def _pack_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()])], ["batch"])


def _with_arrow_types(frame: DataFrame) -> DataFrame:
    """The DataFrame with types that Arrow supports: what has no type, as in `explode(array())`, must be nullable."""
    fields = frame.schema.fields
    known = [_arrow_field(field) for field in fields]
    if fields == known:
        return frame
    places = frame.toDF(*(f"c{at}" for at in range(len(fields))))
    columns = [
        # Nothing but NULL has no type.
        F.lit(None) if isinstance(field.dataType, st.NullType) else F.col(f"c{at}").cast(field.dataType)
        for at, field in enumerate(known)
    ]
    return places.select(*columns).toDF(*frame.columns)


def _arrow_type(data_type: st.DataType) -> st.DataType:
    match data_type:
        case st.ArrayType(elementType=st.NullType()):
            return st.ArrayType(st.NullType(), containsNull=True)
        case st.ArrayType():
            return st.ArrayType(_arrow_type(data_type.elementType), data_type.containsNull)
        case st.MapType():
            key = st.StringType() if isinstance(data_type.keyType, st.NullType) else _arrow_type(data_type.keyType)
            is_unknown = isinstance(data_type.valueType, st.NullType)
            return st.MapType(key, _arrow_type(data_type.valueType), is_unknown or data_type.valueContainsNull)
        case st.StructType():
            return st.StructType([_arrow_field(field) for field in data_type.fields])
    return data_type


def _arrow_field(field: st.StructField) -> st.StructField:
    is_nullable = field.nullable or isinstance(field.dataType, st.NullType)
    return st.StructField(field.name, _arrow_type(field.dataType), is_nullable, field.metadata)


def _has_variants(data_type: st.DataType) -> bool:
    match data_type:
        case st.StructType():
            return any(_has_variants(field.dataType) for field in data_type.fields)
        case st.ArrayType():
            return _has_variants(data_type.elementType)
        case st.MapType():
            return _has_variants(data_type.valueType)
    return isinstance(data_type, st.VariantType)
