"""What is behind a table: its rows in one order, its files and their footers, and the jobs that Spark ran."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.model.column_tree import find_column
from forklake.model.files import InlinedBatch, ScanFile
from forklake.model.statistics import ColumnStats
from forklake.spark.storage.storage import MARK
from forklake.store.table_files import file_stats
from tests.attached import read_table
from tests.spark.conftest import CONNECT, Lakehouse

Row = tuple[Any, ...]


def sort_key(row: Sequence[Any]) -> Any:
    """An order for rows of any values, NULL first; NaN is equal to itself."""
    return tuple(
        (value is not None, str(type(value)), str(value)) if not _is_number(value) else (True, "", value)
        for value in row
    )


def rows(table: TableHandle, *columns: str, where: Any = None, **when: Any) -> list[Any]:
    """The rows of a table, sorted, with the columns asked for or all."""
    return sorted(table.scan(where, list(columns) or None, **when).fetchall(), key=sort_key)


def head(lake: CatalogHandle) -> int:
    """The newest snapshot of a catalog."""
    return int(lake.snapshots()[-1].snapshot_id)


def files(table: TableHandle) -> list[ScanFile]:
    """The data files of a table with their delete files, oldest first."""
    tx, table_id = read_table(table)
    return sorted(tx.files(table_id), key=lambda file: file.data.data_file_id)


def batches(table: TableHandle) -> list[InlinedBatch]:
    """The inlined batches of a table, oldest first."""
    tx, table_id = read_table(table)
    return sorted(tx.batches(table_id), key=lambda batch: batch.batch_id)


def stats(table: TableHandle, *path: str) -> list[ColumnStats]:
    """What the metadata say about a column in each file, oldest first."""
    tx, table_id = read_table(table)
    column = find_column(table.definition, path)
    known = file_stats(tx.catalog.lake.store, tx.view.table_scope(table_id), table_id, column.column_id)
    return [known[file_id] for file_id in sorted(known)]


def paths(lakehouse: Lakehouse, table: TableHandle) -> list[Path]:
    """The data files of a table where they lie."""
    return [lakehouse.data / file.data.path for file in files(table)]


def footers(lakehouse: Lakehouse, table: TableHandle) -> list[pq.FileMetaData]:
    return [pq.read_metadata(path) for path in paths(lakehouse, table)]


def files_below(folder: Path) -> set[Path]:
    """Every file there is in a folder, Hadoop's checksums, lists for Spark Connect and the lake's mark aside."""
    found = {path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")}
    return {path for path in found if "_scans" not in path.parts and path.name != MARK}


def environment() -> dict[str, str]:
    """The environment for a process in another folder and with a Spark of its own, for this same package.

    PySpark notes in the environment which kind of sessions a process has.
    """
    others = {name: value for name, value in os.environ.items() if name != "SPARK_CONNECT_MODE_ENABLED"}
    return {**others, "PYTHONPATH": str(Path(forklake.__file__).parents[1])}


def run_again(folder: Path, files: Sequence[str], keywords: str, **variables: str) -> None:
    """Run tests in a process of their own, with these variables."""
    command = [sys.executable, "-m", "pytest", "-q", "--timeout=200", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, f"--basetemp={folder / 'runs'}", "-k", keywords, *files],
        cwd=Path(__file__).parents[2],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


@contextmanager
def no_spark_job(spark: SparkSession) -> Iterator[None]:
    """Fails if Spark runs a job while the block does: jobs are numbered without gaps, which clients do not learn."""
    if CONNECT:
        yield
        return
    before = _number_of_a_job(spark)
    yield
    assert _number_of_a_job(spark) == before + 1


def _number_of_a_job(spark: SparkSession) -> int:
    """Run a small job, and wait until Spark has told its number."""
    group, context = str(uuid4()), spark.sparkContext
    context.setJobGroup(group, "a job to count from")
    try:
        spark.range(1).collect()
    finally:
        context.setLocalProperty("spark.jobGroup.id", "")
    while not (found := context.statusTracker().getJobIdsForGroup(group)):
        time.sleep(0.005)
    return max(found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and value == value


def is_uuid(text: str) -> bool:
    """Whether a folder has the name of one that a job of Spark has for itself."""
    return re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text) is not None
