"""Queries: their names become names or DataFrames for Spark, and the rest of their text is left to it as it is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from sqlglot import exp

from forklake.errors import InvalidInput
from forklake.model.entities import Table
from forklake.model.names import fold
from forklake.spark.from_arrow import from_arrow
from forklake.spark.left_lists import keep_lists
from forklake.spark.named_scans import named_scan
from forklake.spark.scan import scan
from forklake.spark.session import NamedScan, is_remote
from forklake.spark.virtual import FOR_USERS
from forklake.sql.binding import Bound, Context, find_relation
from forklake.sql.constants import Parameters, constant_of
from forklake.sql.cursor import quoted_name, tokens_of
from forklake.sql.duckdb_to_spark import parse_duckdb, spark_text, to_spark
from forklake.sql.functions import call_function, is_function
from forklake.sql.macros import expanded
from forklake.sql.metadata_names import find_metadata
from forklake.sql.missing import explained, missing_name
from forklake.sql.own_columns import own_columns
from forklake.sql.own_names import qualifier_edits
from forklake.sql.pruning import predicate_for
from forklake.sql.references import ParsedQuery, Reference, alias_place, edited, parsed_query
from forklake.sql.state import SessionState

_FRAME = "__forklake_frame_"
_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A query for Spark, with the rows that it names."""

    text: str
    frames: dict[str, DataFrame]
    """To be handed over with the text."""
    scans: dict[str, NamedScan]
    """Those that Spark knows by name already, for as long as they are referred to."""
    parameters: Parameters
    context: Context
    owns_columns: bool
    """What it gives has no columns of another query."""

    def run(self, state: SessionState) -> DataFrame:
        """The query as a DataFrame, which Spark has analysed and not run."""
        try:
            return self._analysed(state.holder.get())
        except AnalysisException as error:
            raise explained(state, self.context, error) from None

    def _analysed(self, spark: SparkSession) -> DataFrame:
        try:
            return self._given_to(spark)
        except AnalysisException as error:
            if missing_name(error)[-1:] not in {(name,) for name in self.scans}:
                raise
            # Somebody has dropped views that are not theirs.
            for scan in self.scans.values():
                scan.show()
            return self._given_to(spark)

    def _given_to(self, spark: SparkSession) -> DataFrame:
        arguments = None if self.parameters is None else _spark_parameters(self.parameters)
        frame = spark.sql(self.text, args=arguments, **self.frames)
        if is_remote(spark):
            # A client learns what is wrong with a query when it asks for something.
            _ = frame.schema
            keep_lists(frame, self.frames.values())
        return frame


def bind_query(
    state: SessionState,
    context: Context,
    text: str,
    parameters: Parameters = None,
    given: dict[str, DataFrame] | None = None,
    handed_out: bool = False,
) -> BoundQuery:
    """Bind the names of a query to tables, views and functions; what is none of ours is left to Spark.

    `given` are DataFrames that the text may name besides. What is `handed_out` gets columns of its own, if it can.
    """
    if context.depth > _DEEPEST:
        raise InvalidInput("A view or macro seems to be made of itself: it is nested too deep.")
    parsed = parsed_query(_as_select(text), context.dialect, lambda plain: expanded(state, context, plain))
    frames: dict[str, DataFrame] = {}
    scans: dict[str, NamedScan] = {}
    virtual: set[str] = set()
    edits: list[tuple[int, int, str]] = []
    marker = _marker(parsed.text)
    for reference in parsed.references:
        found: DataFrame | NamedScan | None = (given or {}).get(".".join(reference.name))
        if found is None:
            found = _frame(state, context, parsed.text, reference, parameters, virtual)
        if found is None:
            continue
        if isinstance(found, NamedScan):
            name = found.name
            scans[name] = found
        else:
            name = f"{marker}{len(frames)}"
            frames[name] = found
        edits.append((reference.start, reference.end, name))
        if not reference.alias:
            place = alias_place(parsed.text, reference, context.dialect)
            edits.append((place, place, f" AS {quoted_name(reference.name[-1], context.dialect)}"))
    further = _column_edits(parsed, edits, context, virtual)
    anew = _named_anew(parsed, scans, context) if handed_out and not further else None
    plain = edited(parsed.text, [*edits, *further, *(anew or ())])
    if context.dialect == "duckdb":
        known = {**frames, **{name: scan.frame for name, scan in scans.items()}}
        plain = spark_text(to_spark(parse_duckdb(plain), lambda table: _types(known.get(table.name))))
    text = _formatted(plain, marker) if frames else plain
    return BoundQuery(text, frames, scans, parameters, context, anew is not None)


def _named_anew(
    parsed: ParsedQuery, scans: Mapping[str, NamedScan], context: Context
) -> list[tuple[int, int, str]] | None:
    """The edits that give a query columns of its own, if it reads one table and its text tells how."""
    if len(parsed.references) != 1 or len(scans) != 1 or context.dialect != "spark" or "|>" in parsed.text:
        return None
    [scan], [reference] = scans.values(), parsed.references
    return own_columns(parsed.tree, reference.node, scan.columns)


def _types(frame: DataFrame | None) -> dict[str, str] | None:
    return None if frame is None else dict(frame.dtypes)


def _marker(text: str) -> str:
    """A beginning of names that the text itself does not have, not even in a string."""
    marker = _FRAME
    while marker in text:
        marker += "_"
    return marker


def query_frame(state: SessionState, context: Context, text: str, parameters: Parameters = None) -> DataFrame:
    """The rows of a query."""
    return bind_query(state, context, text, parameters).run(state)


def relation_frame(state: SessionState, bound: Bound, context: Context) -> DataFrame:
    """All rows of a table or view."""
    if bound.table is None:
        return view_frame(state, bound, context)
    work = state.work(bound.tx, bound.attachment)
    return scan(work, work.plan_scan(bound.table))


def _table_rows(
    state: SessionState, bound: Bound, table: Table, text: str, reference: Reference, virtual: set[str]
) -> DataFrame | NamedScan:
    """The rows of a table; what the query says of them chooses files. It has `virtual` columns beyond its own."""
    predicate = predicate_for(text, reference, table, state.rules)
    further = _virtual_columns(text, reference, table)
    virtual.update(further)
    work = state.work(bound.tx, bound.attachment)
    plan = work.plan_scan(table, predicate)
    return scan(work, plan, further) if further else named_scan(work, plan)


def view_frame(state: SessionState, bound: Bound, context: Context) -> DataFrame:
    """The rows of a view, read where it was made and at the point in time that it is asked for."""
    view = bound.view
    assert view is not None
    inside = Context(
        view.definition.dialect,
        bound.attachment.name,
        bound.schema,
        {**context.pinned, bound.attachment.name: bound.tx},
        context.depth + 1,
    )
    frame = query_frame(state, inside, view.definition.sql)
    aliases = view.definition.column_aliases
    if not aliases:
        return frame
    if len(aliases) > len(frame.columns):
        raise InvalidInput(f"View '{view.name}' has more names for columns than its query has columns.")
    return frame.toDF(*aliases, *frame.columns[len(aliases) :])


def _frame(
    state: SessionState,
    context: Context,
    text: str,
    reference: Reference,
    parameters: Parameters,
    virtual: set[str],
) -> DataFrame | NamedScan | None:
    if reference.arguments is not None:
        if not is_function(state, reference.name):
            return None
        return _as_frame(state, function_rows(state, reference, parameters))
    metadata = find_metadata(state, reference.name)
    if metadata is not None:
        return _as_frame(state, metadata)
    bound = find_relation(state, context, reference.name, reference.at, parameters)
    if bound is None:
        return None
    if bound.table is None:
        return view_frame(state, bound, context)
    return _table_rows(state, bound, bound.table, text, reference, virtual)


def function_rows(state: SessionState, reference: Reference, parameters: Parameters) -> pa.Table | DataFrame:
    """What a function in FROM gives."""
    positional, named = arguments_of(reference.arguments or [], parameters)
    return call_function(state, reference.name, positional, named)


def arguments_of(arguments: Sequence[exp.Expr], parameters: Parameters) -> tuple[list[object], dict[str, object]]:
    """The values of a function's arguments, by position and by name."""
    positional: list[object] = []
    named: dict[str, object] = {}
    for argument in arguments:
        if isinstance(argument, exp.Kwarg | exp.PropertyEQ):
            named[argument.this.name.lower()] = constant_of(argument.expression, parameters)
        else:
            positional.append(constant_of(argument, parameters))
    return positional, named


def _as_frame(state: SessionState, rows: pa.Table | DataFrame) -> DataFrame:
    if isinstance(rows, DataFrame):
        return rows
    return from_arrow(state.holder.get(), rows).select("*")


def _virtual_columns(text: str, reference: Reference, table: Table) -> list[str]:
    """The virtual columns that the query around a reference speaks of."""
    if not any(name in text.lower() for name in FOR_USERS):
        return []
    own = {fold(column.name) for column in table.definition.columns}
    select = reference.node.find_ancestor(exp.Select)
    used = {fold(column.name) for column in (select or reference.node.root()).find_all(exp.Column)}
    return [name for name in FOR_USERS if name in used and name not in own]


def _column_edits(
    parsed: ParsedQuery, replaced: Sequence[tuple[int, int, str]], context: Context, virtual: set[str]
) -> list[tuple[int, int, str]]:
    """Columns that name the catalog or schema of their table keep the table alone; stars leave virtual columns out."""
    if parsed.tree is None or not replaced:
        return []
    edits = qualifier_edits(parsed, context)
    if virtual and len(list(parsed.tree.find_all(exp.Select))) == 1:
        edits += _star_edits(parsed.text, sorted(virtual), context.dialect)
    return edits


def _star_edits(text: str, virtual: Sequence[str], dialect: str) -> list[tuple[int, int, str]]:
    word = "EXCLUDE" if dialect == "duckdb" else "EXCEPT"
    tokens = tokens_of(text, dialect)
    return [
        (token.end + 1, token.end + 1, f" {word} ({', '.join(virtual)})")
        for before, token in pairwise(tokens)
        if token.text == "*" and before.text.upper() in ("SELECT", "DISTINCT", ",", ".")
    ]


def _formatted(text: str, marker: str) -> str:
    """Spark puts DataFrames in by Python's rules for braces; those of the text itself are doubled."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    return re.sub(rf"(`?)({marker}\d+)\1", r"{\2}", doubled)


def _as_select(text: str) -> str:
    """TABLE name is short for SELECT * FROM name."""
    found = re.match(r"\s*TABLE\s+(.*)", text, re.IGNORECASE | re.DOTALL)
    return f"SELECT * FROM {found[1]}" if found else text


def _spark_parameters(parameters: Parameters) -> dict[str, Any] | list[Any]:
    return dict(parameters) if isinstance(parameters, Mapping) else list(parameters or [])
