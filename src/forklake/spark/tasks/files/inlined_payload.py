"""Serialisation of inlined rows as an Arrow stream, whose columns and fields are named by their ids.

While names may change, and columns may be added and dropped, ids are stable. The types are those at the time of
writing, in shown form.
"""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from forklake.model.column_types import ColumnType, list_of, map_of, struct_of
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.tasks.types.arrow_types import shown_type
from forklake.spark.tasks.types.nested import Children, chunks_of, with_children
from forklake.spark.tasks.types.promote import default_array, promote_array

STORED_ROW_IDS = "row_id"
"""The column for rows with their own row ids. The names of all other columns are numbers."""


def to_payload(rows: pa.Table, columns: Sequence[Column], row_ids: pa.ChunkedArray | None = None) -> bytes:
    """Serialises rows in the shown form of these columns."""
    arrays = [
        _rename_by_id(pa.concat_arrays(chunks_of(array)), column)
        for array, column in zip(rows.columns, columns, strict=True)
    ]
    names = [str(column.column_id) for column in columns]
    if row_ids is not None:
        arrays.append(pa.concat_arrays(chunks_of(row_ids)))
        names.append(STORED_ROW_IDS)
    batch = pa.record_batch(arrays, names=names)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def read_payload(payload: bytes) -> pa.Table:
    """The rows as they were written, with ids as names."""
    return pa.ipc.open_stream(payload).read_all()


def as_columns(rows: pa.Table, columns: Sequence[Column]) -> list[pa.ChunkedArray]:
    """Converts rows with ids as names to the current columns of a table."""
    return [_as_column(rows, column) for column in columns]


def _as_column(rows: pa.Table, column: Column) -> pa.ChunkedArray:
    name = str(column.column_id)
    if name not in rows.column_names:
        return pa.chunked_array([default_array(column, rows.num_rows)])
    array = rows[name]
    if array.type == shown_type(column.type):
        return array
    return promote_array(array, _former_column(array.type, column.column_id, column), column)


def _rename_by_id(array: pa.Array, column: Column) -> pa.Array:
    if not column.type.is_nested:
        return array

    def rename_children(children: Children) -> Children:
        return [_rename_by_id(*pair) for pair in zip(children, column.children, strict=True)]

    return with_children(array, _id_type(column), rename_children)


def _id_type(column: Column) -> pa.DataType:
    match column.type.name:
        case "struct":
            return pa.struct([pa.field(str(child.column_id), _id_type(child)) for child in column.children])
        case "list":
            return pa.list_(pa.field("element", _id_type(column.children[0])))
        case "map":
            return pa.map_(*(_id_type(child) for child in column.children))
    return shown_type(column.type)


def _former_column(data_type: pa.DataType, column_id: int, now: Column | None) -> Column:
    """The column when it was written, from the type of its rows; `now` tells apart types with the same shown form."""
    name = str(column_id)
    if pa.types.is_struct(data_type):
        known: Mapping[int, Column] = {child.column_id: child for child in now.children} if now else {}
        children = tuple(_former_column(field.type, int(field.name), known.get(int(field.name))) for field in data_type)
        column_type = struct_of(tuple((child.name, child.type) for child in children))
    elif pa.types.is_map(data_type):
        children = _element_columns(now, data_type.key_type, data_type.item_type)
        column_type = map_of(children[0].type, children[1].type)
    elif pa.types.is_list(data_type):
        children = _element_columns(now, data_type.value_type)
        column_type = list_of(children[0].type)
    else:
        children = ()
        column_type = _leaf_type(data_type, now)
    return Column(ColumnId(column_id), name, column_type, children=children)


def _element_columns(now: Column | None, *types: pa.DataType) -> tuple[Column, ...]:
    """Elements of lists and maps keep their ids."""
    children = now.children if now else (None,) * len(types)
    pairs = zip(types, children, strict=True)
    return tuple(_former_column(kind, child.column_id if child else 0, child) for kind, child in pairs)


def _leaf_type(data_type: pa.DataType, now: Column | None) -> ColumnType:
    if now is not None and shown_type(now.type) == data_type:
        return now.type
    if pa.types.is_decimal(data_type):
        return ColumnType("decimal", data_type.precision, data_type.scale)
    if pa.types.is_timestamp(data_type):
        return ColumnType("timestamptz" if data_type.tz else "timestamp")
    return ColumnType(_NAMES.get(data_type, "varchar"))


_NAMES = {
    pa.bool_(): "boolean",
    pa.int8(): "int8",
    pa.int16(): "int16",
    pa.int32(): "int32",
    pa.int64(): "int64",
    pa.float32(): "float32",
    pa.float64(): "float64",
    pa.date32(): "date",
    pa.binary(): "blob",
}
