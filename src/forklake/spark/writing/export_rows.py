"""Rows to files that belong to the user: Parquet, CSV or JSON."""

from collections.abc import Mapping

from pyspark.sql import DataFrame

from forklake.spark.session.job_settings import WRITE_SETTINGS, spark_settings
from forklake.spark.storage.exports import export
from forklake.spark.values.text_files import csv_rows, write_options


def export_rows(rows: DataFrame, file_format: str, place: str, given: Mapping[str, str], *, overwrite: bool) -> None:
    """Write rows as files into a folder, one per partition; the given options of Spark's writer take precedence."""
    shown = csv_rows(rows, given) if file_format == "csv" else rows
    writer = shown.write.options(**write_options(file_format, given))
    with spark_settings(rows.sparkSession, WRITE_SETTINGS):
        export(writer, file_format, place, overwrite=overwrite)
