"""Scope of macro arguments: they are resolved where the macro is called, not among the tables that it reads."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from forklake.errors import InvalidInput
from forklake.model.names import fold
from forklake.sql.binding.names import Context
from forklake.sql.definitions.relative_names import columns_of
from forklake.sql.parsing.table_references import ParsedQuery, parse_query
from forklake.sql.session.state import SessionState


def check_arguments(
    state: SessionState, context: Context, text: str, values: Mapping[str, exp.Expr], macro: str
) -> None:
    """Raises InvalidInput for an argument with a column that could be captured by the tables in a macro.

    Substituted into the text, the column would be resolved there first.
    """
    parsed = parse_query(text, context.dialect)
    columns = [found for name in _parameters_in_queries(parsed, values) for found in _columns_in(values[name])]
    if not columns:
        return
    known = _names_inside(state, context, parsed)
    for column in columns:
        first = fold(column.parts[0].name)
        if first in known or (None in known and len(column.parts) == 1):
            raise InvalidInput(
                f"'{'.'.join(part.name for part in column.parts)}' in an argument of macro '{macro}' could be taken for"
                " a column of the tables that the macro reads: name it with its table, under an alias of its own."
            )


def _parameters_in_queries(parsed: ParsedQuery, values: Mapping[str, exp.Expr]) -> set[str]:
    """The parameters used within a query that has a FROM."""
    nodes = parsed.tree.find_all(exp.Column) if parsed.tree is not None else ()
    return {fold(node.name) for node in nodes if len(node.parts) == 1 and fold(node.name) in values and _is_below(node)}


def _is_below(node: exp.Expr) -> bool:
    select = node.find_ancestor(exp.Select)
    return select is not None and (select.args.get("from_") is not None or _is_below(select))


def _columns_in(value: exp.Expr) -> Iterator[exp.Column]:
    """The columns of an argument itself; a nested query resolves its columns in its own tables first."""
    for node in value.walk(prune=lambda node: isinstance(node, exp.Query)):
        if isinstance(node, exp.Column):
            yield node


def _names_inside(state: SessionState, context: Context, parsed: ParsedQuery) -> set[str | None]:
    """Folded names of columns, tables and aliases in a text; includes None if the columns of a source are not known."""
    names: set[str | None] = {fold(reference.name[-1]) for reference in parsed.references}
    for node in parsed.tree.find_all(exp.Alias, exp.TableAlias) if parsed.tree is not None else ():
        names |= {fold(node.alias or node.name), *(fold(column.name) for column in node.args.get("columns") or ())}
    for reference in parsed.references:
        names |= columns_of(state, context, reference) or {None}
    return names
