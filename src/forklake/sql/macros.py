"""Macros: calls in a text are replaced by what the macro says."""

from collections.abc import Mapping, Sequence
from typing import cast

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.catalog.names import find_object, find_schema
from forklake.errors import InvalidInput
from forklake.model.entities import Macro, MacroImplementation, ObjectKind
from forklake.model.names import fold
from forklake.sql.binding import Context, places, reading
from forklake.sql.cursor import reader
from forklake.sql.references import edited, end_of_brackets
from forklake.sql.state import SessionState
from forklake.sql.statements import Name

_MOST_ROUNDS = 32


def expanded(state: SessionState, context: Context, text: str) -> str:
    """The text with every call of a macro replaced, macros within macros too."""
    for _ in range(_MOST_ROUNDS):
        found = _one_round(state, context, text)
        if found is None:
            return text
        text = found
    raise InvalidInput("A macro seems to be made of itself: it is nested too deep.")


def _one_round(state: SessionState, context: Context, text: str) -> str | None:
    if "(" not in text:
        return None
    try:
        tree = sqlglot.parse_one(text, read=reader(context.dialect))
    except SqlglotError:
        return None
    edits: list[tuple[int, int, str]] = []
    for call in tree.find_all(exp.Anonymous):
        # Calls inside of this one are for the next round.
        if "start" in call.meta and not any(start <= call.meta["start"] < end for start, end, _ in edits):
            replaced = _replacement(state, context, text, call)
            if replaced is not None:
                edits.append(replaced)
    return edited(text, edits) if edits else None


def _replacement(state: SessionState, context: Context, text: str, call: exp.Anonymous) -> tuple[int, int, str] | None:
    name, start, is_table = _called(call)
    macro = _find(state, context, name, "table_macro" if is_table else "scalar_macro")
    if macro is None:
        return None
    implementation = _implementation(macro, call.expressions)
    body = _with_arguments(implementation, call.expressions, context.dialect, macro.name)
    end = end_of_brackets(text, call.meta["end"] + 1, context.dialect)
    return start, end, f"({body})"


def _called(call: exp.Anonymous) -> tuple[Name, int, bool]:
    """The name of what is called, where it begins, and whether it is called as a table."""
    parts, start = [call.name], call.meta["start"]
    above = call.parent
    if isinstance(above, exp.Table):
        outer = [part for part in (above.args.get("catalog"), above.args.get("db")) if part is not None]
        if outer and "start" in outer[0].meta:
            start = outer[0].meta["start"]
        return (*(part.name for part in outer), *parts), start, True
    if isinstance(above, exp.Dot) and above.expression is call:
        outer_parts = list(above.this.find_all(exp.Identifier))
        names = sorted(outer_parts, key=lambda part: part.meta.get("start", 0))
        return (*(part.name for part in names), *parts), names[0].meta.get("start", start), False
    return tuple(parts), start, False


def _find(state: SessionState, context: Context, name: Name, kind: ObjectKind) -> Macro | None:
    for attachment, schema, macro, _ in places(state, context, name):
        tx = reading(state, context, attachment)
        parent = find_schema(tx, schema)
        found = None if parent is None else find_object(tx, parent, macro, kind)
        if found is not None:
            return cast("Macro", found)
    return None


def _implementation(macro: Macro, arguments: Sequence[exp.Expr]) -> MacroImplementation:
    given = len(arguments)
    for implementation in macro.definition.implementations:
        required = sum(parameter.default_value is None for parameter in implementation.parameters)
        if required <= given <= len(implementation.parameters):
            return implementation
    counts = " or ".join(str(len(found.parameters)) for found in macro.definition.implementations)
    raise InvalidInput(f"Macro '{macro.name}' takes {counts} arguments, not {given}.")


def _with_arguments(implementation: MacroImplementation, arguments: Sequence[exp.Expr], dialect: str, name: str) -> str:
    values = _values(implementation, arguments, name)
    body = sqlglot.parse_one(implementation.sql, read=reader(implementation.dialect))

    def put_in(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and len(node.parts) == 1 and fold(node.name) in values:
            value = values[fold(node.name)].copy()
            return exp.Paren(this=value) if isinstance(value, exp.Binary) else value
        return node

    return body.transform(put_in).sql(dialect=reader(dialect))


def _values(implementation: MacroImplementation, arguments: Sequence[exp.Expr], name: str) -> Mapping[str, exp.Expr]:
    values: dict[str, exp.Expr] = {}
    for at, parameter in enumerate(implementation.parameters):
        if parameter.default_value is not None:
            default = sqlglot.parse_one(parameter.default_value, read=reader(implementation.dialect))
            values[fold(parameter.name)] = default
        if at < len(arguments) and not isinstance(arguments[at], exp.Kwarg | exp.PropertyEQ):
            values[fold(parameter.name)] = arguments[at]
    for argument in arguments:
        if isinstance(argument, exp.Kwarg | exp.PropertyEQ):
            if fold(argument.this.name) not in {fold(parameter.name) for parameter in implementation.parameters}:
                raise InvalidInput(f"Macro '{name}' has no parameter '{argument.this.name}'.")
            values[fold(argument.this.name)] = argument.expression
    return values
