"""Casts from and to text, from DuckDB to Spark.

The two parse many texts differently. Spark casts those that both parse alike; all others are rejected, at translation
or at run time. No text is silently parsed in two different ways.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.syntax import (
    Kind,
    call,
    cast_to,
    element_kind,
    element_type,
    if_else,
    kind,
    kind_of_type,
    lambda_of,
    mark_type,
    type_of,
    variable,
)

READ_APART = "which DuckDB and Spark may read differently"
WRITTEN_APART = "which DuckDB and Spark may write differently"
"""Parts of the messages of errors raised at run time for such values."""

_TYPE = exp.DataType.Type
_SPACE = r"[ \t\n\x0B\f\r]*"
_DIGITS = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_DAY = r"(?!0000)[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_ANY_NUMBER = r"\A\s*[-+0-9_.][-+0-9a-fA-FxX_.\s]*\z"
_ANY_DOUBLE = r"(?is)\A\s*(?:[-+0-9_.][-+0-9e_.\s]*|[-+\s]*(?:inf|nan).*)\z"
_ANY_TIME = r"(?i)[0-9]|epoch|inf"


@dataclass(frozen=True, slots=True)
class _TextForm:
    """Patterns of texts for a type: those that both systems parse alike, and all that DuckDB may parse."""

    alike: str
    readable: str = ""
    instead: str = ""

    @property
    def whole(self) -> str:
        return rf"\A(?:{self.alike})\z"


def _moment_form(fraction: str, zone: str = "") -> _TextForm:
    seconds = f":[0-5][0-9]{fraction}"
    return _TextForm(rf"{_SPACE}{_DAY}(?:[ T]{_CLOCK}(?:{seconds}{zone})?)?", _ANY_TIME, "write YYYY-MM-DD HH:MM:SS")


_INTEGER = _TextForm(
    rf"{_SPACE}[-+]?[0-9]+{_SPACE}", _ANY_NUMBER, "write digits only, or cast to DECIMAL or DOUBLE first"
)
_HUGE = _TextForm(rf"{_SPACE}[-+]?[0-9]{{1,38}}{_SPACE}", _ANY_NUMBER, "write up to 38 digits")
_DOUBLE = _TextForm(
    rf"{_SPACE}[-+]?{_DIGITS}(?:[eE][-+]?[0-9]+)?{_SPACE}|[-+]?(?:[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)|[nN][aA][nN]",
    _ANY_DOUBLE,
    "write digits, with a point or an exponent",
)
_MICROSECONDS = r"(?:\.[0-9]{1,9})?"
_FORMS: dict[object, _TextForm] = {
    **dict.fromkeys((_TYPE.TINYINT, _TYPE.SMALLINT, _TYPE.INT, _TYPE.BIGINT), _INTEGER),
    _TYPE.INT128: _HUGE,
    _TYPE.FLOAT: _DOUBLE,
    _TYPE.DOUBLE: _DOUBLE,
    _TYPE.DECIMAL: _TextForm(rf"{_SPACE}[-+]?{_DIGITS}{_SPACE}", _ANY_NUMBER, "write digits, with or without a point"),
    _TYPE.BOOLEAN: _TextForm(r"(?i:true|false|t|f|yes|no|y|n|1|0)"),
    _TYPE.DATE: _TextForm(rf"{_SPACE}{_DAY}(?:[ T][0-9:.]*)?{_SPACE}", _ANY_TIME, "write YYYY-MM-DD"),
    **dict.fromkeys(
        (_TYPE.TIMESTAMP, _TYPE.TIMESTAMPNTZ, _TYPE.DATETIME, _TYPE.TIMESTAMP_NS), _moment_form(_MICROSECONDS)
    ),
    _TYPE.TIMESTAMP_MS: _moment_form(r"(?:\.[0-9]{1,3})?"),
    _TYPE.TIMESTAMP_S: _moment_form(""),
    **dict.fromkeys(
        (_TYPE.TIMESTAMPTZ, _TYPE.TIMESTAMPLTZ),
        _moment_form(_MICROSECONDS, r"(?:Z|[-+](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?"),
    ),
    _TYPE.UUID: _TextForm(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", r"[0-9a-fA-F]", "write its dashes"),
    _TYPE.TIME: _TextForm(rf"{_CLOCK}:[0-5][0-9](?:\.[0-9]{{1,6}})?", r"[0-9]", "write HH:MM:SS"),
    _TYPE.VARBINARY: _TextForm(r"[ -\[\]-~]*", r"(?s).", "write encode(…) for the bytes of a text"),
}


def read_text(value: exp.Expr, target: exp.DataType, spark_type: exp.DataType, *, or_null: bool) -> exp.Expr:
    """Cast a text to another type, as CAST or, if `or_null`, as TRY_CAST."""
    form = _FORMS.get(target.this)
    if form is None:
        raise Untranslatable(f"A text cannot be read as {target.sql('duckdb')}; cast it to another type first.")
    inner = value.unnest()
    if isinstance(inner, exp.Literal):
        return _read_constant(inner, form, target, spark_type, or_null)
    return mark_type(
        evaluate_once(value, lambda given: _read_checked(given, form, target, spark_type, or_null)), target
    )


def _read_constant(
    literal: exp.Literal, form: _TextForm, target: exp.DataType, spark_type: exp.DataType, or_null: bool
) -> exp.Expr:
    if _python_pattern(form.whole).search(literal.name):
        return _read_plain(literal, target, spark_type, or_null)
    if or_null and not _may_be_readable(form, literal.name):
        return exp.Cast(this=exp.null(), to=spark_type)
    advice = f"; {form.instead}" if form.instead else ""
    raise Untranslatable(f"'{literal.name}' is a text for {target.sql('duckdb')} {READ_APART}, or not at all{advice}.")


def is_refused_text(given: str, target: exp.DataType) -> bool:
    """Whether TRY_CAST rejects a text: one that is neither parsed alike nor certain to be unparsable."""
    form = _FORMS[target.this]
    return _python_pattern(form.whole).search(given) is None and _may_be_readable(form, given)


def _may_be_readable(form: _TextForm, given: str) -> bool:
    return bool(form.readable) and _python_pattern(form.readable).search(given) is not None


def _python_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(r"\z", r"\Z"), re.ASCII)


def _read_checked(
    value: exp.Expr, form: _TextForm, target: exp.DataType, spark_type: exp.DataType, or_null: bool
) -> exp.Expr:
    unlike = exp.Not(this=call("REGEXP_LIKE", value.copy(), form.whole))
    advice = f"; {form.instead}" if form.instead else ""
    problem = _raise_error(value, f"' is a text for {target.sql('duckdb')} {READ_APART}, or not at all{advice}")
    if or_null and form.readable:
        problem = if_else(call("REGEXP_LIKE", value.copy(), form.readable), problem, exp.null())
    elif or_null:
        problem = exp.null()
    return if_else(unlike, problem, _read_plain(value, target, spark_type, or_null))


def _read_plain(value: exp.Expr, target: exp.DataType, spark_type: exp.DataType, or_null: bool) -> exp.Expr:
    if target.this == _TYPE.UUID:
        return mark_type(call("LOWER", value), target)
    if target.this == _TYPE.TIME:
        return mark_type(call("REGEXP_REPLACE", value, r"(\.[0-9]*[1-9])0+$|\.0+$", "$1"), target)
    return _cast_or_null(value, spark_type, or_null)


def _cast_or_null(value: exp.Expr, spark_type: exp.DataType, or_null: bool) -> exp.Expr:
    return exp.TryCast(this=value, to=spark_type, safe=True) if or_null else exp.Cast(this=value, to=spark_type)


def _raise_error(value: exp.Expr, message: str) -> exp.Expr:
    return call("RAISE_ERROR", call("CONCAT", "'", value.copy(), message))


def evaluate_once(value: exp.Expr, rule: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Apply a rule that uses a value more than once, such that the value is evaluated once."""
    if isinstance(value.unnest(), exp.Column | exp.Literal | exp.Identifier):
        return rule(value)
    found = call("TRANSFORM", call("ARRAY", value), lambda_of(rule(variable("_t")), "_t"))
    return call("ELEMENT_AT", found, 1)


def raise_if(value: exp.Expr, is_wrong: Callable[[exp.Expr], exp.Expr], problem: str) -> exp.Expr:
    """A value, with an error at run time if it is wrong."""
    return evaluate_once(value, lambda given: if_else(is_wrong(given.copy()), call("RAISE_ERROR", problem), given))


_SURE = r"string|void|boolean|tinyint|smallint|int|bigint|decimal\([0-9]+,0\)"
"""Pattern of Spark types whose values both systems format alike."""
_NOT_KNOWN = "The type of a value is known only to Spark, and its values are texts {}; cast it to its type first"


def as_text(value: exp.Expr) -> exp.Expr:
    """The value as text, in DuckDB's format."""
    if isinstance(value.unnest(), exp.Null):
        return cast_to(value, "string")
    rule = _WRITTEN.get(kind(value) or "")
    return (
        evaluate_once(value, lambda given: _cast_to_string(require_spark_type(given, _SURE)))
        if rule is None
        else rule(value)
    )


def require_spark_type(value: exp.Expr, types: str) -> exp.Expr:
    """Check at run time that a value of unknown type has one of these Spark types."""
    is_sure = call("REGEXP_LIKE", call("TYPEOF", value.copy()), rf"\A(?:{types})\z")
    return if_else(is_sure, value, call("RAISE_ERROR", _NOT_KNOWN.format(WRITTEN_APART)))


def concat_operand(value: exp.Expr) -> exp.Expr:
    """An operand of || whose other operand may be a list."""
    return evaluate_once(value, lambda given: require_spark_type(given, rf"{_SURE}|binary|array<.*>"))


def list_of_texts(value: exp.Expr) -> exp.Expr:
    """The elements of a list as texts."""
    if element_kind(value) == "text":
        return value
    return elements_as_texts(value) or evaluate_once(
        value, lambda given: require_spark_type(given, rf"array<(?:{_SURE})>")
    )


def read_unknown(value: exp.Expr, target: exp.DataType, spark_type: exp.DataType, *, or_null: bool) -> exp.Expr:
    """A cast of a value that may be a text: its type is known only once Spark has analyzed the query."""
    form = _FORMS.get(target.this)

    def rule(given: exp.Expr) -> exp.Expr:
        other = _cast_or_null(given.copy(), spark_type.copy(), or_null)
        of_type = call("TYPEOF", given.copy())
        if target.this in exp.DataType.INTEGER_TYPES:
            rounded = call("REGEXP_LIKE", of_type.copy(), r"\A(?:double|float|decimal\([0-9]+,[1-9].*)")
            other = if_else(rounded, call("RAISE_ERROR", _NOT_KNOWN.format("or numbers to round")), other)
        is_text = exp.EQ(this=of_type, expression=exp.Literal.string("string"))
        problem = call("RAISE_ERROR", _NOT_KNOWN.format(READ_APART))
        if form is None:
            return if_else(is_text, problem, other)
        return if_else(is_text, _read_checked(cast_to(given, "string"), form, target, spark_type, or_null), other)

    return evaluate_once(value, rule)


def _cast_to_string(value: exp.Expr) -> exp.Expr:
    return cast_to(value, "string")


def _identity(value: exp.Expr) -> exp.Expr:
    return value


def _decimal_as_text(value: exp.Expr) -> exp.Expr:
    """DuckDB writes no leading zero for a decimal whose precision has no room for one."""
    digits = 0
    for part in value.walk():
        found = type_of(part)
        if found is not None and found.this == _TYPE.DECIMAL and len(found.expressions) == 2:
            precision, scale = (int(each.name) for each in found.expressions)
            digits += precision
            if precision <= scale:
                raise Untranslatable(f"A {found.sql('duckdb')} as text is not supported; cast it to more digits.")
    if digits > 37 and value.find(exp.Mul):
        raise Untranslatable("A product of so many digits as text is not supported: Spark may round it. Cast it first.")
    return _cast_to_string(value)


def _date_or_time_as_text(value: exp.Expr) -> exp.Expr:
    return evaluate_once(
        value,
        lambda given: _check_written_form(
            _cast_to_string(given), r"\A(?!0000)[0-9]{4}-", given, "write it with strftime"
        ),
    )


def _check_written_form(written: exp.Expr, pattern: str, value: exp.Expr, instead: str) -> exp.Expr:
    """Spark's text of a value, with a run-time check that it has the same form as DuckDB's."""
    message = f"' is a value {WRITTEN_APART}; {instead}"
    problem = _raise_error(cast_to(value.copy(), "string"), message)
    return if_else(exp.Not(this=call("REGEXP_LIKE", written, pattern)), problem, written.copy())


def _timestamptz_as_text(value: exp.Expr) -> exp.Expr:
    """Include the zone offset, with minutes only if they are not zero."""
    return evaluate_once(value, _with_offset)


def _with_offset(value: exp.Expr) -> exp.Expr:
    offset = call("REGEXP_REPLACE", call("DATE_FORMAT", value.copy(), "xxx"), ":00$", "")
    return call(
        "CONCAT",
        _check_written_form(_cast_to_string(value), r"\A(?!0000)[0-9]{4}-", value, "write it with strftime"),
        offset,
    )


def _blob_as_text(value: exp.Expr) -> exp.Expr:
    plain = r"\A[ !#-&(-\[\]-~]*\z"
    return evaluate_once(
        value,
        lambda given: _check_written_form(
            _cast_to_string(given), plain, given, "write decode(…) for the text in bytes"
        ),
    )


def is_float32(value: exp.Expr) -> bool:
    """Whether a value is a FLOAT."""
    found = type_of(value)
    return kind(value) == "float" and found is not None and found.this == _TYPE.FLOAT


_FEW_DIGITS = {True: (7, r"E-(?:3[7-9]|4[0-9])$"), False: (16, r"E-3(?:0[789]|[12][0-9])$")}
"""For FLOAT and DOUBLE: the number of digits from which the last are unreliable, and exponents that are too small."""


def _float_as_text(value: exp.Expr) -> exp.Expr:
    """A number with few digits has a unique shortest text; for others Java does not always find the shortest."""
    digits, tiny = _FEW_DIGITS[is_float32(value)]
    return evaluate_once(
        value, lambda given: _float_digits_as_text(given, rf"\A-?(?:0\.0*+)?+(?:[0-9]\.?){{{digits},}}|{tiny}")
    )


def _float_digits_as_text(value: exp.Expr, unsure: str) -> exp.Expr:
    shown = cast_to(value.copy(), "string")
    all_digits = cast_to(cast_to(shown.copy(), "decimal(38, 20)"), "string")
    plain = call("REGEXP_REPLACE", all_digits, r"(\.[0-9]+?)0+$", "$1")
    scientific = call("REGEXP_REPLACE", shown.copy(), r"(\.0)?E([0-9])", "e+$2")
    scientific = call("REGEXP_REPLACE", scientific, r"(\.0)?E-([0-9])$", "e-0$2")
    scientific = call("REGEXP_REPLACE", scientific, r"(\.0)?E-", "e-")
    message = f"' is a value {WRITTEN_APART}; round it, or cast it to DECIMAL"
    return (
        exp.Case(default=call("REPLACE", call("REPLACE", shown.copy(), "Infinity", "inf"), "NaN", "nan"))
        .when(call("REGEXP_LIKE", shown.copy(), unsure), _raise_error(shown, message))
        .when(call("REGEXP_LIKE", shown.copy(), "E(?:-4|[7-9]|1[0-5])$"), plain)
        .when(call("REGEXP_LIKE", shown.copy(), "E"), scientific)
    )


def require_same_rounding(value: exp.Expr, places: int) -> exp.Expr:
    """Check at run time that a value rounds alike to a number of places.

    DuckDB rounds the stored value, and Java its decimal representation; for few digits, these differ only for halves.
    """
    return evaluate_once(cast_to(value, "double"), lambda given: _require_same_rounding(given, places))


def _require_same_rounding(value: exp.Expr, places: int) -> exp.Expr:
    digits = cast_to(cast_to(value.copy(), f"decimal(38, {min(places + 2, 37)})"), "string")
    is_half = call("REGEXP_LIKE", digits, "50$")
    is_long = exp.GTE(this=call("ABS", value.copy()), expression=exp.Literal.number(f"1e{13 - places}"))
    message = f"' is a value {WRITTEN_APART} with {places} places; round it, or cast it to DECIMAL"
    problem = _raise_error(cast_to(value.copy(), "string"), message)
    return exp.Case(default=value).when(is_long, problem).when(is_half, problem.copy())


_IN_LISTS: frozenset[Kind] = frozenset({"bool", "int", "decimal", "float", "date", "timestamp", "timestamptz"})


def _list_as_text(value: exp.Expr) -> exp.Expr:
    texts = elements_as_texts(value)
    if texts is None:
        raise Untranslatable("Only lists of numbers, booleans and dates can be written as text; use array_to_string.")
    return call("CONCAT", "[", call("ARRAY_JOIN", texts, ", ", "NULL"), "]")


def elements_as_texts(value: exp.Expr) -> exp.Expr | None:
    """The elements of a list as texts; None if their format is not known."""
    inner = element_type(value)
    if inner is None or kind_of_type(inner) not in _IN_LISTS:
        return None
    return call("TRANSFORM", value, lambda_of(as_text(mark_type(variable("_e"), inner)), "_e"))


def _refuse(name: str) -> Callable[[exp.Expr], exp.Expr]:
    def rule(value: exp.Expr) -> exp.Expr:
        raise Untranslatable(f"{name} cannot be written as text: DuckDB and Spark have other forms for it.")

    return rule


_WRITTEN: dict[str, Callable[[exp.Expr], exp.Expr]] = {
    "text": _identity,
    "json": _identity,
    "bool": _cast_to_string,
    "int": _cast_to_string,
    "decimal": _decimal_as_text,
    "float": _float_as_text,
    "date": _date_or_time_as_text,
    "timestamp": _date_or_time_as_text,
    "timestamptz": _timestamptz_as_text,
    "blob": _blob_as_text,
    "uuid": _cast_to_string,
    "time": _cast_to_string,
    "list": _list_as_text,
    "struct": _refuse("A struct"),
    "map": _refuse("A map"),
    "interval": _refuse("An interval"),
}
