"""Conversion of columns in files to the current columns of a table.

A file keeps the names, order and types of its columns at the time of writing. Spark is asked for each column by its
name in the file, with struct fields in current order, missing fields under names that no file has, and a type that its
reader can produce; `convert_from_file` converts it to current values.
"""

import pyarrow as pa
from pyspark.sql import Column as Expression
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.errors import CorruptMetadata
from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS
from forklake.model.entities import Column
from forklake.spark.tasks.types.default_literals import literal as arrow_literal
from forklake.spark.tasks.types.default_literals import literal_text
from forklake.spark.values.type_mapping import shown_type, stored_type

_SIGNED = ("int8", "int16", "int32", "int64")
_ROUNDED_TO_FLOAT = ("int32", "int64", "uint32")
_MICROSECONDS_OF_DAY = 86_400_000_000
_MICROSECONDS = TIMESTAMPS - {"timestamp_ns"}
_ROUNDED_TO = {"timestamp_s": 10**6, "timestamp_ms": 10**3}
"""The coarser units in microseconds; files that were not written for the table may have a finer resolution."""
_NUMBERS = INTEGERS | FLOATS | {"decimal", "boolean"}


def read_type(now: Column, then: Column) -> st.DataType:
    """The type to request from Spark's reader, to get the column `now` from a file that has it as `then`."""
    match now.type.name:
        case "struct":
            return st.StructType([_read_field(child, _matching_child(then, child)) for child in now.children])
        case "list":
            return st.ArrayType(read_type(now.children[0], then.children[0]))
        case "map":
            key, value = (read_type(*pair) for pair in zip(now.children, then.children, strict=True))
            return st.MapType(key, value)
    if (now.type.name == "timestamp_ns" and then.type.name in _MICROSECONDS) or _needs_rounding(now, then):
        # As instants, which can be counted independently of the session time zone.
        return st.TimestampType()
    return stored_type((now if _reader_widens(now.type.name, then.type.name) else then).type)


def convert_from_file(value: Expression, now: Column, then: Column) -> Expression:
    """Converts the reader's output to current values; filters are pushed down if it is only renamed or cast."""
    if read_type(now, then) == shown_type(now.type):
        return value
    if now.type.name == "float32" and then.type.name in _ROUNDED_TO_FLOAT:
        # Spark considers this cast exact, and removes it in a comparison with a double.
        return value.cast("decimal(20,0)").cast("float")
    if _is_plain_cast(now, then):
        return value.cast(shown_type(now.type))
    match now.type.name:
        case "struct":
            fields = [_converted_field(value, child, _matching_child(then, child)) for child in now.children]
            return F.when(value.isNotNull(), F.struct(*fields))
        case "list":
            return F.transform(value, lambda element: convert_from_file(element, now.children[0], then.children[0]))
        case "map":
            entries = F.transform(F.map_entries(value), lambda entry: _converted_entry(entry, now, then))
            return F.map_from_entries(entries)
    return _converted_leaf(value, now.type.name, then.type.name)


def initial_default_value(column: Column) -> Expression:
    """The value in files written before the column was added."""
    shown = shown_type(column.type)
    if column.initial_default is None:
        return F.lit(None).cast(shown)
    return default_literal(column.initial_default, column)


def default_literal(text: str, column: Column) -> Expression:
    """A default stored as text, as a value of the column."""
    shown = shown_type(column.type)
    if column.type.name == "variant":
        return F.parse_json(F.lit(text))
    value = arrow_literal(text, column)
    if column.type.name == "timestamptz":
        return F.timestamp_micros(F.lit(value.cast(pa.int64()).as_py()))
    if column.type.name in ("blob", "geometry", "timestamp_ns"):
        return F.lit(value.as_py())
    # The text of the value that was read, because Spark reads some texts in another way, or not at all.
    return F.lit(literal_text(value, column.type)).cast(shown)


def _read_field(now: Column, then: Column | None) -> st.StructField:
    if then is None:
        return st.StructField(f"__absent_{now.column_id}", stored_type(now.type))
    return st.StructField(then.name, read_type(now, then))


def _matching_child(then: Column, child: Column) -> Column | None:
    return next((old for old in then.children if old.column_id == child.column_id), None)


def _reader_widens(now: str, then: str) -> bool:
    """Whether the reader itself can return the type of `now`: otherwise it may fail or return wrong values."""
    if now in _SIGNED and then in _SIGNED:
        return _SIGNED.index(now) >= _SIGNED.index(then)
    if then == "float32":
        return now in FLOATS
    # Both are microseconds since 1970 internally, and are read independently of the session time zone.
    return now == "timestamptz" and then in _MICROSECONDS


def _is_plain_cast(now: Column, then: Column) -> bool:
    """Whether a plain cast, which is positional for structs, gives the current value at every level."""
    if now.type.name == "struct":
        return all(
            child.initial_default is None
            if (old := _matching_child(then, child)) is None
            else _is_plain_cast(child, old)
            for child in now.children
        )
    if now.children:
        return all(_is_plain_cast(*pair) for pair in zip(now.children, then.children, strict=True))
    if now.type.name in _NUMBERS and then.type.name in _NUMBERS:
        return True
    if now.type.name in ("uuid", "time", "timestamp_ns") or _is_foreign_timestamp(now, then):
        return now.type.name == then.type.name == "timestamp_ns"
    if now.type.name == "interval" and then.type.name == "blob":
        return False
    return then.type.name != "date" or now.type.name != "timestamptz"


def _needs_rounding(now: Column, then: Column) -> bool:
    """Whether a file may have finer timestamps than the column, which are rounded like in a cast."""
    finer = {"timestamp_s": ("timestamp", "timestamptz", "timestamp_ms"), "timestamp_ms": ("timestamp", "timestamptz")}
    return then.type.name in finer.get(now.type.name, ())


def _is_foreign_timestamp(now: Column, then: Column) -> bool:
    """Whether timestamps have a type that is not the source of a promotion, but may occur in foreign files."""
    return (
        then.type.name == "timestamp_ns"
        or (then.type.name == "timestamptz" and now.type.name == "timestamp")
        or _needs_rounding(now, then)
    )


def _converted_field(value: Expression, now: Column, then: Column | None) -> Expression:
    if then is None:
        # Made nullable, like all fields: Arrow rejects a non-nullable field in a nullable struct.
        return F.when(value.isNotNull(), initial_default_value(now)).alias(now.name)
    return convert_from_file(value.getField(then.name), now, then).alias(now.name)


def _converted_entry(entry: Expression, now: Column, then: Column) -> Expression:
    key = convert_from_file(entry.getField("key"), now.children[0], then.children[0])
    return F.struct(
        key.alias("key"), convert_from_file(entry.getField("value"), now.children[1], then.children[1]).alias("value")
    )


def _converted_leaf(value: Expression, now: str, then: str) -> Expression:
    match (then, now):
        case ("uuid", "uuid"):
            return _uuid_text(value)
        case ("time", "time"):
            return _time_text(value)
        case ("blob", "interval"):
            return _interval_text(value)
        case ("date", "timestamptz"):
            return F.timestamp_micros(F.unix_date(value).cast("bigint") * _MICROSECONDS_OF_DAY)
        case ("date", "timestamp_ns"):
            return F.unix_date(value).cast("bigint") * (_MICROSECONDS_OF_DAY * 1000)
        case (_, "timestamp_ns"):
            return F.unix_micros(value) * 1000
        case ("timestamp_ns", "timestamptz"):
            return F.timestamp_micros(_to_microseconds(value))
        case ("timestamp_ns", "timestamp"):
            return _timestamp_without_zone(_to_microseconds(value))
        case ("timestamptz", "timestamp"):
            return _timestamp_without_zone(F.unix_micros(value))
        case (_, ("timestamp_s" | "timestamp_ms") as unit):
            return _timestamp_without_zone(_round_to_unit(F.unix_micros(value), _ROUNDED_TO[unit]))
    raise CorruptMetadata(f"A file has a column as {then}, which cannot be read as {now}.")


def _to_microseconds(nanoseconds: Expression) -> Expression:
    """Truncated towards zero, like in DuckDB."""
    return F.call_function("div", nanoseconds, F.lit(1000))


def _round_to_unit(microseconds: Expression, unit: int) -> Expression:
    """Rounded to the unit, halves away from zero, like in DuckDB."""
    half = F.when(microseconds < 0, -unit // 2).otherwise(unit // 2)
    return F.call_function("div", microseconds + half, F.lit(unit)) * unit


def _timestamp_without_zone(microseconds: Expression) -> Expression:
    """Microseconds since 1970 as a timestamp without time zone, independent of the session time zone."""
    return F.timestamp_add("MICROSECOND", microseconds, F.lit("1970-01-01 00:00:00").cast("timestamp_ntz"))


def _uuid_text(value: Expression) -> Expression:
    digits = F.lower(F.hex(value))
    parts = [F.substring(digits, start, length) for start, length in ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))]
    return F.when(value.isNotNull(), F.concat_ws("-", *parts))


def _time_text(micros: Expression) -> Expression:
    """Microseconds as HH:MM:SS, with as many fractional digits as needed."""
    seconds = F.floor(micros / 1_000_000)
    clock = F.format_string("%02d:%02d:%02d", F.floor(seconds / 3600), F.floor(seconds / 60) % 60, seconds % 60)
    fraction = F.regexp_replace(F.format_string(".%06d", micros % 1_000_000), r"\.?0+$", "")
    return F.when(micros.isNotNull(), F.concat(clock, fraction))


def _interval_text(value: Expression) -> Expression:
    """An interval as stored by DuckLake: months, days and milliseconds, four bytes each, little-endian."""
    digits = F.hex(value)

    def part(at: int) -> Expression:
        return F.conv(F.concat(*(F.substring(digits, 8 * at + low, 2) for low in (7, 5, 3, 1))), 16, 10).cast("bigint")

    months, days, milliseconds = part(0), part(1), part(2)
    years = F.floor(months / 12)
    texts = [_count_text(years, "year"), _count_text(months % 12, "month"), _count_text(days, "day")]
    has_clock = (milliseconds > 0) | ((months == 0) & (days == 0))
    clock = F.when(has_clock, _time_text(milliseconds * 1000))
    return F.when(value.isNotNull(), F.concat_ws(" ", *texts, clock))


def _count_text(count: Expression, unit: str) -> Expression:
    """A number with its unit as text; NULL for zero."""
    return F.when(count != 0, F.concat(count.cast("string"), F.when(count == 1, f" {unit}").otherwise(f" {unit}s")))
