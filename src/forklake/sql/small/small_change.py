"""Small changes of one table: which rows an UPDATE or DELETE chooses, and the values that an UPDATE sets."""

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
from sqlglot import exp

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.model.entities import Column, Table
from forklake.model.names import fold
from forklake.model.predicates import Predicate
from forklake.spark.reading.driver_rows import VIRTUAL_NAMES, Virtual, driver_rows
from forklake.spark.work import Work
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import quoted_name
from forklake.sql.parsing.plain_syntax import is_plain_condition
from forklake.sql.parsing.statements import Delete, Update
from forklake.sql.parsing.table_references import parse_query
from forklake.sql.pruning.comparison_rules import ComparisonRules
from forklake.sql.small.answer import answer
from forklake.sql.small.parameters import with_literals
from forklake.sql.small.plan import check_small
from forklake.sql.small.read_small_query import read_small_query
from forklake.sql.small.scope import Scope, side_of_table
from forklake.sql.small.set_values import Language, SetValue, read_value
from forklake.sql.small.small_query import NeedsSparkError, Output, SmallQuery


def rows_of_change(
    table: Table, statement: Update | Delete, dialect: str, rules: ComparisonRules, parameters: Parameters
) -> SmallQuery:
    """The query for the rows that a statement chooses; NeedsSparkError if only Spark finds them."""
    if statement.sources is not None:
        raise NeedsSparkError("it has other sources")
    # Alone: in brackets, the text of two conditions may become one.
    if dialect == "spark" and statement.where is not None and not is_plain_condition(statement.where):
        raise NeedsSparkError("only Spark knows whether its syntax is valid")
    where = "" if statement.where is None else f" WHERE ({statement.where}\n)"
    name = quoted_name(statement.alias or table.name, dialect)
    # Without an alias, Spark may take `WHERE (a)` for one.
    parsed = parse_query(f"SELECT * FROM {name} AS {name}{where}", dialect)
    if not isinstance(parsed.tree, exp.Select) or len(parsed.references) != 1:
        raise NeedsSparkError("its WHERE names other tables")
    [reference] = parsed.references
    if reference.at is not None or reference.arguments is not None:
        raise NeedsSparkError("its WHERE names other tables")
    if parameters and dialect != "spark":
        raise NeedsSparkError("only Spark knows its parameters")
    select = with_literals(parsed.tree, parameters) if parameters else parsed.tree
    query = read_small_query(parsed.text, select, reference, table, dialect, rules)
    if query.order or query.limit is not None or query.offset or query.is_aggregate:
        raise NeedsSparkError("it has clauses after WHERE")
    return query


def read_chosen_rows(
    work: Work,
    plan: ScanPlan,
    query: SmallQuery,
    columns: Sequence[Column],
    limit: int,
    virtual: Sequence[Virtual] = ("row id", "address"),
) -> pa.Table:
    """The rows of a plan that a statement chooses: some columns, and virtual ones under their reserved names.

    NeedsSparkError if their files are larger than the limit, or cannot be read on the driver.
    """
    rows = read_rows(work, plan, columns_to_read(plan.table, query, columns), limit, virtual)
    shown = [*(column.name for column in columns), *(VIRTUAL_NAMES[name] for name in virtual)]
    return answer(replace(query, outputs=tuple(Output(name, name) for name in shown)), rows)


def columns_to_read(table: Table, query: SmallQuery, columns: Sequence[Column]) -> list[Column]:
    """These columns, and those that the condition of a query names."""
    return [*columns, *(c for c in table.definition.columns if c.name in query.where and c not in columns)]


def read_rows(
    work: Work,
    plan: ScanPlan,
    columns: Sequence[Column],
    limit: int,
    virtual: Sequence[Virtual] = ("row id", "address"),
    predicate: Predicate | None = None,
) -> pa.Table:
    """The same for all rows of a plan, as far as the predicate may be TRUE for them."""
    check_small(work, plan, columns, limit)
    return driver_rows(work, plan, columns, virtual, predicate)


def values_to_set(table: Table, statement: Update, language: Language) -> dict[str, SetValue]:
    """The value of each column that an UPDATE sets; NeedsSparkError if only Spark computes one."""
    columns = {fold(column.name): column for column in table.definition.columns}
    scope = Scope((side_of_table(table, statement.alias or table.name),))
    found = [(columns[fold(name)], text) for name, text in statement.assignments]
    return {column.name: read_value(text, column, scope, language) for column, text in found}
