"""COPY: exports rows to files outside the lake, and imports rows from files."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from forklake.errors import InvalidInput, InvalidOption
from forklake.spark.reading.import_rows import import_positional
from forklake.spark.session.failures import translate_copy_errors
from forklake.spark.storage.storage import user_place
from forklake.spark.values.float_range import with_doubles
from forklake.spark.values.quoting import column_named
from forklake.spark.verbs.append import append
from forklake.spark.writing.export_rows import export_rows
from forklake.sql.binding.names import context_of, get_relation, listed_columns
from forklake.sql.parsing.constants import Parameters, parse_constant
from forklake.sql.parsing.statements import Copy
from forklake.sql.queries.bind_query import query_frame, relation_frame
from forklake.sql.session.state import SessionState

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
_OWN = ("FORMAT", "OVERWRITE")
_WORDS = {"true": "true", "1": "true", "false": "false", "0": "false"}
"""The values of HEADER, as Spark spells them."""


def copy_rows(state: SessionState, statement: Copy, parameters: Parameters = None) -> int:
    """COPY TO or FROM Parquet, CSV or JSON; returns the number of rows copied."""
    options = {name: parse_constant(text, state.dialect, parameters) for name, text in statement.options.items()}
    file_format = _file_format(statement.file, options)
    statement = replace(statement, file=user_place(statement.file))
    return (
        _copy_to_file(state, statement, file_format, options, parameters)
        if statement.to_file
        else _copy_from_file(state, statement, file_format, options)
    )


def _copy_to_file(
    state: SessionState, statement: Copy, file_format: str, options: Mapping[str, Any], parameters: Parameters
) -> int:
    context = context_of(state)
    if statement.query is not None:
        rows = query_frame(state, context, statement.query, parameters)
    else:
        rows = relation_frame(state, get_relation(state, context, statement.name), context)
        if statement.columns:
            rows = rows.select(*(column_named(name) for name in statement.columns))
    # Counted while writing, so that the query runs once.
    given = _spark_options(options)
    counted, count = _observe_count(rows)
    export_rows(counted.coalesce(1), file_format, statement.file, given, overwrite=bool(options.get("OVERWRITE")))
    return count()


def _observe_count(rows: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    observation = Observation()
    return rows.observe(observation, F.count(F.lit(1)).alias("rows")), lambda: int(observation.get["rows"])


def _copy_from_file(state: SessionState, statement: Copy, file_format: str, options: Mapping[str, Any]) -> int:
    bound = get_relation(state, context_of(state), statement.name)
    if bound.table is None:
        raise InvalidInput(f"'{bound.entry.name}' is a view: rows can only be copied into tables.")
    with state.writing(bound.attachment) as tx:
        table = tx.current(bound.table)
        columns = listed_columns(table, statement.columns)
        with translate_copy_errors(statement.file):
            spark, given, is_listed = state.provider.get(), _spark_options(options), bool(statement.columns)
            if state.refuses_large_floats and file_format == "json":
                columns = with_doubles(columns)
            rows = import_positional(spark, [statement.file], file_format, columns, given, is_listed=is_listed)
            return append(state.work(tx, bound.attachment), table, rows)


def _file_format(file: str, options: Mapping[str, Any]) -> str:
    given = str(options.get("FORMAT", file.rsplit(".", 1)[-1] if "." in file.rsplit("/", 1)[-1] else "")).lower()
    if given not in _FORMATS:
        raise InvalidOption(f"COPY supports the formats {', '.join(_FORMATS)}; specify one, as in (FORMAT parquet).")
    return given


def _spark_options(options: Mapping[str, Any]) -> dict[str, str]:
    """The given options under their Spark names."""
    found: dict[str, str] = {}
    for name, value in options.items():
        if name in _OWN:
            continue
        if name not in _CSV_OPTIONS:
            raise InvalidOption(f"COPY has no option {name}; it takes {', '.join(sorted([*_CSV_OPTIONS, *_OWN]))}.")
        found[_CSV_OPTIONS[name]] = str(value).lower() if isinstance(value, bool) else str(value)
    _check_csv_marks(found)
    if len(found.get("quote", '"')) != 1:
        raise InvalidOption(
            "QUOTE must be one character: without quotes, empty texts could not be distinguished from NULL."
        )
    return found


def _check_csv_marks(given: dict[str, str]) -> None:
    """Reject options for which Spark fails, or writes files that cannot be read back."""
    if "header" in given:
        header = given["header"].lower()
        if header not in _WORDS:
            raise InvalidOption(f"HEADER is true or false, not {given['header']!r}.")
        given["header"] = _WORDS[header]
    separator, quote, escape = given.get("sep", ","), given.get("quote", '"'), given.get("escape")
    if not separator:
        raise InvalidOption("DELIMITER must be one or more characters, such as ',' or ';'.")
    if escape is not None and len(escape) != 1:
        raise InvalidOption("ESCAPE must be one character; without the option, quotes are doubled.")
    for name, mark in (("QUOTE", quote), ("ESCAPE", escape)):
        if mark and mark in separator and not (mark == "\\" and len(separator) > 1):
            raise InvalidOption(f"{name} must not appear in the DELIMITER.")
