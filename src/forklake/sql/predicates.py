"""Conditions as text to predicates that can choose files; what cannot be expressed chooses nothing."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import cast

from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.model.predicates import (
    And,
    Comparison,
    In,
    IsNull,
    Not,
    Operator,
    Or,
    Path,
    Predicate,
    StartsWith,
    Unknown,
)
from forklake.sql.cursor import parse_text

_OPERATORS: dict[type[exp.Expr], Operator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_MIRRORED: dict[Operator, Operator] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PREFIX = re.compile(r"([^%_\\]+)%\Z", re.DOTALL)


def predicate_of(text: str, dialect: str = "spark", qualifiers: frozenset[str] = frozenset()) -> Predicate:
    """What a condition in this dialect says, as far as files can be chosen by it."""
    try:
        parsed = parse_text(text, dialect)
    except SqlglotError:
        return Unknown()
    return predicate_from(parsed, qualifiers)


def predicate_from(condition: exp.Expr, qualifiers: frozenset[str] = frozenset()) -> Predicate:
    """The same for a parsed condition; columns may be qualified by one of these names of the table."""
    return _Translation(qualifiers).of(condition)


class _Constant:
    """A value that is the same for all rows."""

    def __init__(self, value: object) -> None:
        self.value = value


class _Translation:
    def __init__(self, qualifiers: frozenset[str]) -> None:
        self._qualifiers = qualifiers

    def of(self, node: exp.Expr) -> Predicate:
        match node:
            case exp.Paren():
                return self.of(node.this)
            case exp.And():
                return And((self.of(node.left), self.of(node.right)))
            case exp.Or():
                return Or((self.of(node.left), self.of(node.right)))
            case exp.Not():
                return Not(self.of(node.this))
            case exp.Boolean():
                return And(()) if node.this else Or(())
            case exp.Between():
                return self._between(node)
            case exp.In():
                return self._in(node)
            case exp.Is():
                return self._is_null(node)
            case exp.Like():
                return self._like(node)
            case exp.Column() | exp.Dot():
                path = self._path(node)
                return Unknown() if path is None else Comparison(path, "=", True)
        operator = _OPERATORS.get(type(node))
        return Unknown() if operator is None else self._comparison(cast("exp.Binary", node), operator)

    def _comparison(self, node: exp.Binary, operator: Operator) -> Predicate:
        path, constant = self._path(node.left), _constant(node.right)
        if path is None:
            path, constant, operator = self._path(node.right), _constant(node.left), _MIRRORED[operator]
        if path is None or constant is None:
            return Unknown()
        return Comparison(path, operator, constant.value)

    def _between(self, node: exp.Between) -> Predicate:
        path = self._path(node.this)
        low, high = _constant(node.args["low"]), _constant(node.args["high"])
        if path is None or low is None or high is None or node.args.get("symmetric"):
            return Unknown()
        return And((Comparison(path, ">=", low.value), Comparison(path, "<=", high.value)))

    def _in(self, node: exp.In) -> Predicate:
        path = self._path(node.this)
        constants = [_constant(value) for value in node.expressions]
        if path is None or not constants or node.args.get("query") or node.args.get("unnest"):
            return Unknown()
        values = [constant.value for constant in constants if constant is not None]
        return In(path, tuple(values)) if len(values) == len(constants) else Unknown()

    def _is_null(self, node: exp.Is) -> Predicate:
        path = self._path(node.this)
        return IsNull(path) if path is not None and isinstance(node.expression, exp.Null) else Unknown()

    def _like(self, node: exp.Like) -> Predicate:
        path, pattern = self._path(node.this), _constant(node.expression)
        text = pattern.value if pattern is not None else None
        found = _PREFIX.match(text) if isinstance(text, str) else None
        return Unknown() if path is None or found is None else StartsWith(path, found[1])

    def _path(self, node: exp.Expr) -> Path | None:
        """The column that a node names, with the fields inside of it."""
        match node:
            case exp.Paren():
                return self._path(node.this)
            case exp.Dot() if isinstance(node.expression, exp.Identifier):
                outer = self._path(node.this)
                return None if outer is None else (*outer, node.expression.name.lower())
            case exp.Column() if isinstance(node.this, exp.Identifier):
                parts = [part.name.lower() for part in node.parts]
                if len(parts) > 1 and parts[0] in self._qualifiers:
                    parts = parts[1:]
                return tuple(parts)
        return None


def _constant(node: exp.Expr) -> _Constant | None:
    match node:
        case exp.Paren():
            return _constant(node.this)
        case exp.Literal():
            return _Constant(node.this) if node.is_string else _number(node.this)
        case exp.Neg():
            inner = _constant(node.this)
            negative = inner is not None and isinstance(inner.value, int | Decimal)
            return _Constant(-cast("int", cast("_Constant", inner).value)) if negative else None
        case exp.Boolean():
            return _Constant(bool(node.this))
        case exp.Cast() if isinstance(node.this, exp.Literal) and node.this.is_string:
            read = _TYPED.get(node.to.this)
            return None if read is None else _typed(read, node.this.this)
        case exp.Date() if isinstance(node.this, exp.Literal) and node.this.is_string:
            return _typed(date.fromisoformat, node.this.this)
    return None


def _number(text: str) -> _Constant | None:
    try:
        return _Constant(int(text) if text.isdecimal() else Decimal(text))
    except ArithmeticError:
        return None


def _typed(read: Callable[[str], object], text: str) -> _Constant | None:
    try:
        return _Constant(read(text))
    except ValueError:
        return None


def _instant(text: str) -> datetime:
    """A moment with a zone; without one, its meaning depends on the session, and it chooses nothing."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(text)
    return moment.astimezone(UTC)


_TYPED: dict[object, Callable[[str], object]] = {
    exp.DataType.Type.DATE: date.fromisoformat,
    exp.DataType.Type.TIMESTAMPNTZ: datetime.fromisoformat,
    exp.DataType.Type.TIMESTAMPTZ: _instant,
    exp.DataType.Type.TIMESTAMP: _instant,
}
