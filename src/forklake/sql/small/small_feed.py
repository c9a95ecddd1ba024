"""Small queries of a change feed, answered from its rows without Spark."""

from dataclasses import dataclass, replace

import pyarrow as pa
from sqlglot import exp

from forklake.model.column_types import ColumnType
from forklake.model.entities import Column, Table
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.spark.verbs.change_plan import CHANGE_TYPE, ROW, SNAPSHOT, ChangePlan
from forklake.spark.verbs.driver_changes import changes_on_driver, plans_of_changes, why_no_changes_on_driver
from forklake.spark.work import Work
from forklake.sql.binding.names import Context
from forklake.sql.functions.change_feed import CHANGE_KINDS, LEADING_COLUMNS, change_plan
from forklake.sql.functions.registry import bind_call, is_function
from forklake.sql.functions.signatures import FunctionCall
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.statements import Name
from forklake.sql.parsing.table_references import ParsedQuery, Reference
from forklake.sql.queries.bind_query import argument_values
from forklake.sql.session.state import SessionState
from forklake.sql.small.answer import answer
from forklake.sql.small.parameters import with_literals
from forklake.sql.small.read_small_query import read_small_query
from forklake.sql.small.small_query import NeedsSparkError, SmallQuery

_LEADING = {SNAPSHOT: ColumnType("int64"), ROW: ColumnType("int64"), CHANGE_TYPE: ColumnType("varchar")}


@dataclass(frozen=True, slots=True)
class SmallFeedPlan:
    """The changes that the driver reads, and the query that it answers from them."""

    work: Work
    query: SmallQuery
    changes: ChangePlan
    columns: tuple[Column, ...]
    """Those of the table that are read."""

    @property
    def description(self) -> str:
        """The plan as shown by EXPLAIN."""
        plans, changes = plans_of_changes(self.changes), self.changes
        files = [file for plan in plans for file in plan.files]
        size, batches = sum(file.data.file_size_bytes for file in files), sum(len(plan.batches) for plan in plans)
        return (
            f"Driver, without Spark: {changes.kind} of {changes.table.name} up to version {changes.last},"
            f" {len(files)} files of {size:,} bytes and {batches} inlined batches"
        )


def is_feed(state: SessionState, context: Context, name: Name) -> bool:
    """Whether a function is a change feed."""
    short = fold(name[-1]).removeprefix("ducklake_") if len(name) == 1 else fold(name[-1])
    return short in CHANGE_KINDS and is_function(state, context, name)


def plan_small_feed(
    state: SessionState, context: Context, parsed: ParsedQuery, reference: Reference, parameters: Parameters
) -> SmallFeedPlan:
    """The plan of a query of one change feed; NeedsSparkError if it is not small."""
    if not isinstance(parsed.tree, exp.Select):
        raise NeedsSparkError("it does more than read one change feed")
    select = with_literals(parsed.tree, parameters) if parameters and context.dialect == "spark" else parsed.tree
    function, call = bind_call(state, reference.name, *argument_values(reference.arguments or [], parameters), context)
    return _plan(state, parsed, select, reference, call, function.name)


def _plan(
    state: SessionState, parsed: ParsedQuery, select: exp.Select, reference: Reference, call: FunctionCall, name: str
) -> SmallFeedPlan:
    work, changes = change_plan(call, CHANGE_KINDS[name])
    shown = _as_table(changes)
    if reference.alias is None and any(column.table for column in select.find_all(exp.Column)):
        raise NeedsSparkError("only Spark knows the names of functions")
    query = read_small_query(parsed.text, select, reference, shown, call.context.dialect, state.rules)
    needed = query.columns
    columns = tuple(column for column in changes.table.definition.columns if column.name in needed)
    reason = why_no_changes_on_driver(work, changes, columns, state.small_query_bytes)
    if reason is not None:
        raise NeedsSparkError(reason)
    return SmallFeedPlan(work, query, changes, columns)


def run_small_feed(plan: SmallFeedPlan) -> pa.Table:
    """The rows of a small query of a change feed; NeedsSparkError if they turn out to need Spark."""
    rows = changes_on_driver(plan.work, plan.changes, plan.columns)
    if rows is None:
        raise NeedsSparkError("some of its rows have no ids")
    return answer(plan.query, _without_hidden(plan.changes, rows))


def _without_hidden(changes: ChangePlan, rows: pa.Table) -> pa.Table:
    """Only the columns of the table, selected by position as their names may equal those of the leading columns."""
    if changes.kind == "changes":
        return rows
    own = rows.select(range(LEADING_COLUMNS, rows.num_columns))
    # At least one column is needed to count rows.
    return own if own.num_columns else rows.select([ROW])


def _as_table(changes: ChangePlan) -> Table:
    """A feed as if it were a table with its columns."""
    own = changes.table.definition.columns
    leading = [Column(ColumnId(-at), name, type_) for at, (name, type_) in enumerate(_LEADING.items(), 1)]
    columns = (*(leading if changes.kind == "changes" else ()), *own)
    if len({fold(column.name) for column in columns}) < len(columns):
        raise NeedsSparkError("two of its columns have the same name")
    return replace(changes.table, definition=replace(changes.table.definition, columns=columns))
