"""CSV files that can be written and read back without changes.

By default, Spark reads empty strings as NULL, trims spaces, and ends records at line breaks in values. Quotes are
doubled, as in RFC 4180 and DuckDB. Spark writes and reads text only, which is cast to values; timestamps with time zone
are in UTC.
"""

from collections.abc import Mapping, Sequence

from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.model.entities import Column
from forklake.spark.values.quoting import column_named
from forklake.spark.values.text_file_checks import check_csv
from forklake.spark.values.type_mapping import shown_type

_NO_VALUE = "\x01\x02forklake\x02\x01"
"""Represents a missing field for Spark's reader: a text that no file has, as a quoted empty field is not NULL."""
_EXACT_CSV = {
    "header": "true",
    "quote": '"',
    "ignoreLeadingWhiteSpace": "false",
    "ignoreTrailingWhiteSpace": "false",
    "encoding": "UTF-8",
}
_NOT_TEXT = (st.ArrayType, st.MapType, st.StructType, st.VariantType)
_LIKE_NULL = (
    "The text {!r}, which is to stand for NULL, is a value of column {}, and would come back as NULL; say what else "
    "stands for NULL, as in (NULL 'none')."
)
_BYTE = r"(\\x[0-9A-Fa-f]{2}|[^\\])"
_ONE_COLUMN = (
    "A NULL in the only column would be an empty line of the CSV file, which readers skip; say what stands for it, "
    "as in (NULL 'none')."
)


def csv_write_options(given: Mapping[str, str]) -> dict[str, str]:
    """Options for Spark's writer; the given ones take precedence."""
    options = {**_EXACT_CSV, "nullValue": "", **given}
    quote = options["quote"]
    return {**options, "emptyValue": quote * 2, "escape": given.get("escape", quote)}


def csv_read_options(given: Mapping[str, str]) -> dict[str, str]:
    """Options for Spark's reader; the given ones take precedence. The text for NULL is handled by `parsed_csv`."""
    options = {**_EXACT_CSV, "multiLine": "true", "mode": "FAILFAST", "emptyValue": "", **given}
    return {**options, "escape": given.get("escape", options["quote"]), "nullValue": _NO_VALUE}


def csv_rows(rows: DataFrame, given: Mapping[str, str]) -> DataFrame:
    """The rows as text, except for types that CSV does not support, which Spark rejects."""
    shown = [_refuse_null_text(_csv_text(field, given), field, given.get("nullValue")) for field in rows.schema.fields]
    if len(shown) == 1 and not given.get("nullValue") and not isinstance(rows.schema.fields[0].dataType, _NOT_TEXT):
        [field] = rows.schema.fields
        shown = [F.coalesce(shown[0], F.raise_error(F.lit(_ONE_COLUMN)).cast("string")).alias(field.name)]
    return rows.select(*shown)


def _refuse_null_text(text: Expression, field: st.StructField, null: str | None) -> Expression:
    """Reject values whose text stands for NULL: Spark's reader cannot distinguish them, even in quotes."""
    if not null or isinstance(field.dataType, _NOT_TEXT):
        return text
    refused = F.raise_error(F.lit(_LIKE_NULL.format(null, field.name))).cast("string")
    return F.when(text == null, refused).otherwise(text).alias(field.name)


def _csv_text(field: st.StructField, given: Mapping[str, str]) -> Expression:
    value = column_named(field.name)
    match field.dataType:
        case st.BinaryType():
            text = F.regexp_replace(F.hex(value), "(..)", r"\\x$1")
        case st.TimestampType() if "timestampFormat" not in given:
            text = F.concat(_in_utc(value).cast("string"), F.lit("+00:00"))
        case st.TimestampType() | st.TimestampNTZType() if "timestampFormat" in given:
            text = F.date_format(value, given["timestampFormat"])
        case st.DateType() if "dateFormat" in given:
            text = F.date_format(value, given["dateFormat"])
        case kind if isinstance(kind, _NOT_TEXT):
            return value
        case _:
            text = value.cast("string")
    return text.alias(field.name)


def _in_utc(moment: Expression) -> Expression:
    """A timestamp as UTC time; a cast would use the session time zone."""
    seconds = F.unix_micros(moment).cast("decimal(20,0)") / F.lit(1_000_000).cast("decimal(7,0)")
    since = F.make_dt_interval(F.lit(0), F.lit(0), F.lit(0), seconds.cast("decimal(18,6)"))
    return F.expr("TIMESTAMP_NTZ'1970-01-01 00:00:00'") + since


def read_csv(spark: SparkSession, paths: Sequence[str], names: Sequence[str], given: Mapping[str, str]) -> DataFrame:
    """CSV files as text; rejected if Spark would drop or add anything."""
    options = csv_read_options(given)
    check_csv(spark, paths, options, len(names))
    return spark.read.options(**options).schema(csv_schema(names)).csv(list(paths))


def csv_schema(names: Sequence[str]) -> st.StructType:
    """The schema of a CSV file: all columns are text."""
    return st.StructType([st.StructField(name, st.StringType()) for name in names])


def parsed_csv(rows: DataFrame, columns: Sequence[Column], given: Mapping[str, str]) -> DataFrame:
    """Converts texts, in the order of their columns, to values; invalid texts fail."""
    null = given.get("nullValue") or None
    path = F.regexp_replace(rows.metadataColumn("_metadata").getField("file_path"), "^file:/+", "/")
    return rows.select(*(_parse_column(column, null, given, path) for column in columns))


def _parse_column(column: Column, null: str | None, given: Mapping[str, str], path: Expression) -> Expression:
    text, kind = column_named(column.name), shown_type(column.type)
    if null is not None:
        # In this case, a missing field is an empty text.
        text = F.nullif(F.coalesce(text, F.lit("")), F.lit(null))
    elif not isinstance(kind, st.StringType | st.BinaryType):
        text = F.nullif(text, F.lit(""))
    message = f"Column {column.name} of type {column.type.sql()} cannot hold '"
    refused = F.raise_error(F.concat(F.lit(message), text, F.lit("' (in "), path, F.lit(")"))).cast(kind)
    return _parse_value(text, kind, given, refused).alias(column.name)


def _parse_value(text: Expression, kind: st.DataType, given: Mapping[str, str], refused: Expression) -> Expression:
    """A text as a value; invalid text is rejected, or fails with Spark's error if the user gives a format."""
    match kind:
        case st.StringType():
            return text
        case st.BinaryType():
            return _parse_bytes(text, refused)
        case st.TimestampType() if "timestampFormat" in given:
            return F.to_timestamp_ltz(text, F.lit(given["timestampFormat"]))
        case st.TimestampNTZType() if "timestampFormat" in given:
            return F.to_timestamp_ntz(text, F.lit(given["timestampFormat"]))
        case st.DateType() if "dateFormat" in given:
            return F.to_date(text, given["dateFormat"])
        case kind if isinstance(kind, _NOT_TEXT):
            return text.cast(kind)
    value = text.try_cast(kind)
    return F.when(text.isNull() | value.isNotNull(), value).otherwise(refused)


def _parse_bytes(text: Expression, refused: Expression) -> Expression:
    r"""Bytes as written by DuckDB: `\x00` for each, or an ASCII character."""
    parts = F.regexp_extract_all(text, F.lit(_BYTE), F.lit(1))
    found = F.array_join(
        F.transform(parts, lambda part: F.when(F.length(part) > 1, F.substring(part, 3, 2)).otherwise(F.hex(part))), ""
    )
    is_whole = F.array_join(parts, "") == text
    return F.when(text.isNull(), None).when(is_whole, F.unhex(found)).otherwise(refused)
