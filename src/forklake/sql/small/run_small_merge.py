"""Carries out small MERGEs: finds the rows that match, and computes what becomes of them."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.model.entities import Column, Table
from forklake.model.predicates import And, Comparison, In, Or, Path, Predicate
from forklake.spark.reading.virtual_columns import ADDRESS
from forklake.spark.tasks.files.write_changes import SOURCE_ROW
from forklake.spark.tasks.types.arrow_types import shown_schema
from forklake.spark.tasks.types.python_array import empty_table, mask, whole_numbers
from forklake.spark.tasks.types.reserved_columns import ROW_ID
from forklake.spark.verbs.append import add_rows
from forklake.spark.verbs.merge import MergeCounts, When
from forklake.spark.verbs.row_changes import change_known_rows
from forklake.spark.work import Work
from forklake.spark.writing.incoming import fit_rows, needs_spark
from forklake.sql.small.exact_numbers import Values
from forklake.sql.small.matching_rows import matching_rows
from forklake.sql.small.plan import check_small, describe_scan
from forklake.sql.small.scope import Named
from forklake.sql.small.set_values import value_of
from forklake.sql.small.small_change import read_rows
from forklake.sql.small.small_merge import SOURCE, TARGET, SmallClause, SmallMerge
from forklake.sql.small.small_query import NeedsSparkError

_FEW_KEYS = 100
"""So many are looked up one by one when files are chosen; of more, only their range."""


def run_small_merge(work: Work, merge: SmallMerge, source: pa.Table, limit: int) -> MergeCounts:
    """Carry out a MERGE. NeedsSparkError, before anything is staged, if rows or values turn out to need Spark."""
    named = _named_rows(source)
    plan, predicate = _plan_target(work, merge, named)
    target = _read_target(work, plan, merge, limit, predicate)
    matched = _matched_rows(merge, target, named)
    updated, deleted = _changes(merge, matched, _others(target, matched, ADDRESS))
    added = _added_rows(merge, _others(named, matched, SOURCE_ROW))
    ended = change_known_rows(work, plan, updated, deleted)
    return MergeCounts(ended, 0 if added is None else add_rows(work, merge.table, added))


def explain_small_merge(work: Work, merge: SmallMerge, source: pa.Table, limit: int) -> str:
    """What the driver reads for a MERGE; NeedsSparkError if only Spark carries it out."""
    plan, _ = _plan_target(work, merge, _named_rows(source))
    check_small(work, plan, merge.read_columns, limit)
    return describe_scan(plan, merge.read_columns)


def _named_rows(source: pa.Table) -> pa.Table:
    """The rows of the source under their names in joined rows, numbered."""
    named = source.rename_columns([SOURCE.format(at=at) for at in range(source.num_columns)])
    return named.append_column(SOURCE_ROW, whole_numbers(np.arange(len(named))))


def _plan_target(work: Work, merge: SmallMerge, source: pa.Table) -> tuple[ScanPlan, Predicate | None]:
    """The rows of the table that may match, and what is true of all that do."""
    predicate = None if merge.keeps_unmatched else _key_predicate(merge, source)
    return work.plan_scan(merge.table, predicate), predicate


def _key_predicate(merge: SmallMerge, source: pa.Table) -> Predicate:
    """What is true of all rows that match, as far as it helps to choose files."""
    found = []
    for key in merge.keys:
        if pa.types.is_int64(key.type) or pa.types.is_string(key.type):
            values = source[key.right.key].cast(key.type).unique().drop_null()
            found.append(_one_of((_own_name(merge.table, key.left).lower(),), values))
    return And(tuple(found))


def _one_of(path: Path, values: pa.Array) -> Predicate:
    is_range = len(values) > _FEW_KEYS
    known = list(pc.min_max(values).as_py().values()) if is_range else values.to_pylist()
    if not all(isinstance(value, int) or value.isprintable() for value in known):
        # A database refuses some texts.
        return And(())
    if is_range:
        return And((Comparison(path, ">=", known[0]), Comparison(path, "<=", known[1])))
    return In(path, tuple(known)) if known else Or(())


def _own_name(table: Table, named: Named) -> str:
    return next(column.name for at, column in enumerate(table.definition.columns) if TARGET.format(at=at) == named.key)


def _read_target(work: Work, plan: ScanPlan, merge: SmallMerge, limit: int, predicate: Predicate | None) -> pa.Table:
    """The rows of the table that may match, under their names in joined rows."""
    columns = merge.read_columns
    rows = read_rows(work, plan, columns, limit, predicate=predicate)
    keys = {column.name: TARGET.format(at=at) for at, column in enumerate(merge.table.definition.columns)}
    return rows.rename_columns([*(keys[column.name] for column in columns), ROW_ID, ADDRESS])


def _matched_rows(merge: SmallMerge, target: pa.Table, source: pa.Table) -> pa.Table:
    """The rows of both sides that match, joined."""
    pairs = matching_rows(
        [(target[key.left.key].cast(key.type), source[key.right.key].cast(key.type)) for key in merge.keys]
    )
    rows, others = target.take(whole_numbers(pairs.left)), source.take(whole_numbers(pairs.right))
    for name in others.column_names:
        rows = rows.append_column(name, others[name])
    for condition in merge.rest:
        rows = rows.filter(condition.holds(rows))
    return rows


def _others(rows: pa.Table, matched: pa.Table, number: str) -> pa.Table:
    """The rows whose numbers are not among those of the matched ones."""
    return rows.filter(mask(~np.isin(rows[number].to_numpy(), matched[number].to_numpy())))


def _by_clause(clauses: Sequence[SmallClause], rows: pa.Table) -> Iterator[tuple[SmallClause, pa.Table]]:
    """The rows of each clause: of several, the first whose condition is TRUE applies."""
    left = np.ones(len(rows), bool)
    for clause in clauses:
        chosen = left & clause.condition.holds(rows).to_numpy(zero_copy_only=False)
        left &= ~chosen
        yield clause, rows.filter(mask(chosen))


def _changes(merge: SmallMerge, matched: pa.Table, unmatched: pa.Table) -> tuple[pa.Table, pa.ChunkedArray]:
    """The new versions of rows, with row ids and addresses, and the addresses of deleted rows."""
    columns = merge.table.definition.columns
    numbers = [pa.field(ROW_ID, pa.int64()), pa.field(ADDRESS, pa.int64())]
    updated = [empty_table(pa.schema([*shown_schema(columns), *numbers]))]
    deleted = [pa.chunked_array([], pa.int64())]
    candidates: dict[When, pa.Table] = {"matched": matched, "not matched by source": unmatched}
    for when, some in candidates.items():
        for clause, rows in _by_clause(merge.of_kind(when), some):
            if clause.action == "update":
                fitted = _fitted(merge.table, {**_unchanged(columns, rows), **_values(merge.table, clause, rows)})
                updated.append(fitted.append_column(ROW_ID, rows[ROW_ID]).append_column(ADDRESS, rows[ADDRESS]))
            elif clause.action == "delete":
                deleted.append(rows[ADDRESS])
    found = pa.concat_tables(updated)
    chunks = [chunk for addresses in deleted for chunk in addresses.chunks]
    return found.take(pc.sort_indices(found[ADDRESS])), pa.chunked_array(chunks, pa.int64())


def _unchanged(columns: Sequence[Column], rows: pa.Table) -> dict[str, Values]:
    return {column.name: rows[TARGET.format(at=at)] for at, column in enumerate(columns)}


def _values(table: Table, clause: SmallClause, rows: pa.Table) -> dict[str, Values]:
    """The values that a clause sets, by column."""
    columns = table.definition.columns
    return {c.name: value_of(clause.values[c.name], c, rows) for c in columns if c.name in clause.values}


def _added_rows(merge: SmallMerge, rows: pa.Table) -> pa.Table | None:
    """The rows to insert, in the order of the source; None if no clause inserts."""
    clauses, schema = merge.of_kind("not matched"), shown_schema(merge.table.definition.columns)
    if not clauses:
        return None
    added = [empty_table(schema.append(pa.field(SOURCE_ROW, pa.int64())))]
    for clause, chosen in _by_clause(clauses, rows):
        if clause.action == "insert":
            fitted = _fitted(merge.table, _values(merge.table, clause, chosen))
            added.append(fitted.append_column(SOURCE_ROW, chosen[SOURCE_ROW]))
    found = pa.concat_tables(added)
    return found.take(pc.sort_indices(found[SOURCE_ROW])).drop_columns([SOURCE_ROW])


def _fitted(table: Table, values: Mapping[str, Values]) -> pa.Table:
    """Rows of the table with these values, and defaults for all others."""
    rows = pa.table(dict(values))
    if needs_spark(rows, table):
        raise NeedsSparkError("only Spark computes the default of a column")
    fitted = fit_rows(rows, table)
    assert isinstance(fitted, pa.Table)
    return fitted
