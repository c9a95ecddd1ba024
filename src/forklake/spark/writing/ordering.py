"""Ordering of rows for writing: by sort keys, and grouped by partition."""

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import AnalysisException
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import InvalidChange
from forklake.model.entities import Column, SortKey, Table
from forklake.model.names import fold
from forklake.spark.reading.scan import scan_schema
from forklake.spark.session.expression_text import user_expression
from forklake.spark.session.failures import short_message
from forklake.spark.session.provider import SparkProvider
from forklake.spark.values.quoting import column_named
from forklake.spark.work import Work


def sorts_on_insert(work: Work, table: Table) -> bool:
    """Whether rows written to the table are sorted."""
    return table.definition.sort is not None and work.option("sort_on_insert", table) == "true"


def sorts_on_driver(work: Work, table: Table) -> bool:
    """Whether Arrow can sort rows in the table's order: by plain columns only."""
    columns = {fold(column.name) for column in table.definition.columns if not column.children}
    return all(fold(_unquote(key.expression)) in columns for key in _sort_keys(work, table))


def ordered_rows(work: Work, table: Table, rows: pa.Table) -> pa.Table:
    """Rows on the driver, sorted like the table as far as Arrow can, which does not support expressions."""
    columns = dict(zip(map(fold, rows.column_names), rows.columns, strict=True))
    arrays: list[pa.ChunkedArray] = []
    order: list[str] = []
    for key in _sort_keys(work, table):
        values = columns.get(fold(_unquote(key.expression)))
        if values is None or pa.types.is_nested(values.type):
            break
        # False sorts before true, which determines the position of NULLs.
        nulls = pc.is_valid(values) if key.null_order == "NULLS_FIRST" else pc.is_null(values)
        arrays += [nulls, values]
        order += ["ascending", "ascending" if key.direction == "ASC" else "descending"]
    if not arrays:
        return rows
    names = [str(at) for at in range(len(arrays))]
    return rows.take(pc.sort_indices(pa.table(arrays, names), sort_keys=list(zip(names, order, strict=True))))


def sort_order(table: Table) -> list[Expression]:
    """The table's sort order, whether or not rows are sorted on insert."""
    return [_sort_expression(key) for key in table.definition.sort.keys] if table.definition.sort is not None else []


def check_sort_order(provider: SparkProvider, tx: Transaction, table: Table) -> None:
    """Raise InvalidChange if rows cannot be sorted in the table's order; expressions are checked by Spark."""
    keys = table.definition.sort.keys if table.definition.sort is not None else ()
    plain = {fold(each.name) for each in table.definition.columns if not each.children and each.type.name != "variant"}
    if all(fold(_unquote(key.expression)) in plain for key in keys):
        return
    rows = provider.get().createDataFrame([], scan_schema(ScanPlan(table, tx.base, (), ())))
    try:
        # In brackets, a word after an expression, such as a misspelt DESC, is not taken for its alias.
        _ = rows.select(*(user_expression(f"({_spark_text(key)}\n)") for key in keys)).schema
        _ = rows.orderBy(*sort_order(table)).schema
    except AnalysisException as error:
        shown = ", ".join(key.expression for key in keys)
        raise InvalidChange(f"Table '{table.name}' cannot be sorted by {shown}: {short_message(str(error))}") from None


def ordered_frame(work: Work, table: Table, frame: DataFrame) -> DataFrame:
    """A DataFrame sorted like the table, so that its files cover disjoint ranges."""
    keys = [_sort_expression(key) for key in _sort_keys(work, table)]
    return frame.orderBy(*keys) if keys else frame


def clustered_frame(work: Work, table: Table, frame: DataFrame) -> DataFrame:
    """A DataFrame grouped by partition, and sorted within partitions like the table."""
    partition = table.definition.partition
    if partition is None:
        return ordered_frame(work, table, frame)
    columns = {column.column_id: column for column in table.definition.columns}
    # The hint accepts only names. It lets Spark split large partitions and combine small ones.
    keys = {
        f"__forklake_key_{at}": _partition_expression(key.transform, columns[key.column_id])
        for at, key in enumerate(partition.keys)
    }
    order = [_sort_expression(key) for key in _sort_keys(work, table)]
    parted = frame.withColumns(keys).hint("rebalance", *keys)
    return parted.sortWithinPartitions(*keys, *order).drop(*keys)


def _sort_keys(work: Work, table: Table) -> tuple[SortKey, ...]:
    sort = table.definition.sort
    return sort.keys if sort is not None and sorts_on_insert(work, table) else ()


def _partition_expression(transform: str, column: Column) -> Expression:
    calendar = {"year": F.year, "month": F.month, "day": F.dayofmonth, "hour": F.hour}
    value = column_named(column.name)
    if transform not in calendar:
        return value
    if column.type.name == "timestamp_ns":
        value = F.timestamp_micros(F.floor(value / 1000))
    return calendar[transform](value)


def _sort_expression(key: SortKey) -> Expression:
    value = user_expression(_spark_text(key))
    if key.direction == "ASC":
        return value.asc_nulls_first() if key.null_order == "NULLS_FIRST" else value.asc_nulls_last()
    return value.desc_nulls_first() if key.null_order == "NULLS_FIRST" else value.desc_nulls_last()


def _spark_text(key: SortKey) -> str:
    return key.expression.replace('"', "`") if key.dialect == "duckdb" else key.expression


def _unquote(text: str) -> str:
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in '`"':
        return stripped[1:-1].replace(stripped[0] * 2, stripped[0])
    return stripped
