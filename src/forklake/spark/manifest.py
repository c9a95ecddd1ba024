"""A list of files for Spark, which then neither lists a folder nor looks at a file before it reads it.

Spark's file sinks leave a log of what they wrote, and Spark reads a folder with such a log by the log alone. We write
one for the files of a scan, in a folder made for it. What the log says of a file's modification time comes back with
every row: there goes the file's number in the scan.
"""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from tempfile import mkdtemp

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as st

from forklake.model.files import DataFile
from forklake.spark.storage import Storage

_LINE = (
    '{{"path":{},"size":{},"isDir":false,"modificationTime":{},'
    '"blockReplication":1,"blockSize":134217728,"action":"add"}}'
)


def relation(
    spark: SparkSession, storage: Storage, schema: st.StructType, files: Iterable[tuple[int, DataFile]]
) -> DataFrame:
    """The rows of numbered files, with Spark's own vectorised reader."""
    folder = Path(mkdtemp(prefix="forklake-scan-"))
    try:
        log = folder / "_spark_metadata"
        log.mkdir()
        lines = [_line(storage, number, file) for number, file in files]
        (log / "0").write_text("v1\n" + "\n".join(lines))
        frame = spark.read.schema(schema).option("recursiveFileLookup", "true").parquet(folder.as_uri())
        # Analysed now: the plan holds the list of files from here on.
        frame.columns  # noqa: B018
        return frame
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _line(storage: Storage, number: int, file: DataFile) -> str:
    uri = storage.uri(file.path, is_relative=file.path_is_relative)
    return _LINE.format(json.dumps(uri), file.file_size_bytes, number)
