"""Dates, times and timestamps as text, from their numbers in files; for all years, unlike `datetime`."""

import math
from datetime import date, timedelta

NANOSECONDS = {"seconds": 10**9, "milliseconds": 10**6, "microseconds": 10**3, "nanoseconds": 1}
DAY = 86_400 * 10**9
_CYCLE_DAYS = 146_097
_YEAR_2000 = date(2000, 1, 1)
_DAYS_TO_2000 = (_YEAR_2000 - date(1970, 1, 1)).days


def date_text(nanoseconds: float) -> str:
    """The date of a point in time, as written in statistics and partition values."""
    if math.isinf(nanoseconds):
        return "infinity" if nanoseconds > 0 else "-infinity"
    # The calendar repeats every 400 years.
    cycles, day = divmod(int(nanoseconds) // DAY - _DAYS_TO_2000, _CYCLE_DAYS)
    found = _YEAR_2000 + timedelta(day)
    year = found.year + 400 * cycles
    month_and_day = f"{found.month:02}-{found.day:02}"
    return f"{year:04}-{month_and_day}" if year > 0 else f"{1 - year:04}-{month_and_day} (BC)"


def timestamp_text(nanoseconds: float, *, zone: str = "") -> str:
    """A timestamp, with as many fractional digits as needed."""
    if math.isinf(nanoseconds):
        return date_text(nanoseconds)
    return f"{date_text(nanoseconds)} {time_text(int(nanoseconds) % DAY)}{zone}"


def time_text(nanoseconds: int) -> str:
    """A time of day, including 24:00:00."""
    seconds, fraction = divmod(nanoseconds, 10**9)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:09}".rstrip("0") if fraction else text
