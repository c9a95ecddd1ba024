"""The values that a small change sets: literals, columns, and plain arithmetic of numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TypeAlias

import pyarrow as pa
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.model.column_types import FLOATS, INTEGERS
from forklake.model.entities import Column
from forklake.spark.tasks.types.arrow_types import shown_type
from forklake.spark.tasks.types.default_literals import literal
from forklake.spark.tasks.types.python_array import empty_table
from forklake.spark.writing.incoming import as_rows
from forklake.sql.parsing.constants import Parameters
from forklake.sql.parsing.cursor import parse_text
from forklake.sql.parsing.known_nodes import has_only_arguments, is_known
from forklake.sql.parsing.plain_syntax import is_plain_sum
from forklake.sql.small.exact_numbers import Typed, Values, computed, stored
from forklake.sql.small.scope import Named, Scope
from forklake.sql.small.small_query import NeedsSparkError
from forklake.sql.values.constant_rows import PLAIN
from forklake.sql.values.literal_values import UNKNOWN, literal_value
from forklake.sql.values.values_clause import (
    DEFAULT,
    DateLiteral,
    NumberLiteral,
    ParameterValue,
    TextLiteral,
    Written,
    parse_values,
)

_NUMBERS = INTEGERS | FLOATS | {"decimal"}
_OPERATORS: Mapping[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}
_BINARY = frozenset({"this", "expression"})


@dataclass(frozen=True, slots=True)
class Constant:
    """A value of the column's own type."""

    value: pa.Scalar


@dataclass(frozen=True, slots=True)
class Computed:
    """A sum, difference or product of columns, or of a column and the text of a number."""

    operator: str
    left: Named | str
    right: Named | str


SetValue: TypeAlias = Constant | Named | Computed


@dataclass(frozen=True, slots=True)
class Language:
    """What texts are read by."""

    dialect: str
    parameters: Parameters
    zone_is_utc: bool
    has_default: bool = True
    """Whether DEFAULT is a value, as in statements, and not a name, as in expressions of the Python interface."""


def read_value(text: str, column: Column, scope: Scope, language: Language) -> SetValue:
    """The value that a text sets a column to; NeedsSparkError if only Spark computes it."""
    rows = parse_values(f"VALUES ({text})", language.dialect, language.parameters)
    if rows is not None and len(rows) == 1 and len(rows[0]) == 1:
        if rows[0][0] is DEFAULT and not language.has_default:
            raise _needs_spark(column)
        return Constant(_constant(rows[0][0], column, zone_is_utc=language.zone_is_utc))
    if language.dialect == "spark" and not is_plain_sum(text):
        raise _needs_spark(column)
    try:
        tree = parse_text(text, language.dialect)
    except SqlglotError:
        raise _needs_spark(column) from None
    if type(tree) in _OPERATORS and has_only_arguments(tree, _BINARY):
        left, right = _operand(tree.this, column, scope), _operand(tree.expression, column, scope)
        if isinstance(left, str) and isinstance(right, str):
            raise _needs_spark(column)
        return checked(Computed(_OPERATORS[type(tree)], left, right), column)
    return checked(scope.column(tree), column)


def checked(value: Named | Computed, column: Column) -> SetValue:
    """The value, before any row is read, if its types let the driver compute it; NeedsSparkError if they do not."""
    parts = (value.left, value.right) if isinstance(value, Computed) else (value,)
    named = [part for part in parts if isinstance(part, Named)]
    types = {each.key: pa.null() if each.type is None else shown_type(each.type) for each in named}
    value_of(value, column, empty_table(pa.schema(types.items())))
    return value


def value_of(value: SetValue, column: Column, rows: pa.Table) -> Values:
    """The values that the column has in these rows, in shown form; NeedsSparkError if only Spark computes them."""
    match value:
        case Constant(scalar):
            return pa.repeat(scalar, len(rows))
        case Named():
            return stored(rows[value.key], value.type, column)
        case Computed(operator, left, right):
            return stored(*computed(operator, _typed(left, rows), _typed(right, rows), column), column)


def _typed(operand: Named | str, rows: pa.Table) -> Typed | str:
    return operand if isinstance(operand, str) else (rows[operand.key], operand.type)


def _operand(node: exp.Expr, column: Column, scope: Scope) -> Named | str:
    sign, number = "", node
    if type(node) is exp.Neg and is_known(node):
        sign, number = "-", node.this
    if type(number) is exp.Literal and is_known(number) and not number.is_string:
        return f"{sign}{number.name}"
    if sign:
        raise _needs_spark(column)
    return scope.column(node)


def _constant(written: Written, column: Column, *, zone_is_utc: bool) -> pa.Scalar:
    if written is DEFAULT:
        if column.default_value is not None and (
            column.default_value_type != "literal" or column.type.name not in PLAIN
        ):
            raise _needs_spark(column)
        return literal(column.default_value, column)
    value = literal_value(written, column.type, zone_is_utc=zone_is_utc) if _is_of_kind(written, column) else UNKNOWN
    if value is UNKNOWN:
        raise _needs_spark(column)
    array = as_rows([(value,)], [column])
    assert isinstance(array, pa.Table)
    return array.column(0)[0]


def _needs_spark(column: Column) -> NeedsSparkError:
    return NeedsSparkError(f"only Spark computes the value of '{column.name}'")


def _is_of_kind(written: Written, column: Column) -> bool:
    """Whether a literal is of the type of the column, so that Spark stores it without a cast that may refuse it."""
    kind = column.type.name
    match written:
        case None | ParameterValue(None):
            return True
        case bool() | ParameterValue(bool()):
            return kind == "boolean"
        case NumberLiteral():
            return kind in _NUMBERS
        case TextLiteral() | ParameterValue(str()):
            return kind == "varchar"
        case DateLiteral():
            return kind == "date"
        case ParameterValue(int()):
            return kind in INTEGERS
        case ParameterValue(Decimal()):
            return kind == "decimal"
        case ParameterValue(float()):
            return kind == "float64"
        case ParameterValue(date()):
            return kind == "date"
    return False
