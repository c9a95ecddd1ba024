"""Translation of sources in FROM from DuckDB to Spark."""

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.series import STEP_OF_ZERO, series_list
from forklake.sql.duckdb.syntax import call, integer_value, number


def move_joins(select: exp.Select) -> None:
    """Move the joins of `FROM a JOIN b SELECT …`, which are parsed as part of the table, to the SELECT."""
    from_ = select.args.get("from_")
    source = from_.this if isinstance(from_, exp.From) else None
    inner = source.args.get("joins") if isinstance(source, exp.Expr) else None
    if inner and source is not None and not isinstance(source, exp.Subquery):
        source.set("joins", None)
        select.set("joins", [*inner, *(select.args.get("joins") or [])])


def refuse_joins(select: exp.Select) -> None:
    """Reject joins that Spark lacks; it would read their keywords as aliases."""
    for join in select.args.get("joins") or []:
        method = str(join.args.get("method") or "").upper()
        if method in ("ASOF", "POSITIONAL"):
            raise Untranslatable(f"{method} JOIN is not supported: Spark has none.")


def name_values(values: exp.Values) -> None:
    """Unnamed columns of VALUES are col0, col1 and so on."""
    alias = values.args.get("alias")
    width = len(values.expressions[0].expressions) if isinstance(values.expressions[0], exp.Tuple) else 1
    given = list(alias.args.get("columns") or []) if alias is not None else []
    names = [*given, *(exp.to_identifier(f"col{place}") for place in range(len(given), width))]
    name = alias.this if alias is not None and alias.this is not None else exp.to_identifier("valueslist")
    values.set("alias", exp.TableAlias(this=name, columns=names))


def values_query(values: exp.Values) -> exp.Select:
    """VALUES as a standalone query."""
    copied = values.copy()
    behind = {name: part for name, part in copied.args.items() if part and name not in ("expressions", "alias")}
    if not behind.keys() <= {"order", "limit", "offset", "with_"}:
        raise Untranslatable(f"VALUES with {', '.join(sorted(behind))} after it is not supported.")
    for name in behind:
        copied.set(name, None)
    name_values(copied)
    query = exp.select("*").from_(copied)
    for name, part in behind.items():
        query.set(name, part)
    return query


def rewrite_unnest(unnest: exp.Unnest) -> None:
    """`unnest(list)` in FROM: one row per element; the default column name is `unnest`."""
    if len(unnest.expressions) != 1:
        raise Untranslatable("unnest of several values in FROM is not supported.")
    if unnest.args.get("offset"):
        raise Untranslatable("unnest WITH ORDINALITY is not supported; use generate_subscripts or a window.")
    alias = unnest.args.get("alias")
    _replace_by_generator(unnest, call("EXPLODE", unnest.expressions[0]), alias, "unnest")


def rewrite_series(table: exp.Table) -> None:
    """`range` and `generate_series` in FROM: their numbers as rows."""
    series = table.this
    exclusive = bool(series.args.get("is_end_exclusive"))
    name = "range" if exclusive else "generate_series"
    alias = table.args.get("alias")
    native = _native_range(series, exclusive)
    if native is None:
        _replace_by_generator(table, call("EXPLODE", series_list(series, in_from=True)), alias, name)
        return
    named, columns = _alias_names(alias, name)
    source = exp.Table(this=native)
    rows = exp.select(exp.alias_(exp.column("id"), columns[0].copy())).from_(source)
    table.replace(exp.Subquery(this=rows, alias=exp.TableAlias(this=named)))


def _native_range(series: exp.Expr, exclusive: bool) -> exp.Expr | None:
    """Spark's own range, which runs in parallel; None unless all bounds are constants."""
    step = series.args.get("step")
    start, end = integer_value(series.args["start"]), integer_value(series.args["end"])
    by = 1 if step is None else integer_value(step)
    if start is None or end is None or by is None:
        return None
    if by == 0:
        raise Untranslatable(STEP_OF_ZERO)
    last = end if exclusive else end + (1 if by > 0 else -1)
    return call("RANGE", number(start), number(last), number(by))


def _alias_names(alias: exp.Expr | None, default: str) -> tuple[exp.Identifier, list[exp.Identifier]]:
    columns = list(alias.args.get("columns") or []) if alias is not None else []
    name = alias.this if alias is not None and alias.this is not None else exp.to_identifier(default)
    return name, columns or [exp.to_identifier(default)]


def _replace_by_generator(node: exp.Expr, generator: exp.Expr, alias: exp.Expr | None, default: str) -> None:
    name, columns = _alias_names(alias, default)
    named = exp.TableAlias(this=name.copy(), columns=[column.copy() for column in columns])
    if isinstance(node.parent, exp.Join):
        node.replace(exp.Lateral(this=generator, alias=named))
        return
    node.replace(exp.Table(this=generator, alias=named))


def rewrite_sample(select: exp.Select) -> None:
    """USING SAMPLE samples the rows of FROM; a number of rows is exact."""
    sample = select.args.get("sample")
    if sample is None:
        return
    from_ = select.args.get("from_")
    if from_ is None or select.args.get("joins"):
        raise Untranslatable("USING SAMPLE over a join is not supported; sample a subquery.")
    select.set("sample", None)
    source = from_.this
    source.replace(_sample_query(source, sample))


def rewrite_table_sample(table: exp.Table) -> None:
    """TABLESAMPLE of one table."""
    sample = table.args.get("sample")
    if sample is not None:
        table.set("sample", None)
        table.replace(_sample_query(table, sample))


def _sample_query(source: exp.Expr, sample: exp.Expr) -> exp.Expr:
    alias = source.alias_or_name or "_sampled"
    percent, size = sample.args.get("percent"), sample.args.get("size")
    if sample.args.get("seed") is not None:
        raise Untranslatable("A sample with a seed is not supported: Spark would choose other rows.")
    query = exp.select("*").from_(source.copy())
    if percent is not None:
        share = exp.Div(this=percent.copy(), expression=exp.Literal.number("100.0"))
        query = query.where(exp.LT(this=call("RAND"), expression=share))
    elif size is not None:
        query = query.order_by(call("RAND")).limit(size.copy())
    return exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(alias)))


def rewrite_pivot(pivot: exp.Pivot) -> exp.Expr:
    """The statements PIVOT and UNPIVOT as queries."""
    return _unpivot_query(pivot) if pivot.args.get("unpivot") else _pivot_query(pivot)


def _pivot_query(pivot: exp.Pivot) -> exp.Expr:
    choices = pivot.expressions
    if len(choices) != 1 or not isinstance(choices[0], exp.In) or not isinstance(choices[0].this, exp.Column):
        raise Untranslatable("PIVOT needs ON one column IN (values …): Spark does not look them up in the data.")
    using = pivot.args.get("using") or [exp.Count(this=exp.Star())]
    group = pivot.args.get("group")
    if group is None:
        raise Untranslatable("PIVOT without GROUP BY is not supported; name the columns of the groups.")
    column, values = choices[0].this, choices[0].expressions
    columns = [
        exp.alias_(
            _filtered_aggregate(aggregate, exp.EQ(this=column.copy(), expression=value.copy())), name, quoted=True
        )
        for value in values
        for aggregate, name in ((part, _pivot_name(value, part, len(using))) for part in using)
    ]
    keys = [key.copy() for key in group.expressions]
    return exp.select(*keys, *columns).from_(pivot.this.copy()).group_by(*(key.copy() for key in keys))


def _filtered_aggregate(aggregate: exp.Expr, condition: exp.Expr) -> exp.Expr:
    inner = (aggregate.this if isinstance(aggregate, exp.Alias) else aggregate).copy()
    return exp.Filter(this=inner, expression=exp.Where(this=condition))


def _pivot_name(value: exp.Expr, aggregate: exp.Expr, count: int) -> str:
    name = value.name
    if isinstance(aggregate, exp.Alias):
        return f"{name}_{aggregate.alias}"
    return name if count == 1 else f"{name}_{aggregate.sql('duckdb', normalize_functions='lower')}"


def _unpivot_query(pivot: exp.Pivot) -> exp.Expr:
    if not all(isinstance(column, exp.Column) for column in pivot.expressions):
        raise Untranslatable("UNPIVOT needs ON with names of columns.")
    into = pivot.args.get("into")
    name = into.this.name if into is not None else "name"
    value = into.expressions[0].name if into is not None else "value"
    field = exp.In(this=exp.to_identifier(name), expressions=[column.copy() for column in pivot.expressions])
    inner = exp.Pivot(expressions=[exp.to_identifier(value)], fields=[field], unpivot=True)
    source = pivot.this.copy()
    if not isinstance(source, exp.Table):
        source = exp.Subquery(this=source.this if isinstance(source, exp.Subquery) else source)
    source.set("pivots", [inner])
    return exp.select("*").from_(source)
