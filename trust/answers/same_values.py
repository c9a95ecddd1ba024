"""Whether a value of ours is DuckDB's."""

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any


def same(ours: Any, theirs: Any) -> bool:
    """Whether two values are the same: numbers by their value, whatever their type."""
    if ours is None or theirs is None or isinstance(ours, bool) or isinstance(theirs, bool):
        return bool(ours is theirs)
    if isinstance(ours, int | float | Decimal) and isinstance(theirs, int | float | Decimal):
        return _same_number(ours, theirs)
    if isinstance(ours, datetime) or isinstance(theirs, datetime):
        return bool(_moment(ours) == _moment(theirs))
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return list(ours) == list(theirs) and all(same(ours[name], theirs[name]) for name in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


def comparable(value: Any) -> str:
    """A text that is the same for values that are: numbers to twelve digits, whatever their type."""
    if isinstance(value, float | Decimal):
        return str(int(value)) if _is_whole(float(value)) else f"{float(value):.11g}"
    if isinstance(value, date):
        return str(_moment(_moment(value)))
    if isinstance(value, list):
        return str([comparable(each) for each in value])
    return repr(value)


def _is_whole(value: float) -> bool:
    return math.isfinite(value) and abs(value) < 10**15 and value == int(value)


def _same_number(ours: float | Decimal, theirs: float | Decimal) -> bool:
    if isinstance(ours, float) or isinstance(theirs, float):
        mine, other = float(ours), float(theirs)
        return mine == other or (math.isnan(mine) and math.isnan(other)) or math.isclose(mine, other, rel_tol=1e-12)
    return bool(ours == theirs)


def _moment(value: Any) -> Any:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    return value.astimezone(UTC).replace(tzinfo=None) if isinstance(value, datetime) and value.tzinfo else value
