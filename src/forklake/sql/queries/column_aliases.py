"""Gives a query columns that it does not share with another.

Queries of the same files read them through the same view, and Spark would confuse the columns of one with those of the
other when both are joined. An aliased column is a new one: in the text an alias costs nothing, but on a DataFrame as
much as analysing the query.

Only for queries that do no more than select rows and columns of one table, as lookups do. In others an alias can hide
the original column: ORDER BY, for example, resolves aliases first.
"""

from collections.abc import Sequence

from sqlglot import exp

from forklake.model.names import fold
from forklake.sql.parsing.cursor import quoted_name
from forklake.sql.parsing.known_nodes import has_only_arguments

Edit = tuple[int, int, str]
_PLAIN = frozenset({"expressions", "from_", "where", "limit"})
_THIS = frozenset({"this"})
_TABLE = frozenset({"this", "db", "catalog", "alias"})
_ALIAS = frozenset({"this", "alias"})


def column_alias_edits(tree: exp.Expr | None, node: exp.Table, columns: Sequence[str]) -> list[Edit] | None:
    """Edits that alias all columns of a query to their own names; None if the query has another form.

    `columns` are those of the table at `node`.
    """
    if not isinstance(tree, exp.Select) or not has_only_arguments(tree, _PLAIN):
        return None
    source = tree.args.get("from_")
    if source is None or not has_only_arguments(source, _THIS) or source.this is not node or not is_plain_table(node):
        return None
    edits: list[Edit] = []
    for shown in tree.expressions:
        edit = _alias_edits(shown, columns)
        if edit is None:
            return None
        edits += edit
    return edits


def _alias_edits(shown: exp.Expr, columns: Sequence[str]) -> list[Edit] | None:
    if type(shown) is exp.Alias:
        return [] if has_only_arguments(shown, _ALIAS) else None
    if type(shown) is exp.Star:
        if not has_only_arguments(shown, frozenset()) or "start" not in shown.meta:
            return None
        names = [quoted_name(column, "spark") for column in columns]
        return [(shown.meta["start"], shown.meta["end"] + 1, ", ".join(f"{name} AS {name}" for name in names))]
    if type(shown) is not exp.Column or not has_only_arguments(shown, _THIS):
        return None
    [name] = shown.parts
    # Spark has functions that are named like columns, and gives their results other names.
    if fold(name.name) not in {fold(column) for column in columns} or "end" not in name.meta:
        return None
    place = name.meta["end"] + 1
    return [(place, place, f" AS {quoted_name(name.name, 'spark')}")]


def is_plain_table(table: exp.Table) -> bool:
    """Whether a table is plain: not sampled, not pivoted, and without column aliases."""
    alias = table.args.get("alias")
    is_name = alias is None or (has_only_arguments(alias, _THIS) and type(alias.this) is exp.Identifier)
    return has_only_arguments(table, _TABLE) and is_name
