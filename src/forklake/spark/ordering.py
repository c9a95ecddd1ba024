"""Rows in the order a table is to be written in: by its sort keys, and its partitions together."""

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from forklake.model.entities import SortKey, Table
from forklake.model.names import fold
from forklake.spark.quoting import named
from forklake.spark.work import Work


def sorts(work: Work, table: Table) -> bool:
    """Whether rows written to the table are sorted."""
    return table.definition.sort is not None and work.option("sort_on_insert", table) == "true"


def sorts_on_driver(work: Work, table: Table) -> bool:
    """Whether the table's order is one that Arrow can make: plain columns with NULLs all on one side."""
    keys = _keys(work, table)
    columns = {fold(column.name) for column in table.definition.columns if not column.children}
    plain = all(fold(_unquoted(key.expression)) in columns for key in keys)
    return plain and len({key.null_order for key in keys}) <= 1


def ordered_rows(work: Work, table: Table, rows: pa.Table) -> pa.Table:
    """Rows on the driver, sorted if the table is."""
    keys = _keys(work, table)
    if not keys:
        return rows
    names = {fold(name): name for name in rows.column_names}
    placement = "at_start" if keys[0].null_order == "NULLS_FIRST" else "at_end"
    order = [
        (names[fold(_unquoted(key.expression))], "ascending" if key.direction == "ASC" else "descending")
        for key in keys
    ]
    return rows.take(pc.sort_indices(rows, sort_keys=order, null_placement=placement))


def ordered_frame(work: Work, table: Table, frame: DataFrame) -> DataFrame:
    """A DataFrame sorted if the table is: its files then cover ranges of their own."""
    keys = [_expression(key) for key in _keys(work, table)]
    return frame.orderBy(*keys) if keys else frame


def clustered_frame(work: Work, table: Table, frame: DataFrame) -> DataFrame:
    """A DataFrame with the rows of a partition together, sorted within it if the table is."""
    partition = table.definition.partition
    if partition is None:
        return ordered_frame(work, table, frame)
    names = {column.column_id: column.name for column in table.definition.columns}
    # The hint takes names only. Spark evens out what is too large and joins what is too small by it.
    keys = {
        f"__forklake_key_{at}": _partition_expression(key.transform, named(names[key.column_id]))
        for at, key in enumerate(partition.keys)
    }
    order = [_expression(key) for key in _keys(work, table)]
    parted = frame.withColumns(keys).hint("rebalance", *keys)
    return parted.sortWithinPartitions(*keys, *order).drop(*keys)


def _keys(work: Work, table: Table) -> tuple[SortKey, ...]:
    sort = table.definition.sort
    return sort.keys if sort is not None and sorts(work, table) else ()


def _partition_expression(transform: str, value: Expression) -> Expression:
    calendar = {"year": F.year, "month": F.month, "day": F.dayofmonth, "hour": F.hour}
    return calendar[transform](value) if transform in calendar else value


def _expression(key: SortKey) -> Expression:
    value = F.expr(key.expression.replace('"', "`") if key.dialect == "duckdb" else key.expression)
    if key.direction == "ASC":
        return value.asc_nulls_first() if key.null_order == "NULLS_FIRST" else value.asc_nulls_last()
    return value.desc_nulls_first() if key.null_order == "NULLS_FIRST" else value.desc_nulls_last()


def _unquoted(text: str) -> str:
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in '`"':
        return stripped[1:-1].replace(stripped[0] * 2, stripped[0])
    return stripped
