"""Clauses of a merge: actions for matched and unmatched rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column as Expression
from pyspark.sql import functions as F

from forklake.errors import InvalidInput
from forklake.model.arguments import checked_arguments, checked_methods
from forklake.model.entities import Table
from forklake.model.names import fold
from forklake.spark.session.expression_text import user_expression
from forklake.spark.values.quoting import quoted_name
from forklake.spark.verbs.merge import Action, Clause, When
from forklake.spark.work import Work
from forklake.sql.execution.python_without_spark import PythonClause
from forklake.sql.parsing.parameter_values import plain_value, written_literal

Where = str | Expression
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MergeClause:
    """A clause whose condition and values may still be SQL text."""

    when: When
    action: Action
    condition: Where | None = None
    values: Values | None = None

    @property
    def in_python(self) -> PythonClause:
        return PythonClause(self.when, self.action, self.condition, self.values)

    def bound(self, work: Work) -> Clause:
        """The clause with its texts parsed as expressions."""
        condition = None if self.condition is None else as_expression(self.condition, work)
        values = None
        if self.values is not None:
            values = {name: as_expression(value, work) for name, value in self.values.items()}
        return Clause(self.when, self.action, condition, values)


@checked_methods
@dataclass(frozen=True, slots=True)
class MergeClauseBuilder:
    """Rows selected by a clause, before an action is chosen."""

    when: When
    condition: Where | None = None

    def update(self, values: Values | None = None) -> MergeClause:
        """Set columns; without values, set all columns of the source."""
        return MergeClause(self.when, "update", self.condition, values)

    def delete(self) -> MergeClause:
        return MergeClause(self.when, "delete", self.condition)

    def insert(self, values: Values | None = None) -> MergeClause:
        """Insert the source row; without values, all of its columns."""
        return MergeClause(self.when, "insert", self.condition, values)

    def do_nothing(self) -> MergeClause:
        return MergeClause(self.when, "nothing", self.condition)


@checked_arguments
def when_matched(condition: Where | None = None) -> MergeClauseBuilder:
    """Rows of the table matched by a source row: `update` or `delete` them."""
    return MergeClauseBuilder("matched", condition)


@checked_arguments
def when_not_matched(condition: Where | None = None) -> MergeClauseBuilder:
    """Rows of the source that match no row of the table: `insert` them."""
    return MergeClauseBuilder("not matched", condition)


@checked_arguments
def when_not_matched_by_source(condition: Where | None = None) -> MergeClauseBuilder:
    """Rows of the table matched by no source row: `update` or `delete` them."""
    return MergeClauseBuilder("not matched by source", condition)


UPSERT = (when_matched().update(), when_not_matched().insert())
"""Default clauses of a merge."""


def checked_clauses(clauses: Sequence[MergeClause]) -> Sequence[MergeClause]:
    """Check the types of the clauses; return those of an upsert if there are none."""
    for clause in clauses:
        if not isinstance(clause, MergeClause):
            raise InvalidInput(f"{clause!r} is not a clause of a merge; write when_matched().update(), for example.")
    return clauses or UPSERT


def as_expression(value: Any, work: Work) -> Expression:
    """Expressions unchanged, strings parsed as SQL, other values as literals."""
    work.provider.get()
    if isinstance(value, Expression):
        return value
    if isinstance(value, str):
        return user_expression(value)
    if isinstance(value, dict):
        raise InvalidInput("A dict cannot be a value here; write it as SQL, such as named_struct('a', 1).")
    plain = plain_value(value, "for a column")
    literal = written_literal(plain, "spark")
    return F.lit(plain) if literal is None else user_expression(literal)


def matched_by(on: Where | Sequence[str], table: Table) -> Where | Sequence[str]:
    """The columns of the table by which rows match, or a condition over `target` and `source`."""
    names = {fold(column.name) for column in table.definition.columns}
    if isinstance(on, str) and fold(on) in names:
        return [on]
    if isinstance(on, str | Expression):
        return on
    if not on:
        raise InvalidInput("A merge needs columns or a condition by which rows match.")
    for name in on:
        if fold(name) not in names:
            raise InvalidInput(f"Table '{table.name}' has no column '{name}' to match by.")
    return on


def join_condition(on: Where | Sequence[str], work: Work) -> Expression:
    """Join condition: equality of the named columns, or any condition over `target` and `source`."""
    if isinstance(on, str | Expression):
        return as_expression(on, work)
    work.provider.get()
    condition = F.lit(True)
    for name in on:
        condition = condition & (F.col(f"target.{quoted_name(name)}") == F.col(f"source.{quoted_name(name)}"))
    return condition
