"""Scans of a table with a predicate and a projection."""

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.errors import InvalidInput, NoSuchColumn
from forklake.model.entities import Table
from forklake.model.names import did_you_mean, fold
from forklake.spark.reading.inlined import inlined_rows
from forklake.spark.reading.named_scans import cached_scan
from forklake.spark.reading.scan import scan
from forklake.spark.reading.virtual_columns import FOR_USERS
from forklake.spark.tasks.types.arrow_types import shown_schema
from forklake.spark.values.quoting import column_named
from forklake.spark.work import Work
from forklake.sql.pruning.comparison_rules import session_rules
from forklake.sql.queries.conditions import Condition, mentioned_virtual_columns, parse_condition
from forklake.sql.results.result import Result


def scan_table(
    work: Work,
    table: Table,
    where: str | Expression | None = None,
    columns: Sequence[str] | None = None,
) -> Result:
    """The rows that satisfy a condition. Rows stored only in the metadata need no Spark.

    Otherwise the DataFrame is created eagerly: later, the transaction may be over, or its snapshot expired.
    """
    chosen, virtual = choose_columns(table, columns, where if isinstance(where, str) else "")
    found = None if where is None else parse_condition(where, table, session_rules(work.provider))
    plan = work.plan_scan(table, found.predicate if found else None)

    def frame() -> DataFrame:
        return _scan_frame(work, plan, found, chosen, virtual)

    rows = None
    if work.shortcuts and not plan.files and where is None:
        rows = inlined_rows(plan, virtual) if plan.batches else _empty_rows(table, virtual)
        rows = rows.select(chosen)
    if rows is None:
        made = frame()
        return Result(None, lambda: made, table, plan.snapshot_id)
    return Result(rows, frame, table, plan.snapshot_id)


def _scan_frame(
    work: Work, plan: ScanPlan, where: Condition | None, chosen: Sequence[str], virtual: Sequence[str]
) -> DataFrame:
    # Scans with a condition are not cached: there are many conditions, and each selects its own files.
    frame = scan(work, plan, virtual) if virtual or where is not None else cached_scan(work, plan)
    if where is not None:
        frame = where.matching_rows(frame)
    if not virtual and list(chosen) == [column.name for column in plan.table.definition.columns]:
        return frame
    return frame.select(*(column_named(name) for name in chosen))


def choose_columns(table: Table, columns: Sequence[str] | None, where: str) -> tuple[list[str], list[str]]:
    """The projected columns, and the virtual columns that they or the condition need."""
    own = {fold(column.name): column.name for column in table.definition.columns}
    extra = [name for name in FOR_USERS if name not in own]
    wanted = mentioned_virtual_columns(table, where)
    if columns is None:
        return list(own.values()), wanted
    if isinstance(columns, str) or not columns:
        raise InvalidInput("The list of columns must not be empty; omit it for all columns.")
    chosen = []
    for name in columns:
        if not isinstance(name, str):
            raise InvalidInput(f"{name!r} is not the name of a column.")
        found = own.get(fold(name)) or next((virtual for virtual in extra if virtual == fold(name)), None)
        if found is None:
            hint = did_you_mean(name, [*own.values(), *extra])
            raise NoSuchColumn(f"Table '{table.name}' has no column '{name}'.{hint}")
        chosen.append(found)
    return chosen, [name for name in extra if name in chosen or name in wanted]


def _empty_rows(table: Table, virtual: Sequence[str]) -> pa.Table:
    schema = shown_schema(table.definition.columns)
    for name in virtual:
        schema = schema.append(pa.field(name, pa.string() if name == "filename" else pa.int64()))
    return schema.empty_table()
