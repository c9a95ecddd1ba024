"""Macro expansion: replaces calls by the text of the macro."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.errors import InvalidInput
from forklake.model.entities import Macro, MacroImplementation
from forklake.model.names import fold
from forklake.sql.binding.names import Context, kept_in
from forklake.sql.definitions.macro_arguments import check_arguments
from forklake.sql.definitions.macro_calls import FoundMacro, MacroCall, find_calls, find_macro
from forklake.sql.definitions.relative_names import with_catalog, without_catalog
from forklake.sql.parsing.cursor import parse_text, quoted_name, sqlglot_dialect
from forklake.sql.parsing.table_references import apply_edits, argument_name, end_of_brackets
from forklake.sql.session.state import SessionState

_DEEPEST = 32
_LONGEST = 200_000
"""Maximum length of an expanded call: macros that call others twice double it with each level."""
_Chain: TypeAlias = tuple[tuple[str, int, MacroImplementation], ...]
"""The chain of macros being expanded: for each its catalog, its id and the implementation."""
_Expanded: TypeAlias = dict[tuple[str, str, MacroImplementation, str], str]
"""Texts of macros that have been expanded already, by catalog, schema, implementation and text."""


def expand_macros(state: SessionState, context: Context, text: str) -> str:
    """The text with every macro call replaced, including nested ones.

    Names in a macro are resolved in its own catalog and schema, those in its arguments at the call site; neither sees
    names of the other.
    """
    return _expand(state, context, text, (), {})


def _expand(state: SessionState, context: Context, text: str, within: _Chain, expanded: _Expanded) -> str:
    if "(" not in text:
        return text
    try:
        tree = parse_text(text, context.dialect)
    except SqlglotError:
        return text
    edits: list[tuple[int, int, str]] = []
    for call in find_calls(tree):
        # Nested calls are among the arguments of this one.
        if not any(start <= call.start < end for start, end, _ in edits):
            found = find_macro(state, context, call)
            if found is not None:
                written = _macro_edit(state, context, call, found, within, expanded)
                edits.append((call.start, end_of_brackets(text, call.end, context.dialect), written))
    return apply_edits(text, edits)


def _macro_edit(
    state: SessionState, context: Context, call: MacroCall, found: FoundMacro, within: _Chain, expanded: _Expanded
) -> str:
    def expand_argument(text: str) -> str:
        return _expand(state, context, text, within, expanded)

    arguments = [_expanded_argument(context.dialect, given, expand_argument) for given in call.node.expressions]
    macro, implementation = found.macro, _choose_implementation(found.macro, arguments)
    key = (found.attachment.name, macro.object_id, implementation)
    if key in within or len(within) > _DEEPEST:
        raise InvalidInput("A macro refers to itself, or is nested too deeply.")
    # Names are resolved in the macro's own catalog and schema, not at the call site.
    inside = kept_in(found.attachment, found.schema, implementation.dialect, context.pinned)
    named = without_catalog if context.is_kept else with_catalog

    def in_full(own: str) -> str:
        place = (found.attachment.name, found.schema, implementation, own)
        if place not in expanded:
            expanded[place] = _expand(state, inside, own, (*within, key), expanded)
        return named(state, inside, found.attachment, expanded[place])

    try:
        values = _argument_values(implementation, arguments, macro.name, in_full)
        text = in_full(implementation.sql)
        check_arguments(state, replace(context, dialect=inside.dialect), text, values, macro.name)
        # What is far too long takes long to write.
        _check_length(_length_of_values(text, implementation.dialect, values, context.dialect), macro.name)
        body = _with_values(text, implementation.dialect, values, context.dialect)
    except SqlglotError:
        raise InvalidInput(f"The text of macro '{macro.name}' cannot be read.") from None
    _check_length(len(body), macro.name)
    alias = f" AS {quoted_name(call.name[-1], context.dialect)}" if call.is_table and not _has_alias(call) else ""
    return f"({body}){alias}"


def _check_length(length: int, name: str) -> None:
    if length > _LONGEST:
        raise InvalidInput(
            f"Macro '{name}' is too long when all macros in it are expanded: more than {_LONGEST:,} characters."
            " Use its parameters and other macros fewer times, for example with a subquery."
        )


def _expanded_argument(dialect: str, argument: exp.Expr, expand: Callable[[str], str]) -> exp.Expr:
    if argument.find(exp.Anonymous) is None:
        return argument
    if argument_name(argument) is not None:
        copied = argument.copy()
        copied.set("expression", _expanded_argument(dialect, argument.expression, expand))
        return copied
    return parse_text(expand(argument.sql(dialect=sqlglot_dialect(dialect))), dialect).copy()


def _has_alias(call: MacroCall) -> bool:
    return isinstance(call.node.parent, exp.Table) and bool(call.node.parent.alias)


def _choose_implementation(macro: Macro, arguments: Sequence[exp.Expr]) -> MacroImplementation:
    given = len(arguments)
    for implementation in macro.definition.implementations:
        required = sum(parameter.default_value is None for parameter in implementation.parameters)
        if required <= given <= len(implementation.parameters):
            return implementation
    counts = " or ".join(str(len(found.parameters)) for found in macro.definition.implementations)
    raise InvalidInput(f"Macro '{macro.name}' takes {counts} arguments, not {given}.")


def _length_of_values(text: str, own_dialect: str, values: Mapping[str, exp.Expr], dialect: str) -> int:
    """How long the values of a macro's parameters are, each as often as it is used: a part of the macro's text."""
    lengths = {name: len(value.sql(dialect=sqlglot_dialect(dialect))) for name, value in values.items()}
    columns = parse_text(text, own_dialect).find_all(exp.Column)
    return sum(lengths.get(fold(column.name), 0) for column in columns if len(column.parts) == 1)


def _with_values(text: str, own_dialect: str, values: Mapping[str, exp.Expr], dialect: str) -> str:
    """The text of a macro with its parameters replaced by values, in the dialect of the caller."""
    body = parse_text(text, own_dialect)
    is_value = body.find(exp.From) is None

    def put_in(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and len(node.parts) == 1 and fold(node.name) in values:
            return _as_operand(values[fold(node.name)].copy())
        if is_value and isinstance(node, exp.Column) and fold(node.parts[0].name) in values:
            return exp.Dot.build([exp.Paren(this=values[fold(node.parts[0].name)].copy()), *node.parts[1:]])
        return node

    return body.transform(put_in).sql(dialect=sqlglot_dialect(dialect))


def _as_operand(value: exp.Expr) -> exp.Expr:
    """Parenthesize a value where operator precedence could split it."""
    is_loose = isinstance(value, exp.Binary | exp.Unary | exp.Predicate) and not isinstance(value, exp.Paren)
    return exp.Paren(this=value) if is_loose else value


def _argument_values(
    implementation: MacroImplementation, arguments: Sequence[exp.Expr], name: str, in_full: Callable[[str], str]
) -> Mapping[str, exp.Expr]:
    """The value of each parameter, by folded name: its argument, or else its default."""
    names = [fold(parameter.name) for parameter in implementation.parameters]
    values: dict[str, exp.Expr] = {}
    for at, argument in enumerate(arguments):
        is_named = argument_name(argument) is not None
        parameter = fold(argument.this.name) if is_named else names[at]
        if parameter not in names:
            raise InvalidInput(f"Macro '{name}' has no parameter '{argument.this.name}'.")
        if parameter in values:
            raise InvalidInput(f"Macro '{name}' is given its parameter '{parameter}' twice.")
        values[parameter] = argument.expression if is_named else argument
    for missing in (found for found in implementation.parameters if fold(found.name) not in values):
        if missing.default_value is None:
            raise InvalidInput(f"Macro '{name}' is not given its parameter '{missing.name}'.")
        values[fold(missing.name)] = parse_text(in_full(missing.default_value), implementation.dialect)
    return values
