"""Reads small queries: every part of them is known to have the same meaning here as in Spark.

Every node and every argument is on a list; anything else needs Spark, with a reason that EXPLAIN shows.
"""

from collections.abc import Mapping, Sequence

from sqlglot import exp

from forklake.model.column_types import ColumnType
from forklake.model.entities import Column, Table
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.model.predicates import And, Predicate, is_understood
from forklake.sql.duckdb.column_names import result_name
from forklake.sql.parsing.known_nodes import has_only_arguments, is_known
from forklake.sql.parsing.plain_syntax import is_plain_select
from forklake.sql.parsing.table_references import Reference
from forklake.sql.pruning.comparable_constants import literal_text
from forklake.sql.pruning.comparison_rules import ComparisonRules
from forklake.sql.pruning.read_predicate import RowNames, predicate_from_tree, row_names
from forklake.sql.small.scope import is_spelled
from forklake.sql.small.small_query import COUNTS, Function, NeedsSparkError, Output, SmallQuery, SortKey, having_name

_THIS = frozenset({"this"})
_CLAUSES = frozenset({"expressions", "distinct", "from_", "where", "group", "having", "order", "limit", "offset"})
_GROUP = frozenset({"expressions"})
_LIMIT = frozenset({"expression"})
_KEY = frozenset({"this", "desc", "nulls_first"})
_ALIAS = frozenset({"this", "alias"})
_NAME = frozenset({"this", "table"})
_DIGITS = 9
"""Maximum number of digits in LIMIT and OFFSET, which are 32-bit integers in Spark."""
_COUNT = frozenset({"this", "big_int"})
"""sqlglot sets `big_int` on every count."""
_FUNCTIONS: Mapping[type[exp.Expr], tuple[Function, frozenset[str]]] = {
    exp.Count: ("count", _COUNT),
    exp.Min: ("min", _THIS),
    exp.Max: ("max", _THIS),
    exp.Sum: ("sum", _THIS),
    exp.Avg: ("avg", _THIS),
}
_LONG = 2**63
_SUMMED_AS_LONG = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"})


def read_small_query(
    text: str, select: exp.Select, reference: Reference, table: Table, dialect: str, rules: ComparisonRules
) -> SmallQuery:
    """Read a SELECT from a table as a small query; NeedsSparkError if it is not one."""
    rules = rules.for_text(text)
    reader = _Reader(select, reference, table, dialect, rules)
    if "|>" in text or "${" in text or not has_only_arguments(select, _CLAUSES):
        raise NeedsSparkError("it has clauses besides WHERE, GROUP BY, HAVING, ORDER BY and LIMIT")
    outputs = tuple(output for shown in select.expressions for output in reader.outputs(shown))
    group = reader.group(outputs)
    is_grouped = bool(group)
    if is_grouped or any(output.function is not None for output in outputs):
        loose = [output.title for output in outputs if output.function is None and output.column not in group]
        if loose:
            raise NeedsSparkError(f"'{loose[0]}' is neither grouped nor aggregated")
    where = select.args.get("where")
    predicate: Predicate = And(())
    names: tuple[str, ...] = ()
    if where is not None:
        if not has_only_arguments(where, _THIS):
            raise NeedsSparkError("its WHERE is not a single condition")
        qualifier = reference.alias or reference.name[-1]
        predicate = predicate_from_tree(where.this, row_names(table, qualifier), rules)
        names = tuple({column.name for column in map(reader.column_in_where, where.find_all(exp.Column))})
    if not is_understood(predicate):
        raise NeedsSparkError("its WHERE has expressions that only Spark evaluates")
    having = reader.having(outputs, group)
    order = reader.order(outputs, is_grouped)
    if dialect == "spark" and not is_plain_select(text):
        raise NeedsSparkError("only Spark knows whether its syntax is valid")
    return SmallQuery(
        outputs,
        predicate,
        names,
        group,
        order,
        reader.number("limit"),
        reader.number("offset") or 0,
        having,
        tuple(reader.hidden),
    )


class _Reader:
    """Reads the clauses of a SELECT from one table."""

    def __init__(
        self, select: exp.Select, reference: Reference, table: Table, dialect: str, rules: ComparisonRules
    ) -> None:
        self._select = select
        self._qualifier = reference.alias or reference.name[-1]
        self._columns = table.definition.columns
        self._is_spark = dialect == "spark"
        self._rules = rules
        self.hidden: list[Output] = []
        self._having_is_hidden = False

    def outputs(self, shown: exp.Expr) -> list[Output]:
        if type(shown) is exp.Star and has_only_arguments(shown, frozenset()):
            return [Output(column.name, column.name) for column in self._columns]
        alias = None
        if type(shown) is exp.Alias and has_only_arguments(shown, _ALIAS) and is_known(shown.args["alias"]):
            shown, alias = shown.this, shown.alias
        if type(shown) in _FUNCTIONS:
            return [self._aggregate(shown, alias)]
        constant = _constant(shown, self._rules)
        if constant is not None:
            if alias is None and not self._is_spark:
                raise NeedsSparkError("only Spark knows the titles of its columns")
            return [Output(str(constant) if alias is None else alias, None, constant=constant)]
        return [Output(self._title(shown) if alias is None else alias, self._column(shown).name)]

    def group(self, outputs: Sequence[Output]) -> tuple[str, ...]:
        """The columns of GROUP BY, or with DISTINCT all columns of the result."""
        clause, distinct = self._select.args.get("group"), self._select.args.get("distinct")
        if distinct is not None:
            columns = [output.column for output in outputs if output.function is None and output.column is not None]
            if clause is not None or not has_only_arguments(distinct, frozenset()) or len(columns) < len(outputs):
                raise NeedsSparkError("its DISTINCT is not of columns")
            return tuple(dict.fromkeys(columns))
        if clause is None:
            return ()
        if not has_only_arguments(clause, _GROUP):
            raise NeedsSparkError("its GROUP BY has more than columns")
        return tuple(dict.fromkeys(self._column(key).name for key in clause.expressions))

    def having(self, outputs: Sequence[Output], group: tuple[str, ...]) -> Predicate | None:
        """The condition on groups: its aggregates and columns are read as columns of the result, or hidden ones."""
        clause = self._select.args.get("having")
        if clause is None:
            return None
        is_aggregate = bool(self._select.args.get("group")) or any(output.function is not None for output in outputs)
        if not has_only_arguments(clause, _THIS) or not is_aggregate:
            raise NeedsSparkError("its HAVING is not a condition on groups")
        columns: dict[int, Column] = {}

        def replaced(node: exp.Expr) -> exp.Expr:
            if type(node) in _FUNCTIONS:
                self._check_no_shadow(outputs)
                at = self._place(self._aggregate(node, ""), outputs)
            elif type(node) is exp.Column:
                at = self._group_place(node, outputs, group)
            else:
                return node
            columns[at] = Column(ColumnId(at), having_name(at), self._type([*outputs, *self.hidden][at]))
            return exp.column(having_name(at))

        tree = clause.this.transform(replaced)
        found = predicate_from_tree(tree, RowNames(tuple(columns.values())), self._rules)
        self._having_is_hidden = bool(self.hidden)
        if not is_understood(found):
            raise NeedsSparkError("its HAVING has expressions that only Spark evaluates")
        return found

    def order(self, outputs: Sequence[Output], is_grouped: bool) -> tuple[SortKey, ...]:
        clause = self._select.args.get("order")
        if clause is None:
            return ()
        if not has_only_arguments(clause, _GROUP):
            raise NeedsSparkError("its ORDER BY has more than columns")
        if any(output.constant is not None for output in outputs):
            raise NeedsSparkError("it orders constants")
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

    def _place(self, wanted: Output, outputs: Sequence[Output]) -> int:
        """The place of an aggregate or a column among the outputs, or the hidden ones behind them."""
        known = [*outputs, *self.hidden]
        for at, output in enumerate(known):
            if (output.column, output.function, output.constant) == (wanted.column, wanted.function, wanted.constant):
                return at
        self.hidden.append(wanted)
        return len(known)

    def _group_place(self, node: exp.Expr, outputs: Sequence[Output], group: Sequence[str]) -> int:
        titled = [at for at, output in enumerate(outputs) if fold(output.title) == fold(node.name)]
        if any(fold(column.name) == fold(node.name) for column in self._columns):
            column = self._column(node).name
            if column not in group or any(outputs[at] != Output(outputs[at].title, column) for at in titled):
                raise NeedsSparkError(f"'{node.name}' in its HAVING may be several columns")
            return self._place(Output("", column), outputs)
        if len(titled) != 1 or not is_known(node) or node.args.get("table"):
            raise NeedsSparkError(f"'{node.name}' in its HAVING is not a column")
        if not is_spelled(node.name, outputs[titled[0]].title):
            raise NeedsSparkError(f"'{node.name}' in its HAVING is not a column")
        return titled[0]

    def _type(self, output: Output) -> ColumnType:
        """The type that constants are compared with."""
        if output.function in COUNTS:
            return ColumnType("int64")
        found = self._named(str(output.column)).type
        return _summed_type(output.function, found) if output.function in ("sum", "avg") else found

    def column_in_where(self, node: exp.Expr) -> Column:
        """The column of the table that a name in WHERE begins with."""
        assert isinstance(node, exp.Column)
        parts = [part.name for part in node.parts]
        if len(parts) > 1 and fold(parts[0]) == fold(self._qualifier):
            parts = parts[1:]
        if len(parts) > 1:
            raise NeedsSparkError(f"'{node.sql()}' in its WHERE is not a column of the table")
        return self._named(parts[0])

    def _aggregate(self, node: exp.Expr, alias: str | None) -> Output:
        function, arguments = _FUNCTIONS[type(node)]
        if not has_only_arguments(node, arguments):
            raise NeedsSparkError(f"its {function} has more than one argument")
        inner = node.this
        if function == "count" and self._counts_rows(inner):
            title = "count(1)" if self._is_spark else result_name(node)
            return Output(str(title) if alias is None else alias, None, function)
        if type(inner) is exp.Distinct:
            if function != "count" or not has_only_arguments(inner, _GROUP) or len(inner.expressions) != 1:
                raise NeedsSparkError(f"its {function} is of distinct values")
            function, inner = "count distinct", inner.expressions[0]
        if function in ("sum", "avg") and not self._is_spark:
            raise NeedsSparkError(f"only Spark knows {function} of DuckDB")
        column = self._column(inner)
        if function in ("sum", "avg"):
            _summed_type(function, column.type)
        if alias is None:
            alias = self._title_in_spark(function, inner) if self._is_spark else result_name(node)
        return Output(str(alias), column.name, function)

    def _title_in_spark(self, function: Function, named: exp.Expr) -> str:
        if named.args.get("table") or not named.name.isidentifier():
            raise NeedsSparkError(f"only Spark knows the title of {function}")
        return f"count(DISTINCT {named.name})" if function == "count distinct" else f"{function}({named.name})"

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
            if len(titled) > 1 or (titled and not is_spelled(named.name, outputs[titled[0]].title)):
                raise NeedsSparkError(f"'{named.name}' in its ORDER BY may be several columns")
            if titled:
                return SortKey(titled[0], descending, nulls_first)
        if type(named) in _FUNCTIONS and is_grouped and not self._select.args.get("distinct"):
            if self._having_is_hidden:
                # Spark does not find aggregates for such an order.
                raise NeedsSparkError("its HAVING and its ORDER BY have aggregates that are not shown")
            self._check_no_shadow(outputs)
            return SortKey(self._place(self._aggregate(named, ""), outputs), descending, nulls_first)
        column = self._column(named)
        if is_grouped:
            raise NeedsSparkError(f"'{column.name}' in its ORDER BY is not a column of the result")
        return SortKey(column.name, descending, nulls_first)

    def _check_no_shadow(self, outputs: Sequence[Output]) -> None:
        """Where an alias is the name of another column, only Spark knows which of them an aggregate after it is of."""
        names = {fold(column.name): column.name for column in self._columns}
        for output in outputs:
            named = names.get(fold(output.title))
            if named is not None and (output.function is not None or output.column != named):
                raise NeedsSparkError(f"'{output.title}' is an alias and a column")

    def _column(self, node: exp.Expr | None) -> Column:
        """The column that a name denotes, alone or qualified with the name of the table."""
        if not (type(node) is exp.Column and has_only_arguments(node, _NAME) and all(map(is_known, node.parts))):
            raise NeedsSparkError("it has expressions that only Spark evaluates")
        if node.table and not is_spelled(node.table, self._qualifier):
            raise NeedsSparkError(f"'{node.table}' is not the name of the table")
        if node.table and any(fold(column.name) == fold(node.table) for column in self._columns):
            raise NeedsSparkError(f"'{node.table}' may be a column")
        return self._named(node.name)

    def _named(self, name: str) -> Column:
        found = [column for column in self._columns if fold(column.name) == fold(name)]
        if len(found) != 1 or not is_spelled(name, found[0].name):
            raise NeedsSparkError(f"'{name}' is not a column of the table")
        return found[0]

    def _title(self, node: exp.Expr) -> str:
        """The title of a column: Spark shows the name as it is written, DuckDB as it is stored."""
        column = self._column(node)
        assert isinstance(node, exp.Column)
        if not self._is_spark and column.name != node.name:
            raise NeedsSparkError("only Spark knows the titles of its columns")
        return node.name


def _constant(node: exp.Expr, rules: ComparisonRules) -> int | str | None:
    """The value of a plain integer or text, written as Spark shows it; None for everything else."""
    if not is_known(node) or not isinstance(node, exp.Literal):
        return None
    if node.is_string:
        return literal_text(node, rules)
    text: str = node.name
    is_plain = text.isascii() and text.isdecimal() and str(int(text)) == text
    return int(text) if is_plain and int(text) < _LONG else None


def _summed_type(function: Function, column_type: ColumnType) -> ColumnType:
    """The type of a sum or average; NeedsSparkError if these may be rounded."""
    if column_type.name in _SUMMED_AS_LONG:
        return ColumnType("int64" if function == "sum" else "float64")
    precision, scale = column_type.precision, column_type.scale
    if column_type.name != "decimal" or precision is None or scale is None:
        raise NeedsSparkError(f"only Spark knows the {function} of values of these types")
    if function == "sum":
        return ColumnType("decimal", min(precision + 10, 38), scale)
    return ColumnType("decimal", min(precision + 4, 38), min(scale + 4, 38))
