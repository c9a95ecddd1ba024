"""Virtual columns in queries: available by name, and excluded from stars.

A table gets the virtual columns that its SELECT may refer to by name, and Spark resolves each name by its usual rules.
Whatever takes all columns of a table without naming them must exclude them: stars use EXCEPT with qualified names;
NATURAL and PIVOT have no such list, and are rejected where it would matter.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from forklake.errors import InvalidInput
from forklake.model.entities import Table
from forklake.model.names import fold
from forklake.spark.reading.virtual_columns import FOR_USERS
from forklake.sql.duckdb.syntax import TYPE
from forklake.sql.duckdb.type_hints import HIDDEN
from forklake.sql.parsing.cursor import quoted_name
from forklake.sql.parsing.table_references import Reference

Edit = tuple[int, int, str]
ColumnsOf = Callable[[int], Iterable[str] | None]
_NO_SELECT = "Select '{name}' in a subquery, and do this with its result."


@dataclass(frozen=True, slots=True)
class HiddenColumnSource:
    """A source in FROM with columns that stars exclude."""

    node: exp.Table
    alias: str
    hidden: tuple[str, ...]


def hidden_column_source(reference: Reference, hidden: Sequence[str]) -> HiddenColumnSource:
    return HiddenColumnSource(reference.node, reference.alias or reference.name[-1], tuple(hidden))


def named_virtual_columns(reference: Reference, table: Table) -> list[str]:
    """The virtual columns of a table that the SELECT around a reference may refer to.

    A superset does no harm. A column of the table itself takes precedence over a virtual one of the same name.
    """
    select = reference.node.find_ancestor(exp.Select)
    if select is None:
        return []
    own = {fold(name) for name in _aliased_names(reference.node, table)}
    alias = fold(reference.alias or reference.name[-1])
    used = {
        fold(column.name) for column in select.find_all(exp.Column) if not column.table or fold(column.table) == alias
    }
    return [name for name in FOR_USERS if name in used and name not in own]


def _aliased_names(node: exp.Table, table: Table) -> list[str]:
    """The column names after aliasing; an alias may rename only the first few."""
    own = [column.name for column in table.definition.columns]
    given = [column.name for column in _alias_columns(node)]
    return [*given, *own[len(given) :]]


def _alias_columns(node: exp.Table) -> list[exp.Expr]:
    alias = node.args.get("alias")
    return [] if alias is None else alias.args.get("columns") or []


def check_hidden_columns(bearers: Sequence[HiddenColumnSource], columns_of: ColumnsOf, text: str) -> None:
    """Reject constructs that would take the hidden columns for columns of the table.

    `columns_of` returns the visible columns of other sources by the id of their node, or None if they are not known.
    """
    for bearer in bearers:
        name = bearer.hidden[0]
        if "|>" in text:
            raise InvalidInput(f"'{name}' cannot be named in a query with |>. {_NO_SELECT.format(name=name)}")
        _check_place(bearer, name)
        select = bearer.node.find_ancestor(exp.Select)
        assert select is not None
        for join in select.find_all(exp.Join):
            if join.find_ancestor(exp.Select) is select:
                _check_join(join, select, bearer, bearers, columns_of)


def _check_place(bearer: HiddenColumnSource, name: str) -> None:
    """Reject pivots of the table, and aliases of parenthesized joins, which hide the table's own name."""
    above: exp.Expr | None = bearer.node
    while above is not None and not isinstance(above, exp.Select):
        if isinstance(above, exp.Pivot) or above.args.get("pivots"):
            raise InvalidInput(f"'{name}' cannot be named in a SELECT that pivots. {_NO_SELECT.format(name=name)}")
        if above is not bearer.node and isinstance(above, exp.Subquery) and above.alias:
            raise InvalidInput(f"'{name}' cannot be named after an alias for a join. {_NO_SELECT.format(name=name)}")
        above = above.parent


def _check_join(
    join: exp.Join,
    select: exp.Select,
    bearer: HiddenColumnSource,
    bearers: Sequence[HiddenColumnSource],
    columns_of: ColumnsOf,
) -> None:
    used = {fold(part.name) for part in join.args.get("using") or []}
    for name in bearer.hidden:
        if name in used:
            raise InvalidInput(f"USING cannot name the virtual column '{name}'; write ON … = … instead.")
    if str(join.args.get("method") or "").upper() != "NATURAL":
        return
    for other in _sources(select):
        if other is bearer.node:
            continue
        seen = columns_of(id(other))
        also = {name for found in bearers if found.node is other for name in found.hidden}
        if seen is None or not {*map(fold, seen), *also}.isdisjoint(bearer.hidden):
            raise InvalidInput(f"NATURAL JOIN cannot leave out '{bearer.hidden[0]}'; write USING and the columns.")


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    """The sources in FROM and in joins."""
    parts = [select.args.get("from_"), *(select.find_all(exp.Join))]
    for part in parts:
        if part is not None and part.find_ancestor(exp.Select) is select and isinstance(part.this, exp.Expr):
            yield part.this


def hiding_edits(
    tree: exp.Expr, bearers: Sequence[HiddenColumnSource], tables: Mapping[int, Table], dialect: str
) -> list[Edit]:
    """Edits that exclude hidden columns from stars (Spark dialect only) and extend alias column lists."""
    edits = [edit for bearer in bearers for edit in _alias_edits(bearer, tables.get(id(bearer.node)), dialect)]
    if dialect == "spark":
        for star, excepted in _star_exceptions(tree, bearers):
            edits.append(_star_edit(star, ", ".join(part.sql("spark") for part in excepted)))
    return edits


def _alias_edits(bearer: HiddenColumnSource, table: Table | None, dialect: str) -> list[Edit]:
    columns = _alias_columns(bearer.node)
    if not columns:
        return []
    if table is None or len(columns) != len(table.definition.columns):
        raise InvalidInput(f"The alias '{bearer.alias}' has to name all columns, because '{bearer.hidden[0]}' is used.")
    place = columns[-1].meta["end"] + 1
    return [(place, place, "".join(f", {quoted_name(name, dialect)}" for name in bearer.hidden))]


def _star_edit(star: exp.Star, excepted: str) -> Edit:
    place = star.meta["end"] + 1
    already = star.args.get("except_")
    if not already:
        return place, place, f" EXCEPT ({excepted})"
    # Insert before the first: its name may be followed by brackets.
    place = min(part.meta["start"] for named in already for part in named.find_all(exp.Identifier))
    return place, place, f"{excepted}, "


def mark_hidden(tree: exp.Expr, hidden: Mapping[str, Sequence[str]]) -> None:
    """Annotate a DuckDB query with its hidden columns, given by table name, for the translation."""
    for table in tree.find_all(exp.Table):
        if table.name in hidden:
            table.meta[HIDDEN] = tuple(hidden[table.name])
    named = {name for names in hidden.values() for name in names}
    for column in tree.find_all(exp.Column):
        if fold(column.name) in named:
            text = fold(column.name) == "filename"
            column.meta[TYPE] = exp.DataType.build("TEXT" if text else "BIGINT")


def hide_in_stars(tree: exp.Expr, hidden: Mapping[str, Sequence[str]]) -> exp.Expr:
    """Exclude hidden columns, given by table name, from the stars of a translated query."""
    bearers = [
        HiddenColumnSource(table, table.alias_or_name, tuple(hidden[table.name]))
        for table in tree.find_all(exp.Table)
        if hidden.get(table.name)
    ]
    for star, excepted in list(_star_exceptions(tree, bearers)):
        star.set("except_", [*(star.args.get("except_") or []), *excepted])
    return tree


def _star_exceptions(
    tree: exp.Expr, bearers: Sequence[HiddenColumnSource]
) -> Iterator[tuple[exp.Star, list[exp.Expr]]]:
    """Each star that covers hidden columns, with those columns."""
    if not bearers:
        return
    for star in tree.find_all(exp.Star):
        if isinstance(star.parent, exp.Count):
            continue
        covered = _covered_sources(star, bearers)
        excepted: list[exp.Expr] = [
            exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(bearer.alias, quoted=True))
            for bearer in covered
            for name in bearer.hidden
        ]
        if excepted:
            yield star, excepted


def _covered_sources(star: exp.Star, bearers: Sequence[HiddenColumnSource]) -> list[HiddenColumnSource]:
    select = star.find_ancestor(exp.Select)
    qualifier = star.parent.table if isinstance(star.parent, exp.Column) else ""
    if not qualifier:
        return [bearer for bearer in bearers if bearer.node.find_ancestor(exp.Select) is select and _is_visible(bearer)]
    # The qualifier of a star is resolved from the innermost SELECT outwards.
    while select is not None:
        found = [
            bearer
            for bearer in bearers
            if bearer.node.find_ancestor(exp.Select) is select and fold(bearer.alias) == fold(qualifier)
        ]
        names = {fold(source.alias_or_name) for source in _sources(select)}
        if found or fold(qualifier) in names:
            return found
        select = select.find_ancestor(exp.Select)
    return []


def _is_visible(bearer: HiddenColumnSource) -> bool:
    """Whether columns of the table are in the result: a semi join or anti join only tests them."""
    join = bearer.node.parent
    return not (isinstance(join, exp.Join) and {join.kind, join.side} & {"SEMI", "ANTI"})
