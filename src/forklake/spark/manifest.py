"""A list of files for Spark, which then neither lists a folder nor looks at a file before it reads it.

Spark's file sinks leave a log of what they wrote, and Spark reads a folder with such a log by the log alone. We write
one for the files of a scan, in a folder made for it. What the log says of a file's modification time comes back with
every row: there goes the file's number in the scan.
"""

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import mkdtemp

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as st

from forklake.model.files import DataFile
from forklake.spark.storage import Storage

_PLAIN = re.compile(r"[\w.~/=-]+", re.ASCII)
"""Paths that are the same in a URI, as nearly all are: there may be fifty thousand of them."""


def relation(
    spark: SparkSession, storage: Storage, schema: st.StructType, files: Iterable[tuple[int, DataFile]]
) -> DataFrame:
    """The rows of numbered files, with Spark's own vectorised reader."""
    folder = Path(mkdtemp(prefix="forklake-scan-"))
    try:
        log = folder / "_spark_metadata"
        log.mkdir()
        (log / "0").write_text("\n".join(["v1", *_lines(storage, files)]))
        frame = spark.read.schema(schema).option("recursiveFileLookup", "true").parquet(f"file://{folder}")
        # Analysed now: the plan holds the list of files from here on.
        frame.columns  # noqa: B018
        return frame
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _lines(storage: Storage, files: Iterable[tuple[int, DataFile]]) -> Iterator[str]:
    root = json.dumps(storage.uri(""))[:-1]
    for number, file in files:
        if file.path_is_relative and _PLAIN.fullmatch(file.path):
            uri = f'{root}{file.path}"'
        else:
            uri = json.dumps(storage.uri(file.path, is_relative=file.path_is_relative))
        yield (
            f'{{"path":{uri},"size":{file.file_size_bytes},"isDir":false,"modificationTime":{number},'
            '"blockReplication":1,"blockSize":134217728,"action":"add"}'
        )
