"""Names in the text of views and macros, which must be independent of the reader and of attachment names.

Stored text names objects of its own catalog without the catalog: a fork inherits views and macros, and must read itself
through them. Names of other catalogs are rejected, as they mean something else in another session. When a macro is
expanded in a statement of the session, its names are qualified with the catalog in which it was found.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from forklake.catalog.transaction.names import find_object, find_schema
from forklake.errors import InvalidInput, NotFound
from forklake.model.names import DEFAULT_SCHEMA, fold
from forklake.spark.reading.virtual_columns import VIRTUAL
from forklake.sql.binding.names import (
    Context,
    attached_as,
    candidate_places,
    find_relation,
    is_sparks,
    read_transaction,
    schema_in,
)
from forklake.sql.definitions.macro_calls import find_calls, find_macro
from forklake.sql.functions.metadata_tables import OWN_METADATA, metadata_owner
from forklake.sql.functions.registry import check_keepable, long_function, short_function
from forklake.sql.functions.signatures import Function
from forklake.sql.parsing.cursor import quoted_name
from forklake.sql.parsing.statements import Name
from forklake.sql.parsing.table_references import (
    ParsedQuery,
    Reference,
    alias_edits,
    apply_edits,
    argument_name,
    argument_places,
    parse_query,
)
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.state import SessionState

ColumnsOf: TypeAlias = Callable[[Reference], Container[str] | None]
"""The folded column names of a reference; None if they are not known."""


def without_catalog(state: SessionState, context: Context, attachment: Attachment, text: str) -> str:
    """The text with tables, views, macros, functions and metadata of a catalog named without the catalog."""
    return _Renaming(state, context, attachment, ()).of(text)


def with_catalog(state: SessionState, context: Context, attachment: Attachment, text: str) -> str:
    """The text with tables, views, macros, functions and metadata of a catalog fully qualified."""
    return _Renaming(state, context, attachment, (attachment.name,)).of(text)


@dataclass(frozen=True, slots=True)
class _Renaming:
    """Rewrites names of one catalog in a text; names of other catalogs are rejected."""

    state: SessionState
    context: Context
    attachment: Attachment
    catalog: Name
    """The prefix of the rewritten names."""

    def of(self, text: str) -> str:
        parsed = parse_query(text, self.context.dialect)
        if parsed.tree is None:
            raise InvalidInput(
                "Forklake cannot read this text, and cannot store a view or macro whose names it cannot resolve. It has"
                " an expression or an operator that is not supported; write it in another way."
            )
        edits = list(self._macro_edits(parsed.tree))
        macros = {start for start, _, _ in edits}
        for reference in parsed.references:
            if reference.start not in macros:
                edits += self._edits(parsed.text, reference)
        edits += qualifier_edits(parsed, self.context, lambda found: columns_of(self.state, self.context, found))
        return apply_edits(parsed.text, edits)

    def _edits(self, text: str, reference: Reference) -> list[tuple[int, int, str]]:
        if reference.arguments is not None:
            return self._function_edits(text, reference)
        name = self._metadata(reference.name) or self._relation(reference.name)
        if name is None:
            return []
        written, dialect = _quote_name(name, self.context.dialect), self.context.dialect
        if reference.at is not None:
            # The alias was moved after it when the AT clause was cut out.
            written += f" AT ({reference.at.unit.upper()} => {reference.at.value})"
            return [(reference.start, reference.end, written)]
        return [(reference.start, reference.end, written), *alias_edits(text, reference, dialect)]

    def _relation(self, name: Name) -> Name | None:
        """The new name of a table or view, whether it exists or not; None to leave it unchanged."""
        candidates = candidate_places(self.state, self.context, name)
        for place in candidates:
            tx = read_transaction(self.state, self.context, place.attachment)
            parent = find_schema(tx, place.schema)
            if parent is not None and find_object(tx, parent, place.name, "table", "view") is not None:
                return self._relative_name(place.attachment, name, place.schema, place.name)
        if not candidates or is_sparks(name):
            return None
        place = candidates[-1]
        return self._relative_name(place.attachment, name, place.schema, place.name)

    def _metadata(self, name: Name) -> Name | None:
        owner = metadata_owner(self.state, self.context, name)
        if owner is None:
            return None
        self._relative_name(owner, name)
        return (self.attachment.metadata_name if self.catalog else OWN_METADATA, name[-1])

    def _function_edits(self, text: str, reference: Reference) -> list[tuple[int, int, str]]:
        """Rewrite a call of one of our functions to its short name; no edits for other functions."""
        function, schema = long_function(reference.name), None
        edits = alias_edits(text, reference, self.context.dialect)
        if function is not None:
            called = self._catalog_edits(text, function, reference)
            if called is None:
                return []
            owner = called[0]
            edits += called[1]
        else:
            found = short_function(self.state, self.context, reference.name)
            if found is None:
                return []
            function, owner, schema = found.function, found.attachment, found.schema
        check_keepable(function)
        schema = schema or schema_in(self.context, owner)
        # Only functions that take a table depend on a schema.
        parts = (schema, function.name) if self.catalog or function.takes_table else (function.name,)
        name = self._relative_name(owner, reference.name, *parts)
        return [(reference.start, reference.end_of_name, _quote_name(name, self.context.dialect)), *edits]

    def _catalog_edits(
        self, text: str, function: Function, reference: Reference
    ) -> tuple[Attachment, list[tuple[int, int, str]]] | None:
        """The catalog that a call names, and the edits that remove it; None if only its caller will know it."""
        spans = argument_places(text, reference, self.context.dialect)
        given = list(zip(reference.arguments or [], spans, strict=True))
        positional = [(value, span) for value, span in given if argument_name(value) is None]
        named = [(value.expression, span) for value, span in given if argument_name(value) == "catalog"]
        value, (start, end) = next(iter(positional or named), (None, (0, 0)))
        is_text = isinstance(value, exp.Literal) and value.is_string
        owner = attached_as(self.state, self.context, value.name) if value is not None and is_text else None
        if owner is None:
            return None
        behind = min((span[0] for _, span in given if span[0] > start), default=end)
        edits = [(start, behind, "")]
        for parameter, (_, span) in zip(function.positional(short=False), positional[1:], strict=False):
            if parameter.long_form:
                edits.append((span[0], span[0], f"{parameter.name} => "))
        return owner, edits

    def _macro_edits(self, tree: exp.Expr) -> Iterator[tuple[int, int, str]]:
        for call in find_calls(tree):
            found = find_macro(self.state, self.context, call)
            if found is not None:
                name = self._relative_name(found.attachment, call.name, found.schema, call.name[-1])
                yield call.start, call.end, _quote_name(name, self.context.dialect)

    def _relative_name(self, found: Attachment, name: Name, *parts: str) -> Name:
        """The new name of an object found in a catalog."""
        if found.name != self.attachment.name:
            raise InvalidInput(
                f"'{'.'.join(name)}' refers to the catalog attached as '{found.name}'. Views and macros of"
                f" '{self.attachment.name}' can name what is in their own catalog alone: they must mean the same"
                " whatever is attached."
            )
        return (*self.catalog, *parts)


def columns_of(state: SessionState, context: Context, reference: Reference) -> set[str] | None:
    """The folded column names of a table, including virtual columns; None if it is not a table."""
    if reference.arguments is not None or metadata_owner(state, context, reference.name) is not None:
        return None
    try:
        bound = find_relation(state, context, reference.name, reference.at)
    except NotFound:
        return None
    if bound is None or bound.table is None:
        return None
    return {fold(column.name) for column in bound.table.definition.columns} | set(VIRTUAL)


def _quote_name(name: Name, dialect: str) -> str:
    return ".".join(quoted_name(part, dialect) for part in name)


def qualifier_edits(parsed: ParsedQuery, context: Context, columns: ColumnsOf) -> list[tuple[int, int, str]]:
    """Edits that strip the catalog or schema from columns qualified with them, leaving only the table.

    As in Spark, `a.b.c` is the column of a table if the table has such a column, and a path into a struct otherwise.
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
    """The number of parts that form a table qualified by schema or catalog; None if there is none."""
    names = [fold(part.name) for part in column.parts]
    if len(names) < 3:
        return None
    for sources in _sources_by_scope(column, references):
        for source in sources:
            owners, known = _possible_qualifiers(source, context), None
            for count in range(2, len(names)):
                if (source.stands_for or not source.alias) and tuple(names[:count]) in owners:
                    known = columns(source)
                    if known is None or names[count] in known or isinstance(column.parts[count], exp.Star):
                        return count
        if any(names[0] in (columns(source) or ()) for source in sources):
            return None
    return None


def _sources_by_scope(column: exp.Column, references: Sequence[Reference]) -> Iterator[Sequence[Reference]]:
    """The tables that a name may refer to: those of its SELECT, of the enclosing ones, and finally all."""
    select = column.find_ancestor(exp.Select)
    while select is not None:
        yield [found for found in references if found.node.find_ancestor(exp.Select) is select]
        select = select.find_ancestor(exp.Select)
    yield references


def _possible_qualifiers(reference: Reference, context: Context) -> set[tuple[str, ...]]:
    """Folded qualifiers of two or three parts by which columns may refer to a table."""
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
