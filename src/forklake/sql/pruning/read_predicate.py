"""Converts conditions in SQL text to predicates for pruning; anything not fully known prunes nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.model.column_types import TIMESTAMPS
from forklake.model.entities import Column, Table
from forklake.model.names import fold
from forklake.model.predicates import (
    And,
    CalendarPart,
    CalendarPartIn,
    Comparison,
    In,
    IsNull,
    Not,
    Operator,
    Or,
    Path,
    Predicate,
    StartsWith,
    UnknownPredicate,
    is_understood,
)
from forklake.sql.parsing.cursor import parse_text
from forklake.sql.parsing.known_nodes import is_known
from forklake.sql.parsing.plain_syntax import is_plain_condition
from forklake.sql.pruning.comparable_constants import comparable_constants, integer_constants, like_prefix
from forklake.sql.pruning.comparison_rules import ComparisonRules

_OPERATORS: Mapping[type[exp.Expr], Operator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_MIRRORED: Mapping[Operator, Operator] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CALENDAR: Mapping[type[exp.Expr], CalendarPart] = {
    exp.Year: "year",
    exp.Month: "month",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.Hour: "hour",
}


@dataclass(frozen=True, slots=True)
class RowNames:
    """How a condition may name the columns of a table."""

    columns: Sequence[Column]
    qualifier: str | None = None
    """The name of the table in the query."""
    alone: bool = True
    """Whether unqualified columns can only be those of the table."""


def parse_predicate(text: str, dialect: str, names: RowNames, rules: ComparisonRules) -> Predicate:
    """The predicate of a condition in this dialect on the rows of a table, as far as it is known."""
    try:
        parsed = parse_text(text, dialect)
    except SqlglotError:
        return UnknownPredicate()
    found = predicate_from_tree(parsed, names, rules.for_text(text))
    if dialect == "spark" and is_understood(found) and not is_plain_condition(text):
        # Spark may refuse the text, so it must see it. DuckDB's dialect is translated from the same tree.
        return And((found, UnknownPredicate()))
    return found


def predicate_from_tree(condition: exp.Expr, names: RowNames, rules: ComparisonRules) -> Predicate:
    """The predicate of a parsed condition, given the rules of its text."""
    return _PredicateReader(names, rules).of(condition)


def row_names(table: Table, qualifier: str | None = None, *, alone: bool = True) -> RowNames:
    """How a condition may name the columns of this table."""
    return RowNames(table.definition.columns, qualifier, alone)


class _PredicateReader:
    def __init__(self, names: RowNames, rules: ComparisonRules) -> None:
        self._names = names
        self._rules = rules
        self._readers: Mapping[type[exp.Expr], Callable[[exp.Expr], Predicate]] = {
            exp.Paren: lambda node: self.of(node.this),
            exp.And: lambda node: And((self.of(node.this), self.of(node.expression))),
            exp.Or: lambda node: Or((self.of(node.this), self.of(node.expression))),
            exp.Not: lambda node: Not(self.of(node.this)),
            exp.Boolean: lambda node: And(()) if node.this else Or(()),
            exp.Column: self._is_true,
            exp.Dot: self._is_true,
            exp.Between: self._between,
            exp.In: self._in,
            exp.Is: self._is_null,
            exp.Like: self._like,
            **dict.fromkeys(_OPERATORS, self._comparison),
        }

    def of(self, node: exp.Expr) -> Predicate:
        read = self._readers.get(type(node))
        return UnknownPredicate() if read is None or not is_known(node) else read(node)

    def _is_true(self, node: exp.Expr) -> Predicate:
        found = self._column(node)
        return Comparison(found[0], "=", True) if found and found[1].type.name == "boolean" else UnknownPredicate()

    def _comparison(self, node: exp.Expr) -> Predicate:
        left, right, operator = node.this, node.expression, _OPERATORS[type(node)]
        if self._column(left) is None and self._calendar_part(left) is None:
            left, right, operator = right, left, _MIRRORED[operator]
        if operator == "=" and self._calendar_part(left) is not None:
            return self._calendar_part_in(left, [right])
        return self._compare(left, operator, right)

    def _compare(self, column: exp.Expr, operator: Operator, constant: exp.Expr) -> Predicate:
        found = self._column(column)
        values = None if found is None else comparable_constants([constant], found[1].type, self._rules)
        return UnknownPredicate() if found is None or values is None else Comparison(found[0], operator, values[0])

    def _between(self, node: exp.Expr) -> Predicate:
        low, high = node.args["low"], node.args["high"]
        return And((self._compare(node.this, ">=", low), self._compare(node.this, "<=", high)))

    def _in(self, node: exp.Expr) -> Predicate:
        found = self._column(node.this)
        if found is None:
            return self._calendar_part_in(node.this, node.expressions)
        values = comparable_constants(node.expressions, found[1].type, self._rules) if node.expressions else None
        return UnknownPredicate() if values is None else In(found[0], values)

    def _is_null(self, node: exp.Expr) -> Predicate:
        found = self._column(node.this)
        is_null = isinstance(node.expression, exp.Null) and is_known(node.expression)
        return IsNull(found[0]) if found is not None and is_null else UnknownPredicate()

    def _like(self, node: exp.Expr) -> Predicate:
        found, prefix = self._column(node.this), like_prefix(node.expression, self._rules)
        if found is None or prefix is None or found[1].type.name != "varchar":
            return UnknownPredicate()
        return StartsWith(found[0], prefix)

    def _calendar_part_in(self, node: exp.Expr, constants: Sequence[exp.Expr]) -> Predicate:
        found, values = self._calendar_part(node), integer_constants(constants)
        return CalendarPartIn(*found, values) if found is not None and values else UnknownPredicate()

    def _calendar_part(self, node: exp.Expr) -> tuple[Path, CalendarPart] | None:
        """The column from which a node extracts a calendar part, such as the year, in UTC."""
        part = _CALENDAR.get(type(node))
        if part is None or not is_known(node):
            return None
        inner = node.this
        if isinstance(inner, exp.TsOrDsToDate) and is_known(inner) and part != "hour":
            inner = inner.this
        found = self._column(inner)
        if found is None or found[1].type.name not in TIMESTAMPS - {"timestamp_ns"} | {"date"}:
            return None
        return (found[0], part) if found[1].type.name != "timestamptz" or self._rules.is_utc else None

    def _column(self, node: exp.Expr) -> tuple[Path, Column] | None:
        """The column of the table, or nested field, that a node names."""
        names = _identifier_path(node)
        if names is None:
            return None
        qualifier = self._names.qualifier
        if qualifier is not None and fold(qualifier) in map(fold, names[1:-1]):
            # The table may be qualified by a schema or catalog.
            return None
        if not self._names.alone and len(names) > 2:
            # It may be a column of another source, qualified by its schema.
            return None
        if qualifier is not None and len(names) > 1 and self._is_same(names[0], qualifier):
            # It may be a field of a column of the same name.
            is_column = any(fold(column.name) == fold(qualifier) for column in self._names.columns)
            return None if is_column else self._find_column(names[1:])
        return self._find_column(names) if self._names.alone else None

    def _find_column(self, names: Sequence[str]) -> tuple[Path, Column] | None:
        fields, found, path = self._names.columns, None, []
        for name in names:
            found = next((field for field in fields if self._is_same(name, field.name)), None)
            if found is None:
                return None
            fields = found.children if found.type.name == "struct" else ()
            path.append(found.name.lower())
        return None if found is None else (tuple(path), found)

    def _is_same(self, name: str, other: str) -> bool:
        return name == other or (name.isascii() and other.isascii() and name.lower() == other.lower())


def _identifier_path(node: exp.Expr) -> tuple[str, ...] | None:
    """The identifiers of a dotted name; None for other nodes."""
    if not is_known(node):
        return None
    match node:
        case exp.Paren():
            return _identifier_path(node.this)
        case exp.Dot():
            outer = _identifier_path(node.this)
            return None if outer is None or not _is_identifier(node.expression) else (*outer, node.expression.name)
        case exp.Column() if all(_is_identifier(part) for part in node.parts):
            return tuple(part.name for part in node.parts)
    return None


def _is_identifier(node: object) -> bool:
    return isinstance(node, exp.Identifier) and is_known(node)
