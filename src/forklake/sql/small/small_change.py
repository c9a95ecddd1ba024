"""Small changes of one table: which rows an UPDATE or DELETE chooses, and the constants that an UPDATE sets."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pyarrow as pa
from sqlglot import exp

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.model.column_types import FLOATS, INTEGERS
from forklake.model.entities import Column, Table
from forklake.model.names import fold
from forklake.spark.reading.driver_rows import VIRTUAL_NAMES, Virtual, driver_rows, why_not_on_driver
from forklake.spark.work import Work
from forklake.spark.writing.incoming import as_rows
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import quoted_name
from forklake.sql.parsing.plain_syntax import is_plain_condition
from forklake.sql.parsing.statements import Delete, Update
from forklake.sql.parsing.table_references import parse_query
from forklake.sql.pruning.comparison_rules import ComparisonRules
from forklake.sql.small.answer import answer
from forklake.sql.small.parameters import with_literals
from forklake.sql.small.read_small_query import read_small_query
from forklake.sql.small.small_query import NeedsSparkError, Output, SmallQuery
from forklake.sql.values.literal_values import UNKNOWN, literal_value
from forklake.sql.values.values_clause import (
    DateLiteral,
    NumberLiteral,
    ParameterValue,
    TextLiteral,
    Written,
    parse_values,
)

_NUMBERS = INTEGERS | FLOATS | {"decimal"}


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
    size = sum(file.data.file_size_bytes for file in plan.files)
    if size > limit:
        raise NeedsSparkError(f"it reads {size:,} bytes, more than forklake_small_query_bytes")
    needed = [*columns, *(c for c in plan.table.definition.columns if c.name in query.where and c not in columns)]
    reason = why_not_on_driver(work, plan, needed)
    if reason is not None:
        raise NeedsSparkError(reason)
    rows = driver_rows(work, plan, needed, virtual)
    shown = [*(column.name for column in columns), *(VIRTUAL_NAMES[name] for name in virtual)]
    return answer(replace(query, outputs=tuple(Output(name, name) for name in shown)), rows)


def constants_to_set(
    table: Table,
    statement: Update,
    dialect: str,
    parameters: Parameters,
    *,
    zone_is_utc: bool,
) -> dict[str, pa.Scalar]:
    """The value of each column that an UPDATE sets; NeedsSparkError if one is no plain literal of its type."""
    columns = {fold(column.name): column for column in table.definition.columns}
    found: dict[str, pa.Scalar] = {}
    for name, text in statement.assignments:
        column = columns[fold(name)]
        rows = parse_values(f"VALUES ({text})", dialect, parameters)
        if rows is None or len(rows) != 1 or len(rows[0]) != 1 or not _is_of_kind(rows[0][0], column):
            raise NeedsSparkError(f"only Spark computes the value of '{column.name}'")
        value = literal_value(rows[0][0], column.type, zone_is_utc=zone_is_utc)
        if value is UNKNOWN:
            raise NeedsSparkError(f"only Spark computes the value of '{column.name}'")
        array = as_rows([(value,)], [column])
        assert isinstance(array, pa.Table)
        found[column.name] = array.column(0)[0]
    return found


def _is_of_kind(written: Written, column: Column) -> bool:
    """Whether a literal is of the type of the column, so that Spark stores it without a cast that may refuse it."""
    kind = column.type.name
    match written:
        case None | ParameterValue(None):
            return True
        case bool() | ParameterValue(bool()):
            return kind == "boolean"
        case NumberLiteral():
            return kind in _NUMBERS
        case TextLiteral() | ParameterValue(str()):
            return kind == "varchar"
        case DateLiteral():
            return kind == "date"
        case ParameterValue(int()):
            return kind in INTEGERS
        case ParameterValue(Decimal()):
            return kind == "decimal"
        case ParameterValue(float()):
            return kind == "float64"
        case ParameterValue(date()):
            return kind == "date"
    return False
