"""Small MERGEs: rows on the driver change rows of a table, and become rows of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.errors import InvalidType
from forklake.model.entities import Column, Table
from forklake.model.names import fold
from forklake.model.predicates import And, Comparison, In, Or, Path, Predicate
from forklake.spark.reading.virtual_columns import ADDRESS
from forklake.spark.tasks.files.write_changes import SOURCE_ROW
from forklake.spark.tasks.types.arrow_types import shown_schema, shown_type
from forklake.spark.tasks.types.python_array import empty_table, mask, whole_numbers
from forklake.spark.tasks.types.reserved_columns import ROW_ID
from forklake.spark.values.arrow_type import type_in_arrow
from forklake.spark.verbs.append import add_rows
from forklake.spark.verbs.merge import Action, MergeCounts, When, check_clauses, columns_of_source
from forklake.spark.verbs.merge_source import check_source_names
from forklake.spark.verbs.row_changes import change_known_rows
from forklake.spark.verbs.update import check_assigned_names
from forklake.spark.work import Work
from forklake.spark.writing.incoming import fit_rows, needs_spark
from forklake.sql.parsing.statements import MergeWhen
from forklake.sql.pruning.comparison_rules import ComparisonRules
from forklake.sql.small.exact_numbers import Values
from forklake.sql.small.joined_condition import (
    ALWAYS,
    Compared,
    JoinedCondition,
    comparison_of_columns,
    condition_tree,
    conjunction,
    joined_condition,
    read_condition,
)
from forklake.sql.small.matching_rows import matching_rows
from forklake.sql.small.scope import Named, Scope, Side, side_of_table
from forklake.sql.small.set_values import Language, SetValue, checked, read_value, value_of
from forklake.sql.small.small_change import read_rows
from forklake.sql.small.small_query import NeedsSparkError

_TARGET, _SOURCE = "__forklake_target_{at}", "__forklake_source_{at}"
"""The names of columns in joined rows."""
_FEW_KEYS = 100
"""So many are looked up one by one when files are chosen; of more, only their range."""


@dataclass(frozen=True, slots=True)
class SmallClause:
    when: When
    action: Action
    condition: JoinedCondition
    values: Mapping[str, SetValue]
    """By the name of the column."""


@dataclass(frozen=True, slots=True)
class SmallMerge:
    """A MERGE of which every part is known."""

    table: Table
    keys: tuple[Compared, ...]
    """The columns that are equal in rows that match, that of the table on the left."""
    rest: tuple[JoinedCondition, ...]
    """What else is required of them."""
    clauses: tuple[SmallClause, ...]

    def of_kind(self, when: When) -> list[SmallClause]:
        return [clause for clause in self.clauses if clause.when == when]

    @property
    def keeps_unmatched(self) -> bool:
        return bool(self.of_kind("not matched by source"))

    @property
    def read_columns(self) -> list[Column]:
        """The columns of the table that have to be read: all of them if rows are written anew."""
        columns = self.table.definition.columns
        if any(clause.action == "update" for clause in self.clauses):
            return list(columns)
        conditions = [*self.rest, *(clause.condition for clause in self.clauses)]
        named = {key.left.key for key in self.keys} | {each.key for one in conditions for each in one.columns}
        return [column for at, column in enumerate(columns) if _TARGET.format(at=at) in named]


@dataclass(frozen=True, slots=True)
class MergeText:
    """The condition and the clauses of a MERGE as texts, and the names of the two sides in them."""

    on: str
    clauses: Sequence[MergeWhen]
    target: str
    source: str


def read_small_merge(
    table: Table, source: pa.Table, given: MergeText, language: Language, rules: ComparisonRules
) -> SmallMerge:
    """A MERGE of these rows; NeedsSparkError if only Spark carries it out."""
    check_clauses([(clause.when, clause.action) for clause in given.clauses])
    check_source_names(source.column_names)
    target, other = side_of_table(table, given.target, _TARGET), Side(given.source, tuple(_source_columns(source)))
    scopes: Mapping[When, Scope] = {
        "matched": Scope((target, other)),
        # Spark sees only the source of what is inserted. Its translation from DuckDB's dialect sees both sides.
        "not matched": Scope((other,), () if language.dialect == "spark" else (target,)),
        "not matched by source": Scope((target,), (other,)),
    }
    keys, rest = _read_on(given.on, scopes["matched"], language, rules)
    reader = _ClauseReader(table, other, scopes, language, rules)
    return SmallMerge(table, keys, rest, tuple(map(reader.clause, given.clauses)))


def run_small_merge(work: Work, merge: SmallMerge, source: pa.Table, limit: int) -> MergeCounts:
    """Carry out a MERGE. NeedsSparkError, before anything is staged, if rows or values turn out to need Spark."""
    named = source.rename_columns([_SOURCE.format(at=at) for at in range(source.num_columns)])
    named = named.append_column(SOURCE_ROW, whole_numbers(np.arange(len(named))))
    predicate = None if merge.keeps_unmatched else _key_predicate(merge, named)
    plan = work.plan_scan(merge.table, predicate)
    target = _read_target(work, plan, merge, limit, predicate)
    matched = _matched_rows(merge, target, named)
    updated, deleted = _changes(merge, matched, _others(target, matched, ADDRESS))
    added = _added_rows(merge, _others(named, matched, SOURCE_ROW))
    ended = change_known_rows(work, plan, updated, deleted)
    return MergeCounts(ended, 0 if added is None else add_rows(work, merge.table, added))


def _source_columns(source: pa.Table) -> Iterator[Named]:
    for at, field in enumerate(source.schema):
        try:
            found = type_in_arrow(field.type)
        except InvalidType:
            found = None
        is_shown = found is not None and not found.is_nested and shown_type(found) == field.type
        if not is_shown and not pa.types.is_null(field.type):
            raise NeedsSparkError(f"only Spark knows the values of '{field.name}' in its source")
        yield Named(_SOURCE.format(at=at), field.name, found)


def _read_on(
    text: str, scope: Scope, language: Language, rules: ComparisonRules
) -> tuple[tuple[Compared, ...], tuple[JoinedCondition, ...]]:
    keys, rest = [], []
    for part in conjunction(condition_tree(text, language)):
        found = comparison_of_columns(part, scope)
        key = None if found is None else _as_key(found, *scope.visible)
        if key is None:
            rest.append(joined_condition(part, scope, rules.for_text(text)))
        else:
            keys.append(key)
    if not keys:
        raise NeedsSparkError("its condition does not equate columns of the table and of the source")
    return tuple(keys), tuple(rest)


def _as_key(found: Compared, target: Side, source: Side) -> Compared | None:
    """The comparison with the column of the table on the left, if it equates a column of each side."""
    if found.compare is not pc.equal:
        return None
    if found.left in target.columns and found.right in source.columns:
        return found
    is_mirrored = found.left in source.columns and found.right in target.columns
    return replace(found, left=found.right, right=found.left) if is_mirrored else None


class _ClauseReader:
    """Reads clauses over columns of the table and of the source."""

    def __init__(
        self, table: Table, source: Side, scopes: Mapping[When, Scope], language: Language, rules: ComparisonRules
    ) -> None:
        self._table = table
        self._source = source
        self._scopes = scopes
        self._language = language
        self._rules = rules

    def clause(self, given: MergeWhen) -> SmallClause:
        scope, condition = self._scopes[given.when], ALWAYS
        if given.condition is not None:
            condition = read_condition(given.condition, scope, self._language, self._rules)
        values = self._values(given, scope) if given.action in ("update", "insert") else {}
        return SmallClause(given.when, given.action, condition, values)

    def _values(self, given: MergeWhen, scope: Scope) -> Mapping[str, SetValue]:
        columns = {fold(column.name): column for column in self._table.definition.columns}
        if given.values is None:
            if given.when == "not matched by source":
                raise NeedsSparkError("there is no source for its values")
            named = {each.title: each for each in self._source.columns}
            matching = columns_of_source(self._table, list(named))
            return {columns[name].name: checked(named[title], columns[name]) for name, title in matching.items()}
        names = [name for name, _ in given.values]
        check_assigned_names(self._table, names)
        if len(set(map(fold, names))) < len(names):
            raise NeedsSparkError("it sets a column twice")
        found = [(columns[fold(name)], text) for name, text in given.values]
        return {column.name: read_value(text, column, scope, self._language) for column, text in found}


def _key_predicate(merge: SmallMerge, source: pa.Table) -> Predicate:
    """What is true of all rows that match, as far as it helps to choose files."""
    parts: list[Predicate] = []
    for key in merge.keys:
        values = source[key.right.key].cast(key.type).unique().drop_null()
        path = (_own_name(merge.table, key.left).lower(),)
        if pa.types.is_int64(key.type) or pa.types.is_string(key.type):
            found = values.to_pylist() if len(values) <= _FEW_KEYS else list(pc.min_max(values).as_py().values())
            # A database refuses some texts.
            if all(isinstance(value, int) or value.isprintable() for value in found):
                few = len(values) <= _FEW_KEYS
                parts.append(In(path, tuple(found)) if few and found else _between(path, found))
    return And(tuple(parts))


def _between(path: Path, bounds: Sequence[object]) -> Predicate:
    """Between two bounds; FALSE without any."""
    if not bounds:
        return Or(())
    return And((Comparison(path, ">=", bounds[0]), Comparison(path, "<=", bounds[1])))


def _own_name(table: Table, named: Named) -> str:
    return next(column.name for at, column in enumerate(table.definition.columns) if _TARGET.format(at=at) == named.key)


def _read_target(work: Work, plan: ScanPlan, merge: SmallMerge, limit: int, predicate: Predicate | None) -> pa.Table:
    """The rows of the table that may match, under their names in joined rows."""
    columns = merge.read_columns
    rows = read_rows(work, plan, columns, limit, predicate=predicate)
    keys = {column.name: _TARGET.format(at=at) for at, column in enumerate(merge.table.definition.columns)}
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
    return {column.name: rows[_TARGET.format(at=at)] for at, column in enumerate(columns)}


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
