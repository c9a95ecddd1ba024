"""Assignment casts: expressions of a source type to the shown type of a column.

Only for types that have passed `check_assignable`. Single values that do not fit, such as a too large number or a text
that is not a uuid, fail with a message that names the column.
"""

from pyspark.sql import Column as Expression
from pyspark.sql import functions as F

from forklake.model.assignment import UNTYPED
from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS, ColumnType, can_promote
from forklake.spark.tasks.types.text_checks import INTERVAL_PATTERN, TIME_PATTERN, UUID_PATTERN
from forklake.spark.values.type_mapping import shown_type


def assignment_cast(
    value: Expression, source: ColumnType | None, target: ColumnType, where: str, *, leaves_uuids: bool = False
) -> Expression:
    """A DataFrame column as a shown value of a table's column; `where` is its name in errors.

    With `leaves_uuids`, a text for a uuid is not checked, because it is by those who write it.
    """
    shown = shown_type(target)
    if source is None or source == UNTYPED:
        return F.lit(None).cast(shown)
    if source.name == "time":
        # Spark's own TIME; ours is a text.
        value = value.cast("string")
    match target.name:
        case "struct":
            return _cast_struct(value, source, target, where)
        case "list":
            element = source.fields[0][1], target.fields[0][1]
            return (
                value
                if _needs_no_cast(source, target)
                else F.transform(value, lambda x: assignment_cast(x, *element, where))
            )
        case "map":
            return value if _needs_no_cast(source, target) else _cast_map(value, source, target, where)
        case "uuid" if leaves_uuids:
            return F.lower(value)
        case "uuid":
            return _checked_text(F.lower(value), F.lower(value).rlike(UUID_PATTERN), target, where)
        case "time":
            return _checked_text(_normalized_time(value), value.rlike(TIME_PATTERN), target, where)
        case "interval":
            return _checked_text(value, value.rlike(INTERVAL_PATTERN), target, where)
        case "json":
            return _checked_text(value, F.try_parse_json(value).isNotNull(), target, where)
        case "timestamp_ns":
            return _to_nanoseconds(value, source, target, where)
        case "timestamp_s" | "timestamp_ms" if source != target:
            return _check_precision(value.cast(shown), target, where)
    if shown_type(source) == shown:
        return _checked_range(value, target, where) if target.name.startswith("u") and source != target else value
    if can_promote(source, target) or target.name in FLOATS or target.name in TIMESTAMPS:
        return value.cast(shown)
    return _checked_range(_refuse_failed_cast(value.try_cast(shown), value, target, where), target, where)


def parse_date_or_time(value: Expression, target: ColumnType, where: str) -> Expression:
    """A text as date or time, parsed by Spark; rejects invalid texts regardless of session settings."""
    read_as = {"date": "date", "timestamptz": "timestamp"}.get(target.name, "timestamp_ntz")
    read = value.try_cast(read_as)
    if target.name == "timestamp_ns":
        # Spark's timestamps have microsecond precision.
        beyond = F.rpad(F.regexp_extract(value, r"\.\d{6}(\d{1,3})", 1), 3, "0").cast("bigint")
        read = F.try_add(_to_nanoseconds(read, ColumnType("timestamp"), target, where), beyond)
    return _refuse_failed_cast(read, value, target, where)


def _needs_no_cast(source: ColumnType, target: ColumnType) -> bool:
    """Whether no cast is needed at any level."""
    if source.name in ("uuid", "time", "interval", "json") or target.name in ("uuid", "time", "interval", "json"):
        return False
    if source.is_nested:
        same = [name.lower() for name, _ in source.fields] == [name.lower() for name, _ in target.fields]
        return same and all(_needs_no_cast(a, b) for (_, a), (_, b) in zip(source.fields, target.fields, strict=True))
    return source == target


def _cast_struct(value: Expression, source: ColumnType, target: ColumnType, where: str) -> Expression:
    if _needs_no_cast(source, target):
        return value.cast(shown_type(target))
    given = {name.lower(): (name, child) for name, child in source.fields}
    fields = []
    for name, child in target.fields:
        found = given.get(name.lower())
        if found is None:
            fields.append(F.lit(None).cast(shown_type(child)).alias(name))
        else:
            fields.append(assignment_cast(value.getField(found[0]), found[1], child, f"{where}.{name}").alias(name))
    return F.when(value.isNotNull(), F.struct(*fields))


def _cast_map(value: Expression, source: ColumnType, target: ColumnType, where: str) -> Expression:
    def entry(pair: Expression) -> Expression:
        fields = zip(("key", "value"), source.fields, target.fields, strict=True)
        return F.struct(*(assignment_cast(pair.getField(n), a[1], b[1], f"{where}.{n}").alias(n) for n, a, b in fields))

    return F.map_from_entries(F.transform(F.map_entries(value), entry))


def _to_nanoseconds(value: Expression, source: ColumnType, target: ColumnType, where: str) -> Expression:
    if source.name in ("int64", "timestamp_ns"):
        return value
    # Decomposed, because Spark can count microseconds only for timestamps with time zone.
    moment = value.cast("timestamp_ntz")
    seconds = F.unix_date(moment.cast("date")).cast("bigint") * 86_400 + F.hour(moment) * 3600 + F.minute(moment) * 60
    nanoseconds = F.try_multiply(seconds, F.lit(10**9)), (_second_of_minute(moment) * 10**9).cast("bigint")
    return _refuse_failed_cast(F.try_add(*nanoseconds), value, target, where)


def _check_precision(value: Expression, target: ColumnType, where: str) -> Expression:
    """Reject timestamps that are not whole seconds or milliseconds, if the column requires it."""
    units = _second_of_minute(value) * (1 if target.name == "timestamp_s" else 1000)
    return F.when(value.isNull() | (units == F.floor(units)), value).otherwise(_cannot_hold_error(value, target, where))


def _second_of_minute(moment: Expression) -> Expression:
    """The second of the minute with its fraction, independent of the session time zone."""
    return F.date_part(F.lit("SECOND"), moment)


def _normalized_time(value: Expression) -> Expression:
    """A time in the canonical shown form: with seconds, and without trailing zeros in the fraction."""
    trimmed = F.when(value.contains("."), F.regexp_replace(value, r"\.?0+$", "")).otherwise(value)
    return F.when(F.length(value) == 5, F.concat(value, F.lit(":00"))).otherwise(trimmed)


def _checked_text(value: Expression, is_right: Expression, target: ColumnType, where: str) -> Expression:
    return F.when(value.isNull() | is_right, value).otherwise(_cannot_hold_error(value, target, where))


def _refuse_failed_cast(value: Expression, given: Expression, target: ColumnType, where: str) -> Expression:
    """The cast value; raises if it is NULL for a non-NULL input."""
    return F.when(given.isNull() | value.isNotNull(), value).otherwise(_cannot_hold_error(given, target, where))


def _checked_range(value: Expression, target: ColumnType, where: str) -> Expression:
    """The shown types of unsigned integers have a larger range than the columns."""
    if target.name not in INTEGERS or not target.name.startswith("u"):
        return value
    top = F.lit(str(2 ** int(target.name[4:]) - 1)).cast("decimal(38,0)") if target.name != "uint128" else None
    fits = value >= 0 if top is None else (value >= 0) & (value.cast("decimal(38,0)") <= top)
    return F.when(value.isNull() | fits, value).otherwise(_cannot_hold_error(value, target, where))


def _cannot_hold_error(given: Expression, target: ColumnType, where: str) -> Expression:
    message = F.concat(F.lit(f"Column {where} of type {target.sql()} cannot hold "), given.cast("string"))
    return F.raise_error(message).cast(shown_type(target))
