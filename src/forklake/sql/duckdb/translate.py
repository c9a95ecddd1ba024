"""Translates DuckDB SQL to Spark SQL: the same results where Spark can produce them, and an error otherwise."""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.generators.spark import SparkGenerator
from sqlglot.parsers.duckdb import DuckDBParser

from forklake.errors import ForklakeError, Untranslatable
from forklake.sql.duckdb.column_names import LAMBDA_KEYWORD
from forklake.sql.duckdb.functions import rewrite_all
from forklake.sql.duckdb.queries import (
    name_order,
    refuse_untranslatable,
    rewrite_select,
    type_null_conditions,
    union_by_name,
)
from forklake.sql.duckdb.sources import (
    move_joins,
    name_values,
    refuse_joins,
    rewrite_pivot,
    rewrite_sample,
    rewrite_series,
    rewrite_table_sample,
    rewrite_unnest,
    values_query,
)
from forklake.sql.duckdb.type_hints import MIXED, MIXED_USING, RESULT, ColumnsOf, Types, add_hints
from forklake.sql.parsing.cursor import has_dollar_quotes, quiet_parsing, syntax_problem


class _Generator(SparkGenerator):
    """Spark has QUALIFY and generators in FROM, which sqlglot would rewrite for older versions."""

    TRANSFORMS: ClassVar[dict[type[exp.Expr], Callable[..., str]]] = {
        key: rule for key, rule in SparkGenerator.TRANSFORMS.items() if key is not exp.Select
    }


class SparkWriteDialect(Spark):
    """The Spark version that Forklake runs on."""

    Generator = _Generator


class DuckDBTranslationDialect(DuckDB):
    """DuckDB SQL as it is translated; lambdas tell how they were written, for result names."""

    class Parser(DuckDBParser):
        FUNCTIONS: ClassVar = {**DuckDBParser.FUNCTIONS, "MEAN": exp.Avg.from_arg_list}

        def _parse_lambda(self, alias: bool = False) -> exp.Expr | None:
            keyword = self._curr.text.upper() == "LAMBDA"
            found = super()._parse_lambda(alias=alias)
            if keyword and isinstance(found, exp.Lambda):
                found.meta[LAMBDA_KEYWORD] = True
            return found


class DuckDBTranslationDialectWithoutDollars(DuckDBTranslationDialect):
    """The same for texts without dollar-quoted strings: sqlglot takes `$a+$` and `$a, ''` for the start of one."""

    class Tokenizer(DuckDB.Tokenizer):
        HEREDOC_STRINGS: ClassVar = []


def _duckdb_dialect(kind: type[Dialect]) -> Dialect:
    dialect = kind(version="1.5")
    # Keep function names as written, for result names, and element indexes as written.
    dialect.ORIGINAL_NAME_META_KEY = "name"
    dialect.INDEX_OFFSET = 0
    return dialect


_DUCKDB = _duckdb_dialect(DuckDBTranslationDialect)
_WITHOUT_DOLLARS = _duckdb_dialect(DuckDBTranslationDialectWithoutDollars)
_TOKEN = re.compile(r"<Token token_type: [^,]*, text: (.*?), line: .*?>")


def parse_duckdb(text: str) -> exp.Expr:
    """Parse one DuckDB statement or expression; raises a `SyntaxProblem` that shows the position."""
    dialect = _DUCKDB if has_dollar_quotes(text) else _WITHOUT_DOLLARS
    try:
        with quiet_parsing():
            found = [node for node in sqlglot.parse(text, dialect=dialect) if isinstance(node, exp.Expr)]
    except ParseError as problem:
        first = problem.errors[0] if problem.errors else {}
        raise syntax_problem(_parser_message(first), text, _error_position(text, first)) from None
    except (TokenError, SqlglotError) as problem:
        raise syntax_problem(f"{str(problem).splitlines()[0]}.", text, len(text)) from None
    if len(found) != 1:
        raise syntax_problem("Expected a single statement.", text, len(text))
    return found[0]


def _parser_message(error: Mapping[str, object]) -> str:
    """The parser's message without its internal tokens and classes."""
    said = str(error.get("description") or "This cannot be read").rstrip(".")
    if "missing for <class" in said:
        return "Something is missing here."
    return _TOKEN.sub(lambda token: "the end" if token[1] == "SENTINEL" else f"'{token[1]}'", said) + "."


def _error_position(text: str, error: Mapping[str, object]) -> int:
    """Start of the words at which parsing stopped; they end at the column reported by the parser."""
    line, column = error.get("line"), error.get("col")
    if not isinstance(line, int) or not isinstance(column, int):
        return len(text)
    start = sum(len(part) for part in text.splitlines(keepends=True)[: line - 1])
    return max(min(start + column - len(str(error.get("highlight") or "")), len(text)), 0)


def to_spark(node: exp.Expr, columns_of: ColumnsOf | None = None, values: Mapping[str, Any] | None = None) -> exp.Expr:
    """Translate a tree to a new one for Spark; table names are unchanged.

    Much of DuckDB depends on types: `x[1]`, `len(x)`, casts that round, `* REPLACE`. Types are known for what is in the
    query, for parameters from their `values`, and for tables as far as `columns_of` provides them.
    """
    try:
        return _translate(node, columns_of, values)
    except ForklakeError:
        # Some of these are ValueErrors too, but already have a specific message.
        raise
    except (SqlglotError, IndexError, ValueError):
        # A rule found too few or unexpected arguments of a function.
        raise Untranslatable(
            "The statement cannot be translated: a name is missing in it,"
            " or a function has the wrong number of arguments."
        ) from None


def _translate(node: exp.Expr, columns_of: ColumnsOf | None, given: Mapping[str, Any] | None) -> exp.Expr:
    root = _fix_map_access(node.copy())
    for pivot in list(root.find_all(exp.Pivot)):
        if pivot.this is not None and isinstance(pivot.this, exp.Expr):
            root = _replace_node(root, pivot, rewrite_pivot(pivot))
    for select in root.find_all(exp.Select):
        move_joins(select)
    for values in list(root.find_all(exp.Values)):
        root = _rewrite_values(root, values)
    add_hints(root, columns_of, given)
    if root.meta.get(MIXED_USING):
        raise Untranslatable("USING joins texts with values of another type; write ON, with a cast of one of them.")
    types = root.meta.get(RESULT)
    found = rewrite_all(_rewrite_queries(root))
    found.meta[RESULT] = types
    return found


def _fix_map_access(root: exp.Expr) -> exp.Expr:
    """`MAP {…}[key]` is parsed as a map of `{…}[key]`; the key applies to the map."""
    for node in list(root.find_all(exp.ToMap)):
        if isinstance(node.this, exp.Bracket):
            access = node.this.copy()
            access.this.replace(exp.ToMap(this=access.this.copy()))
            root = _replace_node(root, node, access)
    return root


def _rewrite_queries(root: exp.Expr) -> exp.Expr:
    refuse_untranslatable(root)
    type_null_conditions(root)
    # From the inside out: an outer query may need the names that an inner one generates.
    for select in reversed(list(root.find_all(exp.Select))):
        refuse_joins(select)
        rewrite_select(select)
        rewrite_sample(select)
    for union in reversed(list(root.find_all(exp.SetOperation))):
        if union.meta.get(MIXED):
            raise Untranslatable(
                f"A column of {union.key.upper()} mixes text with other types; cast the values explicitly."
            )
        union_by_name(union)
    for query in list(root.find_all(exp.Query)):
        name_order(query)
    for table in list(root.find_all(exp.Table)):
        if isinstance(table.this, exp.GenerateSeries):
            rewrite_series(table)
        else:
            rewrite_table_sample(table)
    for unnest in list(root.find_all(exp.Unnest)):
        rewrite_unnest(unnest)
    return root


def _rewrite_values(root: exp.Expr, values: exp.Values) -> exp.Expr:
    if isinstance(values.parent, exp.From | exp.Join):
        name_values(values)
        return root
    return _replace_node(root, values, values_query(values))


def _replace_node(root: exp.Expr, old: exp.Expr, new: exp.Expr) -> exp.Expr:
    if old is root:
        return new
    if isinstance(old.parent, exp.From | exp.Join):
        alias = old.args.get("alias")
        new = exp.Subquery(this=new, alias=alias.copy() if isinstance(alias, exp.Expr) else None)
    old.replace(new)
    return root


def spark_text(node: exp.Expr) -> str:
    """The Spark SQL text of a tree from `to_spark`."""
    return node.sql(dialect=SparkWriteDialect)


def expression_to_spark(text: str, columns: Types | None = None) -> str:
    """Translate one expression, such as a condition or a default; `columns` are those it may use, with their types."""
    expression = parse_duckdb(text)
    if isinstance(expression, exp.Query | exp.Values):
        raise syntax_problem("Expected an expression, not a query.", text, 0)
    if columns is None:
        return spark_text(to_spark(expression))
    # Wrapped in a query so that its columns have types.
    query = exp.select(exp.alias_(expression, "value", copy=False), copy=False).from_("source")
    translated = to_spark(query, lambda table: columns)
    assert isinstance(translated, exp.Select)
    return spark_text(translated.expressions[0].this)
