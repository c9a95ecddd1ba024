"""Write orders for tasks, and descriptions of written files."""

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
    """How rows of a table are written to files."""

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
    """Reserved columns, following those of the table."""
    begun: Callable[[str], object] | None = None
    """Called with the path of each file before it is written; only on the driver."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A written file, with its path relative to the data path."""

    path: str
    file_size_bytes: int
    footer_size: int
    record_count: int
    column_stats: tuple[ColumnStats, ...] = ()
    partition_values: tuple[str | None, ...] = ()
    label: str | None = None
    max_snapshot_id: int | None = None
    """The largest snapshot id contained in the file."""


def to_batch(files: Iterable[WrittenFile]) -> pa.RecordBatch:
    """The files as rows with a single text column, `file`."""
    texts = [json.dumps(asdict(file)) for file in files]
    return pa.RecordBatch.from_arrays([pa.array(texts, pa.string())], ["file"])


def from_table(table: pa.Table) -> list[WrittenFile]:
    """The files from rows made by `to_batch`."""
    return [_from_text(text) for text in table["file"].to_pylist()]


def _from_text(text: str) -> WrittenFile:
    fields = json.loads(text)
    fields["column_stats"] = tuple(ColumnStats(*stats) for stats in fields["column_stats"])
    fields["partition_values"] = tuple(fields["partition_values"])
    return WrittenFile(**fields)
