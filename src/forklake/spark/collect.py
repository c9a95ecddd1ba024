"""The rows of a DataFrame on the driver."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as st

from forklake.spark.tasks.variants import with_filled_parts
from forklake.spark.type_mapping import column_type


def collect(frame: DataFrame) -> pa.Table:
    """Run a DataFrame, and take its rows as Arrow.

    PySpark fails at a NULL among variants, because it says of their parts that none is NULL. So rows with variants
    are sent as bytes, and what is said of them is made true here.
    """
    fields = frame.schema.fields
    if not any(_has_variants(field.dataType) for field in fields):
        return frame.toArrow()
    batches = frame.mapInArrow(_packed, "batch binary").toArrow()["batch"]
    if not len(batches):
        return frame.limit(0).toArrow()
    rows = pa.concat_tables([pa.ipc.open_stream(batch.as_buffer()).read_all() for batch in batches])
    arrays = [
        with_filled_parts(array, column_type(field.dataType)) if _has_variants(field.dataType) else array
        for array, field in zip(rows.columns, fields, strict=True)
    ]
    return pa.table(arrays, names=rows.column_names)


def _packed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()])], ["batch"])


def _has_variants(data_type: st.DataType) -> bool:
    match data_type:
        case st.StructType():
            return any(_has_variants(field.dataType) for field in data_type.fields)
        case st.ArrayType():
            return _has_variants(data_type.elementType)
        case st.MapType():
            return _has_variants(data_type.valueType)
    return isinstance(data_type, st.VariantType)
