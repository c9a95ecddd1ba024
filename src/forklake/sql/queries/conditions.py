"""Conditions given by users of the Python interface, and the rows that they choose."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.errors import InvalidInput
from forklake.model.entities import Table
from forklake.model.names import fold
from forklake.model.predicates import Predicate
from forklake.spark.reading.virtual_columns import FOR_USERS
from forklake.spark.session.expression_text import user_expression
from forklake.spark.verbs.delete import RowsToDelete, candidates_to_delete
from forklake.spark.verbs.update import RowsToUpdate, candidates_to_update
from forklake.spark.work import Work
from forklake.sql.parsing.cursor import parse_text
from forklake.sql.pruning.comparison_rules import DEFAULT_RULES, ComparisonRules, session_rules
from forklake.sql.pruning.read_predicate import parse_predicate, row_names


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on rows as SQL text or as an expression, and the predicate for pruning files."""

    row_test: str | Expression
    predicate: Predicate | None = None
    virtual: Sequence[str] = ()
    """The virtual columns it refers to."""

    def matching_rows(self, frame: DataFrame) -> DataFrame:
        """The rows for which the condition is TRUE."""
        return frame.where(user_expression(self.row_test) if isinstance(self.row_test, str) else self.row_test)


def rows_to_delete(work: Work, table: Table, where: str | Expression) -> RowsToDelete:
    """The rows of a table for which a condition is TRUE, to be deleted."""
    condition = parse_condition(where, table, session_rules(work.provider))
    found = candidates_to_delete(work, table, condition.predicate, condition.virtual)
    return found if found.frame is None else replace(found, frame=condition.matching_rows(found.frame))


def rows_to_update(work: Work, table: Table, where: str | Expression | None) -> RowsToUpdate:
    """The rows of a table for which a condition is TRUE, or all of them, to be updated."""
    if where is None:
        return candidates_to_update(work, table)
    condition = parse_condition(where, table, session_rules(work.provider))
    found = candidates_to_update(work, table, condition.predicate, condition.virtual)
    return replace(found, frame=condition.matching_rows(found.frame))


def parse_condition(where: str | Expression, table: Table, rules: ComparisonRules = DEFAULT_RULES) -> Condition:
    """A condition on the rows of a table, as SQL text or as a column expression; only text can prune files."""
    if isinstance(where, Expression):
        return Condition(where)
    if not isinstance(where, str):
        raise InvalidInput(f"{where!r} is not a condition; give SQL text or a column expression of Spark.")
    if not where.strip():
        raise InvalidInput("The condition is empty.")
    _refuse_stars(where)
    return Condition(
        where, parse_predicate(where, "spark", row_names(table), rules), mentioned_virtual_columns(table, where)
    )


def _refuse_stars(where: str) -> None:
    """Reject stars, which would cover the columns that identify rows."""
    if "*" not in where:
        return
    with suppress(SqlglotError):
        if any(not isinstance(star.parent, exp.Count) for star in parse_text(where, "spark").find_all(exp.Star)):
            raise InvalidInput("A condition cannot contain *; list the columns.")


def mentioned_virtual_columns(table: Table, text: str) -> list[str]:
    """The virtual columns that a text mentions, except those shadowed by a column of the table."""
    own = {fold(column.name) for column in table.definition.columns}
    return [name for name in FOR_USERS if name not in own and re.search(rf"\b{name}\b", text, re.IGNORECASE)]
