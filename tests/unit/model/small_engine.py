"""A small SQL engine: rows are single values, or values by column; the answer is True, False or None (NULL)."""

import math
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import cast
from uuid import UUID

from hypothesis import strategies as st

from forklake.model.column_types import ColumnType
from forklake.model.ids import ColumnId
from forklake.model.predicates import (
    And,
    CalendarPartIn,
    Comparison,
    In,
    IsNotNull,
    IsNull,
    Not,
    Operator,
    Or,
    Path,
    Predicate,
    StartsWith,
    UnknownPredicate,
)
from forklake.model.statistics import ColumnStats, as_float32, max_text, min_text

COLUMN = ColumnId(1)
A = ("a",)


def order(value: object) -> tuple[int, object]:
    """SQL's order: NaN above all numbers, dates as midnights, moments in UTC."""
    match value:
        case float() if math.isnan(value):
            return 1, 0
        case datetime():
            return 0, value.replace(tzinfo=None)
        case date():
            return 0, datetime(value.year, value.month, value.day)
        case str():
            return 0, value.encode()
        case UUID():
            return 0, value.bytes
        case _:
            return 0, value


COMPARE: dict[Operator, Callable[[tuple[int, object], tuple[int, object]], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: cast("tuple[int, float]", a) < cast("tuple[int, float]", b),
    "<=": lambda a, b: a == b or COMPARE["<"](a, b),
    ">": lambda a, b: COMPARE["<"](b, a),
    ">=": lambda a, b: a == b or COMPARE["<"](b, a),
}


def _cell(row: object, column: Path) -> object:
    return row[column[0]] if isinstance(row, dict) else row


def evaluate(predicate: Predicate, row: object, unknown: bool | None = True) -> bool | None:
    """What SQL says; conditions that are unknown here count as `unknown`."""
    match predicate:
        case Comparison(column, op, value):
            cell = _cell(row, column)
            return None if cell is None or value is None else COMPARE[op](order(cell), order(value))
        case In(column, values):
            return evaluate(Or(tuple(Comparison(column, "=", value) for value in values)), row, unknown)
        case IsNull(column):
            return _cell(row, column) is None
        case IsNotNull(column):
            return _cell(row, column) is not None
        case StartsWith(column, prefix):
            cell = _cell(row, column)
            return cell.startswith(prefix) if isinstance(cell, str) else None
        case And(parts):
            answers = [evaluate(part, row, unknown) for part in parts]
            return False if False in answers else None if None in answers else True
        case Or(parts):
            answers = [evaluate(part, row, unknown) for part in parts]
            return True if True in answers else None if None in answers else False
        case Not(part):
            answer = evaluate(part, row, unknown)
            return None if answer is None else not answer
        case CalendarPartIn(column, part, values):
            cell = _cell(row, column)
            return getattr(cell, part) in values if isinstance(cell, date) else None
        case UnknownPredicate():
            return unknown


def stats_of(column_type: ColumnType, rows: Sequence[object]) -> ColumnStats:
    values = [row for row in rows if row is not None]
    nans = [value for value in values if isinstance(value, float) and math.isnan(value)]
    ordered = sorted((value for value in values if value not in nans), key=lambda v: cast("float", order(v)[1]))
    return ColumnStats(
        COLUMN,
        value_count=len(values),
        null_count=len(rows) - len(values),
        min_value=min_text(column_type, ordered[0]) if ordered else None,
        max_value=max_text(column_type, ordered[-1]) if ordered else None,
        contains_nan=bool(nans) if column_type.name in ("float32", "float64") else None,
    )


def predicates(constants: st.SearchStrategy[object]) -> st.SearchStrategy[Predicate]:
    maybe_null = st.one_of(constants, st.none())
    leaves: st.SearchStrategy[Predicate] = st.one_of(
        st.builds(Comparison, st.just(A), st.sampled_from(list(COMPARE)), maybe_null),
        st.builds(In, st.just(A), st.lists(maybe_null, max_size=5).map(tuple)),
        st.builds(StartsWith, st.just(A), st.text("ab\0é\U0010ffff", max_size=8)),
        st.sampled_from([IsNull(A), IsNotNull(A), UnknownPredicate()]),
    )
    return st.recursive(leaves, _combine, max_leaves=4)


def _combine(parts: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
    several = st.lists(parts, max_size=3).map(tuple)
    return st.one_of(several.map(And), several.map(Or), parts.map(Not))


NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.integers(2**53 - 2, 2**53 + 3),
    st.integers(2**63 - 3, 2**63 - 1),
    st.integers(-(2**63), -(2**63) + 2),
)
DECIMALS = st.one_of(
    st.decimals("-2", "2", places=2),
    st.decimals("99999999999999999999.90", "99999999999999999999.99", places=2),
)
DOUBLES = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 0.1, 1.5, 2.0**53]))
STRINGS = st.one_of(
    st.text("ab\0é\U0010ffff", max_size=8),
    st.builds(
        lambda char, n, tail: char * n + tail,
        st.sampled_from(["a", "é", "\U0010ffff"]),
        st.integers(60, 300),
        st.text("ab", max_size=2),
    ),
)
DATES = st.one_of(st.dates(), st.dates(date(2020, 1, 1), date(2020, 1, 4)))
MOMENTS = st.one_of(st.datetimes(), st.datetimes(datetime(2020, 1, 1), datetime(2020, 1, 2)))
ZONED = st.datetimes(timezones=st.just(UTC))
ANY_NUMBER = st.one_of(NUMBERS, DECIMALS, DOUBLES)

ROWS: dict[str, tuple[st.SearchStrategy[object], st.SearchStrategy[object]]] = {
    "int64": (NUMBERS, ANY_NUMBER),
    "decimal(38,2)": (DECIMALS, ANY_NUMBER),
    "float64": (DOUBLES, ANY_NUMBER),
    "float32": (DOUBLES.map(as_float32), ANY_NUMBER),
    "boolean": (st.booleans(), st.booleans()),
    "varchar": (STRINGS, STRINGS),
    "blob": (st.binary(max_size=8), st.binary(max_size=8)),
    "date": (DATES, st.one_of(DATES, MOMENTS)),
    "timestamp": (MOMENTS, st.one_of(DATES, MOMENTS)),
    "timestamptz": (ZONED, ZONED),
    "time": (st.times(), st.times()),
    "uuid": (st.uuids(), st.uuids()),
}
