"""Names in the text of views and macros, which must mean the same whoever reads them and under whatever name.

What is kept has the names of its own catalog without the catalog: a fork inherits views and macros, and must read its
own tables through them. When a macro is put into another text, it gets the catalog in which it was found.
"""

from collections.abc import Iterator

from sqlglot import exp

from forklake.catalog.names import find_object, find_schema
from forklake.model.names import fold
from forklake.sql.attachments import Attachment
from forklake.sql.binding import Context, places, reading
from forklake.sql.cursor import quoted_name
from forklake.sql.macro_calls import calls_in, find_macro
from forklake.sql.references import ParsedQuery, Reference, edited, parsed_query
from forklake.sql.state import MAIN, SessionState
from forklake.sql.statements import Name


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
    edits += qualifier_edits(parsed, context)
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


def qualifier_edits(parsed: ParsedQuery, context: Context) -> list[tuple[int, int, str]]:
    """Columns that name the catalog or schema of their table are to keep the table alone."""
    owners = {owner for reference in parsed.references if not reference.alias for owner in _owners(reference, context)}
    edits = []
    for column in parsed.tree.find_all(exp.Column) if parsed.tree is not None and owners else ():
        parts = column.parts
        for count in range(2, len(parts)):
            if tuple(fold(part.name) for part in parts[:count]) in owners and "start" in parts[0].meta:
                edits.append((parts[0].meta["start"], parts[count - 1].meta["start"], ""))
                break
    return edits


def _owners(reference: Reference, context: Context) -> set[tuple[str, ...]]:
    """Names of two or three parts by which columns may say whose they are, folded."""
    *outer, table = map(fold, reference.name)
    catalog = fold(context.catalog or "")
    full: set[tuple[str, ...]]
    match outer:
        case ():
            full = {(catalog, fold(context.schema), table)}
        case (first,):
            full = {(catalog, first, table), (first, MAIN, table)}
        case _:
            full = {(*outer, table)}
    return full | {name[1:] for name in full} | {(name[0], table) for name in full}
