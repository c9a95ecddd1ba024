"""Reading the rows of a scan plan on the driver, as Arrow tables and without Spark.

Only files that we have written, and only columns whose values need no conversion by Spark: `why_not_on_driver` gives
the reason for all others.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.errors import DamagedFile
from forklake.model.column_types import INTEGERS
from forklake.model.entities import Column
from forklake.model.files import DataFile, ScanFile
from forklake.spark.reading.deleted_rows import deleted_positions
from forklake.spark.reading.file_groups import FileGroup, PathColumn, group_by_naming
from forklake.spark.reading.inlined import inlined_rows
from forklake.spark.tasks.files.delete_files import Positions
from forklake.spark.tasks.types.arrow_types import default_array, shown_schema, shown_type
from forklake.spark.work import Work

_SAME_IN_FILES = INTEGERS - {"uint128", "int128"} | {
    "boolean", "float32", "float64", "decimal", "varchar", "blob", "date", "timestamp", "timestamptz",
}  # fmt: skip
"""Types whose values in files, cast to the shown type, are those that Spark shows."""
_SIGNED = ("int8", "int16", "int32", "int64")
_READERS = 8
_MOST_FILES = 200
_MOST_ROWS = 1_000_000
_MOST_VALUES = 10_000_000
"""In all columns: compressed, they may take next to nothing in files."""


def why_not_on_driver(work: Work, plan: ScanPlan, columns: Sequence[Column]) -> str | None:
    """The reason why these columns of a plan cannot be read on the driver; None if they can."""
    if len(plan.files) > _MOST_FILES:
        return f"it reads more than {_MOST_FILES} files"
    if plan.row_count > _MOST_ROWS:
        return f"it reads more than {_MOST_ROWS:,} rows"
    if plan.row_count * len(columns) > _MOST_VALUES:
        return f"it reads more than {_MOST_VALUES:,} values"
    if any(file.data.mapping_id is not None for file in plan.files):
        return "some of its files were added, and not written by Forklake"
    if any(_has_later_rows(file.data, plan) for file in plan.files):
        return "some of its files have rows of later snapshots"
    for group in group_by_naming(work.tx, plan.table, list(enumerate(plan.files))):
        for now, then in _pairs(plan, group, columns):
            if not _is_readable(now, then):
                return f"column '{now.name}' is converted by Spark"
    return None


def driver_rows(work: Work, plan: ScanPlan, columns: Sequence[Column]) -> pa.Table:
    """The live rows of a plan with these columns, in shown form; there must be no reason against it."""
    schema = shown_schema(columns)
    sources = [
        source
        for group in group_by_naming(work.tx, plan.table, list(enumerate(plan.files)))
        for source in _sources(work, plan, group, columns)
    ]
    with ThreadPoolExecutor(_READERS) as pool:
        tables = list(pool.map(lambda source: _read_file(work, plan, schema, *source), sources))
    if plan.batches:
        tables.append(inlined_rows(plan).select(schema.names))
    return pa.concat_tables(tables).cast(schema) if tables else schema.empty_table()


def _has_later_rows(data: DataFile, plan: ScanPlan) -> bool:
    return data.partial_max is not None and data.partial_max > plan.snapshot_id


_Pair = tuple[Column, Column | PathColumn | None]
"""A column of the table, and the same column in a file."""


def _pairs(plan: ScanPlan, group: FileGroup, columns: Sequence[Column]) -> list[_Pair]:
    wanted = {column.column_id for column in columns}
    pairs = zip(plan.table.definition.columns, group.naming, strict=True)
    by_id = {now.column_id: (now, then) for now, then in pairs if now.column_id in wanted}
    return [by_id[column.column_id] for column in columns]


def _sources(
    work: Work, plan: ScanPlan, group: FileGroup, columns: Sequence[Column]
) -> Iterator[tuple[ScanFile, Positions, list[_Pair]]]:
    files = [file for _, file in group.files]
    pairs = _pairs(plan, group, columns)
    for file, positions in zip(files, deleted_positions(work, plan.table, files), strict=True):
        yield file, positions, pairs


def _is_readable(now: Column, then: Column | PathColumn | None) -> bool:
    if isinstance(then, PathColumn):
        return False
    if then is None:
        return now.type.name in _SAME_IN_FILES
    if "." in then.name:
        # Arrow would take it for the path of a nested field.
        return False
    if now.type.is_nested:
        return now.type == then.type and all(map(_is_same_field, now.children, then.children))
    return now.type.name in _SAME_IN_FILES and (now.type == then.type or _is_widened(now.type.name, then.type.name))


def _is_same_field(now: Column, then: Column) -> bool:
    return now.column_id == then.column_id and now.type == then.type and _is_readable(now, then)


def _is_widened(now: str, then: str) -> bool:
    if now in _SIGNED and then in _SIGNED:
        return _SIGNED.index(now) > _SIGNED.index(then)
    return (now, then) == ("float64", "float32")


def _read_file(
    work: Work, plan: ScanPlan, schema: pa.Schema, file: ScanFile, deleted: Positions, pairs: Sequence[_Pair]
) -> pa.Table:
    data = file.data
    path = work.storage.path(data.path, is_relative=data.path_is_relative)
    which = f"The file {path} of table '{plan.table.name}' at version {plan.snapshot_id}"
    names = [then.name for _, then in pairs if isinstance(then, Column)]
    try:
        with pq.ParquetFile(
            path, filesystem=work.storage.files, pre_buffer=True, page_checksum_verification=True
        ) as parquet:
            count = parquet.metadata.num_rows
            rows = parquet.read(columns=names)
    except (OSError, pa.ArrowException, KeyError) as error:
        reason = "does not exist" if isinstance(error, FileNotFoundError) else "cannot be read"
        raise DamagedFile(f"{which} {reason}.") from error
    if count != data.record_count or not set(names) <= set(rows.column_names):
        raise DamagedFile(f"{which} was replaced by another: it has {count} rows of {rows.column_names}.")
    arrays = [_shown_array(rows, now, then, count) for now, then in pairs]
    table = pa.Table.from_arrays(arrays, schema=schema)
    if not len(deleted):
        return table
    live = np.ones(count, bool)
    live[deleted] = False
    return table.filter(pa.array(live))


def _shown_array(rows: pa.Table, now: Column, then: Column | PathColumn | None, count: int) -> pa.ChunkedArray:
    shown = shown_type(now.type)
    if not isinstance(then, Column):
        return pa.chunked_array([default_array(now, count)], shown)
    return rows[then.name].cast(shown)
