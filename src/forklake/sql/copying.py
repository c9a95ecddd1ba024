"""COPY: rows to files that are nobody's but the user's, and from them."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from forklake.errors import InvalidInput, InvalidOption
from forklake.model.entities import Column
from forklake.spark.append import append
from forklake.spark.exports import export
from forklake.spark.failures import copying_from
from forklake.spark.quoting import named
from forklake.spark.settings import READ_OPTIONS, WRITE_SETTINGS, spark_settings
from forklake.spark.text_files import csv_rows, parsed_csv, read_csv, read_json, write_options
from forklake.sql.binding import columns_named, context_of, get_relation
from forklake.sql.constants import Parameters, constant
from forklake.sql.queries import query_frame, relation_frame
from forklake.sql.state import SessionState
from forklake.sql.statements import Copy

_FORMATS = ("parquet", "csv", "json")
_CSV_OPTIONS = {
    "HEADER": "header",
    "DELIMITER": "sep",
    "DELIM": "sep",
    "SEP": "sep",
    "QUOTE": "quote",
    "ESCAPE": "escape",
    "NULL": "nullValue",
    "NULLSTR": "nullValue",
    "DATEFORMAT": "dateFormat",
    "TIMESTAMPFORMAT": "timestampFormat",
    "COMPRESSION": "compression",
}


def copy_rows(state: SessionState, statement: Copy, parameters: Parameters = None) -> int:
    """COPY TO or FROM Parquet, CSV or JSON; returns how many rows were copied."""
    options = {name: constant(text, state.dialect, parameters) for name, text in statement.options.items()}
    file_format = _format(statement.file, options)
    # Spark would look for it in the folder in which it was started.
    file = statement.file if "://" in statement.file else os.path.abspath(statement.file)
    statement = replace(statement, file=file)
    return (
        _to_file(state, statement, file_format, options, parameters)
        if statement.to_file
        else _from_file(state, statement, file_format, options)
    )


def _to_file(
    state: SessionState, statement: Copy, file_format: str, options: Mapping[str, Any], parameters: Parameters
) -> int:
    context = context_of(state)
    if statement.query is not None:
        rows = query_frame(state, context, statement.query, parameters)
    else:
        rows = relation_frame(state, get_relation(state, context, statement.name), context)
        if statement.columns:
            rows = rows.select(*(named(name) for name in statement.columns))
    # Counted while it is written: the query runs once.
    given = _spark_options(options)
    counted, count = _counting(csv_rows(rows, given) if file_format == "csv" else rows)
    writer = counted.coalesce(1).write.options(**write_options(file_format, given))
    with spark_settings(state.holder.get(), WRITE_SETTINGS):
        export(writer, file_format, statement.file, overwrite=bool(options.get("OVERWRITE")))
    return count()


def _counting(rows: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    observation = Observation()
    return rows.observe(observation, F.count(F.lit(1)).alias("rows")), lambda: int(observation.get["rows"])


def _from_file(state: SessionState, statement: Copy, file_format: str, options: Mapping[str, Any]) -> int:
    bound = get_relation(state, context_of(state), statement.name)
    if bound.table is None:
        raise InvalidInput(f"'{bound.entry.name}' is a view: rows can only be copied into tables.")
    with state.writing(bound.attachment) as tx:
        table = tx.current(bound.table)
        columns = columns_named(table, statement.columns)
        with copying_from(statement.file):
            rows = _read(state.holder.get(), statement.file, file_format, columns, _spark_options(options))
            return append(state.work(tx, bound.attachment), table, rows)


def _read(
    spark: SparkSession, file: str, file_format: str, columns: Sequence[Column], given: Mapping[str, str]
) -> DataFrame:
    match file_format:
        case "csv":
            texts = read_csv(spark, [file], [column.name for column in columns], given)
            return parsed_csv(texts, columns, given)
        case "json":
            return read_json(spark, [file], columns, given)
    return spark.read.options(**READ_OPTIONS).options(**given).parquet(file)


def _format(file: str, options: Mapping[str, Any]) -> str:
    given = str(options.get("FORMAT", file.rsplit(".", 1)[-1] if "." in file.rsplit("/", 1)[-1] else "")).lower()
    if given not in _FORMATS:
        raise InvalidOption(f"COPY knows the formats {', '.join(_FORMATS)}; say which with (FORMAT parquet).")
    return given


def _spark_options(options: Mapping[str, Any]) -> dict[str, str]:
    """The options that are given, as Spark calls them."""
    found: dict[str, str] = {}
    for name, value in options.items():
        if name in ("FORMAT", "OVERWRITE", "OVERWRITE_OR_IGNORE"):
            continue
        if name not in _CSV_OPTIONS:
            raise InvalidOption(f"COPY has no option {name}; it takes {', '.join(sorted(_CSV_OPTIONS))}.")
        found[_CSV_OPTIONS[name]] = str(value).lower() if isinstance(value, bool) else str(value)
    if len(found.get("quote", '"')) != 1:
        raise InvalidOption("QUOTE must be one character: without quotes, empty texts could not be told from NULL.")
    return found
