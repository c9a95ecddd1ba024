"""Constants whose comparison with a column is exact: Spark compares the very value that is written.

All other constants are left to Spark. It casts texts by its own rules, rounds where a double is involved, and fails on
malformed texts.
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from struct import pack, unpack

from sqlglot import exp

from forklake.model.column_types import FLOATS, INTEGERS, ColumnType
from forklake.spark.tasks.types.text_checks import UUID_PATTERN
from forklake.sql.parsing.known_nodes import is_known
from forklake.sql.pruning.comparison_rules import ComparisonRules

_INTEGER = re.compile(r"\d{1,38}", re.ASCII)
_DECIMAL = re.compile(r"\d{1,19}\.\d{1,18}", re.ASCII)
_DOUBLE = re.compile(r"\d{1,30}(\.\d{1,30})?[eE][+-]?\d{1,3}", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d([ T]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-](0\d|1[0-4]):[0-5]\d)?)?", re.ASCII
)
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d", re.ASCII)
_WIDTHS: dict[exp.DType, int] = {exp.DType.TINYINT: 7, exp.DType.SMALLINT: 15, exp.DType.INT: 31, exp.DType.BIGINT: 63}
_WITH_ZONE = frozenset({exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ})
_MOMENT_TYPES = _WITH_ZONE | {None, exp.DType.TIMESTAMPNTZ, exp.DType.DATE}
_LOCAL = frozenset({"timestamp", "timestamp_s", "timestamp_ms"})
_DIGITS = {"int8": 3, "int16": 5, "int32": 10, "int64": 19, "uint8": 3, "uint16": 5, "uint32": 10, "uint64": 20}
_MOST_DIGITS = 38
_LONG = 2**63
_WHOLE_FLOATS = {"float32": 2**24, "float64": 2**53}
"""Up to these values every integer is exactly representable."""


def comparable_constants(
    nodes: Sequence[exp.Expr], column_type: ColumnType, rules: ComparisonRules
) -> tuple[object, ...] | None:
    """The values of constants compared with a column; None if any is not certain to be an exact value of its type."""
    read = _constant_reader(column_type)
    # Spark casts several kinds to a common one, which may be text.
    is_text = {
        isinstance(_strip_parentheses(node), exp.Literal) and _strip_parentheses(node).is_string for node in nodes
    }
    if read is None or len(is_text) != 1 or (len(nodes) > 1 and is_text != {column_type.name in _AS_TEXT}):
        return None
    values = tuple(read(_strip_parentheses(node), column_type, rules) for node in nodes)
    return values if None not in values and _fit_in_decimal(values, column_type) else None


def like_prefix(pattern: exp.Expr, rules: ComparisonRules) -> str | None:
    """The prefix that a LIKE pattern requires, if it requires nothing else."""
    text = literal_text(_strip_parentheses(pattern), rules)
    found = None if text is None else re.fullmatch(r"([^%_\\]+)%", text)
    return found[1] if found else None


def integer_constants(nodes: Sequence[exp.Expr]) -> tuple[int, ...] | None:
    """The values of plain integers; None if any constant is not one."""
    values = [_integer_value(_strip_parentheses(node)) for node in nodes]
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(values) else None


def _strip_parentheses(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren) and is_known(node):
        node = node.this
    return node


_Reader = Callable[[exp.Expr, ColumnType, ComparisonRules], object | None]


def _constant_reader(column_type: ColumnType) -> _Reader | None:
    name = column_type.name
    if name in INTEGERS or name == "decimal":
        return lambda node, _, __: _exact_number(node)
    if name in FLOATS:
        return lambda node, of, _: _number_for_float(node, of)
    return _MOMENTS if name in _LOCAL or name == "timestamptz" else _READERS.get(name)


def literal_text(node: exp.Expr, rules: ComparisonRules) -> str | None:
    """A string without escapes or special characters."""
    if not isinstance(node, exp.Literal) or not is_known(node) or not node.is_string or not rules.reads_strings:
        return None
    text: str = node.this
    return text if text.isprintable() and not any(quote in text for quote in "'\"`") else None


def _number_text(node: exp.Expr, pattern: re.Pattern[str]) -> str | None:
    """The text of a plain number of this form, with its sign."""
    sign = ""
    if isinstance(node, exp.Neg) and is_known(node):
        node, sign = node.this, "-"
    if not isinstance(node, exp.Literal) or not is_known(node) or node.is_string:
        return None
    return sign + node.this if pattern.fullmatch(node.this) else None


def _integer_value(node: exp.Expr) -> int | None:
    if isinstance(node, exp.Cast):
        return _cast_integer(node)
    text = _number_text(node, _INTEGER)
    return None if text is None else int(text)


def _cast_integer(node: exp.Cast) -> int | None:
    """An integer with a suffix such as 1L, which is parsed as a cast; None if the value does not fit."""
    if not is_known(node) or not is_known(node.to) or isinstance(node.this, exp.Cast):
        return None
    width, value = _WIDTHS.get(node.to.this), _integer_value(node.this)
    return value if width is not None and value is not None and abs(value) < 2**width else None


def _exact_number(node: exp.Expr) -> object | None:
    whole = _integer_value(node)
    if whole is not None:
        return whole
    text = _number_text(node, _DECIMAL)
    return None if text is None else Decimal(text)


def _fit_in_decimal(values: Sequence[object], column_type: ColumnType) -> bool:
    """Whether one decimal type holds all digits of the values and of the column, so that comparison loses none."""
    if column_type.name not in INTEGERS and column_type.name != "decimal":
        return True
    whole, scale = (column_type.precision or 0) - (column_type.scale or 0), column_type.scale or 0
    if column_type.name != "decimal":
        whole = _DIGITS.get(column_type.name, _MOST_DIGITS)
    for value in values:
        number = Decimal(str(value)).as_tuple()
        fraction = -number.exponent if isinstance(number.exponent, int) else _MOST_DIGITS
        whole, scale = max(whole, len(number.digits) - fraction), max(scale, fraction)
    # For a number outside the range of a long, Spark decides the comparison without looking at the column.
    is_long = all(-_LONG <= Decimal(str(value)) < _LONG for value in values)
    return whole + scale <= _MOST_DIGITS and (is_long or column_type.name not in INTEGERS)


def _number_for_float(node: exp.Expr, column_type: ColumnType) -> float | None:
    number = _exact_number(node)
    if isinstance(number, int):
        return float(number) if abs(number) <= _WHOLE_FLOATS[column_type.name] else None
    if isinstance(number, Decimal):
        # Next to a FLOAT column, DuckDB rounds a decimal to FLOAT, and Spark does not.
        is_same = column_type.name == "float64" or unpack("f", pack("f", float(number)))[0] == float(number)
        return float(number) if is_same else None
    text = _number_text(node, _DOUBLE)
    value = None if text is None else float(text)
    return value if value is not None and abs(value) < 1e300 else None


def _read_boolean(node: exp.Expr, _: ColumnType, __: ComparisonRules) -> bool | None:
    return bool(node.this) if isinstance(node, exp.Boolean) and is_known(node) else None


def _read_string(node: exp.Expr, _: ColumnType, rules: ComparisonRules) -> str | None:
    return literal_text(node, rules)


def _read_uuid(node: exp.Expr, _: ColumnType, rules: ComparisonRules) -> str | None:
    text = literal_text(node, rules)
    return text if text is not None and re.match(UUID_PATTERN, text) else None


def _read_time(node: exp.Expr, _: ColumnType, rules: ComparisonRules) -> str | None:
    """Times are text in Spark: without a fraction, texts sort as times do."""
    text = literal_text(node, rules)
    return text if text is not None and _TIME.fullmatch(text) else None


def _text_and_type(node: exp.Expr, rules: ComparisonRules) -> tuple[str, exp.DType | None] | None:
    """The text of a date or time, and its explicit type; None for the type if it takes that of the column."""
    if not isinstance(node, exp.Cast):
        text = literal_text(node, rules)
        return None if text is None else (text, None)
    text = literal_text(node.this, rules) if is_known(node) and is_known(node.to) else None
    return None if text is None else (text, node.to.this)


def _read_date(node: exp.Expr, _: ColumnType, rules: ComparisonRules) -> date | None:
    typed = _text_and_type(node, rules)
    if typed is None or typed[1] not in (None, exp.DType.DATE) or not _DATE.fullmatch(typed[0]):
        return None
    try:
        return date.fromisoformat(typed[0])
    except ValueError:
        return None


def _read_moment(node: exp.Expr, column_type: ColumnType, rules: ComparisonRules) -> datetime | None:
    """A timestamp; if only one side has a zone, both are compared in that of the session."""
    typed = _text_and_type(node, rules)
    if typed is None or not (_DATE if typed[1] == exp.DType.DATE else _MOMENT).fullmatch(typed[0]):
        return None
    try:
        given = datetime.fromisoformat(typed[0])
        read = _moment_with_zone if column_type.name == "timestamptz" else _moment_without_zone
        return read(given, typed[1], rules)
    except (ValueError, OverflowError):
        return None


def _moment_with_zone(given: datetime, to: exp.DType | None, rules: ComparisonRules) -> datetime | None:
    if given.tzinfo is not None:
        return given.astimezone(UTC) if to is None or to in _WITH_ZONE else None
    return given.replace(tzinfo=UTC) if to in _MOMENT_TYPES and rules.is_utc else None


def _moment_without_zone(given: datetime, to: exp.DType | None, rules: ComparisonRules) -> datetime | None:
    if given.tzinfo is not None or to not in _MOMENT_TYPES:
        return None
    return given if to not in _WITH_ZONE or rules.is_utc else None


_MOMENTS: _Reader = _read_moment
_READERS: dict[str, _Reader] = {
    "boolean": _read_boolean,
    "varchar": _read_string,
    "uuid": _read_uuid,
    "time": _read_time,
    "date": _read_date,
}
_AS_TEXT = frozenset({"varchar", "uuid", "time"})
"""Types whose constants are written and compared as text."""
