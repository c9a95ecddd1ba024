"""Rows to files that belong to the user: Parquet, CSV or JSON."""

import os
from collections.abc import Mapping

from pyspark.sql import DataFrame, DataFrameWriter, SparkSession

from forklake.spark.session.job_settings import WRITE_SETTINGS, spark_settings
from forklake.spark.session.provider import may_run_elsewhere
from forklake.spark.session.shared_folders import check_shared
from forklake.spark.storage.exports import check_place, export
from forklake.spark.storage.storage import local_path
from forklake.spark.values.csv_files import csv_rows, csv_write_options
from forklake.spark.values.json_files import check_json_writable, json_write_options


def export_rows(rows: DataFrame, file_format: str, place: str, given: Mapping[str, str], *, overwrite: bool) -> None:
    """Write rows as files into a folder, one per partition; the given options of Spark's writer take precedence."""
    writer = _writer(rows, file_format, given)
    check_place(place)
    _check_shared(rows.sparkSession, place)
    with spark_settings(rows.sparkSession, WRITE_SETTINGS):
        export(writer, file_format, place, overwrite=overwrite)


def _check_shared(spark: SparkSession, place: str) -> None:
    """Executors may be on machines that have a disk of their own under the path of a user's folder."""
    folder = local_path(place)
    if folder is None or not may_run_elsewhere(spark):
        return
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    check_shared(spark, folder)


def _writer(rows: DataFrame, file_format: str, given: Mapping[str, str]) -> DataFrameWriter:
    match file_format:
        case "csv":
            return csv_rows(rows, given).write.options(**csv_write_options(given))
        case "json":
            check_json_writable(rows.schema)
            return rows.write.options(**json_write_options(given))
    return rows.write.options(**given)
