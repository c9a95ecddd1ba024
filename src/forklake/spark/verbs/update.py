"""Update: ends the old rows, and writes changed rows with the same row ids."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.errors import InvalidInput, InvalidRows
from forklake.model.entities import Table
from forklake.model.names import did_you_mean, fold
from forklake.model.predicates import Predicate
from forklake.spark.reading.scan import scan
from forklake.spark.tasks.files.write_changes import ADDRESS, CHANGE, SOURCE_ROW
from forklake.spark.tasks.types.reserved_columns import ROW_ID
from forklake.spark.values.quoting import quoted_name
from forklake.spark.verbs.rewrite_rows import can_rewrite, rewrite_rows
from forklake.spark.verbs.row_changes import CHANGE_OF_UPDATE, change_rows, fits_driver
from forklake.spark.work import Work
from forklake.spark.writing.incoming import fit_value


@dataclass(frozen=True, slots=True)
class RowsToUpdate:
    """The rows of a plan selected by an update, with their ids and addresses."""

    plan: ScanPlan
    frame: DataFrame


def candidates_to_update(
    work: Work, table: Table, predicate: Predicate | None = None, virtual: Sequence[str] = ()
) -> RowsToUpdate:
    """All rows for which the predicate may be TRUE; the caller keeps those of the frame that satisfy its condition.

    The frame has the requested virtual columns too.
    """
    plan = work.plan_scan(table, predicate)
    return RowsToUpdate(plan, scan(work, plan, [ROW_ID, ADDRESS, *virtual]))


def update(work: Work, chosen: RowsToUpdate, assignments: Mapping[str, Expression]) -> int:
    """Set columns of the chosen rows to expressions over their columns; returns the number of rows."""
    plan, rows, table = chosen.plan, chosen.frame, chosen.plan.table
    targets = assigned_columns(table, assignments)
    own = [quoted_name(column.name) for column in table.definition.columns]
    changed = rows.withColumns(_updated_values(work, rows, table, targets))
    if not plan.row_count:
        # Not earlier: an invalid condition or value is an error even without rows.
        return 0
    if not fits_driver(plan) and can_rewrite(plan):
        return rewrite_rows(work, plan, changed.selectExpr(*own, ROW_ID))
    changes = changed.selectExpr(
        *own, ROW_ID, f"{CHANGE_OF_UPDATE} AS {CHANGE}", ADDRESS, f"CAST(NULL AS BIGINT) AS {SOURCE_ROW}"
    )
    return change_rows(work, plan, changes).ended


def _updated_values(
    work: Work, rows: DataFrame, table: Table, targets: Mapping[str, Expression]
) -> dict[str, Expression]:
    """The new values of the columns that are set."""
    set_columns = [column for column in table.definition.columns if fold(column.name) in targets]
    types = rows.select(*(targets[fold(column.name)] for column in set_columns)).schema.fields
    return {
        column.name: fit_value(
            targets[fold(column.name)],
            field.dataType,
            column,
            table,
            refuses_large_floats=work.refuses_large_floats,
        )
        for column, field in zip(set_columns, types, strict=True)
    }


def assigned_columns(table: Table, assignments: Mapping[str, Expression]) -> dict[str, Expression]:
    """The expressions by folded name; raises for columns that the table does not have."""
    check_assigned_names(table, assignments)
    return {fold(name): value for name, value in assignments.items()}


def check_assigned_names(table: Table, names: Iterable[str]) -> None:
    """Raise InvalidRows for a name that is not that of a column, and InvalidInput for a column that is set twice."""
    known, seen = {fold(column.name) for column in table.definition.columns}, set()
    for name in names:
        if not isinstance(name, str):
            raise InvalidRows(f"{name!r} is not the name of a column to set.")
        if fold(name) not in known:
            hint = did_you_mean(name, [column.name for column in table.definition.columns])
            raise InvalidRows(f"Table '{table.name}' has no column '{name}' to set.{hint}")
        if fold(name) in seen:
            raise InvalidInput(f"Column '{name}' is set twice.")
        seen.add(fold(name))
