"""What can be known about a DuckDB query before it runs: types of expressions, and the columns of its sources."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.resolver import Resolver
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.schema import MappingSchema

from forklake.sql.cursor import without_log
from forklake.sql.duckdb_ast import TYPE

ColumnsOf: TypeAlias = Callable[[exp.Table], Mapping[str, str] | None]
"""The columns of a table and their Spark types, as in `dict(frame.dtypes)`; None if it is not known."""

SOURCES = "forklake_sources"
"""Where a SELECT keeps its sources: pairs of a name, empty if it has none, and of its columns, in order."""
HIDDEN = "forklake_hidden"
"""Where a table keeps the names of columns that it has for those who name them, and that are in no star."""
_ORIGIN = "forklake_origin"


def add_hints(root: exp.Expr, columns_of: ColumnsOf | None) -> None:
    """Write what is known on the nodes: types as `TYPE`, sources of each SELECT as `SOURCES`.

    All of it comes from a copy that is qualified and typed; where that fails, less is known, and nothing is wrong.
    """
    nodes = list(root.walk())
    twin = root.copy()
    for index, node in enumerate(twin.walk()):
        node.meta[_ORIGIN] = index
    _type_decimals(twin)
    tables = _bind_tables(twin, columns_of)
    schema = MappingSchema({name: _types(columns) for name, columns in tables.items()}, dialect="duckdb")
    try:
        with without_log():
            if isinstance(twin, exp.Query):
                twin = qualify(
                    twin, schema=schema, dialect="duckdb", quote_identifiers=False, validate_qualify_columns=False
                )
                _note_sources(twin, schema, nodes, _spelling(root, tables))
            twin = annotate_types(twin, schema=schema, dialect="duckdb")
    except (SqlglotError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        # The optimizer is not made for every tree the parser makes; the query is translated without hints then.
        return
    for node in twin.walk():
        origin, found = node.meta.get(_ORIGIN), node.type
        if origin is not None and found is not None and found.this != exp.DataType.Type.UNKNOWN:
            nodes[origin].meta[TYPE] = found.copy()


def _type_decimals(twin: exp.Expr) -> None:
    """Numbers with a point are decimals to DuckDB, and doubles to the optimizer unless they say so."""
    for literal in list(twin.find_all(exp.Literal)):
        if not literal.is_string and "." in literal.name and "e" not in literal.name.lower():
            whole, fraction = literal.name.split(".")
            size = f"DECIMAL({max(len(whole + fraction), 1)}, {len(fraction)})"
            typed = exp.cast(literal.copy(), size, dialect="duckdb")
            typed.meta[_ORIGIN] = typed.this.meta.pop(_ORIGIN)
            literal.replace(typed)


def _bind_tables(twin: exp.Expr, columns_of: ColumnsOf | None) -> dict[str, Mapping[str, str]]:
    """Give known tables names of one part each, as the optimizer's schema has them; the columns by those names."""
    found: dict[str, Mapping[str, str]] = {}
    ctes = {cte.alias.lower() for cte in twin.find_all(exp.CTE)}
    for table in list(twin.find_all(exp.Table)):
        if not isinstance(table.this, exp.Identifier) or (not table.db and table.name.lower() in ctes):
            continue
        columns = None if columns_of is None else columns_of(table)
        if columns is None:
            continue
        name = f"_forklake_{len(found)}"
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name)))
        table.set("this", exp.to_identifier(name))
        table.set("db", None)
        table.set("catalog", None)
        found[name] = columns
    return found


def _types(columns: Mapping[str, str]) -> dict[str, exp.DataType]:
    return {name.lower(): exp.DataType.build(kind, dialect="spark") for name, kind in columns.items()}


def _spelling(root: exp.Expr, tables: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Names in the case in which they are defined: the optimizer has all of them in lower case."""
    written = {name.lower(): name for columns in tables.values() for name in columns}
    for alias in root.find_all(exp.Alias):
        written.setdefault(alias.alias.lower(), alias.alias)
    for named in root.find_all(exp.TableAlias):
        for column in named.args.get("columns") or []:
            written.setdefault(column.name.lower(), column.name)
    return written


def _note_sources(twin: exp.Expr, schema: MappingSchema, nodes: list[exp.Expr], spelling: Mapping[str, str]) -> None:
    for scope in traverse_scope(twin):
        origin = scope.expression.meta.get(_ORIGIN)
        if origin is not None and isinstance(scope.expression, exp.Select):
            sources = _sources(scope, Resolver(scope, schema))
            if sources is not None:
                written = {part.alias_or_name.lower() for part in _parts(nodes[origin])}
                nodes[origin].meta[SOURCES] = [
                    (source if source.lower() in written else "", [spelling.get(column, column) for column in columns])
                    for source, columns in sources
                ]


def _sources(scope: Scope, resolver: Resolver) -> list[tuple[str, list[str]]] | None:
    found: list[tuple[str, list[str]]] = []
    for part in _parts(scope.expression):
        name = part.alias_or_name
        columns = list(resolver.get_source_columns(name)) if name in scope.sources else []
        if not columns or "*" in columns:
            return None
        found.append((name, [str(column) for column in columns]))
    return found or None


def _parts(select: exp.Expr) -> list[exp.Expr]:
    """What stands in FROM and in joins, if its columns are seen."""
    from_ = select.args.get("from_")
    joins = select.args.get("joins") or []
    return [] if from_ is None else [from_.this, *(join.this for join in joins if not _filters(join))]


def _filters(join: exp.Join) -> bool:
    """Whether a join only decides which rows stay, so that its columns are not seen."""
    return join.kind in ("SEMI", "ANTI") or join.side in ("SEMI", "ANTI")
