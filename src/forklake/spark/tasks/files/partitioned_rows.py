"""Partitioning of the rows of a batch by file."""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from forklake.spark.tasks.files.write_order import WriteOrder
from forklake.spark.tasks.partitions.partition_values import CodedValues, combine_codes, partition_values
from forklake.spark.tasks.types.to_physical import to_physical
from forklake.spark.tasks.types.type_forms import physical_schema

Key: TypeAlias = tuple[str | None, ...]
"""The partition values of a file."""


def rows_by_partition(order: WriteOrder, batch: pa.RecordBatch) -> Iterator[tuple[Key, pa.Table]]:
    """The rows in physical form by key, in their original order."""
    if not batch.num_rows:
        return
    rows = _physical_rows(order, batch)
    parts = _partition_codes(order, rows)
    if not parts:
        yield (), rows
        return
    codes, keys = combine_codes(parts)
    if np.count_nonzero(np.diff(codes)) != len(keys) - 1:
        places = np.argsort(codes, kind="stable")
        rows, codes = rows.take(pa.array(places)), codes[places]
    start = 0
    for end in [*(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]:
        yield keys[int(codes[start])], rows.slice(start, end - start)
        start = end


def _physical_rows(order: WriteOrder, batch: pa.RecordBatch) -> pa.Table:
    # By position, because the names may differ here.
    own = batch.select(list(range(len(order.columns)))).rename_columns([column.name for column in order.columns])
    rows = to_physical(own, order.columns)
    extra = [batch.column(name).cast(pa.int64()) for name in order.reserved]
    return pa.Table.from_arrays([*rows.columns, *extra], schema=physical_schema(order.columns, order.reserved))


def _partition_codes(order: WriteOrder, rows: pa.Table) -> list[CodedValues]:
    parts = []
    at = {column.column_id: place for place, column in enumerate(order.columns)}
    for key in order.partition.keys if order.partition is not None else ():
        place = at[key.column_id]
        # A batch has a single chunk.
        parts.append(partition_values(key.transform, order.columns[place].type, rows.column(place).chunk(0)))
    return parts
