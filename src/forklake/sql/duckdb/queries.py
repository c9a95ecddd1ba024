"""Translation of query structure from DuckDB to Spark: projections and clauses."""

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.column_names import result_name, with_result_name
from forklake.sql.duckdb.stars import expand_stars, visible_columns
from forklake.sql.duckdb.syntax import call, kind, kind_of_type, mark_type, number
from forklake.sql.duckdb.type_hints import HIDDEN, RESULT, SOURCES

_UNNESTED = "_unnested"
_NULL_WITHOUT_ROWS = (exp.Sum, exp.Min, exp.Max, exp.Avg)
"""Aggregates whose PIVOT cell is NULL in both dialects if there is no row."""


def rewrite_select(select: exp.Select) -> None:
    """Rewrite one SELECT, except what is inside its expressions."""
    _expand_where_aliases(select)
    expand_stars(select)
    _drop_group_of_constants(select)
    _name_results(select)
    _rewrite_select_unnest(select)
    _rewrite_distinct_on(select)


def refuse_untranslatable(root: exp.Expr) -> None:
    """Reject constructs without a counterpart, anywhere in the tree."""
    for node in root.find_all(exp.Limit, exp.PositionalColumn, exp.Collate, exp.CTE, exp.Pivot):
        match node:
            case exp.Pivot() if not node.args.get("unpivot"):
                _refuse_empty_cells(node)
            case exp.Limit():
                options = node.args.get("limit_options")
                if options is not None and options.args.get("percent"):
                    raise Untranslatable("LIMIT with a percentage is not supported: Spark limits by number only.")
            case exp.PositionalColumn():
                raise Untranslatable("Positional references such as #1 are not supported; use the name of the column.")
            case exp.Collate():
                raise Untranslatable("COLLATE is not supported; compare lower(…) instead.")
            case exp.CTE():
                node.set("materialized", None)
                _refuse_distinct_recursion(node)


def _refuse_empty_cells(pivot: exp.Pivot) -> None:
    for aggregate in pivot.expressions:
        if not isinstance(aggregate.unalias(), _NULL_WITHOUT_ROWS):
            raise Untranslatable(
                "PIVOT in FROM supports sum, min, max and avg: Spark has NULL where no row is counted."
                " Use the statement PIVOT … ON … USING …."
            )


def type_null_conditions(root: exp.Expr) -> None:
    """A bare NULL is a condition in DuckDB; in Spark it does not have type BOOLEAN."""
    for node in root.find_all(exp.Where, exp.Having, exp.Qualify):
        if isinstance(node.this.unnest(), exp.Null):
            node.set("this", exp.cast(exp.null(), "boolean"))
    for join in root.find_all(exp.Join):
        on = join.args.get("on")
        if on is not None and isinstance(on.unnest(), exp.Null):
            join.set("on", exp.cast(exp.null(), "boolean"))


def _refuse_distinct_recursion(cte: exp.CTE) -> None:
    with_, body = cte.parent, cte.this
    if not (isinstance(with_, exp.With) and with_.args.get("recursive") and isinstance(body, exp.Union)):
        return
    refers = any(table.name.lower() == cte.alias.lower() for table in body.find_all(exp.Table))
    if refers and body.args.get("distinct"):
        raise Untranslatable("WITH RECURSIVE … UNION is not supported: Spark has UNION ALL there only.")


def _expand_where_aliases(select: exp.Select) -> None:
    """WHERE may use an alias of SELECT if no column has that name."""
    where, sources = select.args.get("where"), select.meta.get(SOURCES)
    if where is None or sources is None:
        return
    columns = {column.lower() for _, found in sources for column in found}
    columns |= {name for table in select.find_all(exp.Table) for name in table.meta.get(HIDDEN, ())}
    given = _select_aliases(select)
    for column in list(where.find_all(exp.Column)):
        name = column.name.lower()
        if not column.table and name in given and name not in columns and column.parent_select is select:
            column.replace(exp.Paren(this=given[name].copy()))


def _drop_group_of_constants(select: exp.Select) -> None:
    """GROUP BY ALL does not group by constants: without a column to group by, there is one group, even of no rows."""
    group = select.args.get("group")
    if group is None or not group.args.get("all") or any(part.find(exp.Subquery) for part in select.expressions):
        return
    columns = (column for part in select.expressions for column in part.find_all(exp.Column))
    if all(column.find_ancestor(exp.AggFunc) for column in columns):
        select.set("group", None)


def _select_aliases(select: exp.Select) -> dict[str, exp.Expr]:
    return {part.alias.lower(): part.this for part in select.expressions if isinstance(part, exp.Alias)}


def _name_results(select: exp.Select) -> None:
    """Unnamed results get the name that DuckDB would generate."""
    spelled = {column.lower(): column for _, column in visible_columns(select) or []}
    for part in list(select.expressions):
        if isinstance(part, exp.Column) and not isinstance(part.this, exp.Star):
            defined = spelled.get(part.name.lower(), part.name)
            if defined != part.name:
                part.replace(exp.alias_(part.copy(), defined, quoted=True))
            continue
        if isinstance(part, exp.Explode) and kind(part.this) == "struct":
            continue
        name = result_name(part)
        if name is not None:
            _order_by_name(select, part, name)
            part.replace(with_result_name(part, name))


def _order_by_name(select: exp.Select, part: exp.Expr, name: str) -> None:
    """After DISTINCT, ORDER BY can only refer to selected columns: use the name."""
    order = select.args.get("order")
    if select.args.get("distinct") is None or order is None:
        return
    for ordered in order.expressions:
        if ordered.this == part:
            ordered.set("this", exp.column(exp.to_identifier(name, quoted=True)))


def _rewrite_select_unnest(select: exp.Select) -> None:
    """`unnest` in SELECT: a single one becomes a generator, several are zipped."""
    found = [node for node in select.find_all(exp.Explode) if node.parent_select is select]
    for node in found:
        if node.expressions:
            raise Untranslatable("unnest with recursive or max_depth is not supported.")
    if len(found) == 1 and found[0].parent in (select, *select.expressions):
        node = found[0]
        if kind(node.this) == "struct":
            whole = node.parent if isinstance(node.parent, exp.Alias) else node
            whole.replace(call("INLINE", call("ARRAY", node.this)))
            return
        node.replace(call("EXPLODE", node.this))
    elif found:
        _unnest_side_by_side(select, found)


def _unnest_side_by_side(select: exp.Select, found: list[exp.Explode]) -> None:
    if select.args.get("group") is not None or select.find(exp.AggFunc):
        raise Untranslatable("Several unnest, or one in an expression, do not support aggregates; use a subquery.")
    names = [f"{_UNNESTED}_{place}" for place in range(len(found))]
    lists = [call("COALESCE", node.this.copy(), call("ARRAY")) for node in found]
    rows = call("INLINE", call("ARRAYS_ZIP", *lists))
    alias = exp.TableAlias(this=exp.to_identifier(_UNNESTED), columns=[exp.to_identifier(name) for name in names])
    for node, name in zip(found, names, strict=True):
        node.replace(exp.column(name))
    if select.args.get("from_") is None:
        select.set("from_", exp.From(this=exp.Table(this=rows, alias=alias)))
    else:
        select.append("joins", exp.Join(this=exp.Lateral(this=rows, alias=alias)))


def _rewrite_distinct_on(select: exp.Select) -> None:
    """DISTINCT ON keeps the first row of each group, in the order of the query."""
    distinct = select.args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    if on is None:
        return
    if select.args.get("qualify") is not None:
        raise Untranslatable("DISTINCT ON together with QUALIFY is not supported; use a subquery.")
    keys = [_resolve_select_item(key, select) for key in (on.expressions if isinstance(on, exp.Tuple) else [on])]
    order = select.args.get("order")
    ordered = [part.copy() for part in order.expressions] if order is not None else []
    for part in ordered:
        part.set("this", _resolve_select_item(part.this, select))
    if not ordered:
        ordered = [exp.Ordered(this=key.copy(), nulls_first=False) for key in keys]
    window = exp.Window(
        this=exp.RowNumber(), partition_by=[key.copy() for key in keys], order=exp.Order(expressions=ordered)
    )
    select.set("distinct", None)
    select.set("qualify", exp.Qualify(this=exp.EQ(this=window, expression=number(1))))


def _resolve_select_item(node: exp.Expr, select: exp.Select) -> exp.Expr:
    """An expression, or the SELECT item that a name or position refers to."""
    if isinstance(node, exp.Literal) and node.is_int:
        position = int(node.this)
        if not 0 < position <= len(select.expressions):
            raise Untranslatable(f"There is no column {position} in SELECT, which has {len(select.expressions)}.")
        chosen: exp.Expr = select.expressions[position - 1]
        return (chosen.this if isinstance(chosen, exp.Alias) else chosen).copy()
    if isinstance(node, exp.Column) and not node.table:
        given = _select_aliases(select).get(node.name.lower())
        if given is not None and not isinstance(given, exp.Column):
            return given.copy()
    return node.copy()


def name_order(query: exp.Query) -> None:
    """Write names for the numbers and the ALL of ORDER BY, unless all columns are known not to be nested.

    Only a sort key that is an expression can be replaced or checked.
    """
    order = query.args.get("order")
    keys = [] if order is None else order.expressions
    types = query.meta.get(RESULT) or [None]
    if any(type_ is None or kind_of_type(type_) in (None, "list", "struct", "map") for type_ in types):
        for key in list(keys):
            key.replace(_named_keys(key, query))


def _named_keys(key: exp.Ordered, query: exp.Query) -> list[exp.Expr] | exp.Expr:
    is_number = isinstance(key.this, exp.Literal) and key.this.is_int
    if not is_number and not (isinstance(key.this, exp.Var) and key.this.name.upper() == "ALL"):
        return key
    names = output_names(query)
    if names is None or len({name.lower() for name in names}) < len(names):
        raise Untranslatable("ORDER BY a number or ALL needs columns of known types, or of different names.")
    if is_number and not 0 < int(key.this.name) <= len(names):
        raise Untranslatable(f"There is no column {key.this.name} in SELECT, which has {len(names)}.")
    chosen = [names[int(key.this.name) - 1]] if is_number else names
    return [_ordered_by(name, key, query) for name in chosen]


def _ordered_by(name: str, key: exp.Ordered, query: exp.Query) -> exp.Expr:
    column = exp.column(exp.to_identifier(name, quoted=True))
    types, names = query.meta.get(RESULT) or [], output_names(query) or []
    type_ = types[names.index(name)] if len(types) == len(names) else None
    return exp.Ordered(**{**key.args, "this": column if type_ is None else mark_type(column, type_)})


def union_by_name(union: exp.SetOperation) -> None:
    """UNION BY NAME: all columns of both sides, NULL where a side lacks one."""
    if not union.args.get("by_name"):
        return
    sides = (union.this, union.expression)
    names = [output_names(side) for side in sides]
    left, right = names
    if left is None or right is None:
        raise Untranslatable("UNION BY NAME needs the columns of both sides: list them instead of using *.")
    known = {name.lower() for name in left}
    every = [*left, *(name for name in right if name.lower() not in known)]
    for side, own in zip(sides, (left, right), strict=True):
        present = {name.lower(): name for name in own}
        columns = [_column_or_null(name, present.get(name.lower())) for name in every]
        inner = side.this if isinstance(side, exp.Subquery) else side
        named = exp.Subquery(this=inner.copy(), alias=exp.TableAlias(this=exp.to_identifier("_side")))
        side.replace(exp.select(*columns).from_(named))
    union.set("by_name", False)


def _column_or_null(name: str, own: str | None) -> exp.Expr:
    value = exp.null() if own is None else exp.column(exp.to_identifier(own, quoted=True))
    return exp.alias_(value, name, quoted=True)


def output_names(query: exp.Expr) -> list[str] | None:
    """The column names of a query; None if they cannot be determined from it."""
    match query:
        case exp.Subquery():
            return output_names(query.this)
        case exp.SetOperation():
            return output_names(query.this)
        case exp.Select():
            names: list[str] = []
            for part in query.expressions:
                found = _projection_names(part, query)
                if found is None:
                    return None
                names += found
            return names
    return None


def _projection_names(part: exp.Expr, select: exp.Select) -> list[str] | None:
    if part.is_star:
        columns = visible_columns(select)
        if columns is None or not isinstance(part, exp.Star) or any(part.args.values()):
            return None
        return [name for _, name in columns]
    return [part.alias_or_name] if part.alias_or_name else None
