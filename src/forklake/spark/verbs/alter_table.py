"""Alter a table: the one way to change its definition, with all checks."""

from dataclasses import replace

from forklake.catalog.transaction.altered_definition import altered_definition
from forklake.catalog.transaction.ddl import redefine_table
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import InvalidChange
from forklake.model.alterations import find_column
from forklake.model.entities import Table
from forklake.model.predicates import IsNull
from forklake.model.table_alterations import AddColumn, SetNotNull, SetSorting, SetType, TableAlteration
from forklake.spark.reading.scan import scan
from forklake.spark.session.provider import SparkProvider
from forklake.spark.values.quoting import column_named
from forklake.spark.values.type_mapping import check_storable
from forklake.spark.work import Work, work_on
from forklake.spark.writing.ordering import check_sort_order


def alter_table(
    tx: Transaction, provider: SparkProvider, table: Table, alteration: TableAlteration, *, shortcuts: bool = True
) -> Table:
    """Change the definition of a table if its rows allow it; returns the altered table.

    Without shortcuts, rows are read even if statistics are sufficient.
    """
    altered = replace(table, definition=altered_definition(tx, table.definition, alteration))
    if altered == table:
        return table
    match alteration:
        case AddColumn(column):
            check_storable([column.type])
        case SetType(_, new_type):
            check_storable([new_type])
        case SetNotNull(path, True):
            work = work_on(tx, provider, shortcuts=shortcuts)
            _check_no_nulls(work, table, find_column(table.definition, path).name)
        case SetSorting():
            check_sort_order(provider, tx, altered)
    redefine_table(tx, table, altered.definition)
    return altered


def _check_no_nulls(work: Work, table: Table, name: str) -> None:
    """Reject NOT NULL for a column with NULLs; often decided by statistics without reading."""
    plan = work.plan_scan(table, IsNull((name.lower(),)))
    if plan.row_count and not scan(work, plan).where(column_named(name).isNull()).isEmpty():
        raise InvalidChange(f"Cannot SET NOT NULL on column {name} - the column has NULL values")
