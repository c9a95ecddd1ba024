"""Binds queries: names become DataFrames or views known to Spark, and the rest of the text is passed unchanged."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from sqlglot import exp

from forklake.errors import InvalidInput
from forklake.model.entities import Table
from forklake.model.names import fold
from forklake.spark.reading.connect_manifests import keep_file_lists
from forklake.spark.reading.named_scans import named_scan
from forklake.spark.reading.scan import scan
from forklake.spark.session.expression_text import without_substitution, without_variables
from forklake.spark.session.provider import is_remote
from forklake.spark.session.scan_cache import NamedScan
from forklake.spark.values.from_arrow import from_arrow
from forklake.sql.binding.names import BoundRelation, Context, find_relation, kept_in
from forklake.sql.binding.unknown_tables import explain_missing_table, missing_table_name
from forklake.sql.binding.virtual_columns import (
    HiddenColumnSource,
    check_hidden_columns,
    hidden_column_source,
    hide_in_stars,
    hiding_edits,
    mark_hidden,
    named_virtual_columns,
)
from forklake.sql.definitions.macros import expand_macros
from forklake.sql.definitions.relative_names import qualifier_edits
from forklake.sql.duckdb.translate import parse_duckdb, spark_text, to_spark
from forklake.sql.duckdb.type_hints import RESULT, Types
from forklake.sql.duckdb.types import duckdb_type
from forklake.sql.functions.metadata_tables import find_metadata
from forklake.sql.functions.registry import call_function, is_function
from forklake.sql.parsing.constants import Parameters, constant_value
from forklake.sql.parsing.cursor import quoted_name
from forklake.sql.parsing.statements import Name
from forklake.sql.parsing.table_references import (
    ParsedQuery,
    Reference,
    alias_edits,
    apply_edits,
    argument_name,
    parse_query,
)
from forklake.sql.pruning.query_predicates import table_predicate
from forklake.sql.queries.column_aliases import column_alias_edits
from forklake.sql.queries.unparsed_text import check_unread
from forklake.sql.session.state import SessionState

_FRAME = "__forklake_frame_"
_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A query for Spark, with the rows that it names."""

    text: str
    frames: dict[str, DataFrame]
    """Passed to Spark with the text."""
    scans: dict[str, NamedScan]
    """Scans that Spark knows by name, for as long as they are referenced."""
    parameters: Parameters
    context: Context
    owns_columns: bool
    """Whether its result shares no columns with another query."""
    types: Sequence[exp.DataType | None] = ()
    """In the DuckDB dialect, the DuckDB types of its columns, as far as they are known."""

    def run(self, state: SessionState) -> DataFrame:
        """The query as a DataFrame, analysed by Spark but not executed."""
        try:
            return self._analyse(state.provider.get())
        except AnalysisException as error:
            raise explain_missing_table(state, self.context, error) from None

    def _analyse(self, spark: SparkSession) -> DataFrame:
        try:
            return self._submit_to(spark)
        except AnalysisException as error:
            if missing_table_name(error)[-1:] not in {(name,) for name in self.scans}:
                raise
            # Someone else has dropped our views.
            for scan in self.scans.values():
                scan.show()
            return self._submit_to(spark)

    def _submit_to(self, spark: SparkSession) -> DataFrame:
        arguments = None if self.parameters is None else _spark_parameters(self.parameters)
        with without_substitution(spark, self.text):
            frame = spark.sql(self.text, args=arguments, **self.frames)
        if is_remote(spark):
            # A Connect client reports errors in a query only when asked for something.
            _ = frame.schema
            keep_file_lists(frame, self.frames.values())
        return frame


def bind_query(
    state: SessionState,
    context: Context,
    text: str,
    parameters: Parameters = None,
    given: dict[str, DataFrame] | None = None,
    handed_out: bool = False,
    hidden: Mapping[str, Sequence[str]] | None = None,
    stands_for: Mapping[str, Name] | None = None,
    types: Mapping[str, Types] | None = None,
) -> BoundQuery:
    """Bind the names of a query to tables, views and functions; names that are not ours are left to Spark.

    `given` are additional DataFrames that the text may name, `hidden` their columns that stars exclude, `types` the
    DuckDB types of their columns, and `stands_for` the tables by whose names their columns may be qualified. If
    `handed_out`, the result gets columns of its own where possible.
    """
    plain, bound, owns_columns = _bind(
        state, context, text, parameters, given or {}, hidden or {}, handed_out, stands_for or {}, types or {}
    )
    text = _brace_frame_names(plain, bound.marker) if bound.frames else plain
    return BoundQuery(text, bound.frames, bound.scans, parameters, context, owns_columns, bound.result)


def bind_expression(
    state: SessionState,
    context: Context,
    text: str,
    rows: Mapping[str, DataFrame],
    hidden: Mapping[str, Sequence[str]],
    stands_for: Mapping[str, Name],
    types: Mapping[str, Types],
) -> tuple[str, list[NamedScan]]:
    """An expression for Spark over rows known by aliases, whose `hidden` columns stars exclude.

    By alias, `stands_for` has the tables by whose names their columns may be qualified, and `types` their DuckDB types.

    Also returns the scans that its subqueries name: Spark knows them for as long as they are referenced.
    """
    value = _unused_prefix(text) + "value"
    given = {f"{value}_{at}": frame for at, frame in enumerate(rows.values())}
    sources = [f"{name} AS {quoted_name(alias, context.dialect)}" for name, alias in zip(given, rows, strict=True)]
    query = f"SELECT ({text}\n) AS {value} FROM {', '.join(sources)}"
    unseen = {name: hidden.get(alias, ()) for name, alias in zip(given, rows, strict=True)}
    owners = {name: stands_for[alias] for name, alias in zip(given, rows, strict=True) if alias in stands_for}
    known = {name: types.get(alias, {}) for name, alias in zip(given, rows, strict=True)}
    plain, bound, _ = _bind(state, context, query, None, given, unseen, False, owners, known)
    shown = plain[len("SELECT") : plain.rindex(f"{value}")].rstrip(" `").removesuffix("AS")
    scans = dict(bound.scans)

    def name_of(found: re.Match[str]) -> str:
        if found[2] not in scans:
            scans[found[2]] = state.provider.cache.name_scan(bound.frames[found[2]])
        return scans[found[2]].name

    return re.sub(rf"(`?)({bound.marker}\d+)\1", name_of, shown), list(scans.values())


def _bind(
    state: SessionState,
    context: Context,
    text: str,
    parameters: Parameters,
    given: Mapping[str, DataFrame],
    hidden: Mapping[str, Sequence[str]],
    handed_out: bool,
    stands_for: Mapping[str, Name],
    types: Mapping[str, Types],
) -> tuple[str, "_NameBindings", bool]:
    """The text with names that Spark will know, their bindings, and whether the query has columns of its own."""
    if context.depth > _DEEPEST:
        raise InvalidInput("A view or macro refers to itself, or is nested too deeply.")
    # Rejects settings under which Spark would parse text differently.
    _ = state.provider.settings
    parsed = parse_query(text, context.dialect, lambda plain: expand_macros(state, context, plain))
    check_unread(state, context, parsed)
    bound = _NameBindings(parsed.text, _unused_prefix(parsed.text))
    for reference in parsed.references:
        name = ".".join(reference.name)
        found: DataFrame | NamedScan | None = given.get(name)
        if found is None:
            found = _reference_frame(state, context, reference, parameters, bound)
        else:
            bound.types[id(reference.node)] = types.get(name, {})
            if hidden.get(name):
                bound.hidden_sources.append(hidden_column_source(reference, hidden[name]))
        if found is not None:
            bound.add(parsed, reference, found, context.dialect)
    further = _column_edits(_mark_owners(parsed, stands_for), bound, context)
    anew = _own_column_edits(parsed, bound.scans, context) if handed_out and not further else None
    plain = apply_edits(parsed.text, [*bound.edits, *further, *(anew or ())])
    if context.dialect == "duckdb":
        translated = _translate_duckdb(plain, bound, parameters)
        bound.result = translated.meta.get(RESULT) or ()
        plain = spark_text(translated)
    return without_variables(plain), bound, anew is not None


def _mark_owners(parsed: ParsedQuery, stands_for: Mapping[str, Name]) -> ParsedQuery:
    references = (replace(found, stands_for=stands_for.get(".".join(found.name))) for found in parsed.references)
    return replace(parsed, references=tuple(references)) if stands_for else parsed


@dataclass(slots=True)
class _NameBindings:
    """The bindings of the names in a query."""

    text: str
    marker: str
    """The prefix of names of DataFrames."""
    frames: dict[str, DataFrame] = field(default_factory=dict)
    scans: dict[str, NamedScan] = field(default_factory=dict)
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    hidden_sources: list[HiddenColumnSource] = field(default_factory=list)
    tables: dict[int, Table] = field(default_factory=dict)
    """By node id, the table that a name refers to."""
    nodes: dict[int, str] = field(default_factory=dict)
    """By node id, the replacement of a name."""
    types: dict[int, Types] = field(default_factory=dict)
    """By node id, the columns with known DuckDB types."""
    result: Sequence[exp.DataType | None] = ()
    """The DuckDB types of the columns of the whole query."""

    def add(self, parsed: ParsedQuery, reference: Reference, found: DataFrame | NamedScan, dialect: str) -> None:
        """Replace a name by the one under which Spark knows the rows."""
        if isinstance(found, NamedScan):
            name = found.name
            self.scans[name] = found
        else:
            name = f"{self.marker}{len(self.frames)}"
            self.frames[name] = found
        self.nodes[id(reference.node)] = name
        self.edits.append((reference.start, reference.end, name))
        self.edits += alias_edits(parsed.text, reference, dialect)

    @property
    def hidden(self) -> dict[str, tuple[str, ...]]:
        """The hidden columns by the names known to Spark."""
        return {self.nodes[id(bearer.node)]: bearer.hidden for bearer in self.hidden_sources}

    def folded_columns(self, node: exp.Table) -> set[str] | None:
        """The folded column names of a reference, including hidden ones; None if it is not ours."""
        name = self.nodes.get(id(node), "")
        frame = self.scans[name].frame if name in self.scans else self.frames.get(name)
        return None if frame is None else {fold(column) for column in frame.columns}

    def columns(self, name: str) -> Types | None:
        """The visible columns of a name known to Spark, with their types."""
        frame = self.scans[name].frame if name in self.scans else self.frames.get(name)
        hidden = self.hidden.get(name, ())
        known = next((self.types.get(node, {}) for node, given in self.nodes.items() if given == name), {})
        if frame is None:
            return None
        # DuckDB has no type for what is always NULL.
        types = {name: "unknown" if kind == "void" else kind for name, kind in frame.dtypes}
        return {name: known.get(name, kind) for name, kind in types.items() if name not in hidden}


def _translate_duckdb(plain: str, bound: _NameBindings, parameters: Parameters) -> exp.Expr:
    tree, hidden = parse_duckdb(plain), bound.hidden
    if hidden:
        mark_hidden(tree, hidden)
    values = parameters if isinstance(parameters, Mapping) else {}
    found = to_spark(tree, lambda table: bound.columns(table.name), values)
    return hide_in_stars(found, hidden) if hidden else found


def _own_column_edits(
    parsed: ParsedQuery, scans: Mapping[str, NamedScan], context: Context
) -> list[tuple[int, int, str]] | None:
    """The edits that give a query columns of its own; None unless it reads one table and has a supported form."""
    if len(parsed.references) != 1 or len(scans) != 1 or context.dialect != "spark" or "|>" in parsed.text:
        return None
    [scan], [reference] = scans.values(), parsed.references
    edits = column_alias_edits(parsed.tree, reference.node, scan.columns)
    # `FROM t` alone has a star that is not in the text.
    is_written = all(start == end or parsed.text[start:end] == "*" for start, end, _ in edits or ())
    return edits if is_written else None


def _unused_prefix(text: str) -> str:
    """A prefix for names that does not occur in the text, not even in a string."""
    marker = _FRAME
    while marker in text:
        marker += "_"
    return marker


def query_frame(state: SessionState, context: Context, text: str, parameters: Parameters = None) -> DataFrame:
    """The rows of a query."""
    return bind_query(state, context, text, parameters).run(state)


def typed_frame(
    state: SessionState, context: Context, text: str, parameters: Parameters = None
) -> tuple[DataFrame, Types]:
    """The rows of a query, with the DuckDB types of its columns."""
    bound = bind_query(state, context, text, parameters)
    frame = bound.run(state)
    types = bound.types if len(bound.types) == len(frame.columns) else ()
    return frame, {name: type_ for name, type_ in zip(frame.columns, types, strict=False) if type_ is not None}


def table_types(table: Table) -> Types:
    """The DuckDB types of a table's columns; omits columns for which the translation uses the Spark type."""
    found = {column.name: duckdb_type(column) for column in table.definition.columns}
    return {name: type_ for name, type_ in found.items() if type_ is not None}


def relation_frame(state: SessionState, bound: BoundRelation, context: Context) -> DataFrame:
    """All rows of a table or view."""
    if bound.table is None:
        return view_frame(state, bound, context)
    work = state.work(bound.tx, bound.attachment)
    return scan(work, work.plan_scan(bound.table))


def _table_rows(
    state: SessionState, bound: BoundRelation, table: Table, reference: Reference, names: _NameBindings
) -> DataFrame | NamedScan:
    """The rows of a table; predicates of the query prune files."""
    predicate = table_predicate(names.text, reference, table, state.rules)
    virtual = named_virtual_columns(reference, table)
    names.tables[id(reference.node)] = table
    if virtual:
        names.hidden_sources.append(hidden_column_source(reference, virtual))
    work = state.work(bound.tx, bound.attachment)
    plan = work.plan_scan(table, predicate)
    return scan(work, plan, virtual) if virtual else named_scan(work, plan)


def view_frame(state: SessionState, bound: BoundRelation, context: Context) -> DataFrame:
    """The rows of a view, resolved in its own schema and as of the requested point in time."""
    return _view_rows(state, bound, context)[0]


def _view_rows(state: SessionState, bound: BoundRelation, context: Context) -> tuple[DataFrame, Types]:
    """The rows of a view, with the DuckDB types of its columns."""
    view = bound.view
    assert view is not None
    pinned = {**context.pinned, bound.attachment.name: bound.tx}
    inside = kept_in(bound.attachment, bound.schema, view.definition.dialect, pinned, context.depth + 1)
    frame, known = typed_frame(state, inside, view.definition.sql)
    aliases = view.definition.column_aliases
    if not aliases:
        return frame, known
    if len(aliases) > len(frame.columns):
        raise InvalidInput(f"View '{view.name}' has more names for columns than its query has columns.")
    named = [*aliases, *frame.columns[len(aliases) :]]
    renamed = {new: known[old] for new, old in zip(named, frame.columns, strict=True) if old in known}
    return frame.toDF(*named), renamed


def _reference_frame(
    state: SessionState, context: Context, reference: Reference, parameters: Parameters, names: _NameBindings
) -> DataFrame | NamedScan | None:
    if reference.arguments is not None:
        if not is_function(state, context, reference.name):
            return None
        return _as_frame(state, function_rows(state, context, reference, parameters))
    metadata = find_metadata(state, context, reference.name)
    if metadata is not None:
        return _as_frame(state, metadata)
    bound = find_relation(state, context, reference.name, reference.at, parameters)
    if bound is None:
        return None
    if bound.table is None:
        frame, names.types[id(reference.node)] = _view_rows(state, bound, context)
        return frame
    if context.dialect == "duckdb":
        names.types[id(reference.node)] = table_types(bound.table)
    return _table_rows(state, bound, bound.table, reference, names)


def function_rows(
    state: SessionState, context: Context, reference: Reference, parameters: Parameters
) -> pa.Table | DataFrame:
    """The result of a function in FROM."""
    positional, named = argument_values(reference.arguments or [], parameters)
    return call_function(state, reference.name, positional, named, context)


def argument_values(arguments: Sequence[exp.Expr], parameters: Parameters) -> tuple[list[object], dict[str, object]]:
    """The values of a function's arguments, by position and by name."""
    positional: list[object] = []
    named: dict[str, object] = {}
    for argument in arguments:
        name = argument_name(argument)
        if name is not None:
            named[name] = constant_value(argument.expression, parameters)
        else:
            positional.append(constant_value(argument, parameters))
    return positional, named


def _as_frame(state: SessionState, rows: pa.Table | DataFrame) -> DataFrame:
    if isinstance(rows, DataFrame):
        return rows
    return from_arrow(state.provider.get(), rows).select("*")


def _column_edits(parsed: ParsedQuery, bound: _NameBindings, context: Context) -> list[tuple[int, int, str]]:
    """Edits that strip catalog and schema from qualified columns, and exclude hidden columns from stars."""
    if parsed.tree is None or not bound.edits:
        return []
    edits = qualifier_edits(parsed, context, lambda reference: bound.folded_columns(reference.node))
    if bound.hidden_sources:
        check_hidden_columns(bound.hidden_sources, lambda node: bound.columns(bound.nodes.get(node, "")), parsed.text)
        edits += hiding_edits(parsed.tree, bound.hidden_sources, bound.tables, context.dialect)
    return edits


def _brace_frame_names(text: str, marker: str) -> str:
    """Spark inserts DataFrames by Python format syntax; braces of the text itself are doubled."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    return re.sub(rf"(`?)({marker}\d+)\1", r"{\2}", doubled)


def _spark_parameters(parameters: Parameters) -> dict[str, Any] | list[Any]:
    return dict(parameters) if isinstance(parameters, Mapping) else list(parameters or [])
