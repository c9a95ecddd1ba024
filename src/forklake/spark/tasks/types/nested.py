"""Decomposition and reconstruction of structs, lists and maps, with correct NULLs and slices."""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

Children = list[pa.Array]


def with_children(array: pa.Array, new_type: pa.DataType, change: Callable[[Children], Children]) -> pa.Array:
    """The same structs, lists or maps with changed children, which keep their length and NULLs.

    `change` does not see anything outside of the array's slice or below a NULL.
    """
    if pa.types.is_struct(array.type):
        # flatten() instead of field(): a child is NULL wherever its struct is.
        return pa.StructArray.from_arrays(change(array.flatten()), fields=list(new_type), mask=_null_mask(array))
    if pa.types.is_large_list(array.type):
        array = array.cast(pa.list_(array.type.value_field))
    array = _without_hidden_elements(array)
    # An empty array may have no offsets, if it comes from Java; what Arrow returns as the first one is then undefined.
    offsets = array.offsets.to_numpy() if len(array) else np.zeros(1, np.int32)
    first, length = int(offsets[0]), int(offsets[-1] - offsets[0])
    moved = pa.array(offsets - first, pa.int32())
    if pa.types.is_map(array.type):
        keys, values = change([array.keys.slice(first, length), array.items.slice(first, length)])
        return pa.MapArray.from_arrays(moved, keys, values, type=new_type, mask=_null_mask(array))
    [elements] = change([array.values.slice(first, length)])
    return pa.ListArray.from_arrays(moved, elements, type=new_type, mask=_null_mask(array))


def leaf_arrays(array: pa.Array) -> Children:
    """The leaf arrays, in the order of the fields."""
    kind = array.type
    if not (pa.types.is_nested(kind) and kind.num_fields):
        return [array]
    leaves: Children = []

    def collect(children: Children) -> Children:
        for child in children:
            leaves.extend(leaf_arrays(child))
        return children

    with_children(array, kind, collect)
    return leaves


def chunks_of(array: pa.Array | pa.ChunkedArray) -> Sequence[pa.Array]:
    """The chunks of an array that may be chunked or not."""
    return array.chunks if isinstance(array, pa.ChunkedArray) else [array]


def _null_mask(array: pa.Array) -> pa.Array | None:
    return array.is_null() if array.null_count else None


def _without_hidden_elements(array: pa.Array) -> pa.Array:
    """The same lists without elements below NULLs, which Arrow allows."""
    if array.null_count and np.diff(array.offsets.to_numpy())[array.is_null().to_numpy(zero_copy_only=False)].any():
        return array.take(pa.array(np.arange(len(array))))
    return array
