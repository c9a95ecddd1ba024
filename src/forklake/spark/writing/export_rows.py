"""Rows to files that belong to the user: Parquet, CSV or JSON."""

import os
from collections.abc import Mapping

from pyspark.sql import DataFrame, DataFrameWriter, Observation, SparkSession
from pyspark.sql import functions as sf

from forklake.errors import FolderNotShared
from forklake.spark.session.job_settings import WRITE_SETTINGS, spark_settings
from forklake.spark.session.provider import may_run_elsewhere
from forklake.spark.session.shared_folders import SHARE_FOLDERS, check_shared
from forklake.spark.storage.exports import check_place, export
from forklake.spark.storage.storage import local_path
from forklake.spark.values.csv_files import csv_rows, csv_write_options
from forklake.spark.values.json_files import check_json_writable, json_write_options

_PART = "_forklake_part"
_PARTS = "parts"


def export_rows(rows: DataFrame, file_format: str, place: str, given: Mapping[str, str], *, overwrite: bool) -> None:
    """Write rows as files into a folder, one per partition; the given options of Spark's writer take precedence."""
    folder, written = _folder_to_share(rows.sparkSession, place), Observation()
    if folder is not None:
        # An aggregate cannot compute the number itself.
        rows = rows.withColumn(_PART, sf.spark_partition_id())
        rows = rows.observe(written, sf.collect_set(_PART).alias(_PARTS)).drop(_PART)
    writer = _writer(rows, file_format, given)
    check_place(place)
    if folder is not None:
        check_shared(rows.sparkSession, folder)

    def check_parts(visible: set[int]) -> None:
        """Check that this process sees a file of each partition with rows: tasks do not report what they write."""
        expected = set(written.get[_PARTS])
        if not expected <= visible:
            raise FolderNotShared(
                f"Executors have written {len(expected)} files to '{place}', but this process does not see"
                f" {len(expected - visible)} of them. {SHARE_FOLDERS}"
            )

    with spark_settings(rows.sparkSession, WRITE_SETTINGS):
        export(writer, file_format, place, overwrite=overwrite, check_parts=None if folder is None else check_parts)


def _folder_to_share(spark: SparkSession, place: str) -> str | None:
    """The nearest local folder that exists, if executors may be on machines with a disk of their own under its path."""
    folder = local_path(place)
    if folder is None or not may_run_elsewhere(spark):
        return None
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder


def _writer(rows: DataFrame, file_format: str, given: Mapping[str, str]) -> DataFrameWriter:
    match file_format:
        case "csv":
            return csv_rows(rows, given).write.options(**csv_write_options(given))
        case "json":
            check_json_writable(rows.schema)
            return rows.write.options(**json_write_options(given))
    return rows.write.options(**given)
