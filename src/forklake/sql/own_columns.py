"""Columns that a query does not share with another.

Queries of the same files read them through the same view, and Spark would take the columns of one for those of the
other when both are joined. A column that is named anew is a new one: said in the text that costs nothing, and said of a
DataFrame it costs as much as to analyse the query.
"""

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from forklake.model.names import fold
from forklake.sql.cursor import quoted_name

Edit = tuple[int, int, str]
_PLAIN = {"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "with_", "hint"}
_NEW = (exp.Alias, exp.Func, exp.Binary, exp.Case, exp.Cast, exp.Literal)
"""What Spark gives columns of their own by itself."""


def own_columns(tree: exp.Expr | None, tables: Mapping[int, Sequence[str]]) -> list[Edit] | None:
    """The edits that name all columns of a query anew, as they were named; None if its text does not tell how.

    `tables` are the columns of the tables that it names, by the node of each.
    """
    if not isinstance(tree, exp.Select) or any(value for name, value in tree.args.items() if name not in _PLAIN):
        return None
    order = tree.args.get("order")
    if order is not None and any(column.table for column in order.find_all(exp.Column)):
        # What is sorted by must be found behind the new names.
        return None
    known = {fold(name) for columns in tables.values() for name in columns}
    edits: list[Edit] = []
    for shown in tree.expressions:
        edit = _named_anew(shown, known, _single_table(tree, tables))
        if edit is None:
            return None
        edits += edit
    return edits


def _named_anew(shown: exp.Expr, known: set[str], table: Sequence[str] | None) -> list[Edit] | None:
    if isinstance(shown, exp.Star):
        if table is None or any(shown.args.values()) or "start" not in shown.meta:
            return None
        return [(shown.meta["start"], shown.meta["end"] + 1, ", ".join(_anew(table)))]
    if isinstance(shown, exp.Column):
        # Spark knows functions that are called like columns, and calls what they give otherwise.
        *_, name = shown.parts
        if fold(name.name) not in known or "end" not in name.meta:
            return None
        place = name.meta["end"] + 1
        return [(place, place, f" AS {quoted_name(name.name, 'spark')}")]
    return [] if isinstance(shown, _NEW) else None


def _single_table(tree: exp.Select, tables: Mapping[int, Sequence[str]]) -> Sequence[str] | None:
    """The columns of the only table, if that is read as it is."""
    source = tree.args.get("from_")
    if source is None or tree.args.get("joins") or not isinstance(source.this, exp.Table):
        return None
    return tables.get(id(source.this)) if is_whole(source.this) else None


def is_whole(table: exp.Table) -> bool:
    """Whether a table is named as it is: not sampled, not pivoted, and with no names of its own for columns."""
    others = any(value for name, value in table.args.items() if name not in {"this", "db", "catalog", "alias"})
    alias = table.args.get("alias")
    return not others and (alias is None or not alias.args.get("columns"))


def _anew(columns: Sequence[str]) -> Iterator[str]:
    for column in columns:
        name = quoted_name(column, "spark")
        yield f"{name} AS {name}"
