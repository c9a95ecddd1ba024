"""Translation of operators, casts, literals and element access from DuckDB to Spark."""

import re

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.integers import (
    arithmetic,
    bits,
    complement,
    is_unsigned,
    negative,
    quotient,
    remainder,
    shift,
    within,
)
from forklake.sql.duckdb.nested_casts import cast_parts, casts_parts
from forklake.sql.duckdb.quantifiers import rewrite_in_query
from forklake.sql.duckdb.syntax import (
    OURS,
    Rule,
    call,
    cast_to,
    element_type,
    if_else,
    integer_value,
    kind,
    kind_of_type,
    lambda_of,
    mark_type,
    minus,
    number,
    paren,
    plus,
    text,
    type_of,
    variable,
)
from forklake.sql.duckdb.texts import as_text, concat_operand, evaluate_once, is_float32, read_text, read_unknown

_INFINITY = cast_to(text("Infinity"), "double")
_BEYOND_FLOAT = float.fromhex("0x1.ffffffp+127")
"""The smallest number that is rounded to an infinite FLOAT."""
_TYPE = exp.DataType.Type
_INTEGERS = frozenset(exp.DataType.INTEGER_TYPES)
_SPARK_TYPES = {
    _TYPE.INT128: "DECIMAL(38, 0)",
    _TYPE.UTINYINT: "SMALLINT",
    _TYPE.USMALLINT: "INT",
    _TYPE.UINT: "BIGINT",
    _TYPE.UBIGINT: "DECIMAL(20, 0)",
    _TYPE.TIMESTAMP: "TIMESTAMP_NTZ",
    _TYPE.TIMESTAMP_S: "TIMESTAMP_NTZ",
    _TYPE.TIMESTAMP_MS: "TIMESTAMP_NTZ",
    _TYPE.TIMESTAMP_NS: "TIMESTAMP_NTZ",
    _TYPE.DATETIME: "TIMESTAMP_NTZ",
    _TYPE.UUID: "STRING",
    _TYPE.TIME: "STRING",
    _TYPE.JSON: "STRING",
}
_REFUSED_TYPES = {_TYPE.BIT, _TYPE.ENUM, _TYPE.UNION, _TYPE.UINT128, _TYPE.TIMETZ, _TYPE.INTERVAL}
_TYPES_OF: dict[object, object] = {"uuid": _TYPE.UUID, "time": _TYPE.TIME}


def is_float32_pair(left: exp.Expr, right: exp.Expr) -> bool:
    """Whether the result type is FLOAT: one operand is, and the other is not DOUBLE."""
    return any(is_float32(value) for value in (left, right)) and all(
        is_float32(value) or kind(value) in ("int", "decimal") for value in (left, right)
    )


def _divide(node: exp.Expr) -> exp.Expr | None:
    """Division is of DOUBLE; division by zero returns an infinity or NaN as in IEEE 754."""
    assert isinstance(node, exp.Binary)
    left, right = node.left, node.right
    if kind(left) == "interval":
        return None
    if is_float32_pair(left, right):
        return mark_type(cast_to(_quotient(left, right), "float"), exp.DataType.build("float"))
    return _quotient(left, right)


def _quotient(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    dividend = left if kind(left) == "float" else cast_to(paren(left), "double")
    quotient = exp.Div(this=paren(dividend), expression=paren(right))
    if _is_nonzero(right):
        return exp.Paren(this=quotient)
    return if_else(
        exp.EQ(this=paren(right.copy()), expression=number(0)),
        exp.Mul(this=dividend.copy(), expression=_INFINITY.copy()),
        quotient,
    )


def _integer_divide(node: exp.Expr) -> exp.Expr | None:
    """Integer division truncates towards zero and returns NULL for zero; for other numbers it is ordinary division."""
    assert isinstance(node, exp.Binary)
    if {kind(node.left), kind(node.right)} & {"float", "decimal"}:
        is_zero = exp.EQ(this=paren(node.right.copy()), expression=number(0))
        found: exp.Expr = _divide(node) or node
        return found if _is_nonzero(node.right) else if_else(is_zero, exp.null(), found)
    whole = quotient(node, _null_if_zero(node.right))
    if whole is None:
        raise Untranslatable("// needs numbers whose types are known; cast them first.")
    return whole


def _modulo(node: exp.Expr) -> exp.Expr | None:
    assert isinstance(node, exp.Binary)
    if is_float32_pair(node.left, node.right):
        for side in ("this", "expression"):
            node.set(side, _as_float32(node.args[side]))
    if "float" in {kind(node.left), kind(node.right)} and not _is_nonzero(node.right):
        rest = exp.Mod(this=paren(node.left), expression=_null_if_zero(node.right))
        is_zero = exp.EQ(this=paren(node.right.copy()), expression=number(0))
        return if_else(is_zero, cast_to(text("NaN"), "double"), rest)
    plain = exp.Paren(this=exp.Mod(this=paren(node.left), expression=_null_if_zero(node.right)))
    return remainder(node, _null_if_zero(node.right)) or plain


def _as_float32(value: exp.Expr) -> exp.Expr:
    """A number as FLOAT, in which DuckDB computes if one operand is one; Spark would take DOUBLE."""
    return value if is_float32(value) else mark_type(cast_to(paren(value), "float"), exp.DataType.build("float"))


def _null_if_zero(node: exp.Expr) -> exp.Expr:
    return paren(node) if _is_nonzero(node) else call("NULLIF", node, 0)


def _is_nonzero(node: exp.Expr) -> bool:
    inner = node
    while isinstance(inner, exp.Paren | exp.Neg | exp.Cast):
        inner = inner.this
    if not isinstance(inner, exp.Literal) or inner.is_string:
        return False
    try:
        return float(inner.this) != 0
    except ValueError:
        # Such as 2e, for which Spark reports the error.
        return False


def _date_add(node: exp.Expr) -> exp.Expr | None:
    added = exp.Add(this=paren(node.this), expression=paren(node.expression))
    return exp.Paren(this=_add_or_subtract(added) or added)


def _add_or_subtract(node: exp.Expr) -> exp.Expr | None:
    """A date plus or minus an interval is a timestamp."""
    assert isinstance(node, exp.Binary)
    if kind(node.left) == "date" and kind(node.right) == "interval":
        return type(node)(this=cast_to(node.left, "timestamp_ntz"), expression=node.right)
    if kind(node.left) == "interval" and kind(node.right) == "date":
        return type(node)(this=cast_to(node.right, "timestamp_ntz"), expression=node.left)
    if isinstance(node, exp.Sub) and kind(node.left) == kind(node.right) == "date":
        return call("DATEDIFF", node.left, node.right)
    if "time" in (kind(node.left), kind(node.right)):
        raise Untranslatable("Arithmetic with TIME is not supported: Spark has no such type.")
    return arithmetic(node)


def _cast(node: exp.Expr) -> exp.Expr | None:
    """Casts to integers round; texts are parsed and formatted as far as DuckDB and Spark agree."""
    assert isinstance(node, exp.Cast)
    if node.meta.get(OURS):
        return None
    target, or_null = node.to, isinstance(node, exp.TryCast)
    value: exp.Expr = node.this
    constant = value.name if isinstance(value, exp.Literal) and value.is_string else None
    if target.this == _TYPE.VARBINARY and constant is not None:
        return exp.HexString(this=_parse_bytes(constant).hex().upper())
    if target.this == _TYPE.JSON and kind(value) not in (None, "text", "json"):
        raise Untranslatable("A value as JSON is not supported: Spark leaves NULLs out of it. Write the text of it.")
    if kind(value) in ("uuid", "time") and target.this == _TYPES_OF[kind(value)]:
        return value
    to = spark_type(target)
    if casts_parts(value, target):
        return cast_parts(value, target, lambda part, wanted: _cast_part(node, part, wanted))
    if _is_text_type(target):
        return cast_to(value, "string") if kind(value) in ("text", "json") else as_text(value)
    if kind(value) == "text":
        return read_text(value, target, to, or_null=or_null)
    if kind(value) in ("uuid", "time") or kind_of_type(target) in ("uuid", "time"):
        raise Untranslatable(f"A cast to or from {target.sql('duckdb')} is supported for texts only.")
    if kind(value) is None and not target.args.get("nested") and not isinstance(value.unnest(), exp.Null):
        return read_unknown(value, target, to, or_null=or_null)
    if kind(value) == "list":
        return _cast_list(node)
    if target.this in _INTEGERS and kind(value) in ("decimal", "float"):
        value = call("ROUND" if kind(value) == "decimal" else "RINT", value)
    if is_unsigned(target):
        return within(cast_to(paren(value), "decimal(38, 0)"), target, or_null=or_null)
    if target.this == _TYPE.FLOAT and kind(value) == "float" and not is_float32(value):
        return evaluate_once(value, lambda given: _float_of_double(given, or_null=or_null))
    node.set("to", to)
    node.set("this", value)
    return node


def _float_of_double(value: exp.Expr, *, or_null: bool) -> exp.Expr:
    """A DOUBLE as FLOAT; a finite number that is too large is an error, or NULL, while Spark returns infinity."""
    size = call("ABS", value.copy())
    is_finite = exp.LT(this=size, expression=_INFINITY.copy())
    is_beyond = exp.GTE(this=size.copy(), expression=cast_to(text(repr(_BEYOND_FLOAT)), "double"))
    problem = exp.null() if or_null else call("RAISE_ERROR", "A DOUBLE is out of range for the type FLOAT")
    return if_else(exp.and_(is_finite, is_beyond), problem, cast_to(value.copy(), "float"))


def _concatenate(node: exp.Expr) -> exp.Expr | None:
    """|| concatenates lists and blobs; all other operands are converted to text."""
    assert isinstance(node, exp.Binary)
    kinds = {kind(node.left), kind(node.right)}
    if "list" in kinds and any(isinstance(side.unnest(), exp.Null) for side in (node.left, node.right)):
        return if_else(exp.true(), exp.null(), node.left if kind(node.left) == "list" else node.right)
    if "list" in kinds or kinds == {"blob"}:
        return node
    unknown = kinds <= {None, "blob"}
    for key in ("this", "expression"):
        part = node.args[key]
        node.set(key, concat_operand(part) if unknown and kind(part) is None else paren(as_text(part)))
    return node


def _is_text_type(type_: exp.DataType) -> bool:
    return type_.this in exp.DataType.TEXT_TYPES or type_.this == _TYPE.JSON


def _cast_list(node: exp.Cast) -> exp.Expr:
    """Each element is cast as it would be alone."""
    given, wanted = element_type(node.this), node.to.expressions[0] if node.to.expressions else None
    if given is None or not isinstance(wanted, exp.DataType) or kind_of_type(given) is None:
        raise Untranslatable("A list of elements whose type is not known cannot be cast; cast its elements.")
    element = type(node)(this=mark_type(variable("_e"), given), to=wanted, safe=node.args.get("safe"))
    return call("TRANSFORM", node.this, lambda_of(_cast(element) or element, "_e"))


def _cast_part(node: exp.Cast, part: exp.Expr, wanted: exp.DataType) -> exp.Expr:
    """A part of a value as it would be cast alone."""
    if type_of(part) == wanted:
        return part
    alone = type(node)(this=part, to=wanted.copy(), safe=node.args.get("safe"))
    return _cast(alone) or alone


def spark_type(type_: exp.DataType) -> exp.DataType:
    """The Spark type for a DuckDB type."""
    result = type_.copy()
    for part in list(result.find_all(exp.DataType)):
        if part.this in _REFUSED_TYPES or part.this == _TYPE.USERDEFINED:
            raise Untranslatable(f"The type {part.sql('duckdb')} has no counterpart in Spark.")
        if part.this == _TYPE.ARRAY and len(part.expressions) == 1 and part.args.get("values"):
            part.set("values", None)
        if part.this in _SPARK_TYPES:
            new = exp.DataType.build(_SPARK_TYPES[part.this], dialect="spark")
            if part is result:
                return new
            part.replace(new)
    return result


def _parse_bytes(value: str) -> bytes:
    if re.fullmatch(r"(?:[\x00-\x5B\x5D-\x7F]|\\x[0-9A-Fa-f]{2})*", value) is None:
        raise Untranslatable(
            "Bytes are written as ASCII characters, or as \\xAB; write encode(…) for the bytes of a text."
        )
    parts = re.split(r"\\x([0-9A-Fa-f]{2})", value)
    return b"".join(bytes.fromhex(part) if index % 2 else part.encode() for index, part in enumerate(parts))


def _bracket(node: exp.Expr) -> exp.Expr | None:
    """Indexes are 1-based, or from the end if negative; a missing element is NULL."""
    assert isinstance(node, exp.Bracket)
    value, key = node.this, node.expressions[0]
    if isinstance(key, exp.Slice):
        return slice_of(value, key.this, key.expression, key.args.get("step"))
    return element_of(value, key)


def element_of(value: exp.Expr, key: exp.Expr) -> exp.Expr:
    """The element of a list at an index, the value of a map for a key, or a field of a struct."""
    found, type_ = _element_of(value, key), _part_type(value, key)
    return found if type_ is None else mark_type(found, type_)


def _part_type(value: exp.Expr, key: exp.Expr) -> exp.DataType | None:
    known = type_of(value)
    parts = [] if known is None else known.expressions
    found: object = None
    match kind(value):
        case "map" if len(parts) == 2:
            found = parts[1]
        case "struct":
            found = next((part.args.get("kind") for part in parts if part.name.lower() == key.name.lower()), None)
        case "list":
            found = element_type(value)
    return found if isinstance(found, exp.DataType) else None


def _element_of(value: exp.Expr, key: exp.Expr) -> exp.Expr:
    if kind(value) == "text":
        character = call("SUBSTRING", value, key, 1)
        if integer_value(key):
            return character
        # There is no character before the first.
        is_zero = exp.EQ(this=paren(key.copy()), expression=number(0))
        return if_else(is_zero, call("LEFT", value.copy(), 0), character)
    if isinstance(key, exp.Literal) and key.is_string:
        return exp.Bracket(this=paren(value), expressions=[key])
    if kind(value) == "struct":
        position = integer_value(key)
        fields = (type_of(value) or exp.DataType()).expressions
        if position is None or not 1 <= position <= len(fields):
            raise Untranslatable("A field of a struct has to be named by a constant.")
        return exp.Bracket(this=paren(value), expressions=[text(fields[position - 1].name)])
    if kind(value) == "list" and integer_value(key) == 0:
        key = exp.null()
    if kind(value) == "list" and integer_value(key) is None:
        key = cast_to(call("NULLIF", key, 0), "int")
    return call("TRY_ELEMENT_AT", value, key)


def slice_of(value: exp.Expr, start: exp.Expr | None, end: exp.Expr | None, step: exp.Expr | None) -> exp.Expr:
    """A slice of a list or a text; bounds are inclusive, 1-based, and from the end if negative; NULL if one is NULL."""
    bounds = [bound for bound in (start, end) if bound is not None]
    if any(isinstance(bound.unnest(), exp.Null) for bound in bounds):
        return if_else(exp.true(), exp.null(), value)
    nulls = [exp.Is(this=paren(each.copy()), expression=exp.null()) for each in bounds if integer_value(each) is None]
    found = _slice_of(value, start, end, step)
    return if_else(exp.or_(*nulls), exp.null(), found) if nulls else found


def _slice_of(value: exp.Expr, start: exp.Expr | None, end: exp.Expr | None, step: exp.Expr | None) -> exp.Expr:
    is_text = kind(value) == "text"
    if step is not None and (is_text or (integer_value(step) or 0) < 1):
        raise Untranslatable("The step of a slice has to be a constant above zero, and the value a list.")
    size = call("LENGTH" if is_text else "SIZE", value.copy())
    first = number(1) if start is None else _slice_bound(start, size)
    last = size.copy() if end is None else _slice_bound(end, size)
    if is_text:
        begin = call("GREATEST", first, 1)
        return call("SUBSTRING", value, begin, call("GREATEST", plus(minus(last, begin.copy()), number(1)), 0))
    low, high = integer_value(first), integer_value(last)
    if step is None and low is not None and high is not None:
        return call("SLICE", value, max(low, 1), max(high - max(low, 1) + 1, 0))
    place = plus(variable("_i"), number(1))
    inside: exp.Expr = exp.Between(this=place, low=paren(first), high=paren(last))
    if step is not None:
        offset = exp.Mod(this=minus(place.copy(), paren(first.copy())), expression=step)
        inside = exp.and_(inside, exp.EQ(this=offset, expression=number(0)))
    return call("FILTER", value, lambda_of(inside, "_x", "_i"))


def _slice_bound(bound: exp.Expr, size: exp.Expr) -> exp.Expr:
    place = integer_value(bound)
    if place is not None:
        return number(place) if place >= 0 else plus(size.copy(), number(place + 1))
    from_end = plus(plus(size.copy(), bound.copy()), number(1))
    return if_else(exp.LT(this=paren(bound.copy()), expression=number(0)), from_end, bound)


def _to_map(node: exp.Expr) -> exp.Expr | None:
    entries = node.this.expressions if isinstance(node.this, exp.Struct) else []
    parts = [part for entry in entries for part in (entry.this, entry.expression)]
    return call("MAP", *parts)


def _tuple(node: exp.Expr) -> exp.Expr | None:
    """A row of values is a struct, except as an operand of a comparison or IN, or as a row of VALUES."""
    parent = node.parent
    if isinstance(parent, exp.Values | exp.In | exp.Tuple | exp.Group | exp.GroupingSets | exp.Cube | exp.Rollup):
        return None
    if isinstance(parent, exp.Binary) and isinstance(parent, exp.Predicate):
        return None
    return call("STRUCT", *node.expressions)


def _in(node: exp.Expr) -> exp.Expr | None:
    """IN with a list value tests for membership."""
    assert isinstance(node, exp.In)
    field = node.args.get("field")
    if node.args.get("query") is not None:
        return rewrite_in_query(node, node)
    if field is None:
        return None
    if kind(field) == "map":
        return call("MAP_CONTAINS_KEY", field, node.this)
    return contains(field, node.this)


def contains(values: exp.Expr, wanted: exp.Expr) -> exp.Expr:
    """Whether a list contains a value, ignoring NULLs."""
    if isinstance(wanted.unnest(), exp.Null):
        return cast_to(exp.null(), "boolean")
    return call("ARRAY_CONTAINS", call("ARRAY_COMPACT", values), element_for(values, wanted))


def element_for(values: exp.Expr, wanted: exp.Expr) -> exp.Expr:
    """A value to search for in a list: a text is cast to the element type."""
    inner = element_type(values)
    if inner is None or kind(wanted) != "text" or kind_of_type(inner) in ("text", "json"):
        return wanted
    return read_text(wanted, inner, spark_type(inner), or_null=False)


def _like(node: exp.Expr) -> exp.Expr | None:
    """Without ESCAPE, patterns have no escape character."""
    pattern = node.expression
    if isinstance(node.parent, exp.Escape):
        return None
    if not isinstance(pattern, exp.Literal):
        node.set("expression", call("REPLACE", pattern, "\\", "\\\\"))
    elif "\\" in pattern.name:
        node.set("expression", text(pattern.name.replace("\\", "\\\\")))
    return node


def _full_match(node: exp.Expr) -> exp.Expr | None:
    options = node.args.get("options")
    if options is not None:
        raise Untranslatable("regexp_full_match with options is not supported.")
    return call("REGEXP_LIKE", node.this, call("CONCAT", "\\A(?:", node.expression, ")\\z"))


def _json_extract(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node.parent, exp.JSONExtract | exp.JSONExtractScalar):
        return None
    raise Untranslatable("-> on JSON returns JSON, which Spark does not support as DuckDB does; use ->> for the text.")


def _refuse(message: str) -> Rule:
    def rule(node: exp.Expr) -> exp.Expr | None:
        raise Untranslatable(message)

    return rule


OPERATORS: dict[type[exp.Expr], Rule] = {
    exp.Div: _divide,
    exp.IntDiv: _integer_divide,
    exp.Mod: _modulo,
    exp.Add: _add_or_subtract,
    exp.Sub: _add_or_subtract,
    exp.Mul: arithmetic,
    exp.BitwiseAnd: bits,
    exp.BitwiseOr: bits,
    exp.BitwiseXor: bits,
    exp.BitwiseLeftShift: shift,
    exp.BitwiseRightShift: shift,
    exp.BitwiseNot: complement,
    exp.Neg: negative,
    exp.DateAdd: _date_add,
    exp.DPipe: _concatenate,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Bracket: _bracket,
    exp.ToMap: _to_map,
    exp.Tuple: _tuple,
    exp.In: _in,
    exp.Like: _like,
    exp.ILike: _like,
    exp.RegexpFullMatch: _full_match,
    exp.SimilarTo: _full_match,
    exp.JSONExtract: _json_extract,
    exp.Glob: _refuse("GLOB is not supported: Spark has no such patterns; use LIKE or regexp_matches."),
}
