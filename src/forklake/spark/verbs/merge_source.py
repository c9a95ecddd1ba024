"""The source of a MERGE: evaluated once, with numbered rows, and read as often as needed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyarrow import fs
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.errors import InvalidInput
from forklake.model.entities import Table
from forklake.model.names import fold
from forklake.spark.session.job_settings import READ_OPTIONS, WRITE_SETTINGS, spark_settings
from forklake.spark.tasks.files.file_names import uuid7
from forklake.spark.tasks.files.write_changes import SOURCE_ROW
from forklake.spark.values.from_arrow import from_arrow
from forklake.spark.work import Work
from forklake.spark.writing.incoming import Rows

_MATCHED_ROW = f"{SOURCE_ROW}_matched"
"""Not a name that a source may have."""
SMALL_BYTES = 64 * 2**20
"""A source up to this size is broadcast."""


@dataclass(frozen=True, slots=True)
class SourceRows:
    """The numbered rows."""

    frame: DataFrame
    columns: list[str]
    is_small: bool

    def without(self, matched: pa.ChunkedArray) -> DataFrame:
        """The rows without those with these numbers."""
        if not len(matched):
            return self.frame
        numbers = self.frame.sparkSession.createDataFrame(pa.table({_MATCHED_ROW: matched.unique()}))
        return self.frame.join(numbers, F.col(SOURCE_ROW) == F.col(_MATCHED_ROW), "left_anti")


@contextmanager
def source_rows(work: Work, table: Table, rows: Rows) -> Iterator[SourceRows]:
    """The rows of a source, stored while the block runs.

    A DataFrame may return different rows for each execution, so it is executed once and written to files next to the
    table's. If the process dies, they become orphans.
    """
    check_source_names(rows.schema.names)
    if isinstance(rows, pa.Table):
        numbered = rows.append_column(SOURCE_ROW, pa.array(np.arange(rows.num_rows)))
        yield SourceRows(from_arrow(work.spark, numbered), rows.column_names, rows.nbytes <= SMALL_BYTES)
        return
    storage, folder = work.storage, f"{work.folder(table)}{uuid7()}"
    schema = st.StructType([*rows.schema.fields, st.StructField(SOURCE_ROW, st.LongType())])
    try:
        with spark_settings(work.spark, WRITE_SETTINGS):
            rows.withColumn(SOURCE_ROW, F.monotonically_increasing_id()).write.parquet(storage.folder(folder))
        kept = work.spark.read.schema(schema).options(**READ_OPTIONS).parquet(storage.folder_to_read(folder))
        yield SourceRows(kept.select("*"), rows.columns, _folder_size(work, folder) <= SMALL_BYTES)
    finally:
        # A job that failed, or was cancelled before it started, may not have created the folder.
        with suppress(FileNotFoundError):
            storage.files.delete_dir(storage.path(folder))


def check_source_names(names: Sequence[str]) -> None:
    """Reject a source that has several columns of one name."""
    counts = Counter(map(fold, names))
    for name in names:
        if counts[fold(name)] > 1:
            raise InvalidInput(f"The source of a merge has several columns '{name}'; give each a name of its own.")


def _folder_size(work: Work, folder: str) -> int:
    storage = work.storage
    found = storage.files.get_file_info(fs.FileSelector(storage.path(folder), recursive=True))
    return sum(info.size for info in found if info.is_file)
