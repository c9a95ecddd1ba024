"""Merge: rows of a source change matching rows of a table; unmatched ones may be inserted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import pyarrow as pa
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from forklake.errors import InvalidInput, InvalidRows
from forklake.model.entities import Column, Table
from forklake.model.names import fold
from forklake.model.predicates import Predicate
from forklake.spark.reading.scan import scan
from forklake.spark.tasks.files.write_changes import ADDRESS, CHANGE, DELETE, SOURCE_ROW
from forklake.spark.tasks.types.arrow_types import shown_schema
from forklake.spark.tasks.types.reserved_columns import ROW_ID
from forklake.spark.values.quoting import quoted_name, select_columns
from forklake.spark.verbs.append import add_rows
from forklake.spark.verbs.merge_source import SourceRows, source_rows
from forklake.spark.verbs.row_changes import CHANGE_OF_UPDATE, change_rows
from forklake.spark.verbs.update import assigned_columns
from forklake.spark.work import Work
from forklake.spark.writing.incoming import Rows, as_rows, default_value, fit_value

Action = Literal["update", "delete", "insert", "nothing"]
When = Literal["matched", "not matched", "not matched by source"]


@dataclass(frozen=True, slots=True)
class Clause:
    """An action: WHEN … [AND condition] THEN …. Of several clauses the first whose condition is TRUE applies.

    Without values, an update or insert uses the source columns with the same names, or all in their order.
    """

    when: When
    action: Action
    condition: Expression | None = None
    values: Mapping[str, Expression] | None = None
    by_position: bool = False


class AnyClause(Protocol):
    """A clause in any form of its condition."""

    @property
    def when(self) -> When: ...

    @property
    def action(self) -> Action: ...

    @property
    def condition(self) -> object: ...


@dataclass(frozen=True, slots=True)
class MergeCounts:
    """The number of updated or deleted rows, and the number of inserted rows."""

    changed: int
    inserted: int


@dataclass(frozen=True, slots=True)
class MergeNames:
    """The names of the two sides in conditions and values."""

    target: str = "target"
    source: str = "source"


NAMES = MergeNames()
HIDDEN_IN_TARGET, HIDDEN_IN_SOURCE = (ROW_ID, ADDRESS), (SOURCE_ROW,)
"""Columns that identify the rows of the two sides."""


def merge(
    work: Work,
    table: Table,
    data: Any,
    on: Expression,
    clauses: Sequence[Clause],
    names: MergeNames = NAMES,
    predicate: Predicate | None = None,
    virtual: Sequence[str] = (),
) -> MergeCounts:
    """Merge a source into a table; changing a row of the table twice is an error.

    The source is evaluated once. `predicate` may restrict the rows of the table that can match. Conditions and values
    may refer to `virtual` columns of the table.
    """
    check_clauses(clauses)
    by_source = any(clause.when == "not matched by source" for clause in clauses)
    plan = work.plan_scan(table, None if by_source else predicate)
    with source_rows(work, table, source_as_rows(data, table)) as source:
        joined = _join_source(
            scan(work, plan, [*HIDDEN_IN_TARGET, *virtual]), source, on, names, keep_unmatched=by_source
        )
        found = change_rows(work, plan, _changes_to_target(work, joined, table, clauses, names, source.columns))
        added = _rows_to_insert(work, source, found.matched, table, clauses, names)
        return MergeCounts(found.ended, 0 if added is None else add_rows(work, table, added))


def source_as_rows(data: Any, table: Table) -> Rows:
    """The rows; an empty list, which has no columns, gets those of the table."""
    rows = as_rows(data)
    is_empty = isinstance(rows, pa.Table) and not rows.num_rows and not rows.num_columns
    return shown_schema(table.definition.columns).empty_table() if is_empty else rows


def check_clauses(clauses: Sequence[AnyClause]) -> None:
    """Reject clauses whose action is not allowed for their kind, and those that never apply."""
    if not clauses:
        raise InvalidInput("MERGE needs at least one WHEN clause.")
    unconditional = set()
    for clause in clauses:
        when = f"WHEN {clause.when.upper()}"
        if (clause.action == "insert") != (clause.when == "not matched") and clause.action != "nothing":
            raise InvalidInput(f"{when} cannot {clause.action.upper()}.")
        if clause.when in unconditional:
            raise InvalidInput(f"Of several clauses {when}, only the last one may be without a condition.")
        if clause.condition is None:
            unconditional.add(clause.when)


def _join_source(
    target: DataFrame, source: SourceRows, on: Expression, names: MergeNames, *, keep_unmatched: bool
) -> DataFrame:
    other = source.frame.alias(names.source)
    if source.is_small:
        other = other.hint("broadcast")
    # The table is on the left: its rows stay in place, and a small source is broadcast.
    return target.alias(names.target).join(other, on, "left" if keep_unmatched else "inner")


def _changes_to_target(
    work: Work, joined: DataFrame, table: Table, clauses: Sequence[Clause], names: MergeNames, source: Sequence[str]
) -> DataFrame:
    """The matched rows with their new values, and the change of each; NULL if no clause applies."""
    matched = F.col(SOURCE_ROW).isNotNull()
    changing = [clause for clause in clauses if clause.when != "not matched"]
    number = _first_true_clause(
        [(matched if clause.when == "matched" else ~matched, clause.condition) for clause in changing]
    )
    values = [_clause_values(work, joined, table, clause, names, source) for clause in changing]
    columns: list[Expression | str] = []
    for column in table.definition.columns:
        name, now = fold(column.name), _qualified_name(names.target, column)
        if not any(name in of_clause for of_clause in values):
            columns.append(now)
            continue
        after = [of_clause[name] if name in of_clause else F.expr(now) for of_clause in values]
        columns.append(_value_of_clause(number, after, F.expr(now)).alias(column.name))
    change = _value_of_clause(number, [_change_kind(clause) for clause in changing], F.lit(None).cast("string"))
    return select_columns(joined, [*columns, ROW_ID, change.alias(CHANGE), ADDRESS, SOURCE_ROW])


def _change_kind(clause: Clause) -> Expression:
    match clause.action:
        case "update":
            return F.expr(CHANGE_OF_UPDATE)
        case "delete":
            return F.lit(DELETE)
    return F.lit(None).cast("string")


def _clause_values(
    work: Work, joined: DataFrame, table: Table, clause: Clause, names: MergeNames, source: Sequence[str]
) -> dict[str, Expression]:
    """The values of the columns that a clause sets, by folded name."""
    return (
        _fit_expressions(work, joined, table, _clause_expressions(table, clause, names, source))
        if clause.action == "update"
        else {}
    )


def _rows_to_insert(
    work: Work, source: SourceRows, matched: pa.ChunkedArray, table: Table, clauses: Sequence[Clause], names: MergeNames
) -> DataFrame | None:
    """The unmatched rows of the source, converted to rows of the table by the clauses."""
    inserting = [clause for clause in clauses if clause.when == "not matched"]
    if not inserting:
        return None
    rows = source.without(matched).alias(names.source)
    number = _first_true_clause([(F.lit(True), clause.condition) for clause in inserting])
    values = []
    for clause in inserting:
        fitted = (
            _fit_expressions(work, rows, table, _clause_expressions(table, clause, names, source.columns))
            if clause.action == "insert"
            else {}
        )
        values.append(
            [fitted.get(fold(column.name), default_value(column, table)) for column in table.definition.columns]
        )
    skipped = [at for at, clause in enumerate(inserting) if clause.action == "nothing"]
    kept = rows.where(number.isNotNull() & ~number.isin(skipped) if skipped else number.isNotNull())
    return kept.select(
        *(
            _value_of_clause(number, [of_clause[at] for of_clause in values], None).alias(column.name)
            for at, column in enumerate(table.definition.columns)
        )
    )


def _clause_expressions(
    table: Table, clause: Clause, names: MergeNames, source: Sequence[str]
) -> dict[str, Expression]:
    """The values of a clause by folded name; by default, the source columns that the table has too."""
    if clause.values is not None:
        return assigned_columns(table, clause.values)
    return {
        name: F.col(f"{quoted_name(names.source)}.{quoted_name(title)}")
        for name, title in columns_of_source(table, source, by_position=clause.by_position).items()
    }


def columns_of_source(table: Table, source: Sequence[str], *, by_position: bool) -> dict[str, str]:
    """The columns of a source by the folded names of those of the table; raises for one that it does not have."""
    known = [fold(column.name) for column in table.definition.columns]
    if by_position:
        if len(known) != len(source):
            raise InvalidRows(f"table {table.name} has {len(known)} columns but {len(source)} values were supplied")
        return dict(zip(known, source, strict=True))
    extra = [name for name in source if fold(name) not in known]
    if extra:
        raise InvalidInput(f"Table '{table.name}' has no column '{extra[0]}'; list the columns that the clause sets.")
    return {fold(name): name for name in source}


def _fit_expressions(
    work: Work, frame: DataFrame, table: Table, given: Mapping[str, Expression]
) -> dict[str, Expression]:
    columns = [column for column in table.definition.columns if fold(column.name) in given]
    types = frame.select(*(given[fold(column.name)] for column in columns)).schema.fields
    return {
        fold(column.name): fit_value(
            given[fold(column.name)], kind.dataType, column, table, refuses_large_floats=work.refuses_large_floats
        )
        for column, kind in zip(columns, types, strict=True)
    }


def _first_true_clause(conditions: Sequence[tuple[Expression, Expression | None]]) -> Expression:
    """The number of the first clause that applies, or NULL."""
    number = F.lit(None).cast("int")
    for at in reversed(range(len(conditions))):
        applies, condition = conditions[at]
        holds = applies if condition is None else applies & F.coalesce(condition, F.lit(False))
        number = F.when(holds, F.lit(at)).otherwise(number)
    return number


def _value_of_clause(number: Expression, values: Sequence[Expression], otherwise: Expression | None) -> Expression:
    """The value of the clause with this number."""
    chosen = otherwise
    for at in reversed(range(len(values))):
        when = F.when(number == at, values[at])
        chosen = when if chosen is None else when.otherwise(chosen)
    assert chosen is not None
    return chosen


def _qualified_name(side: str, column: Column) -> str:
    return f"{quoted_name(side)}.{quoted_name(column.name)}"
