"""Variants in Arrow: two parts, of which neither is ever NULL."""

import pyarrow as pa
import pyarrow.compute as pc

from forklake.model.column_types import ColumnType
from forklake.spark.tasks.types.nested import Children, chunks_of, with_children
from forklake.spark.tasks.types.type_forms import shown_type


def with_filled_parts(array: pa.ChunkedArray, kind: ColumnType) -> pa.ChunkedArray:
    """The array with something in the parts of NULL variants, where Spark and Arrow itself leave NULLs.

    PySpark says of the parts that they are not NULL, and fails when they are.
    """
    if not _has_variants(kind):
        return array
    return pa.chunked_array([_fill_parts(chunk, kind) for chunk in chunks_of(array)], shown_type(kind))


def variant_array(array: pa.Array, kind: pa.StructType) -> pa.Array:
    """One array of variants over filled parts, as a struct of this type."""
    parts = [pc.fill_null(array.field(name).cast(pa.binary()), b"") for name in ("value", "metadata")]
    mask = array.is_null() if array.null_count else None
    return pa.StructArray.from_arrays(parts, fields=list(kind), mask=mask)


def _fill_parts(array: pa.Array, kind: ColumnType) -> pa.Array:
    if kind.name == "variant":
        return variant_array(array, shown_type(kind))
    if not _has_variants(kind):
        return array

    def filled(children: Children) -> Children:
        return [_fill_parts(child, of_child) for child, (_, of_child) in zip(children, kind.fields, strict=True)]

    return with_children(array, shown_type(kind), filled)


def _has_variants(kind: ColumnType) -> bool:
    return kind.name == "variant" or any(_has_variants(child) for _, child in kind.fields)
