"""Rows from files that belong to the user: Parquet, CSV or JSON."""

import os
from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType

from forklake.model.column_types import ColumnType
from forklake.model.data_paths import as_pattern
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.spark.session.job_settings import READ_OPTIONS
from forklake.spark.storage.storage import local_path
from forklake.spark.values.csv_files import csv_read_options, parsed_csv, read_csv
from forklake.spark.values.json_files import read_json
from forklake.spark.values.quoting import column_named
from forklake.spark.values.type_mapping import shown_type


def import_positional(
    spark: SparkSession,
    paths: Sequence[str],
    file_format: str,
    columns: Sequence[Column],
    given: Mapping[str, str],
    *,
    is_listed: bool,
) -> DataFrame:
    """The rows of files for columns of a table: those of CSV in this order, others by name.

    Of Parquet files all columns are read, unless the user lists those to take.
    """
    paths = [_existing_or_pattern(path) for path in paths]
    match file_format:
        case "csv":
            return parsed_csv(read_csv(spark, paths, [column.name for column in columns], given), columns, given)
        case "json":
            return read_json(spark, paths, columns, given)
    rows = spark.read.options(**READ_OPTIONS).options(**given).parquet(*paths)
    return rows.select(*(column_named(column.name) for column in columns)) if is_listed else rows


def import_named(
    spark: SparkSession,
    paths: Sequence[str],
    file_format: str,
    columns: Sequence[Column] | None,
    given: Mapping[str, str],
) -> DataFrame:
    """The rows of files whose columns have names; given the columns of a table, converted to their types."""
    paths = [_existing_or_pattern(path) for path in paths]
    match file_format:
        case "csv":
            return _csv_with_header(spark, paths, columns, given)
        case "json":
            return read_json(spark, paths, columns, given)
    rows = spark.read.options(**READ_OPTIONS).options(**given).parquet(*paths)
    return rows if columns is None else _cast_texts(rows, columns)


def _existing_or_pattern(path: str) -> str:
    """A path for Spark's readers: as it is written if there is such a file or folder, and otherwise as a pattern."""
    local = local_path(path)
    return as_pattern(path) if local is not None and os.path.exists(local) else path


def _csv_with_header(
    spark: SparkSession, paths: Sequence[str], columns: Sequence[Column] | None, given: Mapping[str, str]
) -> DataFrame:
    # Every file must have the columns of the first, in the same order.
    strict = {**given, "enforceSchema": "false"}
    infer = "true" if columns is None else "false"
    rows = spark.read.options(**csv_read_options({**strict, "inferSchema": infer})).csv(list(paths))
    texts = read_csv(spark, paths, rows.columns, strict)
    if columns is None:
        return rows
    types = {fold(column.name): column.type for column in columns}
    found = [Column(ColumnId(0), name, types.get(fold(name), ColumnType("varchar"))) for name in rows.columns]
    return parsed_csv(texts, found, {})


def _cast_texts(rows: DataFrame, columns: Sequence[Column]) -> DataFrame:
    """Cast string columns to the types of the target columns; a string that does not parse fails."""
    types = {fold(column.name): shown_type(column.type) for column in columns}
    return rows.select(
        *(
            column_named(field.name).cast(types.get(fold(field.name), StringType())).alias(field.name)
            if isinstance(field.dataType, StringType)
            else column_named(field.name)
            for field in rows.schema.fields
        )
    )
