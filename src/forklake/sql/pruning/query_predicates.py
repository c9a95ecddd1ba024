"""Predicates that a query places on the rows of one of its tables, for pruning files.

Only queries are supported in which WHERE applies to the unmodified rows of the table: in all others every file is read.
"""

from collections.abc import Iterator

from sqlglot import exp

from forklake.model.entities import Table
from forklake.model.names import fold
from forklake.model.predicates import And, Predicate
from forklake.sql.parsing.known_nodes import has_only_arguments
from forklake.sql.parsing.table_references import Reference
from forklake.sql.pruning.comparison_rules import ComparisonRules
from forklake.sql.pruning.read_predicate import predicate_from_tree, row_names

_THIS = frozenset({"this"})
_SELECT = frozenset(
    {"with_", "hint", "distinct", "expressions", "from_", "joins", "where", "group", "having", "qualify", "windows"}
    | {"order", "sort", "cluster", "distribute", "limit", "offset"}
)
"""Clauses allowed next to WHERE: all are evaluated after WHERE, except for the sources of rows."""
_TABLE = frozenset({"this", "db", "catalog", "alias"})
_SUBQUERY = frozenset({"this", "alias"})
_ALIAS = frozenset({"this", "columns"})
_JOIN = frozenset({"this", "side", "kind", "on", "using"})
_KEEPS_LEFT = frozenset({("", ""), ("", "INNER"), ("", "CROSS"), ("LEFT", ""), ("LEFT", "OUTER")})
"""Joins, by side and kind, after which each row has the values of a row on the left; those below as well."""
_CHOOSES_LEFT = frozenset({("", "SEMI"), ("LEFT", "SEMI"), ("", "ANTI"), ("LEFT", "ANTI")})
_KEEPS_BOTH = frozenset({("", ""), ("", "INNER"), ("", "CROSS")})


def table_predicate(text: str, reference: Reference, table: Table, rules: ComparisonRules) -> Predicate:
    """The part of WHERE that concerns this table alone, which every result row satisfies.

    A table on the nullable side of an outer join is not pruned: its rows decide which rows of the other side have no
    match.
    """
    select = _enclosing_select(reference.node)
    where = None if select is None else select.args.get("where")
    # sqlglot's tree of a pipe is not equivalent to the query.
    if select is None or where is None or "|>" in text or not has_only_arguments(where, _THIS):
        return And(())
    sources = list(_sources(select))
    qualifier = _qualifier(reference.node)
    if (
        qualifier is None
        or not all(_is_plain_source(source) for source in sources)
        or not _joins_keep_rows(select, reference.node)
    ):
        return And(())
    if [_qualifier(source) for source in sources].count(qualifier) > 1:
        return And(())
    names = row_names(table, reference.alias or reference.name[-1], alone=len(sources) == 1)
    return predicate_from_tree(where.this, names, rules.for_text(text))


def _enclosing_select(node: exp.Table) -> exp.Select | None:
    """The SELECT in whose FROM a table stands, if it has a supported form."""
    source = node.parent
    known = (isinstance(source, exp.From) and has_only_arguments(source, _THIS)) or isinstance(source, exp.Join)
    select = source.parent if known and source is not None else None
    has_columns = node.args.get("alias") is not None and bool(node.args["alias"].args.get("columns"))
    return (
        select if isinstance(select, exp.Select) and has_only_arguments(select, _SELECT) and not has_columns else None
    )


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    yield select.args["from_"].this
    for join in select.args.get("joins") or ():
        yield join.this


def _is_plain_source(source: exp.Expr) -> bool:
    """Whether a source is just a table or query: a PIVOT, for example, applies to everything before it."""
    alias = source.args.get("alias")
    if alias is not None and not (isinstance(alias, exp.TableAlias) and has_only_arguments(alias, _ALIAS)):
        return False
    if type(source) is exp.Table:
        return has_only_arguments(source, _TABLE)
    return type(source) is exp.Subquery and has_only_arguments(source, _SUBQUERY)


def _qualifier(source: exp.Expr) -> str | None:
    return fold(source.alias_or_name) or None


def _joins_keep_rows(select: exp.Select, node: exp.Table) -> bool:
    """Whether each row of the joins has the values of a row of the table."""
    joins: list[exp.Join] = select.args.get("joins") or []
    kinds = [(join.side.upper(), join.kind.upper()) for join in joins]
    if not all(has_only_arguments(join, _JOIN) for join in joins):
        return False
    place = next((at for at, join in enumerate(joins) if join.this is node), None)
    if place is not None and kinds[place] not in _KEEPS_BOTH:
        return False
    return all(kind in _KEEPS_LEFT | _CHOOSES_LEFT for kind in kinds[0 if place is None else place + 1 :])
