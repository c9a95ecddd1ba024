"""Small MERGEs: rows on the driver change rows of a table, and become rows of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from forklake.errors import InvalidType
from forklake.model.entities import Column, Table
from forklake.model.names import fold
from forklake.spark.tasks.types.arrow_types import shown_type
from forklake.spark.values.arrow_type import type_in_arrow
from forklake.spark.verbs.merge import Action, When, check_clauses, columns_of_source
from forklake.spark.verbs.merge_source import check_source_names
from forklake.spark.verbs.update import check_assigned_names
from forklake.sql.parsing.statements import MergeWhen
from forklake.sql.pruning.comparison_rules import ComparisonRules
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
from forklake.sql.small.scope import Named, Scope, Side, side_of_table
from forklake.sql.small.set_values import Language, SetValue, checked, read_value
from forklake.sql.small.small_query import NeedsSparkError

TARGET, SOURCE = "__forklake_target_{at}", "__forklake_source_{at}"
"""The names of columns in joined rows."""


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
        return [column for at, column in enumerate(columns) if TARGET.format(at=at) in named]


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
    check_clauses(given.clauses)
    check_source_names(source.column_names)
    target, other = side_of_table(table, given.target, TARGET), Side(given.source, tuple(_source_columns(source)))
    scopes: Mapping[When, Scope] = {
        "matched": Scope((target, other)),
        # Spark sees only the source of what is inserted. Its translation from DuckDB's dialect sees both sides.
        "not matched": Scope((other,), () if language.dialect == "spark" else (target,)),
        "not matched by source": Scope((target,), (other,)),
    }
    keys, rest = _read_on(given.on, scopes["matched"], language, rules)
    reader = _ClauseReader(table, other, scopes, language, rules)
    return SmallMerge(table, keys, rest, tuple(map(reader.clause, given.clauses)))


def _source_columns(source: pa.Table) -> Iterator[Named]:
    for at, field in enumerate(source.schema):
        try:
            found = type_in_arrow(field.type)
        except InvalidType:
            found = None
        is_shown = found is not None and not found.is_nested and shown_type(found) == field.type
        if not is_shown and not pa.types.is_null(field.type):
            raise NeedsSparkError(f"only Spark knows the values of '{field.name}' in its source")
        yield Named(SOURCE.format(at=at), field.name, found)


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
            matching = columns_of_source(self._table, list(named), by_position=given.by_position)
            return {columns[name].name: checked(named[title], columns[name]) for name, title in matching.items()}
        check_assigned_names(self._table, [name for name, _ in given.values])
        found = [(columns[fold(name)], text) for name, text in given.values]
        return {column.name: read_value(text, column, scope, self._language) for column, text in found}
