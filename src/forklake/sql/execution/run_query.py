"""Execution of queries, without Spark if the metadata has the answer."""

from dataclasses import replace

import pyarrow as pa
from sqlglot import exp

from forklake.catalog.planning.aggregates import exact_count, has_files
from forklake.catalog.planning.scan_planning import plan_scan
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import InvalidInput
from forklake.model.entities import Table
from forklake.model.names import fold
from forklake.spark.reading.inlined import inlined_rows
from forklake.spark.tasks.types.arrow_types import shown_schema
from forklake.spark.values.from_arrow import from_arrow
from forklake.sql.binding.names import Context, context_of, find_relation, get_relation
from forklake.sql.duckdb.summarize import summary_query
from forklake.sql.execution.show import describe_relation, describe_schema
from forklake.sql.functions.metadata_tables import find_metadata
from forklake.sql.functions.registry import call_function, is_function
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.known_nodes import has_only_arguments, is_known
from forklake.sql.parsing.parse import parse_one
from forklake.sql.parsing.statements import Describe, Explain, Query, Summarize
from forklake.sql.parsing.table_references import Reference, parse_query
from forklake.sql.queries.bind_query import argument_values, bind_query, function_rows, view_frame
from forklake.sql.queries.column_aliases import is_plain_table
from forklake.sql.results.result import Result
from forklake.sql.session.state import SessionState

_ROWS = "__forklake_rows"
_THIS = frozenset({"this"})
_SELECT = frozenset({"expressions", "from_"})
_ALIAS = frozenset({"this", "alias"})
_CALL = frozenset({"this", "expressions"})
_COUNT = frozenset({"this", "big_int"})
"""sqlglot sets `big_int` on every count."""


def run_query(state: SessionState, text: str, parameters: Parameters = None) -> Result:
    """The result of a query; its rows are fetched on demand."""
    context = context_of(state)
    given: dict[str, pa.Table] = {}
    rows = _answer_without_spark(state, context, text, parameters, given)
    if rows is not None:
        return Result(rows, lambda: from_arrow(state.provider.get(), rows))
    frames = {name: from_arrow(state.provider.get(), called) for name, called in given.items()}
    bound = bind_query(state, context, text, parameters, frames, handed_out=True)
    frame = bound.run(state)
    return Result(None, lambda: frame, owns_columns=bound.owns_columns)


def _answer_without_spark(
    state: SessionState, context: Context, text: str, parameters: Parameters, given: dict[str, pa.Table]
) -> pa.Table | None:
    """Answers from metadata alone: our functions and metadata tables, inlined rows, and counts.

    The result of a function that is not yet the answer is stored in `given`: it may have side effects, and must run
    once.
    """
    parsed = parse_query(text, context.dialect)
    select = parsed.tree
    if not isinstance(select, exp.Select) or not _is_plain_select(select):
        return None
    called = _procedure_rows(state, context, select, parameters)
    if called is not None:
        return called
    if not state.takes_shortcuts or len(parsed.references) != 1 or select.args.get("from_") is None:
        return None
    [reference] = parsed.references
    if select.args["from_"].this is not reference.node or not is_plain_table(reference.node):
        return None
    if reference.arguments is not None:
        called = _metadata_function_rows(state, context, reference, parameters)
        if called is not None:
            given[".".join(reference.name)] = called
        return _project(state, called, select)
    metadata = find_metadata(state, context, reference.name)
    if metadata is not None:
        return _project(state, metadata, select)
    bound = find_relation(state, context, reference.name, reference.at, parameters)
    if bound is None or bound.table is None:
        return None
    counted = _count_rows(bound.tx, bound.table, select, context.dialect)
    return _project(state, _inlined_table_rows(bound.tx, bound.table), select) if counted is None else counted


def _is_plain_select(select: exp.Select) -> bool:
    source = select.args.get("from_")
    return has_only_arguments(select, _SELECT) and (source is None or has_only_arguments(source, _THIS))


def _procedure_rows(
    state: SessionState, context: Context, select: exp.Select, parameters: Parameters
) -> pa.Table | None:
    """`SELECT f(…)` with just one of our functions is a call."""
    if select.args.get("from_") is not None or len(select.expressions) != 1:
        return None
    call, alias = _split_alias(select.expressions[0])
    if (
        type(call) is not exp.Anonymous
        or not has_only_arguments(call, _CALL)
        or not is_function(state, context, (call.name,))
    ):
        return None
    rows = call_function(state, (call.name,), *argument_values(call.expressions, parameters))
    return _with_title(rows, alias) if isinstance(rows, pa.Table) else None


def _with_title(rows: pa.Table, title: str | None) -> pa.Table:
    """The rows as one column of that title: their only column, or structs of all columns."""
    if title is None:
        return rows
    return pa.table({title: rows.column(0) if rows.num_columns == 1 else rows.to_struct_array()})


def _metadata_function_rows(
    state: SessionState, context: Context, reference: Reference, parameters: Parameters
) -> pa.Table | None:
    if not is_function(state, context, reference.name):
        return None
    rows = function_rows(state, context, reference, parameters)
    return rows if isinstance(rows, pa.Table) else None


def _inlined_table_rows(tx: Transaction, table: Table) -> pa.Table | None:
    """The rows of a table without files; whether it has any is known without listing them."""
    if has_files(tx, table):
        return None
    plan = plan_scan(tx, table)
    return inlined_rows(plan) if plan.batches else shown_schema(table.definition.columns).empty_table()


def _project(state: SessionState, rows: pa.Table | None, select: exp.Select) -> pa.Table | None:
    """A projection to plain columns or all of them; None for anything else."""
    if rows is None:
        return None
    names: list[str] = []
    titles: list[str] = []
    for expression in select.expressions:
        inner, alias = _split_alias(expression)
        if type(inner) is exp.Star and has_only_arguments(inner, frozenset()) and alias is None:
            names += rows.column_names
            titles += rows.column_names
            continue
        name = _column_name(state, rows, inner)
        if name is None:
            return None
        names.append(name)
        titles.append(alias or inner.name)
    return pa.table([rows[name] for name in names], names=titles)


def _split_alias(expression: exp.Expr) -> tuple[exp.Expr, str | None]:
    is_alias = (
        type(expression) is exp.Alias and has_only_arguments(expression, _ALIAS) and is_known(expression.args["alias"])
    )
    return (expression.this, expression.alias) if is_alias else (expression, None)


def _column_name(state: SessionState, rows: pa.Table, node: exp.Expr) -> str | None:
    """The column that a plain name refers to."""
    if type(node) is not exp.Column or not has_only_arguments(node, _THIS) or not is_known(node.this):
        return None
    found: list[str] = [name for name in rows.column_names if fold(name) == fold(node.name)]
    if found == [node.name]:
        return found[0]
    # In another case, Spark uses the name as written as the title, if the column exists at all.
    is_same = len(found) == 1 and node.name.isascii() and state.dialect == "spark"
    return found[0] if is_same else None


def _count_rows(tx: Transaction, table: Table, select: exp.Select, dialect: str) -> pa.Table | None:
    """SELECT count(*) of a whole table."""
    if len(select.expressions) != 1:
        return None
    count, alias = _split_alias(select.expressions[0])
    if type(count) is not exp.Count or not has_only_arguments(count, _COUNT):
        return None
    is_star = type(count.this) is exp.Star and has_only_arguments(count.this, frozenset())
    if not is_star and count.this != exp.Literal.number(1):
        return None
    title = alias or ("count_star()" if is_star and dialect == "duckdb" else "count(1)")
    schema = pa.schema([pa.field(title, pa.int64(), nullable=False)])
    return pa.table({title: [exact_count(tx, table)]}, schema)


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
    """Spark's query plan."""
    if not isinstance(parse_one(statement.statement, state.dialect), Query):
        raise InvalidInput("EXPLAIN supports only queries.")
    bound = bind_query(state, context_of(state), statement.statement, parameters)
    # Spark would return an error as if it were a plan.
    bound.run(state)
    mode = "" if statement.mode == "simple" else f"{statement.mode.upper()} "
    return Result(replace(bound, text=f"EXPLAIN {mode}{bound.text}").run(state).toArrow())


def summarize(state: SessionState, statement: Summarize, parameters: Parameters = None) -> Result:
    """Statistics of each column of a query: counts, bounds and quantiles."""
    frame = bind_query(state, context_of(state), statement.query, parameters).run(state)
    described = describe_schema(frame.schema).to_pydict()
    types = dict(zip(described["column_name"], described["column_type"], strict=True))
    context = replace(context_of(state), dialect="spark")
    summary = bind_query(state, context, summary_query(types, _ROWS), given={_ROWS: frame})
    return Result(None, lambda: summary.run(state))
