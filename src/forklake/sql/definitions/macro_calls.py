"""Macro calls in a text, and their resolution."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from forklake.catalog.transaction.names import find_object, find_schema
from forklake.model.entities import Macro, ObjectKind
from forklake.sql.binding.names import Context, candidate_places, read_transaction
from forklake.sql.parsing.statements import Name
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.state import SessionState


@dataclass(frozen=True, slots=True)
class MacroCall:
    """A call whose name spans `start` to `end` of the text, as a table or as a value."""

    name: Name
    start: int
    end: int
    is_table: bool
    node: exp.Anonymous


@dataclass(frozen=True, slots=True)
class FoundMacro:
    attachment: Attachment
    schema: str
    macro: Macro


def find_calls(tree: exp.Expr) -> Iterator[MacroCall]:
    """All calls of functions that sqlglot does not know; outer calls come first."""
    for node in tree.find_all(exp.Anonymous):
        if "start" in node.meta:
            outer, is_table = _call_qualifiers(node)
            start = outer[0].meta.get("start", node.meta["start"]) if outer else node.meta["start"]
            name = (*(part.name for part in outer), node.name)
            yield MacroCall(name, start, node.meta["end"] + 1, is_table, node)


def find_macro(state: SessionState, context: Context, call: MacroCall) -> FoundMacro | None:
    kind: ObjectKind = "table_macro" if call.is_table else "scalar_macro"
    for place in candidate_places(state, context, call.name):
        tx = read_transaction(state, context, place.attachment)
        parent = find_schema(tx, place.schema)
        found = None if parent is None else find_object(tx, parent, place.name, kind)
        if found is not None:
            return FoundMacro(place.attachment, place.schema, cast("Macro", found))
    return None


def _call_qualifiers(node: exp.Anonymous) -> tuple[list[exp.Expr], bool]:
    """The qualifiers of the function name, and whether it is called as a table."""
    above = node.parent
    if isinstance(above, exp.Table):
        return [part for part in (above.args.get("catalog"), above.args.get("db")) if isinstance(part, exp.Expr)], True
    if isinstance(above, exp.Dot) and above.expression is node and isinstance(above.this, exp.Expr):
        return sorted(above.this.find_all(exp.Identifier), key=lambda part: part.meta.get("start", 0)), False
    return [], False
