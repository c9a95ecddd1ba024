"""Execution of queries, without Spark if the metadata has the answer."""

from dataclasses import replace

import pyarrow as pa

from forklake.errors import InvalidInput
from forklake.spark.values.from_arrow import from_arrow
from forklake.sql.binding.names import context_of, get_relation
from forklake.sql.duckdb.summarize import summary_query
from forklake.sql.execution.show import describe_relation, describe_schema
from forklake.sql.execution.without_spark import answer_without_spark, explain_without_spark, needs_spark_error
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.parse import parse_one
from forklake.sql.parsing.statements import Describe, Explain, Query, Summarize
from forklake.sql.queries.bind_query import bind_query, view_frame
from forklake.sql.results.result import Result
from forklake.sql.session.state import SessionState
from forklake.sql.small.small_query import NeedsSparkError

_ROWS = "__forklake_rows"


def run_query(state: SessionState, text: str, parameters: Parameters = None) -> Result:
    """The result of a query; its rows are fetched on demand."""
    context = context_of(state)
    given: dict[str, pa.Table] = {}
    rows = answer_without_spark(state, context, text, parameters, given)
    if rows is not None:
        return Result(rows, lambda: from_arrow(state.provider.get(), rows))
    if state.small_queries == "driver":
        raise needs_spark_error("it does more than read one table")
    frames = {name: from_arrow(state.provider.get(), called) for name, called in given.items()}
    bound = bind_query(state, context, text, parameters, frames, handed_out=True)
    frame = bound.run(state)
    return Result(None, lambda: frame, owns_columns=bound.owns_columns)


def describe(state: SessionState, statement: Describe, parameters: Parameters = None) -> Result:
    """The columns of a table or view, or of a query."""
    context = context_of(state)
    if statement.query is not None:
        frame = bind_query(state, context, statement.query, parameters).run(state)
        return Result(describe_schema(frame.schema))
    bound = get_relation(state, context, statement.name)
    if bound.table is not None:
        return Result(describe_relation(bound.table))
    return Result(describe_schema(view_frame(state, bound, context).schema))


def explain(state: SessionState, statement: Explain, parameters: Parameters = None) -> Result:
    """How a query is answered: by the driver, or by Spark with its plan. The other modes show Spark's plan alone."""
    if not isinstance(parse_one(statement.statement, state.dialect), Query):
        raise InvalidInput("EXPLAIN supports only queries.")
    context, reason = context_of(state), ""
    if statement.mode == "simple":
        try:
            return Result(pa.table({"plan": [explain_without_spark(state, context, statement.statement, parameters)]}))
        except NeedsSparkError as needs:
            reason = f"Spark, because {needs}\n\n"
    bound = bind_query(state, context, statement.statement, parameters)
    # Spark would return an error as if it were a plan.
    bound.run(state)
    mode = "" if statement.mode == "simple" else f"{statement.mode.upper()} "
    plan = replace(bound, text=f"EXPLAIN {mode}{bound.text}").run(state).toArrow()
    return Result(pa.table({"plan": [reason + str(text) for text in plan["plan"].to_pylist()]}))


def summarize(state: SessionState, statement: Summarize, parameters: Parameters = None) -> Result:
    """Statistics of each column of a query: counts, bounds and quantiles."""
    frame = bind_query(state, context_of(state), statement.query, parameters).run(state)
    described = describe_schema(frame.schema).to_pydict()
    types = dict(zip(described["column_name"], described["column_type"], strict=True))
    context = replace(context_of(state), dialect="spark")
    summary = bind_query(state, context, summary_query(types, _ROWS), given={_ROWS: frame})
    return Result(None, lambda: summary.run(state))
