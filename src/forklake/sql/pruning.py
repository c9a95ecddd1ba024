"""What a query says about the rows of one of its tables, as far as that can choose files."""

from collections.abc import Iterator

from sqlglot import exp

from forklake.model.entities import Table
from forklake.model.names import fold
from forklake.model.predicates import And, Predicate
from forklake.sql.predicates import predicate_from
from forklake.sql.references import Reference


def predicate_for(reference: Reference, table: Table) -> Predicate:
    """The conditions of WHERE that are about this table alone, and that every row of the outcome fulfils.

    A table on the side of an outer join that may be missing is left alone: its rows decide which rows of the other
    side have no partner.
    """
    select = reference.node.find_ancestor(exp.Select)
    where = None if select is None else select.args.get("where")
    if select is None or where is None or not _always_joined(select, reference.node):
        return And(())
    qualifier = fold(reference.alias or reference.name[-1])
    alone = not select.args.get("joins") and not select.args.get("laterals")
    parts = [
        predicate_from(condition, frozenset({qualifier}))
        for condition in _conjuncts(where.this)
        if _is_about(condition, qualifier, table, alone)
    ]
    return And(tuple(parts))


def _always_joined(select: exp.Select, node: exp.Table) -> bool:
    joins: list[exp.Join] = select.args.get("joins") or []
    source = select.args.get("from_")
    if source is not None and source.this is node:
        return all(join.side in ("", "LEFT") for join in joins)
    for at, join in enumerate(joins):
        if join.this is node:
            plain = not join.side and join.kind in ("", "INNER", "CROSS")
            return plain and all(later.side in ("", "LEFT") for later in joins[at + 1 :])
    return False


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(condition, exp.Paren):
        yield from _conjuncts(condition.this)
    elif isinstance(condition, exp.And):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _is_about(condition: exp.Expr, qualifier: str, table: Table, alone: bool) -> bool:
    own = {fold(column.name) for column in table.definition.columns} if alone else set()
    if not all(_is_own(column, qualifier, own, alone) for column in condition.find_all(exp.Column)):
        return False
    return condition.find(exp.Query) is None


def _is_own(column: exp.Column, qualifier: str, own: set[str], alone: bool) -> bool:
    parts = [fold(part.name) for part in column.parts]
    if parts[0] == qualifier and len(parts) > 1:
        return True
    # Without a qualifier it is this table's only if there is no other.
    return alone and parts[0] in own
