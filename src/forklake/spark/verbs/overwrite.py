"""Overwrite: replace existing rows by new ones."""

from typing import Any

from forklake.catalog.planning.scan_planning import plan_scan
from forklake.model.entities import Table
from forklake.spark.verbs.append import append
from forklake.spark.verbs.delete import Condition, delete, end_all_rows
from forklake.spark.work import Work
from forklake.spark.writing.incoming import Matching


def overwrite(work: Work, table: Table, data: Any, where: Condition | None = None, matching: Matching = "name") -> int:
    """Replace all rows, or those for which the condition is TRUE; returns the number of added rows.

    The new rows may be computed from the old ones: they are written before the old ones end.
    """
    plan = plan_scan(work.tx, table)
    count = append(work, table, data, matching)
    if where is None:
        end_all_rows(work, plan)
    else:
        delete(work, table, where, plan=plan)
    return count
