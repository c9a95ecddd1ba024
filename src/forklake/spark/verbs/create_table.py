"""Create a table without rows, with all checks."""

from collections.abc import Sequence

from forklake.catalog.transaction import ddl
from forklake.catalog.transaction.transaction import Transaction
from forklake.model.alterations import ColumnSpec
from forklake.model.entities import SortKey, Table
from forklake.spark.session.provider import SparkProvider
from forklake.spark.values.type_mapping import check_storable
from forklake.spark.writing.ordering import check_sort_order


def create_table(
    tx: Transaction,
    provider: SparkProvider,
    schema: str,
    name: str,
    columns: Sequence[ColumnSpec],
    *,
    partitioned_by: Sequence[tuple[str, str]] = (),
    sorted_by: Sequence[SortKey] = (),
    comment: str | None = None,
    or_replace: bool = False,
) -> Table:
    """Create a table whose types can be stored and whose rows can be sorted."""
    check_storable(column.type for column in columns)
    created = ddl.create_table(
        tx,
        schema,
        name,
        columns,
        partitioned_by=partitioned_by,
        sorted_by=sorted_by,
        comment=comment,
        or_replace=or_replace,
    )
    check_sort_order(provider, tx, created)
    return created
