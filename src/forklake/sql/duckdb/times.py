"""Translation of dates, timestamps and intervals from DuckDB to Spark."""

import re
from collections.abc import Iterable

from sqlglot import exp

from forklake.errors import Untranslatable
from forklake.sql.duckdb.formats import java_format
from forklake.sql.duckdb.lists import NameRule
from forklake.sql.duckdb.syntax import Rule, binary, call, cast_to, constant_text, kind, minus, number, plus, text

_UNITS = {
    "years": "year", "yr": "year", "y": "year", "months": "month", "mon": "month", "quarters": "quarter",
    "weeks": "week", "w": "week", "days": "day", "d": "day", "dayofmonth": "day", "hours": "hour", "hr": "hour",
    "h": "hour", "minutes": "minute", "min": "minute", "m": "minute", "seconds": "second", "sec": "second",
    "s": "second", "milliseconds": "millisecond", "ms": "millisecond", "microseconds": "microsecond",
    "us": "microsecond", "dayofweek": "dow", "weekday": "dow", "dayofyear": "doy", "weekofyear": "week",
}  # fmt: skip
_TRUNCATED = {"year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond"}
_PARTS = {"year", "quarter", "month", "week", "day", "hour", "minute", "doy"}
_MONTHS = {"year": 12, "quarter": 3, "month": 1}
_SECONDS = {"week": 604800, "day": 86400, "hour": 3600, "minute": 60, "second": 1}


def _unit_name(node: exp.Expr) -> str:
    name = (node.name if isinstance(node, exp.Var) else constant_text(node, "The part of a date")).lower()
    return _UNITS.get(name, name)


def _truncate(node: exp.Expr) -> exp.Expr | None:
    unit = _unit_name(node.args["unit"])
    if unit not in _TRUNCATED:
        raise Untranslatable(f"date_trunc to {unit} is not supported.")
    result = call("DATE_TRUNC", unit.upper(), node.this)
    return result if kind(node.this) == "timestamptz" else cast_to(result, "timestamp_ntz")


def _extract(node: exp.Expr) -> exp.Expr | None:
    return date_part(_unit_name(node.this), node.expression)


def date_part(unit: str, value: exp.Expr) -> exp.Expr:
    """A part of a date, a timestamp or an interval, as the number that DuckDB returns."""
    match unit:
        case "dow":
            return minus(call("DAYOFWEEK", value), number(1))
        case "isodow":
            return plus(call("WEEKDAY", value), number(1))
        case "isoyear":
            return call("DATE_PART", "YEAROFWEEK", value)
        case "second" | "millisecond" | "microsecond":
            seconds = call("DATE_PART", "SECOND", _as_moment(value))
            factor = {"second": 1, "millisecond": 1000, "microsecond": 1000000}[unit]
            return cast_to(binary(exp.Mul, seconds, number(factor)), "bigint")
        case "epoch":
            return _epoch(value)
        case "hour" | "minute" if kind(value) == "date":
            value = _as_moment(value)
    if unit not in _PARTS:
        raise Untranslatable(f"The part {unit} of a date is not supported.")
    return call("DATE_PART", unit.upper(), value)


def _as_moment(value: exp.Expr) -> exp.Expr:
    return cast_to(value, "timestamp_ntz") if kind(value) == "date" else value


def _epoch(value: exp.Expr) -> exp.Expr:
    if kind(value) == "interval":
        parts = (("DAY", 86400), ("HOUR", 3600), ("MINUTE", 60), ("SECOND", 1))
        total = number(0)
        for part, seconds in parts:
            total = plus(total, binary(exp.Mul, call("DATE_PART", part, value.copy()), number(seconds)))
        return cast_to(total, "double")
    return exp.Paren(this=exp.Div(this=_epoch_microseconds(value), expression=cast_to(number(1000000), "double")))


def _epoch_microseconds(value: exp.Expr) -> exp.Expr:
    """Microseconds since 1970; a timestamp without a zone is taken as UTC, whatever the session zone."""
    if kind(value) == "timestamptz":
        return call("UNIX_MICROS", value)
    moment = cast_to(value, "timestamp")
    return call("UNIX_MICROS", call("FROM_UTC_TIMESTAMP", moment, call("CURRENT_TIMEZONE")))


def _moment_from_epoch(function: str, value: exp.Expr) -> exp.Expr:
    moment = call("TO_UTC_TIMESTAMP", call(function, value), call("CURRENT_TIMEZONE"))
    return cast_to(moment, "timestamp_ntz")


def _convert_epoch(value: exp.Expr, function: str, divisor: int) -> exp.Expr:
    """Convert a timestamp to a number or a number to a timestamp, depending on its type."""
    match kind(value):
        case "int":
            return _moment_from_epoch(function, value)
        case "date" | "timestamp" | "timestamptz":
            count = _epoch_microseconds(value)
            if divisor == 1:
                return count
            # Whole units, toward 1970: the rest has the sign of the count.
            whole = minus(count, binary(exp.Mod, count.copy(), number(divisor)))
            exact = cast_to(exp.Paren(this=whole), "decimal(20, 0)")
            return cast_to(binary(exp.Div, exact, number(divisor)), "bigint")
    raise Untranslatable("epoch_ms and epoch_us need a value whose type is known: cast it to TIMESTAMP or BIGINT.")


def _unix_to_time(node: exp.Expr) -> exp.Expr | None:
    match node.args.get("scale"):
        case None if kind(node.this) == "float":
            raise Untranslatable("to_timestamp of a DOUBLE is not supported: Spark cuts off what DuckDB rounds.")
        case None:
            return call("TIMESTAMP_SECONDS", node.this)
        case scale if scale.name == "3":
            return _convert_epoch(node.this, "TIMESTAMP_MILLIS", 1000)
    return _moment_from_epoch("TIMESTAMP_MICROS", node.this)


def _date_difference(node: exp.Expr) -> exp.Expr | None:
    """The number of unit boundaries between two timestamps; weeks are periods of seven days."""
    unit, start, end = _unit_name(node.args["unit"]), node.expression, node.this
    if unit == "day":
        return call("DATEDIFF", end, start)
    if unit in _MONTHS:
        return minus(_units_since_year_zero(end, unit), _units_since_year_zero(start, unit))
    if unit == "week":
        return call("TIMESTAMPDIFF", exp.var("WEEK"), start, end)
    if unit not in _TRUNCATED:
        raise Untranslatable(f"date_diff in {unit} is not supported.")
    ends = [call("DATE_TRUNC", unit.upper(), _as_moment(value)) for value in (start, end)]
    return call("TIMESTAMPDIFF", exp.var(unit.upper()), *ends)


def _units_since_year_zero(value: exp.Expr, unit: str) -> exp.Expr:
    year = call("YEAR", value)
    if unit == "year":
        return year
    within = call("MONTH" if unit == "month" else "QUARTER", value.copy())
    return plus(binary(exp.Mul, year, number(12 // _MONTHS[unit])), within)


def _whole_units_between(arguments: list[exp.Expr]) -> exp.Expr:
    unit = _unit_name(arguments[0])
    if unit not in _TRUNCATED:
        raise Untranslatable(f"date_sub in {unit} is not supported.")
    if unit in _MONTHS:
        # Spark's own count ignores ends of months, which DuckDB counts as a whole month.
        months = cast_to(call("MONTHS_BETWEEN", arguments[2], arguments[1]), "bigint")
        return exp.Paren(this=exp.IntDiv(this=months, expression=number(_MONTHS[unit])))
    return call("TIMESTAMPDIFF", exp.var(unit.upper()), arguments[1], arguments[2])


def _interval(node: exp.Expr) -> exp.Expr | None:
    """Spark has year-month intervals and day-time intervals, but none that combines both."""
    unit, amount = node.args.get("unit"), node.this
    if unit is None:
        found = re.findall(r"([-+]?\d+(?:\.\d+)?)\s*([a-z]+)", constant_text(amount, "An interval").lower())
        fields = {name.rstrip("s") for _, name in found}
        if not found or (fields & {"year", "month"} and not fields <= {"year", "month"}):
            raise Untranslatable("Spark has no interval of months and days at once; add one after the other.")
        return None
    name = _unit_name(unit)
    if isinstance(amount, exp.Literal) and re.fullmatch(r"[-+]?\d+", amount.name):
        return _make_interval(name, number(amount.name.lstrip("+")))
    return _make_interval(name, amount)


def _make_interval(unit: str, amount: exp.Expr) -> exp.Expr:
    if unit in _MONTHS:
        months = binary(exp.Mul, amount, number(_MONTHS[unit])) if _MONTHS[unit] > 1 else amount
        return call("MAKE_YM_INTERVAL", 0, cast_to(months, "int"))
    match unit:
        case "week":
            return call("MAKE_DT_INTERVAL", cast_to(binary(exp.Mul, amount, number(7)), "int"))
        case "day":
            return call("MAKE_DT_INTERVAL", cast_to(amount, "int"))
        case "hour":
            return call("MAKE_DT_INTERVAL", 0, cast_to(amount, "int"))
        case "minute":
            return call("MAKE_DT_INTERVAL", 0, 0, cast_to(amount, "int"))
        case "second":
            return call("MAKE_DT_INTERVAL", 0, 0, 0, amount)
        case "millisecond" | "microsecond":
            divisor = 1000 if unit == "millisecond" else 1000000
            seconds = exp.Div(this=cast_to(amount, "decimal(24, 6)"), expression=number(divisor))
            return call("MAKE_DT_INTERVAL", 0, 0, 0, cast_to(seconds, "decimal(18, 6)"))
    raise Untranslatable(f"An interval of {unit} is not supported.")


def _format_date(node: exp.Expr) -> exp.Expr | None:
    value, pattern = node.this, node.args["format"]
    return call("DATE_FORMAT", value, java_format(constant_text(pattern, "A date format"), parsing=False))


def _parse_date(node: exp.Expr) -> exp.Expr | None:
    return call("TO_TIMESTAMP_NTZ", node.this, _pattern_to_parse(node.args["format"]))


def _pattern_to_parse(node: exp.Expr) -> str:
    given = constant_text(node, "A date format")
    if not re.search("%[-]?[YyGcx]", given):
        raise Untranslatable("A date format needs a year: without one DuckDB takes 1900, and Spark 1970.")
    if re.search("%[-]?y", given):
        raise Untranslatable("%y is not supported when a text is read: years of two digits begin in 2000 in Spark.")
    return java_format(given, parsing=True)


def _try_parse_date(arguments: list[exp.Expr]) -> exp.Expr:
    pattern = _pattern_to_parse(arguments[1])
    return cast_to(call("TRY_TO_TIMESTAMP", arguments[0], pattern), "timestamp_ntz")


def _at_time_zone(node: exp.Expr) -> exp.Expr | None:
    """Convert a local time in a zone to an instant, or an instant to local time in a zone."""
    zone, own = node.args["zone"], call("CURRENT_TIMEZONE")
    match kind(node.this):
        case "timestamp" | "date":
            shown = call("CONVERT_TIMEZONE", zone, own, cast_to(node.this, "timestamp_ntz"))
            return cast_to(shown, "timestamp")
        case "timestamptz":
            return call("CONVERT_TIMEZONE", own, zone, cast_to(node.this, "timestamp_ntz"))
    raise Untranslatable("AT TIME ZONE needs a value whose type is known: cast it to TIMESTAMP or TIMESTAMPTZ.")


def _date_part_rule(unit: str) -> Rule:
    return lambda node: date_part(unit, node.this)


def _interval_rule(unit: str) -> NameRule:
    return lambda arguments: _make_interval(unit, arguments[0])


TIMES: dict[type[exp.Expr], Rule] = {
    exp.DateTrunc: _truncate,
    exp.TimestampTrunc: _truncate,
    exp.Extract: _extract,
    exp.DateDiff: _date_difference,
    exp.Interval: _interval,
    exp.AtTimeZone: _at_time_zone,
    exp.TimeToStr: _format_date,
    exp.StrToTime: _parse_date,
    exp.UnixToTime: _unix_to_time,
    exp.TimeToUnix: lambda node: _epoch(node.this),
    exp.Year: _date_part_rule("year"),
    exp.Month: _date_part_rule("month"),
    exp.Day: _date_part_rule("day"),
    exp.Hour: _date_part_rule("hour"),
    exp.Minute: _date_part_rule("minute"),
    exp.Second: _date_part_rule("second"),
    exp.Quarter: _date_part_rule("quarter"),
    exp.Week: _date_part_rule("week"),
    exp.WeekOfYear: _date_part_rule("week"),
    exp.DayOfMonth: _date_part_rule("day"),
    exp.DayOfWeek: _date_part_rule("dow"),
    exp.DayOfWeekIso: _date_part_rule("isodow"),
    exp.DayOfYear: _date_part_rule("doy"),
    exp.Dayname: lambda node: call("DATE_FORMAT", node.this, "EEEE"),
    exp.Monthname: lambda node: call("DATE_FORMAT", node.this, "MMMM"),
    exp.ToDays: lambda node: _make_interval("day", node.this),
    exp.TimestampFromParts: lambda node: call(
        "MAKE_TIMESTAMP_NTZ", *(node.args[part] for part in ("year", "month", "day", "hour", "min", "sec"))
    ),
}

TIME_CALLS: dict[str, NameRule] = {
    **dict.fromkeys(("date_part", "datepart"), lambda arguments: date_part(_unit_name(arguments[0]), arguments[1])),
    **dict.fromkeys(("date_sub", "datesub"), _whole_units_between),
    **{f"to_{unit}s": _interval_rule(unit) for unit in (*_MONTHS, *_SECONDS, "millisecond", "microsecond")},
    "weekday": lambda arguments: date_part("dow", arguments[0]),
    "isodow": lambda arguments: date_part("isodow", arguments[0]),
    "isoyear": lambda arguments: date_part("isoyear", arguments[0]),
    "millisecond": lambda arguments: date_part("millisecond", arguments[0]),
    "microsecond": lambda arguments: date_part("microsecond", arguments[0]),
    "epoch_us": lambda arguments: _convert_epoch(arguments[0], "TIMESTAMP_MICROS", 1),
    "try_strptime": _try_parse_date,
    "now": lambda arguments: call("CURRENT_TIMESTAMP"),
    "get_current_timestamp": lambda arguments: call("CURRENT_TIMESTAMP"),
    "dayname": lambda arguments: call("DATE_FORMAT", arguments[0], text("EEEE")),
    "monthname": lambda arguments: call("DATE_FORMAT", arguments[0], text("MMMM")),
}


def _refuse_times_of_day(values: Iterable[exp.Expr]) -> None:
    if any(kind(value) == "time" for value in values):
        raise Untranslatable("Functions of a TIME are not supported: Spark has no such type.")


def _of_node(rule: Rule) -> Rule:
    def apply(node: exp.Expr) -> exp.Expr | None:
        _refuse_times_of_day(node.iter_expressions())
        return rule(node)

    return apply


def _of_call(rule: NameRule) -> NameRule:
    def apply(arguments: list[exp.Expr]) -> exp.Expr:
        _refuse_times_of_day(arguments)
        return rule(arguments)

    return apply


TIMES.update({node: _of_node(rule) for node, rule in TIMES.items()})
TIME_CALLS.update({name: _of_call(rule) for name, rule in TIME_CALLS.items()})
