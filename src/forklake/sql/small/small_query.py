"""Small queries: those whose every part is known to mean here what it means to Spark.

Every node and every argument is on a list; anything else needs Spark, with a reason that EXPLAIN shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from forklake.model.entities import Column, Table
from forklake.model.names import fold
from forklake.model.predicates import And, Predicate, is_understood
from forklake.sql.parsing.known_nodes import has_only_arguments, is_known
from forklake.sql.parsing.table_references import Reference
from forklake.sql.pruning.comparison_rules import ComparisonRules
from forklake.sql.pruning.read_predicate import predicate_from_tree, row_names

Function = Literal["count", "min", "max"]
_THIS = frozenset({"this"})
_CLAUSES = frozenset({"expressions", "from_", "where", "group", "order", "limit", "offset"})
_GROUP = frozenset({"expressions"})
_LIMIT = frozenset({"expression"})
_KEY = frozenset({"this", "desc", "nulls_first"})
_ALIAS = frozenset({"this", "alias"})
_NAME = frozenset({"this", "table"})
_DIGITS = 9
"""Of numbers in LIMIT and OFFSET, which are integers of 32 bits to Spark."""
_COUNT = frozenset({"this", "big_int"})
"""sqlglot sets `big_int` on every count."""
_FUNCTIONS: Mapping[type[exp.Expr], tuple[Function, frozenset[str]]] = {
    exp.Count: ("count", _COUNT),
    exp.Min: ("min", _THIS),
    exp.Max: ("max", _THIS),
}


class NeedsSparkError(Exception):
    """Only Spark can answer a query; the message is the reason, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the result: a column of the table, or an aggregate of one or of all rows."""

    title: str
    column: str | None
    function: Function | None = None


@dataclass(frozen=True, slots=True)
class SortKey:
    """The position of an output, or the name of a column of the table."""

    by: int | str
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class SmallQuery:
    """A query of one table that can be answered from its rows as an Arrow table."""

    outputs: tuple[Output, ...]
    predicate: Predicate
    where: tuple[str, ...]
    """The columns in the predicate."""
    group: tuple[str, ...] = ()
    order: tuple[SortKey, ...] = ()
    limit: int | None = None
    offset: int = 0

    @property
    def is_aggregate(self) -> bool:
        return bool(self.group) or any(output.function is not None for output in self.outputs)

    @property
    def columns(self) -> set[str]:
        """The columns of the table that it needs."""
        named = {output.column for output in self.outputs} | {key.by for key in self.order} | {*self.where, *self.group}
        return {name for name in named if isinstance(name, str)}


def small_query(
    text: str, select: exp.Select, reference: Reference, table: Table, dialect: str, rules: ComparisonRules
) -> SmallQuery:
    """The small query that a SELECT from a table is; NeedsSparkError if it is none."""
    reader = _Reader(select, reference, table, dialect)
    if "|>" in text or "${" in text or not has_only_arguments(select, _CLAUSES):
        raise NeedsSparkError("it has clauses besides WHERE, GROUP BY, ORDER BY and LIMIT of columns")
    outputs = tuple(output for shown in select.expressions for output in reader.outputs(shown))
    group = reader.group()
    if group or any(output.function is not None for output in outputs):
        loose = [output.title for output in outputs if output.function is None and output.column not in group]
        if loose:
            raise NeedsSparkError(f"'{loose[0]}' is neither grouped nor aggregated")
    where = select.args.get("where")
    predicate: Predicate = And(())
    names: tuple[str, ...] = ()
    if where is not None:
        if not has_only_arguments(where, _THIS):
            raise NeedsSparkError("its WHERE has more than a condition")
        qualifier = reference.alias or reference.name[-1]
        predicate = predicate_from_tree(where.this, row_names(table, qualifier), rules.for_text(text))
        names = tuple({column.name for column in map(reader.column_in_where, where.find_all(exp.Column))})
    if not is_understood(predicate):
        raise NeedsSparkError("its WHERE has expressions that only Spark evaluates")
    order = reader.order(outputs, bool(group))
    return SmallQuery(outputs, predicate, names, group, order, reader.number("limit"), reader.number("offset") or 0)


class _Reader:
    """Reads the clauses of a SELECT from one table."""

    def __init__(self, select: exp.Select, reference: Reference, table: Table, dialect: str) -> None:
        self._select = select
        self._qualifier = reference.alias or reference.name[-1]
        self._columns = table.definition.columns
        self._is_spark = dialect == "spark"

    def outputs(self, shown: exp.Expr) -> list[Output]:
        if type(shown) is exp.Star and has_only_arguments(shown, frozenset()):
            return [Output(column.name, column.name) for column in self._columns]
        alias = None
        if type(shown) is exp.Alias and has_only_arguments(shown, _ALIAS) and is_known(shown.args["alias"]):
            shown, alias = shown.this, shown.alias
        if type(shown) in _FUNCTIONS:
            return [self._aggregate(shown, alias)]
        return [Output(alias or self._title(shown), self._column(shown).name)]

    def group(self) -> tuple[str, ...]:
        clause = self._select.args.get("group")
        if clause is None:
            return ()
        if not has_only_arguments(clause, _GROUP):
            raise NeedsSparkError("its GROUP BY has more than columns")
        return tuple(dict.fromkeys(self._column(key).name for key in clause.expressions))

    def order(self, outputs: Sequence[Output], is_grouped: bool) -> tuple[SortKey, ...]:
        clause = self._select.args.get("order")
        if clause is None:
            return ()
        if not has_only_arguments(clause, _GROUP):
            raise NeedsSparkError("its ORDER BY has more than columns")
        if any(output.function is not None for output in outputs) and not is_grouped:
            raise NeedsSparkError("it orders a single row")
        return tuple(self._sort_key(key, outputs, is_grouped) for key in clause.expressions)

    def number(self, clause: str) -> int | None:
        """The number in LIMIT or OFFSET; None if there is no such clause."""
        node = self._select.args.get(clause)
        if node is None:
            return None
        value = node.expression
        if not (has_only_arguments(node, _LIMIT) and type(value) is exp.Literal and is_known(value)):
            raise NeedsSparkError(f"its {clause.upper()} is not a number")
        if value.is_string or not (value.name.isascii() and value.name.isdecimal()) or len(value.name) > _DIGITS:
            raise NeedsSparkError(f"its {clause.upper()} is not a number")
        return int(value.name)

    def column_in_where(self, node: exp.Expr) -> Column:
        """The column of the table that a name in WHERE begins with."""
        assert isinstance(node, exp.Column)
        parts = [part.name for part in node.parts]
        if len(parts) > 1 and fold(parts[0]) == fold(self._qualifier):
            parts = parts[1:]
        if len(parts) > 1:
            raise NeedsSparkError(f"'{node.sql()}' in its WHERE is no column of the table")
        return self._named(parts[0])

    def _aggregate(self, node: exp.Expr, alias: str | None) -> Output:
        function, arguments = _FUNCTIONS[type(node)]
        if not has_only_arguments(node, arguments):
            raise NeedsSparkError(f"its {function} has more than one argument")
        inner = node.this
        if function == "count" and self._counts_rows(inner):
            title = "count(1)" if self._is_spark or type(inner) is not exp.Star else "count_star()"
            return Output(alias or title, None, function)
        column = self._column(inner)
        if alias is None and (not column.name.isidentifier() or inner.table):
            raise NeedsSparkError(f"only Spark names the column of {function}")
        return Output(alias or f"{function}({column.name})", column.name, function)

    def _counts_rows(self, inner: exp.Expr | None) -> bool:
        if type(inner) is exp.Star:
            return has_only_arguments(inner, frozenset())
        return inner == exp.Literal.number(1)

    def _sort_key(self, key: exp.Expr, outputs: Sequence[Output], is_grouped: bool) -> SortKey:
        if type(key) is not exp.Ordered or not has_only_arguments(key, _KEY):
            raise NeedsSparkError("its ORDER BY has more than columns")
        named = key.this
        descending, nulls_first = bool(key.args.get("desc")), bool(key.args.get("nulls_first"))
        if type(named) is exp.Column and is_known(named) and len(named.parts) == 1:
            titled = [at for at, output in enumerate(outputs) if fold(output.title) == fold(named.name)]
            if len(titled) > 1 or (titled and not self._is_spelled(named.name, outputs[titled[0]].title)):
                raise NeedsSparkError(f"'{named.name}' in its ORDER BY may be several columns")
            if titled:
                return SortKey(titled[0], descending, nulls_first)
        column = self._column(named)
        if is_grouped:
            raise NeedsSparkError(f"'{column.name}' in its ORDER BY is not a column of the result")
        return SortKey(column.name, descending, nulls_first)

    def _column(self, node: exp.Expr | None) -> Column:
        """The column that a name denotes, alone or behind the name of the table."""
        if not (type(node) is exp.Column and has_only_arguments(node, _NAME) and all(map(is_known, node.parts))):
            raise NeedsSparkError("it has expressions that only Spark evaluates")
        if node.table and not self._is_spelled(node.table, self._qualifier):
            raise NeedsSparkError(f"'{node.table}' is not the name of the table")
        if node.table and any(fold(column.name) == fold(node.table) for column in self._columns):
            raise NeedsSparkError(f"'{node.table}' may be a column")
        return self._named(node.name)

    def _named(self, name: str) -> Column:
        found = [column for column in self._columns if fold(column.name) == fold(name)]
        if len(found) != 1 or not self._is_spelled(name, found[0].name):
            raise NeedsSparkError(f"'{name}' is no column of the table")
        return found[0]

    def _is_spelled(self, name: str, other: str) -> bool:
        return name == other or (name.isascii() and other.isascii() and name.lower() == other.lower())

    def _title(self, node: exp.Expr) -> str:
        """The title of a column: Spark shows the name as it is written, DuckDB as it is stored."""
        column = self._column(node)
        assert isinstance(node, exp.Column)
        if not self._is_spark and column.name != node.name:
            raise NeedsSparkError("only Spark names its columns")
        return node.name
