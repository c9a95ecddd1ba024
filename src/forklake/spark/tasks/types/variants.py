"""Variants in Arrow: two parts, neither of which is ever NULL."""

import pyarrow as pa
import pyarrow.compute as pc

from forklake.model.column_types import ColumnType
from forklake.spark.tasks.types.nested import Children, chunks_of, with_children
from forklake.spark.tasks.types.type_forms import shown_type


def with_filled_parts(array: pa.ChunkedArray, kind: ColumnType) -> pa.ChunkedArray:
    """The array with non-NULL parts in NULL variants, where Spark and Arrow itself leave NULLs.

    PySpark declares the parts as not nullable, and fails if they are NULL.
    """
    if not _has_variants(kind):
        return array
    return pa.chunked_array([_fill_parts(chunk, kind) for chunk in chunks_of(array)], shown_type(kind))


def variant_array(array: pa.Array, kind: pa.StructType) -> pa.Array:
    """An array of variants with filled parts, as a struct of this type."""
    parts = [pc.fill_null(array.field(name).cast(pa.binary()), b"") for name in ("value", "metadata")]
    mask = array.is_null() if array.null_count else None
    return pa.StructArray.from_arrays(parts, fields=list(kind), mask=mask)


def _fill_parts(array: pa.Array, kind: ColumnType) -> pa.Array:
    if kind.name == "variant":
        return variant_array(array, shown_type(kind))
    if not _has_variants(kind):
        return array

    def fill_children(children: Children) -> Children:
        return [_fill_parts(child, of_child) for child, (_, of_child) in zip(children, kind.fields, strict=True)]

    return with_children(array, shown_type(kind), fill_children)


def _has_variants(kind: ColumnType) -> bool:
    return kind.name == "variant" or any(_has_variants(child) for _, child in kind.fields)
