"""What a task is told to write, and what it tells of what it has written."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

import pyarrow as pa

from forklake.model.entities import Column
from forklake.model.statistics import ColumnStats
from forklake.spark.tasks.partitions.partitioning import Partitioning

ROW_GROUP_ROWS = 122_880
ROW_GROUP_BYTES = 128 * 2**20


@dataclass(frozen=True, slots=True)
class WriteOrder:
    """How rows of a table become files."""

    root: str
    """The data path of the lake: a URI, or an absolute local path."""
    folder: str
    """The folder of the table below the root."""
    columns: tuple[Column, ...]
    partition: Partitioning | None = None
    hive: bool = True
    target_bytes: int = 512 * 2**20
    compression: str = "snappy"
    compression_level: int | None = None
    row_group_rows: int | None = None
    row_group_bytes: int | None = None
    """In memory, before compression."""
    version: str | None = None
    reserved: tuple[str, ...] = ()
    """Reserved columns that stand behind the table's own."""
    begun: Callable[[str], object] | None = None
    """Told the path of each file before it is written; on the driver alone."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that was written; its path is relative to the data path."""

    path: str
    file_size_bytes: int
    footer_size: int
    record_count: int
    column_stats: tuple[ColumnStats, ...] = ()
    partition_values: tuple[str | None, ...] = ()
    label: str | None = None
    max_snapshot_id: int | None = None
    """The largest of the snapshot ids that the file embeds."""


def to_batch(files: Iterable[WrittenFile]) -> pa.RecordBatch:
    """The files as rows of one column of text, `file`."""
    texts = [json.dumps(asdict(file)) for file in files]
    return pa.RecordBatch.from_arrays([pa.array(texts, pa.string())], ["file"])


def from_table(table: pa.Table) -> list[WrittenFile]:
    """The files in rows that `to_batch` has made."""
    return [_from_text(text) for text in table["file"].to_pylist()]


def _from_text(text: str) -> WrittenFile:
    fields = json.loads(text)
    fields["column_stats"] = tuple(ColumnStats(*stats) for stats in fields["column_stats"])
    fields["partition_values"] = tuple(fields["partition_values"])
    return WrittenFile(**fields)
