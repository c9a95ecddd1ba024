"""Converts SQL results to output rows."""

import sys
from time import perf_counter
from typing import TYPE_CHECKING

from forklake.cli.output import OutputRows
from forklake.model.module_on_use import module_on_use
from forklake.sql.results.arrow_rows import shown_columns
from forklake.sql.results.result import Result

if TYPE_CHECKING:
    from forklake.sql.results import text_table
else:
    text_table = module_on_use("forklake.sql.results.text_table")

ON_TERMINALS = 100
"""Default number of rows shown on a terminal."""


def rows_of_result(result: Result, limit: int | None, began: float, *, as_json: bool = False) -> OutputRows:
    """Fetch the rows of a result: the first rows for people, all rows for programs unless `limit` is given."""
    for_people = sys.stdout.isatty() and not as_json
    if limit is None and for_people:
        limit = ON_TERMINALS
    table, more = (result.to_arrow(), False) if limit is None else result.first(limit)
    shown = table if limit is None else table.slice(0, limit)
    rows = list(zip(*shown_columns(shown), strict=True))
    if not for_people:
        return OutputRows(table.column_names, rows)
    seconds = perf_counter() - began
    if table.column_names == ["Success"] and not rows:
        return OutputRows((), (), f"Done in {seconds:.2f} s.")
    note = _row_count_note(len(rows), table.num_rows, more)
    drawn = [[text_table.shown_text(value) for value in row] for row in rows]
    return OutputRows(table.column_names, rows, "No rows.", drawn=drawn, note=f"{note} in {seconds:.2f} s")


def _row_count_note(shown: int, found: int, more: bool) -> str:
    if more:
        return f"first {shown:,} rows, and there are more (--limit shows more)"
    rows = "1 row" if found == 1 else f"{found:,} rows"
    return rows if shown == found else f"{rows}, {shown:,} of them shown"
