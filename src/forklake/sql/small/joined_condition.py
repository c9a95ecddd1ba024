"""Conditions of a small MERGE: on columns of both sides, compared with constants or with each other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.model.column_types import ColumnType
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.model.predicates import And, Predicate, is_understood
from forklake.sql.parsing.cursor import parse_text
from forklake.sql.parsing.known_nodes import is_known
from forklake.sql.parsing.plain_syntax import is_plain_condition
from forklake.sql.pruning.comparison_rules import ComparisonRules
from forklake.sql.pruning.read_predicate import RowNames, predicate_from_tree
from forklake.sql.small.answer import truth_of
from forklake.sql.small.exact_numbers import compared_alike
from forklake.sql.small.parameters import with_literals
from forklake.sql.small.scope import Named, Scope
from forklake.sql.small.set_values import Language
from forklake.sql.small.small_query import NeedsSparkError

_COMPARE: Mapping[type[exp.Expr], Callable[..., pa.ChunkedArray]] = {
    exp.EQ: pc.equal,
    exp.NEQ: pc.not_equal,
    exp.LT: pc.less,
    exp.LTE: pc.less_equal,
    exp.GT: pc.greater,
    exp.GTE: pc.greater_equal,
}
_COMPARED = "__forklake_compared_{}"
_BOOLEAN = ColumnType("boolean")


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison of two columns, in the type in which it is exact."""

    compare: Callable[..., pa.ChunkedArray]
    left: Named
    right: Named
    type: pa.DataType

    def of(self, rows: pa.Table) -> pa.ChunkedArray:
        return self.compare(*(rows[each.key].cast(self.type) for each in (self.left, self.right)))


@dataclass(frozen=True, slots=True)
class JoinedCondition:
    """A predicate, in which comparisons of two columns are columns of their own."""

    predicate: Predicate
    columns: tuple[Named, ...]
    """All columns that it names."""
    compared: tuple[Compared, ...]

    def holds(self, rows: pa.Table) -> pa.ChunkedArray | pa.Array:
        """Whether it is TRUE, for each of the rows."""
        for at, each in enumerate(self.compared):
            rows = rows.append_column(_COMPARED.format(at), each.of(rows))
        return truth_of(self.predicate, rows).fill_null(False)


def condition_tree(text: str, language: Language) -> exp.Expr:
    """The tree of a condition that is certainly valid, with literals for its parameters."""
    if language.dialect == "spark" and not is_plain_condition(text):
        raise NeedsSparkError("only Spark knows whether its syntax is valid")
    try:
        tree = parse_text(text, language.dialect)
    except SqlglotError:
        raise NeedsSparkError("only Spark reads its conditions") from None
    return with_literals(tree, language.parameters) if language.parameters else tree


def read_condition(text: str, scope: Scope, language: Language, rules: ComparisonRules) -> JoinedCondition:
    """A condition as a text; NeedsSparkError if only Spark evaluates it."""
    return joined_condition(condition_tree(text, language), scope, rules.for_text(text))


def joined_condition(tree: exp.Expr, scope: Scope, rules: ComparisonRules) -> JoinedCondition:
    """A condition as a tree, given the rules of its text."""
    named: dict[str, Named] = {}
    compared: list[Compared] = []

    def replaced(node: exp.Expr) -> exp.Expr:
        if type(node) is exp.Column:
            column = scope.column(node)
            named[column.key] = column
            return exp.column(column.key)
        found = comparison_of_columns(node, scope)
        if found is None:
            return node
        compared.append(found)
        return exp.column(_COMPARED.format(len(compared) - 1))

    predicate = predicate_from_tree(tree.transform(replaced), RowNames(tuple(_columns(named, compared))), rules)
    if not is_understood(predicate):
        raise NeedsSparkError("its conditions have expressions that only Spark evaluates")
    both = [side for each in compared for side in (each.left, each.right)]
    return JoinedCondition(predicate, (*named.values(), *both), tuple(compared))


def comparison_of_columns(node: exp.Expr, scope: Scope) -> Compared | None:
    """A comparison of two columns; None for all other nodes, NeedsSparkError if only Spark compares them."""
    if type(node) not in _COMPARE or not is_known(node):
        return None
    if type(node.this) is not exp.Column or type(node.expression) is not exp.Column:
        return None
    left, right = scope.column(node.this), scope.column(node.expression)
    alike = compared_alike(left.type, right.type)
    if alike is None or (pa.types.is_boolean(alike) and type(node) not in (exp.EQ, exp.NEQ)):
        raise NeedsSparkError(f"only Spark compares '{left.title}' with '{right.title}'")
    return Compared(_COMPARE[type(node)], left, right, alike)


def conjunction(tree: exp.Expr) -> list[exp.Expr]:
    """The conditions that are all required."""
    if type(tree) is exp.Paren and is_known(tree):
        return conjunction(tree.this)
    if type(tree) is exp.And and is_known(tree):
        return [*conjunction(tree.this), *conjunction(tree.expression)]
    return [tree]


ALWAYS = JoinedCondition(And(()), (), ())


def _columns(named: Mapping[str, Named], compared: list[Compared]) -> list[Column]:
    found = []
    for column in named.values():
        if column.type is None:
            raise NeedsSparkError(f"only Spark knows the type of '{column.title}'")
        found.append(Column(ColumnId(0), column.key, column.type))
    return found + [Column(ColumnId(0), _COMPARED.format(at), _BOOLEAN) for at in range(len(compared))]
