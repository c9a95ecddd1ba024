"""Scope of macro arguments: they are resolved where the macro is called, not among the names inside the macro."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from forklake.errors import InvalidInput
from forklake.model.names import fold
from forklake.sql.binding.names import Context
from forklake.sql.definitions.relative_names import columns_of
from forklake.sql.parsing.cursor import sqlglot_dialect
from forklake.sql.parsing.table_references import ParsedQuery, parse_query
from forklake.sql.session.state import SessionState

_SCOPES = (exp.Query, exp.Lambda, exp.Comprehension)
"""Nodes that define names within an expression."""


def check_arguments(
    state: SessionState, context: Context, text: str, values: Mapping[str, exp.Expr], macro: str
) -> None:
    """Raises InvalidInput for an argument with a name that could be captured by the names inside a macro.

    Substituted into the text, it would be resolved there first: as a column of a table or the variable of a lambda.
    """
    parsed = parse_query(text, context.dialect)
    uses = list(_uses(parsed, values))
    _check_variables(parsed, values, macro)
    scoped = {_first(use) for use in uses if use.find_ancestor(*_SCOPES) is not None}
    names = [found for name in scoped for found in _free_names(state, context, values[name])]
    if not names:
        return
    known = _names_inside(state, context, parsed, uses)
    for parts in names:
        if fold(parts[0]) in known or (None in known and len(parts) == 1):
            raise InvalidInput(
                f"'{'.'.join(parts)}' in an argument of macro '{macro}' could be taken for a column or a variable"
                " inside the macro: name it with its table, under an alias of its own."
            )


def _first(column: exp.Column) -> str:
    return fold(column.parts[0].name)


def _uses(parsed: ParsedQuery, values: Mapping[str, exp.Expr]) -> Iterator[exp.Column]:
    """The columns of a text that are parameters, or fields of one."""
    for node in parsed.tree.find_all(exp.Column) if parsed.tree is not None else ():
        if _first(node) in values:
            yield node


def _check_variables(parsed: ParsedQuery, values: Mapping[str, exp.Expr], macro: str) -> None:
    """Reject a list comprehension whose variable is named like a parameter: the variable would be replaced."""
    for node in parsed.tree.find_all(exp.Comprehension) if parsed.tree is not None else ():
        for variable in node.expression.find_all(exp.Identifier):
            if fold(variable.name) in values:
                raise InvalidInput(
                    f"Macro '{macro}' has a variable with the same name as its parameter '{variable.name}'."
                )


def _free_names(state: SessionState, context: Context, value: exp.Expr) -> Iterator[list[str]]:
    """The free names of an argument, split into parts: those that are resolved at the call site."""
    value = value.copy()
    inside: dict[int, set[str | None]] = {}
    for node in value.find_all(exp.Column, exp.Identifier):
        if isinstance(node, exp.Column):
            parts = [part.name for part in node.parts]
        elif isinstance(node, exp.Identifier) and _is_variable(node):
            parts = [node.name]
        else:
            continue
        query = _outermost_query(node)
        if query is not None and id(query) not in inside:
            inside[id(query)] = _own_names(state, context, query)
        if query is None or fold(parts[0]) not in inside[id(query)]:
            yield parts


def _is_variable(node: exp.Identifier) -> bool:
    """Whether this is a variable of a lambda around the argument, which sqlglot does not parse as a column."""
    if isinstance(node.parent, exp.Column | exp.Table | exp.Alias | exp.TableAlias | exp.Lambda | exp.Kwarg):
        return False
    if isinstance(node.parent, exp.Dot) and node.arg_key == "expression":
        return False
    above = node.find_ancestor(exp.Lambda)
    while above is not None:
        if fold(node.name) in {fold(variable.name) for variable in above.expressions}:
            return False
        above = above.find_ancestor(exp.Lambda)
    return True


def _outermost_query(node: exp.Expr) -> exp.Query | None:
    found, above = None, node.find_ancestor(exp.Query)
    while above is not None:
        found, above = above, above.find_ancestor(exp.Query)
    return found


def _own_names(state: SessionState, context: Context, query: exp.Query) -> set[str | None]:
    """The known names within a query in an argument: its sources and their columns."""
    parsed = parse_query(query.sql(dialect=sqlglot_dialect(context.dialect)), context.dialect)
    names: set[str | None] = set(_aliases(parsed))
    for reference in parsed.references:
        names |= {fold(reference.name[-1]), *(columns_of(state, context, reference) or ())}
    return names


def _aliases(parsed: ParsedQuery) -> Iterator[str]:
    for node in parsed.tree.find_all(exp.TableAlias) if parsed.tree is not None else ():
        yield fold(node.name)
        yield from (fold(column.name) for column in node.args.get("columns") or ())


def _names_inside(
    state: SessionState, context: Context, parsed: ParsedQuery, uses: list[exp.Column]
) -> set[str | None]:
    """All folded names in a text except its parameters; includes None if there may be columns that it does not name."""
    if parsed.tree is None:
        return {None}
    places = {id(use.parts[0]) for use in uses}
    names: set[str | None] = {
        fold(node.name) for node in parsed.tree.find_all(exp.Identifier) if id(node) not in places
    }
    for reference in parsed.references:
        names |= columns_of(state, context, reference) or {None}
    columns = {id(use) for use in uses}
    if any(_hides_names(node, columns) for node in parsed.tree.walk()):
        names.add(None)
    return names


def _hides_names(node: exp.Expr, uses: set[int]) -> bool:
    """Whether a part of a query may have columns whose names are not written in it."""
    match node:
        case exp.Table():
            return not isinstance(node.this, exp.Identifier) or bool(node.args.get("pivots"))
        case exp.Values():
            return any(len(row.expressions) != len(node.alias_column_names) for row in node.expressions)
        case exp.Lateral():
            is_query = isinstance(node.this, exp.Subquery)
            return not is_query and not (node.args.get("view") and node.alias_column_names)
        case exp.Unnest() | exp.Pivot():
            return True
        case exp.Column() if isinstance(node.this, exp.Star):
            return not any(_is_source(found, node.parts[-2].name) for found in _sources(node))
        case exp.Select() if node.find_ancestor(exp.From, exp.Join, exp.CTE, exp.SetOperation) or node.args.get(
            "order"
        ):
            return any(not _is_named(shown, uses) for shown in node.expressions)
    return False


def _sources(node: exp.Expr) -> Iterator[exp.Expr]:
    select = node.find_ancestor(exp.Select)
    if select is not None:
        yield from (found.this for found in [select.args.get("from_"), *select.args.get("joins", ())] if found)


def _is_source(source: exp.Expr, name: str) -> bool:
    return fold(source.alias_or_name) == fold(name)


def _is_named(shown: exp.Expr, uses: set[int]) -> bool:
    """Whether the text itself determines the name of a result column."""
    return isinstance(shown, exp.Alias | exp.Aliases | exp.Star) or (
        isinstance(shown, exp.Column) and id(shown) not in uses
    )
