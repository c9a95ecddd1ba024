"""Rows that were made here as Arrow tables."""

from collections.abc import Iterable, Sequence

import pyarrow as pa

MOMENT = pa.timestamp("us", tz="UTC")
SUCCESS = pa.schema([("Success", pa.bool_())])


def arrow_rows(schema: pa.Schema, rows: Iterable[Sequence[object]]) -> pa.Table:
    """Rows, each with a value for every field in order."""
    columns: Sequence[Sequence[object]] = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)], schema)


def done() -> pa.Table:
    """What a procedure gives that has nothing to show."""
    return SUCCESS.empty_table()
