"""Result of a statement."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from forklake.errors import InvalidInput
from forklake.model.arguments import checked_methods
from forklake.model.entities import Table
from forklake.model.module_on_use import module_on_use
from forklake.spark.session.failures import translate_query_errors, translate_read_errors
from forklake.spark.session.provider import SparkProvider, is_remote
from forklake.sql.results.arrow_rows import python_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from forklake.spark.values import collect, from_arrow
    from forklake.sql.results import text_table
else:
    collect = module_on_use("forklake.spark.values.collect")
    from_arrow = module_on_use("forklake.spark.values.from_arrow")
    text_table = module_on_use("forklake.sql.results.text_table")

_IN_NOTEBOOKS = 20


@checked_methods
class Result:
    """Rows already fetched, or a DataFrame from which they are fetched on demand, once."""

    def __init__(
        self,
        rows: pa.Table | None = None,
        frame: Callable[[], DataFrame] | None = None,
        table: Table | None = None,
        snapshot_id: int = 0,
        debug: bool = False,
        owns_columns: bool = False,
    ) -> None:
        self._rows = rows
        self._frame = frame
        self._table = table
        self._snapshot_id = snapshot_id
        self._debug = debug
        self._owns_columns = owns_columns
        self._fetched = 0

    @property
    def columns(self) -> list[str]:
        return list(self._rows.column_names if self._rows is not None else self._shared_frame().columns)

    def to_arrow(self) -> pa.Table:
        """All rows as an Arrow table."""
        if self._rows is None:
            with (
                translate_query_errors(debug=self._debug),
                nullcontext() if self._table is None else translate_read_errors(self._table, self._snapshot_id),
            ):
                self._rows = collect.collect(self._shared_frame())
        return self._rows

    def to_pandas(self) -> Any:
        return self.to_arrow().to_pandas()

    def to_spark(self) -> DataFrame:
        """The rows as a DataFrame, which runs when it is used."""
        frame = self._shared_frame()
        # With columns of its own, so that it can be joined with others of the same table. Spark Connect distinguishes
        # columns by DataFrame anyway.
        if self._owns_columns or is_remote(frame.sparkSession):
            # The next call must return different columns.
            self._owns_columns = False
            return frame
        return frame.toDF(*frame.columns)

    def _shared_frame(self) -> DataFrame:
        """The rows as a DataFrame that may share columns with another."""
        if self._frame is None:
            raise InvalidInput("These rows have no Spark session; use to_arrow or fetchall.")
        return self._frame()

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The remaining rows, as tuples."""
        rows = self.to_arrow().slice(self._fetched)
        self._fetched += rows.num_rows
        return list(zip(*python_columns(rows), strict=True)) if rows.num_columns else []

    def fetchone(self) -> tuple[Any, ...] | None:
        row = self.to_arrow().slice(self._fetched, 1)
        self._fetched += row.num_rows
        return tuple(column[0] for column in python_columns(row)) if row.num_rows else None

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        _check_row_count(size)
        rows = self.to_arrow().slice(self._fetched, size)
        self._fetched += rows.num_rows
        return list(zip(*python_columns(rows), strict=True))

    def show(self, rows: int = 20) -> None:
        """Print the first rows as a table."""
        table, more = self.first(rows)
        print(text_table.draw_table(table, rows, more=more))

    def _repr_html_(self) -> str:
        table, more = self.first(_IN_NOTEBOOKS)
        return text_table.draw_table_as_html(table, _IN_NOTEBOOKS, more=more)

    def first(self, rows: int) -> tuple[pa.Table, bool]:
        """All rows if already fetched, else the first ones, and whether there are more."""
        _check_row_count(rows)
        if self._rows is not None:
            return self._rows, False
        with translate_query_errors(debug=self._debug):
            table = collect.collect(self._shared_frame().limit(rows + 1))
        return (table.slice(0, rows), True) if table.num_rows > rows else (table, False)

    def __repr__(self) -> str:
        return f"<forklake.Result of {', '.join(self.columns)}>"


def _check_row_count(rows: int) -> None:
    if rows < 0:
        raise InvalidInput(f"The number of rows must not be negative: {rows}.")


def attach_spark(result: Result, provider: SparkProvider, *, debug: bool = False) -> Result:
    """Add a DataFrame source for rows that came without Spark; with `debug`, errors are raised unchanged."""
    result._debug = debug
    if result._frame is None:
        result._frame = lambda: from_arrow.from_arrow(provider.get(), result.to_arrow())
    return result
