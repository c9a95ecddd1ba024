"""Values of parameters: as plain values of Python, and as literals where Spark takes them for something else."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from forklake.errors import InvalidInput
from forklake.model.encodable import check_encodable

_MOST_DIGITS = 38
_BITS = 63
_MICROSECOND = timedelta(microseconds=1)


def plain_value(value: Any, name: str) -> Any:
    """A value of Python, NumPy or pandas as one of Python, tuples as lists; InvalidInput if it is none of SQL."""
    package = type(value).__module__.partition(".")[0]
    if isinstance(value, list | tuple) or (package == "numpy" and getattr(value, "ndim", False)):
        return [plain_value(item, name) for item in value]
    if package == "numpy":
        value = _value_of_numpy(value, name)
    elif package == "pandas":
        value = _value_of_pandas(value, name)
    _check_value(value, name)
    return value


def _value_of_numpy(value: Any, name: str) -> Any:
    found = value.tolist()
    if value.dtype.kind not in "mM" or found is None or isinstance(found, date | timedelta):
        return found
    # A count of nanoseconds, or of years.
    kind = "datetime64[us]" if value.dtype.kind == "M" else "timedelta64[us]"
    try:
        rounded = value.astype(kind)
        found = rounded.item() if rounded == value else None
    except (TypeError, ValueError, OverflowError):
        found = None
    if not isinstance(found, date | timedelta):
        raise _inexact(name)
    return found


def _value_of_pandas(value: Any, name: str) -> Any:
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):
        raise _inexact(name)
    if isinstance(value, datetime):
        return value.to_pydatetime()  # type: ignore[attr-defined]
    return value.to_pytimedelta() if isinstance(value, timedelta) else value  # type: ignore[attr-defined]


def _inexact(name: str) -> InvalidInput:
    return InvalidInput(
        f"The parameter {name} has nanoseconds or is out of range: times have microseconds, and years 1 to 9999."
    )


def _check_value(value: Any, name: str) -> None:
    match value:
        case str():
            check_encodable(value, f"The parameter {name}")
        case int() if not -(2**_BITS) <= value < 2**_BITS:
            raise InvalidInput(f"The parameter {name} has more than 64 bits; give it as a Decimal.")
        case timedelta() if not -(2**_BITS) <= value // _MICROSECOND < 2**_BITS:
            raise InvalidInput(f"The parameter {name} is out of range: an interval has microseconds in 64 bits.")
        case Decimal() if not value.is_finite() or _digits(value) > _MOST_DIGITS:
            raise InvalidInput(f"The parameter {name} is not a decimal of at most {_MOST_DIGITS} digits.")
        case time() if value.tzinfo is not None:
            raise InvalidInput(f"The parameter {name} is a time of day with a zone; columns of type TIME have none.")
        case None | bool() | int() | float() | Decimal() | bytes() | bytearray() | date() | time() | timedelta():
            pass
        case _ if type(value).__module__.partition(".")[0] != "pyspark":
            raise InvalidInput(f"The parameter {name} cannot be a value of type {type(value).__name__}.")


def _digits(value: Decimal) -> int:
    """The number of digits of a decimal before and after its point."""
    _, digits, exponent = value.as_tuple()
    return max(len(digits), -exponent) if isinstance(exponent, int) and exponent < 0 else len(digits) + int(exponent)


def written_literal(value: Any, dialect: str) -> str | None:
    """A date or time, or a list of them, as a literal; None for a value that Spark takes as it is.

    PySpark would pass moments through Java's legacy calendar, which differs before October 1582, and in the zone of the
    process, which may differ from that of the session. Spark's own TIME can be compared with nothing: in its dialect,
    columns of type TIME are texts.
    """
    match value:
        case date():
            return time_literal(value, dialect)
        case time():
            return f"'{_clock_text(value)}'" if dialect == "spark" else f"TIME '{_clock_text(value)}'"
        case list() if _has_times(value):
            return _list_literal(value, dialect)
    return None


def time_literal(value: date, dialect: str) -> str:
    """A date or timestamp as a literal; without a zone, it is in that of the session."""
    if not isinstance(value, datetime):
        return f"DATE '{value.isoformat()}'"
    if value.tzinfo is not None and 1 < value.year < 9999:
        value = value.astimezone(UTC)
    of_zone = "TIMESTAMP_LTZ" if dialect == "spark" else "TIMESTAMPTZ" if value.tzinfo is not None else "TIMESTAMP"
    return f"{of_zone} '{value.isoformat(' ')}'"


def _clock_text(value: time) -> str:
    """A time of day as columns of type TIME are shown."""
    text = value.isoformat()
    return text.rstrip("0") if value.microsecond else text


def _has_times(values: Sequence[Any]) -> bool:
    return any(_has_times(value) if isinstance(value, list) else isinstance(value, date | time) for value in values)


def _list_literal(values: Sequence[Any], dialect: str) -> str:
    items = [_item_literal(value, dialect) for value in values]
    return f"array({', '.join(items)})" if dialect == "spark" else f"[{', '.join(items)}]"


def _item_literal(value: Any, dialect: str) -> str:
    if isinstance(value, list):
        return _list_literal(value, dialect)
    found = "NULL" if value is None else written_literal(value, dialect)
    if found is None:
        raise InvalidInput("A list with dates or times as a parameter can have nothing else in it but NULL.")
    return found
