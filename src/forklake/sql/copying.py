"""COPY: rows to files that are nobody's but the user's, and from them."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.errors import InvalidInput, InvalidOption
from forklake.model.entities import Table
from forklake.spark.append import append
from forklake.spark.quoting import named
from forklake.spark.type_mapping import shown_type
from forklake.sql.binding import context_of, get_relation
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
    counted, count = _counting(rows)
    writer = counted.coalesce(1).write.options(**_spark_options(file_format, options))
    writer.mode("overwrite" if options.get("OVERWRITE") else "error").format(file_format).save(statement.file)
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
        reader = state.holder.get().read.options(**_spark_options(file_format, options))
        names = list(statement.columns) or [column.name for column in table.definition.columns]
        if file_format != "csv":
            return append(state.work(tx, bound.attachment), table, reader.format(file_format).load(statement.file))
        wanted = _text_schema(names)
        rows = reader.schema(wanted).csv(statement.file)
        return append(state.work(tx, bound.attachment), table, _parsed(rows, table, names))


def _text_schema(names: list[str]) -> st.StructType:
    return st.StructType([st.StructField(name, st.StringType()) for name in names])


def _parsed(rows: DataFrame, table: Table, names: list[str]) -> DataFrame:
    """Text as values of the columns; a text that is none fails."""
    columns = {column.name.lower(): column for column in table.definition.columns}
    shown = []
    for name in names:
        if name.lower() not in columns:
            raise InvalidInput(f"Table '{table.name}' has no column '{name}'.")
        shown.append(named(name).cast(shown_type(columns[name.lower()].type)).alias(name))
    return rows.select(*shown)


def _format(file: str, options: Mapping[str, Any]) -> str:
    given = str(options.get("FORMAT", file.rsplit(".", 1)[-1] if "." in file.rsplit("/", 1)[-1] else "")).lower()
    if given not in _FORMATS:
        raise InvalidOption(f"COPY knows the formats {', '.join(_FORMATS)}; say which with (FORMAT parquet).")
    return given


def _spark_options(file_format: str, options: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"header": "true"} if file_format == "csv" else {}
    for name, value in options.items():
        if name in ("FORMAT", "OVERWRITE", "OVERWRITE_OR_IGNORE"):
            continue
        if name not in _CSV_OPTIONS:
            raise InvalidOption(f"COPY has no option {name}; it takes {', '.join(sorted(_CSV_OPTIONS))}.")
        found[_CSV_OPTIONS[name]] = str(value).lower() if isinstance(value, bool) else value
    return found
