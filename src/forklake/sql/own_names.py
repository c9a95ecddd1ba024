"""Names in the text of views and macros, which must mean the same whoever reads them and under whatever name.

What is kept has the names of its own catalog without the catalog: a fork inherits views and macros, and must read its
own tables through them. When a macro is put into another text, it gets the catalog in which it was found.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from typing import TypeAlias

from sqlglot import exp

from forklake.catalog.names import find_object, find_schema
from forklake.model.names import DEFAULT_SCHEMA, fold
from forklake.spark.virtual import VIRTUAL
from forklake.sql.attachments import Attachment
from forklake.sql.binding import Context, find_relation, places, reading
from forklake.sql.cursor import quoted_name
from forklake.sql.macro_calls import calls_in, find_macro
from forklake.sql.references import ParsedQuery, Reference, edited, parsed_query
from forklake.sql.state import SessionState
from forklake.sql.statements import Name

ColumnsOf: TypeAlias = Callable[[Reference], Container[str] | None]
"""The columns of what a reference means, folded; None where they are not known."""


def without_catalog(state: SessionState, context: Context, attachment: Attachment, text: str) -> str:
    """The text with tables, views and macros of a catalog named by schema and name alone."""
    return _renamed(state, context, attachment, text, ())


def with_catalog(state: SessionState, context: Context, attachment: Attachment, text: str) -> str:
    """The text with tables, views and macros of a catalog named in full."""
    return _renamed(state, context, attachment, text, (attachment.name,))


def _renamed(state: SessionState, context: Context, attachment: Attachment, text: str, catalog: Name) -> str:
    parsed = parsed_query(text, context.dialect)
    if parsed.tree is None:
        return text
    edits = []
    for reference in parsed.references:
        found = None if reference.arguments is not None else _relation(state, context, attachment, reference)
        if found is not None or reference.at is not None:
            name = reference.name if found is None else (*catalog, *found)
            edits.append((reference.start, reference.end, _written(reference, name, context.dialect)))
    edits += qualifier_edits(parsed, context, lambda reference: _columns(state, context, reference))
    edits += _macro_edits(state, context, attachment, parsed.tree, catalog)
    return edited(parsed.text, edits)


def _relation(state: SessionState, context: Context, attachment: Attachment, reference: Reference) -> Name | None:
    """Schema and name of what a reference means, if that is in the catalog."""
    for found, schema, name, _ in places(state, context, reference.name):
        tx = reading(state, context, found)
        parent = find_schema(tx, schema)
        if parent is not None and find_object(tx, parent, name, "table", "view") is not None:
            return (schema, name) if found.name == attachment.name else None
    return None


def _columns(state: SessionState, context: Context, reference: Reference) -> Container[str] | None:
    """The columns of a table, folded; None if it is something else."""
    bound = None if reference.arguments is not None else find_relation(state, context, reference.name, reference.at)
    if bound is None or bound.table is None:
        return None
    return {fold(column.name) for column in bound.table.definition.columns} | set(VIRTUAL)


def _written(reference: Reference, name: Name, dialect: str) -> str:
    text = ".".join(quoted_name(part, dialect) for part in name)
    if reference.at is not None:
        # The alias was put behind it when the point in the past was cut out.
        return f"{text} AT ({reference.at.unit.upper()} => {reference.at.value})"
    return text if reference.alias else f"{text} AS {quoted_name(reference.name[-1], dialect)}"


def _macro_edits(
    state: SessionState, context: Context, attachment: Attachment, tree: exp.Expr, catalog: Name
) -> Iterator[tuple[int, int, str]]:
    for call in calls_in(tree):
        found = find_macro(state, context, call)
        if found is not None and found.attachment.name == attachment.name:
            name = (*catalog, found.schema, call.name[-1])
            yield call.start, call.end, ".".join(quoted_name(part, context.dialect) for part in name)


def qualifier_edits(parsed: ParsedQuery, context: Context, columns: ColumnsOf) -> list[tuple[int, int, str]]:
    """Columns that name the catalog or schema of their table are to keep the table alone.

    As with Spark, `a.b.c` is the column of a table if that has such a column, and a path into a struct if not.
    """
    edits = []
    for column in parsed.tree.find_all(exp.Column) if parsed.tree is not None else ():
        count = _qualifier_length(column, parsed.references, context, columns)
        if count and "start" in column.parts[0].meta:
            edits.append((column.parts[0].meta["start"], column.parts[count - 1].meta["start"], ""))
    return edits


def _qualifier_length(
    column: exp.Column, references: Sequence[Reference], context: Context, columns: ColumnsOf
) -> int | None:
    """How many parts of a name are the table with its schema or catalog; None if they are not."""
    names = [fold(part.name) for part in column.parts]
    if len(names) < 3:
        return None
    for sources in _scopes(column, references):
        for source in sources:
            owners, known = _owners(source, context), None
            for count in range(2, len(names)):
                if (source.stands_for or not source.alias) and tuple(names[:count]) in owners:
                    known = columns(source)
                    if known is None or names[count] in known or isinstance(column.parts[count], exp.Star):
                        return count
        if any(names[0] in (columns(source) or ()) for source in sources):
            return None
    return None


def _scopes(column: exp.Column, references: Sequence[Reference]) -> Iterator[Sequence[Reference]]:
    """The tables that a name may be about: those of its SELECT, those of the ones around it, and at last all."""
    select = column.find_ancestor(exp.Select)
    while select is not None:
        yield [found for found in references if found.node.find_ancestor(exp.Select) is select]
        select = select.find_ancestor(exp.Select)
    yield references


def _owners(reference: Reference, context: Context) -> set[tuple[str, ...]]:
    """Names of two or three parts by which columns may say whose they are, folded."""
    *outer, table = map(fold, reference.stands_for or reference.name)
    catalog = fold(context.catalog or "")
    full: set[tuple[str, ...]]
    match outer:
        case ():
            full = {(catalog, fold(context.schema), table)}
        case (first,):
            full = {(catalog, first, table), (first, DEFAULT_SCHEMA, table)}
        case _:
            full = {(*outer, table)}
    return full | {name[1:] for name in full} | {(name[0], table) for name in full}
