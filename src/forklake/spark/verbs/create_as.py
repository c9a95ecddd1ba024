"""Create a table from rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame

from forklake.model.alterations import ColumnSpec
from forklake.model.assignment import UNTYPED
from forklake.model.column_types import ColumnType
from forklake.model.entities import SortKey, Table
from forklake.spark.values.arrow_type import type_in_arrow
from forklake.spark.values.type_mapping import column_type
from forklake.spark.verbs.append import append
from forklake.spark.verbs.create_table import create_table
from forklake.spark.work import Work
from forklake.spark.writing.incoming import Rows, as_rows


def create_as(
    work: Work,
    schema: str,
    name: str,
    data: Any,
    *,
    partitioned_by: Sequence[tuple[str, str]] = (),
    sorted_by: Sequence[SortKey] = (),
    comment: str | None = None,
    or_replace: bool = False,
    with_data: bool = True,
    types: Mapping[str, ColumnType] | None = None,
) -> Table:
    """Create a table with the columns of the rows, and insert them; `types` override Spark's types."""
    rows = as_rows(data)
    specs = [replace(spec, type=(types or {}).get(spec.name, spec.type)) for spec in columns_of(rows)]
    table = create_table(
        work.tx,
        work.provider,
        schema,
        name,
        specs,
        partitioned_by=partitioned_by,
        sorted_by=sorted_by,
        comment=comment,
        or_replace=or_replace,
    )
    if with_data:
        append(work, table, rows, "position")
    return table


def columns_of(rows: Rows) -> list[ColumnSpec]:
    """Columns for the rows; columns that are always NULL become text, because their type is unknown."""
    if isinstance(rows, DataFrame):
        return [
            ColumnSpec(
                field.name,
                ColumnType("varchar") if field.dataType.typeName() == "void" else column_type(field.dataType),
            )
            for field in rows.schema.fields
        ]
    return [ColumnSpec(field.name, _replace_untyped(type_in_arrow(field.type))) for field in rows.schema]


def _replace_untyped(found: ColumnType | None) -> ColumnType:
    if found is None or found == UNTYPED:
        return ColumnType("varchar")
    return ColumnType(
        found.name, found.precision, found.scale, tuple((name, _replace_untyped(t)) for name, t in found.fields)
    )
