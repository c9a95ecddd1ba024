import struct

import pyarrow as pa

from forklake.spark.tasks.types.nested import leaf_arrays, with_children


def test_no_lists_have_no_elements_whatever_stands_in_their_offsets() -> None:
    anything = pa.py_buffer(struct.pack("<i", -7))
    lists = pa.Array.from_buffers(pa.list_(pa.int32()), 0, [None, anything], children=[pa.array([], pa.int32())])
    wider = with_children(lists, pa.list_(pa.int64()), lambda children: [child.cast(pa.int64()) for child in children])
    assert wider.equals(pa.array([], pa.list_(pa.int64())))
    assert [len(leaf) for leaf in leaf_arrays(lists)] == [0]
