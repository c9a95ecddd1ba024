"""Checks of CSV and JSON files before they are read, to reject what Spark's readers silently change or drop.

Spark closes an unterminated quoted CSV field at the end of the file, keeps text after a closing quote together with the
quotes, and reads invalid UTF-8 as question marks. Of a JSON text it reads only the first value, and of
duplicate keys the last.
"""

import re
from collections.abc import Mapping, Sequence
from secrets import token_hex
from urllib.parse import unquote

from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from forklake.errors import InvalidRows

_RAW = "_record_as_it_stands"
_SHOWN_CHARACTERS = 120
_TASK = 33
"""Spark numbers rows from 0 in each task, with the task number above this bit."""
_LONGEST_VARIANT = 16_000_000
_ESCAPES = {"\\t": "\t", "\\r": "\r", "\\b": "\b", "\\f": "\f", "\\\\": "\\", '\\"': '"', "\\'": "'"}
"""Delimiters as interpreted by Spark."""
_OTHER_BREAKS = "ends in another way than the lines before it, or has a line break in a field that Spark would change"
_OF_THE_SHAPE = ("sep", "quote", "escape", "encoding", "multiLine", "compression")


def check_csv(spark: SparkSession, paths: Sequence[str], options: Mapping[str, str], count: int) -> None:
    """Reject files with a record that does not have `count` fields or has unclosed quotes; uses the reader's options.

    Spark returns the raw text of a record with fewer fields than the schema, so the schema has an extra field.
    """
    _check_encoding(spark, paths)
    if not count:
        return
    names = [f"_{at}" for at in range(count + 1)]
    shape = {name: value for name, value in options.items() if name in _OF_THE_SHAPE or name.startswith("ignore")}
    reader = spark.read.options(**shape, mode="PERMISSIVE", header="false", columnNameOfCorruptRecord=_RAW)
    rows = reader.schema(", ".join(f"{name} STRING" for name in [*names, _RAW])).csv(list(paths))
    raw, texts = F.col(_RAW), [F.col(name) for name in names]
    separator = _ESCAPES.get(options.get("sep", ","), options.get("sep", ","))
    is_record = F.coalesce(raw.rlike(_record(separator, options["quote"], options["escape"], count)), F.lit(False))
    all_fields = f"does not have {count} field{'s' * (count != 1)}, or a quote in it is not closed where a field ends"
    wrong = F.when(~is_record, F.lit(all_fields)).when(_has_other_breaks(raw, texts), F.lit(_OTHER_BREAKS))
    _refuse_first(rows, F.coalesce(raw, F.concat_ws(separator, *texts)), wrong, "Row")


def _has_other_breaks(raw: Expression, texts: Sequence[Expression]) -> Expression:
    """Whether Spark has changed line breaks of a record, or left half of one in its last field."""
    read, half = F.concat_ws("", *texts), "\r(?!\n)"
    # Most records have none, and counting takes longer than all the rest.
    return (raw.contains("\r") | read.contains("\r")) & (
        (F.regexp_count(raw, F.lit("\r\n")) != F.regexp_count(read, F.lit("\r\n")))
        | (F.regexp_count(raw, F.lit(half)) != F.regexp_count(read, F.lit(half)))
    )


def _record(separator: str, quote: str, escape: str, count: int) -> str:
    """The pattern of a record; all quantifiers are possessive, because Java would otherwise exhaust its stack."""
    end, mark = re.escape(separator), re.escape(quote)
    blank = rf"(?:(?!{end})[ \t])*+"
    plain = f"[^{mark}{re.escape(escape)}]*+"
    escaped = mark * 2 if escape == quote else rf"{re.escape(escape)}(?s:.)" if escape else "(?!)"
    quoted = f"{mark}{plain}(?:{escaped}{plain})*+{mark}{blank}"
    unquoted = rf"[^{end}\r\n]*+" if len(separator) == 1 else rf"(?:(?!{end})[^\r\n])*+"
    field = rf"(?:{quoted}|(?!{blank}{mark}){unquoted})"
    return rf"\A{field}(?:{end}{field}){{{count - 1}}}+\z"


def _check_encoding(spark: SparkSession, paths: Sequence[str]) -> None:
    wrong = F.when(~F.is_valid_utf8("value"), F.lit("is not text in UTF-8"))
    _refuse_first(spark.read.text(list(paths)), F.col("value"), wrong, "Line")


def check_json(spark: SparkSession, paths: Sequence[str], *, whole: bool) -> None:
    """Reject files with a line that is not exactly one JSON value; with `whole`, this applies to the whole file."""
    rows = spark.read.text(list(paths), wholetext=whole)
    text = F.regexp_replace("value", r"\A\ufeff?\s*+", "")
    is_array = text.startswith("[")
    # Wrapped in an object with a random last key, so that nothing after the value can be dropped unnoticed.
    end = token_hex(8)
    listed = F.when(is_array, text).otherwise(F.concat(F.lit("["), text, F.lit("]")))
    larger = F.concat(F.lit('{"values":'), listed, F.lit(f',"{end}":true}}'))
    has_both = F.json_object_keys(larger) == F.array(F.lit("values"), F.lit(end))
    read = F.from_json(larger, f"`values` ARRAY<STRING>, `{end}` BOOLEAN")
    values = read.getField("values")
    is_one = has_both & read.getField(end) & (is_array | (F.size(values) < 2))
    right = F.coalesce(is_one & F.forall(values, _has_keys_once), F.lit(False))
    wrong = F.when(~right, F.lit("must be one JSON value, with every key once"))
    _refuse_first(rows, text, wrong, "The file" if whole else "Line")


def _has_keys_once(value: Expression) -> Expression:
    """Whether no object in a JSON text has duplicate keys, which a variant does not allow."""
    keys = F.json_object_keys(value)
    at_top = F.coalesce(F.size(keys) == F.size(F.array_distinct(keys)), F.lit(True))
    return at_top & (value.isNull() | (F.length(value) > _LONGEST_VARIANT) | F.try_parse_json(value).isNotNull())


def _refuse_first(rows: DataFrame, text: Expression, wrong: Expression, what: str) -> None:
    """Raise InvalidRows for the first invalid row, with its number, its beginning, and its file."""
    if rows.select(wrong.alias("wrong")).where("wrong IS NOT NULL").isEmpty():
        return
    found = rows.select(
        rows.metadataColumn("_metadata").getField("file_path").alias("path"),
        F.monotonically_increasing_id().alias("at"),
        F.substring(text, 1, _SHOWN_CHARACTERS).alias("text"),
        wrong.alias("wrong"),
    )
    at = F.when(F.col("wrong").isNotNull(), F.col("at"))
    first = F.min_by(F.struct("at", "text", "wrong"), at)
    files = found.groupBy("path").agg(F.min("at").alias("begin"), first.alias("first"))
    wrong_rows = files.where("first.wrong IS NOT NULL").orderBy("path").limit(1).collect()
    if wrong_rows:
        [row] = wrong_rows
        # Rows of a large file are counted by several tasks, each from 0.
        is_counted = what != "The file" and row.first.at >> _TASK == row.begin >> _TASK
        number = f" {row.first.at - row.begin + 1}" if is_counted else ""
        file = re.sub("^file:/+", "/", unquote(row.path))
        raise InvalidRows(f"{what}{number} {row.first.wrong}: {row.first.text!r} (in {file})")
