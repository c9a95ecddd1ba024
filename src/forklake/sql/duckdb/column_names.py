"""Result column names as DuckDB generates them: the text of the expression, in its own spelling."""

import re
from collections.abc import Callable

from sqlglot import exp

from forklake.sql.duckdb.spelling import FUNCTIONS, KEYWORDS, OPERATORS, TYPES

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_GIVEN = "forklake_given"
LAMBDA_KEYWORD = "forklake_lambda_keyword"
"""Metadata key of a lambda that was written with LAMBDA and not with an arrow."""
_SYNTAX = frozenset({"substring", "trim", "position", "row", "map"})


class _NoName(Exception):
    """DuckDB's spelling of an expression is not known."""


def result_name(node: exp.Expr) -> str | None:
    """The generated name of an unnamed expression; None if it has a name.

    If DuckDB's spelling is not known, this is the expression itself: better than Spark's name of its translation.
    """
    if isinstance(node, exp.Alias | exp.Star | exp.Column | exp.Columns | exp.Aliases):
        return None
    if isinstance(node, exp.Dot) and not isinstance(node.expression, exp.Identifier):
        return None
    if isinstance(node, exp.Paren):
        return result_name(node.this)
    try:
        return _spell(node)
    except (_NoName, AttributeError, IndexError, TypeError):
        return _without_given_names(node).sql("duckdb", normalize_functions="lower")


def with_result_name(node: exp.Expr, name: str) -> exp.Expr:
    """The expression with a generated name, as an alias or as the alias of a query itself."""
    found = exp.alias_(node.copy(), name, quoted=True)
    found.meta[_GIVEN] = True
    return found


def _without_given_names(node: exp.Expr) -> exp.Expr:
    """Without generated names: a name made of names would grow with each enclosing query."""
    written = node.copy()
    for part in [part for part in written.walk() if part.meta.get(_GIVEN)]:
        if isinstance(part, exp.Alias):
            part.replace(part.this)
        else:
            part.set("alias", None)
    return written


def _spell(node: exp.Expr) -> str:
    operator = OPERATORS.get(type(node))
    if operator is not None and isinstance(node, exp.Binary):
        name = node.meta.get("name")
        if name is not None:
            return f"{_identifier(str(name))}({_spell(node.left)}, {_spell(node.right)})"
        negated = "!" if node.args.get("negate") else ""
        return f"({_spell(node.left)} {negated}{operator} {_spell(node.right)})"
    rule = _RULES.get(type(node))
    if rule is not None:
        return rule(node)
    if isinstance(node, exp.Func | exp.RegexpFullMatch | exp.SimilarTo):
        return _call(node)
    raise _NoName


def _identifier(name: str) -> str:
    return f'"{name}"' if name.lower() in KEYWORDS or not _PLAIN.match(name) else name


def _column(node: exp.Expr) -> str:
    assert isinstance(node, exp.Column)
    return ".".join(_identifier(part.name) for part in node.parts)


def _literal(node: exp.Expr) -> str:
    assert isinstance(node, exp.Literal)
    if node.is_string:
        return "'" + node.name.replace("'", "''") + "'"
    if "e" in node.name.lower():
        raise _NoName
    return node.name


def _call(node: exp.Expr) -> str:
    name = node.meta.get("name") or (node.name if isinstance(node, exp.Anonymous) else FUNCTIONS.get(type(node)))
    if name is None:
        raise _NoName
    if isinstance(node, _SPECIAL):
        return _special_call(node, str(name))
    inner: list[str] = []
    for key, value in node.args.items():
        if (key == "this" and isinstance(node, exp.Anonymous)) or isinstance(value, bool) or value is None:
            continue
        inner.extend(_spell(part) for part in (value if isinstance(value, list) else [value]))
    return _spell_call(str(name), inner, node)


def _spell_call(name: str, inner: list[str], node: exp.Expr) -> str:
    lower = name.lower()
    path = "main." if lower in _SYNTAX and not (lower == "map" and node.meta.get("name")) else ""
    return f"{path}{_identifier(lower)}({', '.join(inner)})"


_SPECIAL = (
    exp.GenerateSeries, exp.DateDiff, exp.TimestampTrunc, exp.DateTrunc, exp.ArraySort, exp.Log, exp.ArrayPrepend,
    exp.Trim, exp.UnixToTime, exp.RegexpExtract, exp.RegexpExtractAll, exp.Encode, exp.Decode,
)  # fmt: skip


def _special_call(node: exp.Expr, name: str) -> str:
    match node:
        case exp.DateDiff():
            parts = [f"'{node.args['unit'].name.lower()}'", _spell(node.expression), _spell(node.this)]
        case exp.TimestampTrunc() | exp.DateTrunc():
            parts = [f"'{node.args['unit'].name.lower()}'", _spell(node.this)]
        case exp.GenerateSeries():
            # The parser adds the start of 0 if none was written.
            start, end, step = node.args["start"], node.args["end"], node.args.get("step")
            parts = [_spell(part) for part in (start, end, step) if part is not None]
            if step is None and _spell(start) == "0":
                parts = parts[1:]
        case exp.ArraySort() if name != "list_reverse_sort" and (node.args.get("asc") or node.args["nulls_first"].this):
            raise _NoName
        case exp.Log() if node.expression is not None:
            parts = [_spell(node.expression)] if name.lower() != "log" else [_spell(node.this), _spell(node.expression)]
        case exp.ArrayPrepend():
            parts = [_spell(node.expression), _spell(node.this)]
        case exp.Trim() if node.expression is not None:
            parts = [_spell(node.this), _spell(node.expression)]
        case exp.RegexpExtract() | exp.RegexpExtractAll():
            group = node.args.get("group")
            parts = [_spell(node.this), _spell(node.expression)]
            # The parser adds the group 0 if none was written.
            parts += [] if group is None or group.name == "0" else [_spell(group)]
        case _:
            parts = [_spell(node.this)]
    return _spell_call(name, parts, node)


def _count(node: exp.Expr) -> str:
    if node.this is None or isinstance(node.this, exp.Star):
        return "count()" if isinstance(node.parent, exp.Window) else "count_star()"
    return f"count({_spell(node.this)})"


def _cast(node: exp.Expr) -> str:
    assert isinstance(node, exp.Cast)
    name = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
    return f"{name}({_spell(node.this)} AS {_spell_type(node.to)})"


def _spell_type(node: exp.DataType) -> str:
    if node.this == exp.DataType.Type.ARRAY and node.expressions:
        return f"{_spell_type(node.expressions[0])}[]"
    if node.this == exp.DataType.Type.DECIMAL and node.expressions:
        return f"DECIMAL({', '.join(part.name for part in node.expressions)})"
    if node.this == exp.DataType.Type.STRUCT:
        return f"STRUCT({', '.join(f'{part.name} {_spell_type(part.kind)}' for part in node.expressions)})"
    found = TYPES.get(node.this)
    if found is None:
        raise _NoName
    return found


def _case(node: exp.Expr) -> str:
    branches = "".join(f" WHEN ({_spell(part.this)}) THEN ({_spell(part.args['true'])})" for part in node.args["ifs"])
    subject = f" {_spell(node.this)}" if node.this is not None else " "
    default = node.args.get("default")
    if node.this is not None:
        raise _NoName
    return f"CASE {subject[1:]}{branches} ELSE {'NULL' if default is None else _spell(default)} END"


def _if(node: exp.Expr) -> str:
    default = node.args.get("false")
    other = "NULL" if default is None else _spell(default)
    return f"CASE  WHEN ({_spell(node.this)}) THEN ({_spell(node.args['true'])}) ELSE {other} END"


def _not(node: exp.Expr) -> str:
    inner = node.this.this if isinstance(node.this, exp.Paren) else node.this
    match inner:
        case exp.Is() if isinstance(inner.expression, exp.Null):
            return f"({_spell(inner.this)} IS NOT NULL)"
        case exp.In() if not inner.args.get("query") and not inner.args.get("field"):
            return f"({_spell(inner.this)} NOT IN ({_spell_list(inner.expressions)}))"
    return f"(NOT {_spell(inner)})"


def _is(node: exp.Expr) -> str:
    if not isinstance(node.expression, exp.Null):
        raise _NoName
    return f"({_spell(node.this)} IS NULL)"


def _in(node: exp.Expr) -> str:
    if node.args.get("query"):
        raise _NoName
    if node.args.get("field"):
        return f"contains({_spell(node.args['field'])}, {_spell(node.this)})"
    return f"({_spell(node.this)} IN ({_spell_list(node.expressions)}))"


def _spell_list(nodes: list[exp.Expr]) -> str:
    return ", ".join(_spell(node) for node in nodes)


def _window(node: exp.Expr) -> str:
    if node.args.get("alias") is not None or node.args.get("spec") is not None:
        raise _NoName
    parts = []
    if node.args.get("partition_by"):
        parts.append(f"PARTITION BY {_spell_list(node.args['partition_by'])}")
    if node.args.get("order") is not None:
        parts.append(_order(node.args["order"]))
    return f"{_spell(node.this)} OVER ({' '.join(parts)})"


def _order(node: exp.Expr) -> str:
    parts = [_spell(part.this) + (" DESC" if part.args.get("desc") else "") for part in node.expressions]
    if any(part.args.get("nulls_first") for part in node.expressions):
        raise _NoName
    written = f"ORDER BY {', '.join(parts)}"
    return written if node.this is None else f"{_spell(node.this)} {written}"


def _struct(node: exp.Expr) -> str:
    fields = ", ".join(f"{part.this.name} := {_spell(part.expression)}" for part in node.expressions)
    return f"{'' if node.meta.get('name') else 'main.'}struct_pack({fields})"


def _array(node: exp.Expr) -> str:
    name = "list_value" if node.meta.get("name") else "main.list_value"
    return f"{name}({_spell_list(node.expressions)})"


def _group_concat(node: exp.Expr) -> str:
    separator = node.args.get("separator")
    value, order = node.this, ""
    if isinstance(value, exp.Order):
        order, value = " " + _order(exp.Order(expressions=value.expressions)), value.this
    return f"string_agg({_spell(value)}{'' if separator is None else ', ' + _spell(separator)}{order})"


def _bracket(node: exp.Expr) -> str:
    key = node.expressions[0]
    if not isinstance(key, exp.Slice):
        return f"{_spell(node.this)}[{_spell(key)}]"
    bounds = [("" if bound is None else _spell(bound)) for bound in (key.this, key.expression)]
    step = key.args.get("step")
    return f"{_spell(node.this)}[{':'.join([*bounds, *([] if step is None else [_spell(step)])])}]"


def _map(node: exp.Expr) -> str:
    entries = node.this.expressions
    keys, values = _spell_list([entry.this for entry in entries]), _spell_list([entry.expression for entry in entries])
    return f'main."map"(main.list_value({keys}), main.list_value({values}))'


def _interval(node: exp.Expr) -> str:
    unit = node.args.get("unit")
    if unit is None:
        return f"CAST({_spell(node.this)} AS INTERVAL)"
    amount = node.this.name if isinstance(node.this, exp.Literal) else _spell(node.this)
    name = unit.name.lower().rstrip("s")
    type_ = "BIGINT" if name in ("hour", "minute") else "INTEGER"
    if name in ("second", "millisecond", "microsecond"):
        raise _NoName
    return f"to_{name}s(CAST(trunc(CAST({amount} AS DOUBLE)) AS {type_}))"


def _lambda(node: exp.Expr) -> str:
    names = [part.name for part in node.expressions]
    if node.meta.get(LAMBDA_KEYWORD):
        return f"(lambda {', '.join(names)}: {_spell(node.this)})"
    arguments = names[0] if len(names) == 1 else f'main."row"({", ".join(names)})'
    return f"({arguments} -> {_spell(node.this)})"


_RULES: dict[type[exp.Expr], Callable[[exp.Expr], str]] = {
    exp.Column: _column,
    exp.Identifier: lambda node: node.name,
    exp.Literal: _literal,
    exp.Null: lambda node: "NULL",
    exp.Boolean: lambda node: f"CAST('{'t' if node.this else 'f'}' AS BOOLEAN)",
    exp.Paren: lambda node: _spell(node.this),
    exp.Neg: lambda node: f"-{_spell(node.this)}" if isinstance(node.this, exp.Literal) else f"-({_spell(node.this)})",
    exp.Not: _not,
    exp.Is: _is,
    exp.In: _in,
    exp.Between: lambda node: (
        f"({_spell(node.this)} BETWEEN {_spell(node.args['low'])} AND {_spell(node.args['high'])})"
    ),
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Case: _case,
    exp.If: _if,
    exp.Count: _count,
    exp.Distinct: lambda node: f"DISTINCT {_spell_list(node.expressions)}",
    exp.Filter: lambda node: f"{_spell(node.this)} FILTER (WHERE {_spell(node.expression.this)})",
    exp.Window: _window,
    exp.Order: _order,
    exp.Coalesce: lambda node: f"COALESCE({_spell_list([node.this, *node.expressions])})",
    exp.Bracket: _bracket,
    exp.Interval: _interval,
    exp.Lambda: _lambda,
    exp.BitwiseNot: lambda node: f"~({_spell(node.this)})",
    exp.BitwiseXor: lambda node: f"xor({_spell(node.this)}, {_spell(node.expression)})",
    exp.StartsWith: lambda node: (
        _call(node) if node.meta.get("name") else f"({_spell(node.this)} ^@ {_spell(node.expression)})"
    ),
    exp.ByteString: lambda node: "'" + node.name.replace("'", "''") + "'",
    exp.RawString: lambda node: "'" + node.name.replace("'", "''") + "'",
    exp.ToMap: _map,
    exp.CurrentTimestamp: lambda node: "current_timestamp",
    exp.Dot: lambda node: f"({_spell(node.this)}).{_identifier(node.expression.name)}",
    exp.Struct: _struct,
    exp.Array: _array,
    exp.Tuple: lambda node: f'main."row"({_spell_list(node.expressions)})',
    exp.GroupConcat: _group_concat,
    exp.Extract: lambda node: f"main.date_part('{node.this.name.lower()}', {_spell(node.expression)})",
    exp.CurrentDate: lambda node: "today()" if node.meta.get("name") else "current_date",
    exp.IgnoreNulls: lambda node: (
        f"any_value({_spell(node.this.this)})" if isinstance(node.this, exp.AnyValue) else _raise_no_name()
    ),
}


def _raise_no_name() -> str:
    raise _NoName
