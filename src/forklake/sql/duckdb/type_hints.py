"""Static analysis of a DuckDB query: types of expressions, and columns of its sources."""

from collections.abc import Callable, Mapping, Set
from decimal import Decimal
from typing import Any, TypeAlias

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import TypeAnnotator, annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.resolver import Resolver
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.schema import MappingSchema

from forklake.sql.duckdb.syntax import TYPE, element_type, kind_of_type
from forklake.sql.parsing.cursor import without_log

Types: TypeAlias = Mapping[str, str | exp.DataType]
"""Columns with their types: DuckDB types, or Spark type texts as in `dict(frame.dtypes)`."""
ColumnsOf: TypeAlias = Callable[[exp.Table], Types | None]
"""The columns of a table; None if it is not known."""

SOURCES = "forklake_sources"
"""Metadata key of a SELECT: its sources, as pairs of a name (empty if unnamed) and the columns in order."""
HIDDEN = "forklake_hidden"
"""Metadata key of a table: names of its columns that are available by name but excluded from stars."""
RESULT = "forklake_result"
"""Metadata key of a query: the types of its columns in order; None for unknown types."""
MIXED = "forklake_mixed"
"""Metadata key that marks a set operation of texts and other values."""
HAS_OTHER_TEXTS = "forklake_has_other_texts"
"""Metadata key that marks a query with values that are texts in Spark but not in DuckDB."""
HAS_UNSIGNED = "forklake_has_unsigned"
"""Metadata key that marks a query with unsigned integers."""
_OTHER_TEXTS = frozenset({exp.DataType.Type.UUID, exp.DataType.Type.TIME, exp.DataType.Type.INTERVAL})
MIXED_USING = "forklake_mixed_using"
"""Metadata key that marks a query with a join USING columns of texts and of other values."""
_ORIGIN = "forklake_origin"
_PARAMETERS: tuple[tuple[type, str], ...] = (
    (bool, "BOOLEAN"), (str, "VARCHAR"), (float, "DOUBLE"), (bytes, "BLOB"), (bytearray, "BLOB"),
)  # fmt: skip


def add_hints(root: exp.Expr, columns_of: ColumnsOf | None, values: Mapping[str, Any] | None = None) -> None:
    """Annotate nodes with what is known: types as `TYPE`, sources of each SELECT as `SOURCES`, and `RESULT`.

    Computed on a copy that is qualified and typed; if that fails, less is known, but nothing is wrong.
    """
    nodes = list(root.walk())
    twin = root.copy()
    for index, node in enumerate(twin.walk()):
        node.meta[_ORIGIN] = index
    _type_decimals(twin)
    _type_parameters(twin, values or {})
    _put_values_for_hidden(twin)
    tables = _bind_tables(twin, columns_of)
    root.meta[HAS_OTHER_TEXTS] = _has_any(twin, tables, _OTHER_TEXTS)
    root.meta[HAS_UNSIGNED] = _has_any(twin, tables, exp.DataType.UNSIGNED_INTEGER_TYPES)
    _name_fields(twin, tables)
    schema = MappingSchema({name: _column_types(columns) for name, columns in tables.items()}, dialect="duckdb")
    try:
        with without_log():
            if isinstance(twin, exp.Query):
                twin = qualify(
                    twin, schema=schema, dialect="duckdb", quote_identifiers=False, validate_qualify_columns=False
                )
                _note_sources(twin, schema, nodes, _spelling(root, tables))
            twin = annotate_types(twin, schema=schema, dialect="duckdb", expression_metadata=_TYPING)
    except (SqlglotError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        # The optimizer does not support every tree that the parser builds; the query is then translated without hints.
        return
    for node in twin.walk():
        origin, found = node.meta.get(_ORIGIN), _known_type(node)
        if origin is not None and found is not None:
            nodes[origin].meta[TYPE] = found.copy()
    for function in root.find_all(exp.Lambda):
        _type_variables(function)
    for each in twin.find_all(exp.SetOperation):
        if each.meta.get(_ORIGIN) is not None and _mixes_texts(each):
            nodes[each.meta[_ORIGIN]].meta[MIXED] = True
    for query in twin.find_all(exp.Query):
        if query.meta.get(_ORIGIN) is not None:
            nodes[query.meta[_ORIGIN]].meta[RESULT] = _result_types(query)
    root.meta[MIXED_USING] = any(_compares_texts(join) for join in twin.find_all(exp.Join))
    if isinstance(twin, exp.Query):
        root.meta[RESULT] = _result_types(twin)


def _type_concatenation(typing: TypeAnnotator, node: exp.Expr) -> exp.Expr:
    """|| concatenates lists and blobs, which the optimizer takes for texts."""
    assert isinstance(node, exp.DPipe)
    sides = [_known_type(side) for side in (node.left, node.right)]
    kinds = [None if type_ is None else kind_of_type(type_) for type_ in sides]
    lists = [type_ for type_ in sides if type_ is not None and kind_of_type(type_) in ("list", "blob")]
    known: exp.DataType | exp.DType = lists[0] if lists else exp.DataType.Type.VARCHAR
    is_unknown = None in kinds and set(kinds) <= {None, "blob"}
    typing._set_type(node, exp.DataType.Type.UNKNOWN if is_unknown else known)
    return node


_TYPING = {**DuckDB.EXPRESSION_METADATA, exp.DPipe: {"annotator": _type_concatenation}}


def _type_variables(function: exp.Lambda) -> None:
    """The first variable of a lambda has the element type of the list passed with it."""
    around = function.parent
    values = None if around is None else next(iter(around.iter_expressions()), None)
    inner = None if values is None or values is function else element_type(values)
    if inner is None or not function.expressions or len(function.expressions) > 2:
        return
    for use in function.this.find_all(exp.Identifier):
        if use.name == function.expressions[0].name and not isinstance(use.parent, exp.Dot):
            use.meta[TYPE] = inner.copy()
            if isinstance(use.parent, exp.Column):
                use.parent.meta[TYPE] = inner.copy()


def _known_type(node: exp.Expr) -> exp.DataType | None:
    found = node.type
    return None if found is None or found.this == exp.DataType.Type.UNKNOWN else found


def _result_types(query: exp.Query) -> list[exp.DataType | None]:
    """The types of a query's columns; for set operations, those that both sides agree on."""
    inner = query.unnest()
    if isinstance(inner, exp.SetOperation):
        sides = [_result_types(side) for side in (inner.left, inner.right)]
        return [one if one == other else None for one, other in zip(*sides, strict=False)]
    columns = inner.selects if isinstance(inner, exp.Query) else []
    return [_known_type(column.unalias()) for column in columns]


def _mixes_texts(query: exp.SetOperation) -> bool:
    """Whether a column has texts on one side and other values on the other, which Spark casts to one type."""
    sides = (query.left, query.right)
    if query.args.get("by_name"):
        left, right = (dict(zip(_names(side), _result_types(side), strict=False)) for side in sides)
        columns = [(type_, right[name]) for name, type_ in left.items() if name in right]
    else:
        columns = list(zip(*(_result_types(side) for side in sides), strict=False))
    kinds = [{None if type_ is None else kind_of_type(type_) for type_ in column} for column in columns]
    return any("text" in column and not column <= {"text", "json", None} for column in kinds)


def _names(query: exp.Expr) -> list[str]:
    """The names of a query's columns, folded."""
    inner = query.unnest()
    return [name.lower() for name in inner.named_selects] if isinstance(inner, exp.Query) else []


def _compares_texts(join: exp.Join) -> bool:
    """Whether USING, which qualification has turned into a condition, compares texts with other values."""
    on = join.args.get("on")
    made = [] if on is None else [node for node in on.find_all(exp.EQ) if _ORIGIN not in node.meta]
    for node in made:
        kinds = {
            None if (type_ := _known_type(side)) is None else kind_of_type(type_) for side in (node.left, node.right)
        }
        if "text" in kinds and not kinds <= {"text", "json", None}:
            return True
    return False


def _type_parameters(twin: exp.Expr, values: Mapping[str, Any]) -> None:
    """A parameter has the type of its value."""
    for node in list(twin.find_all(exp.Placeholder, exp.Parameter)):
        type_ = _parameter_type(values.get(node.name))
        if type_ is not None:
            typed = exp.cast(node.copy(), type_, dialect="duckdb")
            typed.meta[_ORIGIN] = typed.this.meta.pop(_ORIGIN, None)
            node.replace(typed)


def _put_values_for_hidden(twin: exp.Expr) -> None:
    """Replace hidden columns, which already have types, as they are not in the optimizer's schema."""
    for column in list(twin.find_all(exp.Column)):
        if isinstance(column.meta.get(TYPE), exp.DataType):
            column.replace(exp.cast(exp.null(), column.meta[TYPE].copy()))


def _parameter_type(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return "INTEGER" if -(2**31) <= value < 2**31 else "BIGINT"
    if isinstance(value, Decimal):
        _, digits, exponent = value.as_tuple()
        scale = max(-exponent, 0) if isinstance(exponent, int) else 0
        return f"DECIMAL({max(len(digits), scale, 1)}, {scale})"
    return next((type_ for kind, type_ in _PARAMETERS if isinstance(value, kind)), None)


def _type_decimals(twin: exp.Expr) -> None:
    """Cast literals with a decimal point: they are DECIMAL in DuckDB, but DOUBLE in the optimizer."""
    for literal in list(twin.find_all(exp.Literal)):
        if not literal.is_string and "." in literal.name and "e" not in literal.name.lower():
            whole, fraction = literal.name.split(".")
            size = f"DECIMAL({max(len(whole + fraction), 1)}, {len(fraction)})"
            typed = exp.cast(literal.copy(), size, dialect="duckdb")
            typed.meta[_ORIGIN] = typed.this.meta.pop(_ORIGIN)
            literal.replace(typed)


def _bind_tables(twin: exp.Expr, columns_of: ColumnsOf | None) -> dict[str, Types]:
    """Rename known tables to single-part names for the optimizer's schema; returns their columns by those names."""
    found: dict[str, Types] = {}
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


def _has_any(twin: exp.Expr, tables: Mapping[str, Types], wanted: Set[exp.DType]) -> bool:
    """Whether a table or a cast of a query has one of these types, also nested."""
    types = [type_ for columns in tables.values() for type_ in _column_types(columns).values()]
    types += twin.find_all(exp.DataType)
    return any(part.this in wanted for type_ in types for part in type_.find_all(exp.DataType))


def _name_fields(twin: exp.Expr, tables: Mapping[str, Types]) -> None:
    """Rewrite struct fields that are parsed as columns of a table: the optimizer loses their origin."""
    structs = {
        name.lower()
        for columns in tables.values()
        for name, type_ in _column_types(columns).items()
        if type_.this == exp.DataType.Type.STRUCT
    }
    sources = {node.alias_or_name.lower() for node in twin.find_all(exp.Table, exp.Subquery, exp.CTE)}
    known = {name.lower() for columns in tables.values() for name in columns}
    for column in list(twin.find_all(exp.Column)):
        parts = [part for part in column.parts if isinstance(part, exp.Identifier)]
        start = 1 if len(parts) > 2 and parts[0].name.lower() in sources else 0
        names = [part.name.lower() for part in parts[start:]]
        if len(names) < 2 or names[0] not in structs:
            continue
        if start == 0 and names[0] in sources and names[1] in known:
            # A column of the table, even if the table has a struct of the same name.
            continue
        base = exp.column(parts[start].copy(), parts[0].copy() if start else None)
        field = exp.Dot.build([base, *(part.copy() for part in parts[start + 1 :])])
        field.meta[_ORIGIN] = column.meta.pop(_ORIGIN, None)
        column.replace(field)


def _column_types(columns: Types) -> dict[str, exp.DataType]:
    return {name.lower(): exp.DataType.build(kind, dialect="spark") for name, kind in columns.items()}


def _spelling(root: exp.Expr, tables: Mapping[str, Types]) -> dict[str, str]:
    """Names in the case of their definition: the optimizer lowercases them all."""
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
            sources = _sources_of_scope(scope, Resolver(scope, schema))
            if sources is not None:
                written = {part.alias_or_name.lower() for part in _visible_sources(nodes[origin])}
                nodes[origin].meta[SOURCES] = [
                    (source if source.lower() in written else "", [spelling.get(column, column) for column in columns])
                    for source, columns in sources
                ]


def _sources_of_scope(scope: Scope, resolver: Resolver) -> list[tuple[str, list[str]]] | None:
    found: list[tuple[str, list[str]]] = []
    for part in _visible_sources(scope.expression):
        name = part.alias_or_name
        columns = list(resolver.get_source_columns(name)) if name in scope.sources else []
        if not columns or "*" in columns:
            return None
        found.append((name, [str(column) for column in columns]))
    return found or None


def _visible_sources(select: exp.Expr) -> list[exp.Expr]:
    """The sources in FROM and in joins whose columns are visible."""
    from_ = select.args.get("from_")
    joins = select.args.get("joins") or []
    return [] if from_ is None else [from_.this, *(join.this for join in joins if not _is_filtering_join(join))]


def _is_filtering_join(join: exp.Join) -> bool:
    """Whether a join only filters rows, so that its columns are not visible."""
    return join.kind in ("SEMI", "ANTI") or join.side in ("SEMI", "ANTI")
