"""Macros: calls in a text are replaced by what the macro says."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.errors import InvalidInput
from forklake.model.entities import Macro, MacroImplementation
from forklake.model.names import fold
from forklake.sql.binding import Context
from forklake.sql.cursor import parse_text, quoted_name, reader
from forklake.sql.macro_calls import MacroCall, calls_in, find_macro
from forklake.sql.own_names import with_catalog
from forklake.sql.references import edited, end_of_brackets
from forklake.sql.state import SessionState

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
        tree = parse_text(text, context.dialect)
    except SqlglotError:
        return None
    edits: list[tuple[int, int, str]] = []
    for call in calls_in(tree):
        # Calls inside of this one are for the next round.
        if not any(start <= call.start < end for start, end, _ in edits):
            replaced = _replacement(state, context, text, call)
            if replaced is not None:
                edits.append(replaced)
    return edited(text, edits) if edits else None


def _replacement(state: SessionState, context: Context, text: str, call: MacroCall) -> tuple[int, int, str] | None:
    found = find_macro(state, context, call)
    if found is None:
        return None
    arguments = call.node.expressions
    implementation = _implementation(found.macro, arguments)
    # Names in it are looked for where the macro is, and not where it is called.
    inside = Context(implementation.dialect, found.attachment.name, found.schema, context.pinned)
    in_full = replace(implementation, sql=with_catalog(state, inside, found.attachment, implementation.sql))
    body = _with_arguments(in_full, arguments, context.dialect, found.macro.name)
    end = end_of_brackets(text, call.end, context.dialect)
    alias = f" AS {quoted_name(call.name[-1], context.dialect)}" if call.is_table and not _has_alias(call) else ""
    return call.start, end, f"({body}){alias}"


def _has_alias(call: MacroCall) -> bool:
    return isinstance(call.node.parent, exp.Table) and bool(call.node.parent.alias)


def _implementation(macro: Macro, arguments: Sequence[exp.Expr]) -> MacroImplementation:
    given = len(arguments)
    for implementation in macro.definition.implementations:
        required = sum(parameter.default_value is None for parameter in implementation.parameters)
        if required <= given <= len(implementation.parameters):
            return implementation
    counts = " or ".join(str(len(found.parameters)) for found in macro.definition.implementations)
    raise InvalidInput(f"Macro '{macro.name}' takes {counts} arguments, not {given}.")


def _with_arguments(implementation: MacroImplementation, arguments: Sequence[exp.Expr], dialect: str, name: str) -> str:
    try:
        values = _values(implementation, arguments, name)
        body = parse_text(implementation.sql, implementation.dialect)
    except SqlglotError:
        raise InvalidInput(f"The text of macro '{name}' cannot be read.") from None
    is_value = body.find(exp.From) is None

    def put_in(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and len(node.parts) == 1 and fold(node.name) in values:
            value = values[fold(node.name)].copy()
            return exp.Paren(this=value) if isinstance(value, exp.Binary) else value
        if is_value and isinstance(node, exp.Column) and len(node.parts) == 2 and fold(node.table) in values:
            return exp.Dot(this=exp.Paren(this=values[fold(node.table)].copy()), expression=node.this)
        return node

    return body.transform(put_in).sql(dialect=reader(dialect))


def _values(implementation: MacroImplementation, arguments: Sequence[exp.Expr], name: str) -> Mapping[str, exp.Expr]:
    values: dict[str, exp.Expr] = {}
    for at, parameter in enumerate(implementation.parameters):
        if parameter.default_value is not None:
            default = parse_text(parameter.default_value, implementation.dialect)
            values[fold(parameter.name)] = default
        if at < len(arguments) and not isinstance(arguments[at], exp.Kwarg | exp.PropertyEQ):
            values[fold(parameter.name)] = arguments[at]
    for argument in arguments:
        if isinstance(argument, exp.Kwarg | exp.PropertyEQ):
            if fold(argument.this.name) not in {fold(parameter.name) for parameter in implementation.parameters}:
                raise InvalidInput(f"Macro '{name}' has no parameter '{argument.this.name}'.")
            values[fold(argument.this.name)] = argument.expression
    return values
