"""Mapping of the columns of a Parquet file to those of a table."""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.spark.tasks.types.type_forms import FIELD_ID


def file_leaves(schema: pa.Schema, columns: Sequence[Column]) -> dict[ColumnId, list[int]]:
    """The indexes among the leaves of the file, by leaf field of the table.

    Fields are matched by id, or by name if the file has no id for them. A variant has several leaves; the first one
    returned is NULL exactly where the variant is.
    """
    found: dict[ColumnId, list[int]] = {}
    for index, (column, name) in enumerate(_leaves_of_fields(schema, columns)):
        if column is not None:
            places = found.setdefault(column.column_id, [])
            places.insert(0 if name == "metadata" else len(places), index)
    return found


def _leaves_of_fields(fields: Sequence[pa.Field], columns: Sequence[Column]) -> Iterator[tuple[Column | None, str]]:
    by_id = {column.column_id: column for column in columns}
    by_name = {fold(column.name): column for column in columns}
    for field in fields:
        field_id = (field.metadata or {}).get(FIELD_ID)
        column = by_name.get(fold(field.name)) if field_id is None else by_id.get(ColumnId(int(field_id)))
        yield from _leaves_of_field(field, column)


def _leaves_of_field(field: pa.Field, column: Column | None) -> Iterator[tuple[Column | None, str]]:
    """The leaves of a field in file order, each with its column if the table has it."""
    kind = field.type.storage_type if isinstance(field.type, pa.BaseExtensionType) else field.type
    name = None if column is None else column.type.name
    if pa.types.is_struct(kind) and name == "variant":
        for child in kind:
            yield from ((column, child.name) for _ in _leaves_of_field(child, None))
    elif pa.types.is_struct(kind):
        yield from _leaves_of_fields(list(kind), column.children if column and name == "struct" else ())
    elif pa.types.is_map(kind):
        key, value = column.children if column and name == "map" else (None, None)
        yield from _leaves_of_field(kind.key_field, key)
        yield from _leaves_of_field(kind.item_field, value)
    elif hasattr(kind, "value_field"):
        yield from _leaves_of_field(kind.value_field, column.children[0] if column and name == "list" else None)
    else:
        yield None if column is None or column.type.is_nested else column, field.name
