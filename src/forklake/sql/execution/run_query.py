"""Execution of queries, without Spark if the metadata has the answer."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from forklake.errors import InvalidInput
from forklake.model.module_on_use import module_on_use
from forklake.sql.binding.names import Context, context_of, get_relation
from forklake.sql.execution.without_spark import answer_without_spark, explain_without_spark, needs_spark_error
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.parse import parse_one
from forklake.sql.parsing.statements import Delete, Describe, Explain, Merge, Query, Summarize, Update
from forklake.sql.results.result import Result
from forklake.sql.session.state import SessionState
from forklake.sql.small.small_query import NeedsSparkError

if TYPE_CHECKING:
    from forklake.spark.values import from_arrow as arrow
    from forklake.sql.duckdb import summarize as summaries
    from forklake.sql.execution import run_dml, show
    from forklake.sql.queries import bind_query as queries
else:
    arrow = module_on_use("forklake.spark.values.from_arrow")
    summaries = module_on_use("forklake.sql.duckdb.summarize")
    run_dml = module_on_use("forklake.sql.execution.run_dml")
    show = module_on_use("forklake.sql.execution.show")
    queries = module_on_use("forklake.sql.queries.bind_query")

_ROWS = "__forklake_rows"


def run_query(state: SessionState, text: str, parameters: Parameters = None) -> Result:
    """The result of a query; its rows are fetched on demand."""
    context = context_of(state)
    given: dict[str, pa.Table] = {}
    rows = answer_without_spark(state, context, text, parameters, given)
    if rows is not None:
        return Result(rows, lambda: arrow.from_arrow(state.provider.get(), rows))
    if state.small_queries == "driver":
        raise needs_spark_error(_why_not_on_driver(state, context, text, parameters))
    frames = {name: arrow.from_arrow(state.provider.get(), called) for name, called in given.items()}
    bound = queries.bind_query(state, context, text, parameters, frames, handed_out=True)
    frame = bound.run(state)
    return Result(None, lambda: frame, owns_columns=bound.owns_columns)


def _why_not_on_driver(state: SessionState, context: Context, text: str, parameters: Parameters) -> str:
    """The reason why a query without an answer needs Spark."""
    try:
        explain_without_spark(state, context, text, parameters)
    except NeedsSparkError as reason:
        return str(reason)
    return "it does more than read one table"


def describe(state: SessionState, statement: Describe, parameters: Parameters = None) -> Result:
    """The columns of a table or view, or of a query."""
    context = context_of(state)
    if statement.query is not None:
        frame = queries.bind_query(state, context, statement.query, parameters).run(state)
        return Result(show.describe_schema(frame.schema))
    bound = get_relation(state, context, statement.name)
    if bound.table is not None:
        return Result(show.describe_relation(bound.table))
    return Result(show.describe_schema(queries.view_frame(state, bound, context).schema))


def explain(state: SessionState, statement: Explain, parameters: Parameters = None) -> Result:
    """How a query is answered: by the driver, or by Spark with its plan. The other modes show Spark's plan alone.

    Of a change, only who carries it out, and what the driver reads.
    """
    explained = parse_one(statement.statement, state.dialect)
    if isinstance(explained, Update | Delete | Merge) and statement.mode == "simple":
        return Result(pa.table({"plan": [run_dml.explain_change(state, explained, parameters)]}))
    if not isinstance(explained, Query):
        raise InvalidInput("EXPLAIN supports queries, and without a mode also UPDATE, DELETE and MERGE.")
    context, reason = context_of(state), ""
    if statement.mode == "simple":
        try:
            return Result(pa.table({"plan": [explain_without_spark(state, context, statement.statement, parameters)]}))
        except NeedsSparkError as needs:
            reason = f"Spark, because {needs}\n\n"
    bound = queries.bind_query(state, context, statement.statement, parameters)
    # Spark would return an error as if it were a plan.
    bound.run(state)
    mode = "" if statement.mode == "simple" else f"{statement.mode.upper()} "
    plan = replace(bound, text=f"EXPLAIN {mode}{bound.text}").run(state).toArrow()
    return Result(pa.table({"plan": [reason + str(text) for text in plan["plan"].to_pylist()]}))


def summarize(state: SessionState, statement: Summarize, parameters: Parameters = None) -> Result:
    """Statistics of each column of a query: counts, bounds and quantiles."""
    frame = queries.bind_query(state, context_of(state), statement.query, parameters).run(state)
    described = show.describe_schema(frame.schema).to_pydict()
    types = dict(zip(described["column_name"], described["column_type"], strict=True))
    context = replace(context_of(state), dialect="spark")
    summary = queries.bind_query(state, context, summaries.summary_query(types, _ROWS), given={_ROWS: frame})
    return Result(None, lambda: summary.run(state))
