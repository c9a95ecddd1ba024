"""Known nodes of sqlglot trees, and the arguments that we interpret.

A tree is interpreted only as far as each node and each argument set on it is known. A new version of sqlglot may turn a
node into an argument of another (`NOT LIKE` became a LIKE with `negate`): code that ignores arguments then reads the
opposite. Here such a node is unknown, and Spark decides.
"""

from collections.abc import Mapping
from typing import TypeAlias

from sqlglot import exp

_BINARY = frozenset({"this", "expression"})
_THIS = frozenset({"this"})

Nodes: TypeAlias = Mapping[type[exp.Expr], frozenset[str]]
"""Nodes by exact class, with the known arguments of each."""

KNOWN: Nodes = {
    exp.Paren: _THIS,
    exp.Not: _THIS,
    exp.Neg: _THIS,
    exp.And: _BINARY,
    exp.Or: _BINARY,
    exp.EQ: _BINARY,
    exp.NEQ: _BINARY,
    exp.LT: _BINARY,
    exp.LTE: _BINARY,
    exp.GT: _BINARY,
    exp.GTE: _BINARY,
    exp.Is: _BINARY,
    exp.Like: _BINARY,
    exp.Dot: _BINARY,
    exp.Between: frozenset({"this", "low", "high"}),
    exp.In: frozenset({"this", "expressions"}),
    exp.Column: frozenset({"this", "table", "db", "catalog"}),
    exp.Identifier: frozenset({"this", "quoted"}),
    exp.Literal: frozenset({"this", "is_string"}),
    exp.Boolean: _THIS,
    exp.Null: frozenset(),
    exp.Cast: frozenset({"this", "to"}),
    exp.DataType: _THIS,
    exp.Year: _THIS,
    exp.Month: _THIS,
    exp.Day: _THIS,
    exp.DayOfMonth: _THIS,
    exp.Hour: _THIS,
    exp.TsOrDsToDate: _THIS,
}
"""The nodes of conditions that we interpret."""


def is_known(node: object, nodes: Nodes = KNOWN) -> bool:
    """Whether a node is one that we interpret, by default in conditions, with no unknown argument."""
    known = nodes.get(type(node)) if isinstance(node, exp.Expr) else None
    return known is not None and isinstance(node, exp.Expr) and has_only_arguments(node, known)


def has_only_arguments(node: exp.Expr, names: frozenset[str]) -> bool:
    """Whether no arguments of a node other than these are set."""
    return all(name in names or not value for name, value in node.args.items())
