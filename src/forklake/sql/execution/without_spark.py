"""Answers to queries without Spark: from metadata, from inlined rows, and to small queries from files."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pyarrow as pa
from sqlglot import exp

from forklake.catalog.planning.aggregates import exact_count, has_files
from forklake.catalog.planning.scan_planning import plan_scan
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import InvalidInput
from forklake.model.entities import Table
from forklake.model.module_on_use import module_on_use
from forklake.model.names import fold
from forklake.spark.reading.inlined import inlined_rows
from forklake.spark.tasks.types.arrow_types import shown_schema
from forklake.spark.tasks.types.python_array import empty_table, python_array
from forklake.sql.binding.names import BoundRelation, Context, find_relation
from forklake.sql.functions.metadata_tables import find_metadata
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.known_nodes import has_only_arguments, is_known
from forklake.sql.parsing.plain_syntax import is_plain_select
from forklake.sql.parsing.table_references import ParsedQuery, Reference, parse_query
from forklake.sql.queries.column_aliases import is_plain_table
from forklake.sql.session.state import SessionState
from forklake.sql.small.plan import SmallQueryPlan, plan_small_query, run_small_query
from forklake.sql.small.small_query import NeedsSparkError

if TYPE_CHECKING:
    from forklake.sql.functions import registry
    from forklake.sql.queries import bind_query as queries
    from forklake.sql.small import small_feed as feeds
else:
    registry = module_on_use("forklake.sql.functions.registry")
    queries = module_on_use("forklake.sql.queries.bind_query")
    feeds = module_on_use("forklake.sql.small.small_feed")

_THIS = frozenset({"this"})
_SELECT = frozenset({"expressions", "from_"})
_ALIAS = frozenset({"this", "alias"})
_CALL = frozenset({"this", "expressions"})
_COUNT = frozenset({"this", "big_int"})
"""sqlglot sets `big_int` on every count."""


def answer_without_spark(
    state: SessionState, context: Context, text: str, parameters: Parameters, given: dict[str, pa.Table]
) -> pa.Table | None:
    """The rows of a query that Spark is not needed for; None for all others.

    The result of a function that is not yet the answer is stored in `given`: it may have side effects, and must run
    once.
    """
    parsed = parse_query(text, context.dialect)
    select = parsed.tree
    if not isinstance(select, exp.Select):
        return None
    is_plain = _is_plain_select(select)
    called = _procedure_rows(state, context, select, parameters) if is_plain else None
    if called is not None:
        return called
    # Spark must see a text that it may refuse.
    is_plain = is_plain and (context.dialect != "spark" or is_plain_select(parsed.text))
    reference = _only_table(parsed) if state.takes_shortcuts else None
    if reference is None:
        return None
    if reference.arguments is not None:
        if feeds.is_feed(state, context, reference.name):
            return _unless_spark_is_needed(state, lambda: _feed_rows(state, context, parsed, reference, parameters))
        called = _metadata_function_rows(state, context, reference, parameters) if is_plain else None
        if called is not None:
            given[".".join(reference.name)] = called
        return _project(state, called, select)
    metadata = find_metadata(state, context, reference.name)
    if metadata is not None:
        return _project(state, metadata, select) if is_plain else None
    bound = find_relation(state, context, reference.name, reference.at, parameters)
    if bound is None or bound.table is None:
        return None
    if is_plain:
        known = _count_rows(bound.tx, bound.table, select, context.dialect)
        if known is None:
            known = _project(state, _inlined_table_rows(bound.tx, bound.table), select)
        if known is not None:
            return known
    return _small_query_rows(state, context, parsed, reference, bound, parameters)


def small_query_rows(state: SessionState, context: Context, text: str, parameters: Parameters) -> pa.Table | None:
    """The rows of a small query of one table; None if it is none, or if Spark is to answer it."""
    parsed = parse_query(text, context.dialect)
    reference = _only_table(parsed) if state.takes_shortcuts and isinstance(parsed.tree, exp.Select) else None
    if reference is None or reference.arguments is not None:
        return None
    if find_metadata(state, context, reference.name) is not None:
        return None
    bound = find_relation(state, context, reference.name, reference.at, parameters)
    if bound is None or bound.table is None:
        return None
    return _small_query_rows(state, context, parsed, reference, bound, parameters)


def explain_without_spark(state: SessionState, context: Context, text: str, parameters: Parameters) -> str:
    """How a query is answered without Spark; NeedsSparkError with the reason if it is not."""
    parsed = parse_query(text, context.dialect)
    reference = _only_table(parsed)
    _check_shortcuts(state)
    if reference is None or not isinstance(parsed.tree, exp.Select):
        raise NeedsSparkError("it does more than read one table")
    if reference.arguments is not None:
        if not feeds.is_feed(state, context, reference.name):
            raise NeedsSparkError("it does more than read one table")
        return _feed_plan(state, context, parsed, reference, parameters).description
    bound = find_relation(state, context, reference.name, reference.at, parameters)
    if bound is None or bound.table is None:
        raise NeedsSparkError(f"'{'.'.join(reference.name)}' is no table of a catalog")
    if _is_plain_select(parsed.tree) and _count_rows(bound.tx, bound.table, parsed.tree, context.dialect) is not None:
        return f"Metadata: the number of rows of {'.'.join(reference.name)} at version {bound.tx.base}"
    return _small_plan(state, context, parsed, reference, bound, parameters).description


def _only_table(parsed: ParsedQuery) -> Reference | None:
    """The table or function of a query that names just one, and that in FROM."""
    source = None if parsed.tree is None else parsed.tree.args.get("from_")
    if len(parsed.references) != 1 or source is None:
        return None
    [reference] = parsed.references
    return reference if source.this is reference.node and is_plain_table(reference.node) else None


def _small_query_rows(
    state: SessionState,
    context: Context,
    parsed: ParsedQuery,
    reference: Reference,
    bound: BoundRelation,
    parameters: Parameters,
) -> pa.Table | None:
    """The rows of a small query; None if Spark is to answer it."""
    return _unless_spark_is_needed(
        state, lambda: run_small_query(_small_plan(state, context, parsed, reference, bound, parameters))
    )


def _feed_rows(
    state: SessionState, context: Context, parsed: ParsedQuery, reference: Reference, parameters: Parameters
) -> pa.Table:
    return feeds.run_small_feed(_feed_plan(state, context, parsed, reference, parameters))


def _feed_plan(
    state: SessionState, context: Context, parsed: ParsedQuery, reference: Reference, parameters: Parameters
) -> "feeds.SmallFeedPlan":
    check_small_queries(state)
    return feeds.plan_small_feed(state, context, parsed, reference, parameters)


def _unless_spark_is_needed(state: SessionState, run: Callable[[], pa.Table]) -> pa.Table | None:
    """The rows that the driver finds; None if Spark is to answer."""
    try:
        return run()
    except NeedsSparkError as reason:
        if state.small_queries == "driver":
            raise needs_spark_error(str(reason)) from None
        return None


def needs_spark_error(reason: str, what: str = "query") -> InvalidInput:
    """The error for a query, or a statement, that needs Spark in a session that excludes it."""
    return InvalidInput(f"This {what} needs Spark, because {reason}. The setting forklake_small_queries is 'driver'.")


def _small_plan(
    state: SessionState,
    context: Context,
    parsed: ParsedQuery,
    reference: Reference,
    bound: BoundRelation,
    parameters: Parameters,
) -> SmallQueryPlan:
    check_small_queries(state)
    return plan_small_query(state, context, parsed, reference, bound, parameters)


def _check_shortcuts(state: SessionState) -> None:
    if not state.takes_shortcuts:
        raise NeedsSparkError("shortcuts are turned off, or Spark has settings that change what text means")


def check_small_queries(state: SessionState) -> None:
    """NeedsSparkError if the driver answers nothing in this session."""
    _check_shortcuts(state)
    if state.small_queries == "spark":
        raise NeedsSparkError("the setting forklake_small_queries is 'spark'")


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
        or not registry.is_function(state, context, (call.name,))
    ):
        return None
    rows = registry.call_function(state, (call.name,), *queries.argument_values(call.expressions, parameters))
    return _with_title(rows, alias) if isinstance(rows, pa.Table) else None


def _with_title(rows: pa.Table, title: str | None) -> pa.Table:
    """The rows as one column of that title: their only column, or structs of all columns."""
    if title is None:
        return rows
    return pa.table({title: rows.column(0) if rows.num_columns == 1 else rows.to_struct_array()})


def _metadata_function_rows(
    state: SessionState, context: Context, reference: Reference, parameters: Parameters
) -> pa.Table | None:
    if not registry.is_function(state, context, reference.name):
        return None
    rows = queries.function_rows(state, context, reference, parameters)
    return rows if isinstance(rows, pa.Table) else None


def _inlined_table_rows(tx: Transaction, table: Table) -> pa.Table | None:
    """The rows of a table without files; whether it has any is known without listing them."""
    if has_files(tx, table):
        return None
    plan = plan_scan(tx, table)
    return inlined_rows(plan) if plan.batches else empty_table(shown_schema(table.definition.columns))


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
        titles.append(inner.name if alias is None else alias)
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
    own_title = "count_star()" if is_star and dialect == "duckdb" else "count(1)"
    title = own_title if alias is None else alias
    schema = pa.schema([pa.field(title, pa.int64(), nullable=False)])
    return pa.table([python_array([exact_count(tx, table)], pa.int64())], schema)
