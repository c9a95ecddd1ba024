"""The names that DuckDB gives to the columns of a result: the text of the expression, in its own spelling."""

import re
from collections.abc import Callable

from sqlglot import exp

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
# Words that DuckDB's grammar knows and therefore puts in quotes where it writes them as a name.
_QUOTED = frozenset({
    "left", "right", "replace", "substring", "trim", "position", "nullif", "mode", "first", "last", "year", "month",
    "day", "hour", "minute", "second", "range", "map", "row", "overlay", "values",
})  # fmt: skip
_SYNTAX = frozenset({"substring", "trim", "position", "row", "map"})
_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "//", exp.Mod: "%", exp.EQ: "=",
    exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.And: "AND", exp.Or: "OR",
    exp.DPipe: "||", exp.Like: "~~", exp.ILike: "~~*", exp.BitwiseAnd: "&", exp.BitwiseOr: "|",
    exp.BitwiseLeftShift: "<<", exp.BitwiseRightShift: ">>", exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM", exp.Pow: "**",
}  # fmt: skip
_TYPES = {
    exp.DataType.Type.INT: "INTEGER", exp.DataType.Type.BIGINT: "BIGINT", exp.DataType.Type.SMALLINT: "SMALLINT",
    exp.DataType.Type.TINYINT: '"TINYINT"', exp.DataType.Type.INT128: '"HUGEINT"', exp.DataType.Type.BOOLEAN: "BOOLEAN",
    exp.DataType.Type.TEXT: "VARCHAR", exp.DataType.Type.VARCHAR: "VARCHAR", exp.DataType.Type.DOUBLE: '"DOUBLE"',
    exp.DataType.Type.FLOAT: "FLOAT", exp.DataType.Type.DATE: '"DATE"', exp.DataType.Type.TIMESTAMP: "TIMESTAMP",
    exp.DataType.Type.TIMESTAMPNTZ: "TIMESTAMP", exp.DataType.Type.TIME: "TIME", exp.DataType.Type.UUID: '"UUID"',
    exp.DataType.Type.VARBINARY: '"BLOB"', exp.DataType.Type.TIMESTAMPTZ: '"TIMESTAMP WITH TIME ZONE"',
}  # fmt: skip
_FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.GroupConcat: "string_agg", exp.ArgMin: "arg_min", exp.ArgMax: "arg_max", exp.Max: "max", exp.Min: "min",
    exp.PercentileCont: "quantile_cont", exp.PercentileDisc: "quantile_disc", exp.Quantile: "quantile",
    exp.StrPosition: "position", exp.Trim: "trim", exp.Explode: "unnest",
}  # fmt: skip


class _NoName(Exception):
    """The namer does not know how DuckDB writes this."""


def result_name(node: exp.Expr) -> str | None:
    """The name of an expression that was given none; None where it has one, or where it is not known."""
    if isinstance(node, exp.Alias | exp.Star | exp.Column | exp.Dot | exp.Columns | exp.Aliases):
        return None
    if isinstance(node, exp.Paren):
        return result_name(node.this)
    try:
        return _text(node)
    except (_NoName, AttributeError, IndexError, TypeError):
        return None


def _text(node: exp.Expr) -> str:
    operator = _OPERATORS.get(type(node))
    if operator is not None and isinstance(node, exp.Binary):
        name = node.meta.get("name")
        if name is not None:
            return f"{_identifier(str(name))}({_text(node.left)}, {_text(node.right)})"
        return f"({_text(node.left)} {operator} {_text(node.right)})"
    rule = _RULES.get(type(node))
    if rule is not None:
        return rule(node)
    if isinstance(node, exp.Func):
        return _call(node)
    raise _NoName


def _identifier(name: str) -> str:
    lower = name.lower()
    return f'"{name}"' if lower in _QUOTED or not _PLAIN.match(name) else name


def _column(node: exp.Expr) -> str:
    assert isinstance(node, exp.Column)
    return ".".join(_name_of_column(part.name) for part in node.parts)


def _name_of_column(name: str) -> str:
    return name if _PLAIN.match(name) else f'"{name}"'


def _literal(node: exp.Expr) -> str:
    assert isinstance(node, exp.Literal)
    if node.is_string:
        return "'" + node.name.replace("'", "''") + "'"
    if "e" in node.name.lower():
        raise _NoName
    return node.name


def _call(node: exp.Func) -> str:
    name = node.meta.get("name") or (node.name if isinstance(node, exp.Anonymous) else _FUNCTIONS.get(type(node)))
    if name is None:
        raise _NoName
    if isinstance(node, exp.GenerateSeries | exp.DateDiff | exp.TimestampTrunc | exp.DateTrunc | exp.ArraySort):
        return _special_call(node, str(name))
    inner: list[str] = []
    for key, value in node.args.items():
        if (key == "this" and isinstance(node, exp.Anonymous)) or isinstance(value, bool) or value is None:
            continue
        inner.extend(_text(part) for part in (value if isinstance(value, list) else [value]))
    return _written(str(name), inner, node)


def _written(name: str, inner: list[str], node: exp.Expr) -> str:
    lower = name.lower()
    path = "main." if lower in _SYNTAX and not (lower == "map" and node.meta.get("name")) else ""
    return f"{path}{_identifier(lower)}({', '.join(inner)})"


def _special_call(node: exp.Func, name: str) -> str:
    match node:
        case exp.DateDiff():
            parts = [f"'{node.args['unit'].name.lower()}'", _text(node.expression), _text(node.this)]
        case exp.TimestampTrunc() | exp.DateTrunc():
            parts = [f"'{node.args['unit'].name.lower()}'", _text(node.this)]
        case exp.GenerateSeries():
            # The parser adds the start of 0 that was not written.
            start, end, step = node.args["start"], node.args["end"], node.args.get("step")
            parts = [_text(part) for part in (start, end, step) if part is not None]
            if step is None and _text(start) == "0":
                parts = parts[1:]
        case _:
            if node.args.get("asc") is not None:
                raise _NoName
            parts = [_text(node.this)]
    return _written(name, parts, node)


def _count(node: exp.Expr) -> str:
    if node.this is None or isinstance(node.this, exp.Star):
        return "count()" if isinstance(node.parent, exp.Window) else "count_star()"
    return f"count({_text(node.this)})"


def _cast(node: exp.Expr) -> str:
    assert isinstance(node, exp.Cast)
    name = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
    return f"{name}({_text(node.this)} AS {_type(node.to)})"


def _type(node: exp.DataType) -> str:
    if node.this == exp.DataType.Type.ARRAY and node.expressions:
        return f"{_type(node.expressions[0])}[]"
    if node.this == exp.DataType.Type.DECIMAL and node.expressions:
        return f"DECIMAL({', '.join(part.name for part in node.expressions)})"
    found = _TYPES.get(node.this)
    if found is None:
        raise _NoName
    return found


def _case(node: exp.Expr) -> str:
    branches = "".join(f" WHEN ({_text(part.this)}) THEN ({_text(part.args['true'])})" for part in node.args["ifs"])
    subject = f" {_text(node.this)}" if node.this is not None else " "
    default = node.args.get("default")
    if node.this is not None:
        raise _NoName
    return f"CASE {subject[1:]}{branches} ELSE {'NULL' if default is None else _text(default)} END"


def _if(node: exp.Expr) -> str:
    default = node.args.get("false")
    other = "NULL" if default is None else _text(default)
    return f"CASE  WHEN ({_text(node.this)}) THEN ({_text(node.args['true'])}) ELSE {other} END"


def _not(node: exp.Expr) -> str:
    inner = node.this.this if isinstance(node.this, exp.Paren) else node.this
    match inner:
        case exp.Is() if isinstance(inner.expression, exp.Null):
            return f"({_text(inner.this)} IS NOT NULL)"
        case exp.In() if not inner.args.get("query") and not inner.args.get("field"):
            return f"({_text(inner.this)} NOT IN ({_list(inner.expressions)}))"
        case exp.Like() | exp.ILike():
            return f"({_text(inner.this)} !{_OPERATORS[type(inner)]} {_text(inner.expression)})"
    return f"(NOT {_text(inner)})"


def _is(node: exp.Expr) -> str:
    if not isinstance(node.expression, exp.Null):
        raise _NoName
    return f"({_text(node.this)} IS NULL)"


def _in(node: exp.Expr) -> str:
    if node.args.get("query") or node.args.get("field"):
        raise _NoName
    return f"({_text(node.this)} IN ({_list(node.expressions)}))"


def _list(nodes: list[exp.Expr]) -> str:
    return ", ".join(_text(node) for node in nodes)


def _window(node: exp.Expr) -> str:
    if node.args.get("alias") is not None or node.args.get("spec") is not None:
        raise _NoName
    parts = []
    if node.args.get("partition_by"):
        parts.append(f"PARTITION BY {_list(node.args['partition_by'])}")
    if node.args.get("order") is not None:
        parts.append(_order(node.args["order"]))
    return f"{_text(node.this)} OVER ({' '.join(parts)})"


def _order(node: exp.Expr) -> str:
    parts = [_text(part.this) + (" DESC" if part.args.get("desc") else "") for part in node.expressions]
    if any(part.args.get("nulls_first") for part in node.expressions):
        raise _NoName
    written = f"ORDER BY {', '.join(parts)}"
    return written if node.this is None else f"{_text(node.this)} {written}"


def _struct(node: exp.Expr) -> str:
    fields = ", ".join(f"{part.this.name} := {_text(part.expression)}" for part in node.expressions)
    return f"{'' if node.meta.get('name') else 'main.'}struct_pack({fields})"


def _array(node: exp.Expr) -> str:
    name = "list_value" if node.meta.get("name") else "main.list_value"
    return f"{name}({_list(node.expressions)})"


def _group_concat(node: exp.Expr) -> str:
    separator = node.args.get("separator")
    value, order = node.this, ""
    if isinstance(value, exp.Order):
        order, value = " " + _order(exp.Order(expressions=value.expressions)), value.this
    return f"string_agg({_text(value)}{'' if separator is None else ', ' + _text(separator)}{order})"


_RULES: dict[type[exp.Expr], Callable[[exp.Expr], str]] = {
    exp.Column: _column,
    exp.Identifier: lambda node: node.name,
    exp.Literal: _literal,
    exp.Null: lambda node: "NULL",
    exp.Boolean: lambda node: f"CAST('{'t' if node.this else 'f'}' AS BOOLEAN)",
    exp.Paren: lambda node: _text(node.this),
    exp.Neg: lambda node: f"-{_text(node.this)}" if isinstance(node.this, exp.Literal) else f"-({_text(node.this)})",
    exp.Not: _not,
    exp.Is: _is,
    exp.In: _in,
    exp.Between: lambda node: f"({_text(node.this)} BETWEEN {_text(node.args['low'])} AND {_text(node.args['high'])})",
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Case: _case,
    exp.If: _if,
    exp.Count: _count,
    exp.Distinct: lambda node: f"DISTINCT {_list(node.expressions)}",
    exp.Filter: lambda node: f"{_text(node.this)} FILTER (WHERE {_text(node.expression.this)})",
    exp.Window: _window,
    exp.Order: _order,
    exp.Coalesce: lambda node: f"COALESCE({_list([node.this, *node.expressions])})",
    exp.Bracket: lambda node: f"{_text(node.this)}[{_text(node.expressions[0])}]",
    exp.Struct: _struct,
    exp.Array: _array,
    exp.Tuple: lambda node: f'main."row"({_list(node.expressions)})',
    exp.GroupConcat: _group_concat,
    exp.Extract: lambda node: f"main.date_part('{node.this.name.lower()}', {_text(node.expression)})",
    exp.CurrentDate: lambda node: "today()" if node.meta.get("name") else "current_date",
    exp.IgnoreNulls: lambda node: (
        f"any_value({_text(node.this.this)})" if isinstance(node.this, exp.AnyValue) else _fail()
    ),
}


def _fail() -> str:
    raise _NoName
