"""Converts conditions given by users to those of the data path."""

import re
from contextlib import suppress

from pyspark.sql import Column as Expression
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.errors import InvalidInput
from forklake.model.entities import Table
from forklake.model.names import fold
from forklake.spark.reading.virtual_columns import FOR_USERS
from forklake.spark.verbs.delete import Condition
from forklake.sql.parsing.cursor import parse_text
from forklake.sql.pruning.comparison_rules import DEFAULT_RULES, ComparisonRules
from forklake.sql.pruning.read_predicate import parse_predicate, row_names


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
            raise InvalidInput("A condition cannot have *; name the columns.")


def mentioned_virtual_columns(table: Table, text: str) -> list[str]:
    """The virtual columns that a text mentions, except those shadowed by a column of the table."""
    own = {fold(column.name) for column in table.definition.columns}
    return [name for name in FOR_USERS if name not in own and re.search(rf"\b{name}\b", text, re.IGNORECASE)]
