"""Overwrite: replace existing rows by new ones."""

from typing import Any

from forklake.model.entities import Table
from forklake.spark.verbs.append import append
from forklake.spark.verbs.delete import RowsToDelete, delete, end_all_rows
from forklake.spark.work import Work
from forklake.spark.writing.incoming import Matching


def overwrite(
    work: Work, table: Table, data: Any, chosen: RowsToDelete | None = None, matching: Matching = "name"
) -> int:
    """Replace all rows, or the chosen ones; returns the number of added rows.

    The new rows may be computed from the old ones: they are written before the old ones end.
    """
    plan = work.plan_scan(table) if chosen is None else None
    count = append(work, table, data, matching)
    if plan is not None:
        end_all_rows(work, plan)
    elif chosen is not None:
        delete(work, chosen)
    return count
