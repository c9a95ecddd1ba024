"""Reading the rows of a scan plan on the driver, as Arrow tables and without Spark.

Only files that we have written, and only columns whose values need no conversion by Spark: `why_not_on_driver` gives
the reason for all others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from forklake.catalog.planning.scan_planning import ScanPlan, table_filter
from forklake.errors import DamagedFile
from forklake.model.column_types import INTEGERS
from forklake.model.entities import UNCOMMITTED, Column
from forklake.model.files import DataFile, ScanFile
from forklake.model.predicates import Predicate
from forklake.model.pruning import Everything, FileFilter
from forklake.model.threads import map_in_threads
from forklake.spark.reading.deleted_rows import deleted_positions
from forklake.spark.reading.file_groups import (
    FileGroup,
    PathColumn,
    RowIdSource,
    group_by_naming,
    numbered_files,
    row_id_source,
)
from forklake.spark.reading.inlined import inlined_rows
from forklake.spark.reading.row_groups import repeating_strings, row_groups_that_may_match
from forklake.spark.reading.virtual_columns import ADDRESS, POSITION_BITS
from forklake.spark.tasks.files.delete_files import Positions
from forklake.spark.tasks.types.arrow_types import default_array, shown_schema, shown_type
from forklake.spark.tasks.types.as_text import as_text
from forklake.spark.tasks.types.python_array import empty_table, mask, python_scalar
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from forklake.spark.work import Work

_SAME_IN_FILES = INTEGERS - {"uint128", "int128"} | {
    "boolean", "float32", "float64", "decimal", "varchar", "blob", "date", "timestamp", "timestamptz",
}  # fmt: skip
"""Types whose values in files, cast to the shown type, are those that Spark shows."""
_SHOWN_AS_TEXT = frozenset({"uuid", "time", "json"})
_SIGNED = ("int8", "int16", "int32", "int64")
Virtual = Literal["row id", "address", "snapshot id"]
VIRTUAL_NAMES: Mapping[Virtual, str] = {"row id": ROW_ID, "address": ADDRESS, "snapshot id": SNAPSHOT_ID}
"""The reserved names of virtual columns."""
_READERS = 8
FEW_ROWS = 1_000
"""In a table of fewer, strings become dictionaries if they are so in larger ones."""
_MOST_FILES = 200
_MOST_ROWS = 1_000_000
_MOST_VALUES = 10_000_000
"""Over all columns: compressed, values may take almost no space in files."""


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
    for group in group_by_naming(work.tx, plan.table, numbered_files(plan)):
        for now, then in _pairs(plan, group, columns):
            if not _is_readable(now, then):
                return f"column '{now.name}' is converted by Spark"
    return None


def driver_rows(
    work: Work,
    plan: ScanPlan,
    columns: Sequence[Column],
    virtual: Sequence[Virtual] = (),
    predicate: Predicate | None = None,
    *,
    with_dictionaries: bool = False,
) -> pa.Table:
    """The live rows of a plan with these columns, in shown form; there must be no reason against it.

    They are followed by the requested virtual columns, under their reserved names. The snapshot id is that of a file:
    those that keep one for each row must be left to Spark. Rows for which the predicate is not TRUE may be missing.
    Strings that repeat may be Arrow's dictionaries.
    """
    wanted = Everything() if predicate is None else table_filter(plan.table, predicate)
    schema = shown_schema(columns)
    for name in virtual:
        schema = schema.append(pa.field(VIRTUAL_NAMES[name], pa.int64()))
    sources = [
        source
        for group in group_by_naming(work.tx, plan.table, numbered_files(plan))
        for source in _sources(work, plan, group, columns)
    ]
    read = partial(_read_file, work, plan, schema, wanted, with_dictionaries)
    tables = map_in_threads(read, sources, _READERS)
    if plan.batches:
        rows = inlined_rows(plan, [VIRTUAL_NAMES[name] for name in virtual], first_number=len(plan.files))
        tables.append(rows.select(schema.names))
    return _concatenated(tables, schema) if tables else empty_table(schema)


def _concatenated(tables: Sequence[pa.Table], schema: pa.Schema) -> pa.Table:
    """The rows of all tables; columns are dictionaries if they are in all tables with more than a few rows."""
    large = [table for table in tables if table.num_rows > FEW_ROWS]
    for at, field in enumerate(schema):
        if large and all(pa.types.is_dictionary(table.schema.field(at).type) for table in large):
            schema = schema.set(at, field.with_type(pa.dictionary(pa.int32(), field.type)))
    return pa.concat_tables([_with_types(table, schema) for table in tables])


def _with_types(table: pa.Table, schema: pa.Schema) -> pa.Table:
    for at, field in enumerate(schema):
        column = table.column(at)
        if pa.types.is_dictionary(field.type) and not pa.types.is_dictionary(column.type):
            table = table.set_column(at, field, column.cast(field.type.value_type).dictionary_encode())
    return table.cast(schema)


def _has_later_rows(data: DataFile, plan: ScanPlan) -> bool:
    return data.partial_max is not None and data.partial_max > plan.snapshot_id


_Pair = tuple[Column, Column | PathColumn | None]
"""A column of the table, and the same column in a file."""


def _pairs(plan: ScanPlan, group: FileGroup, columns: Sequence[Column]) -> list[_Pair]:
    wanted = {column.column_id for column in columns}
    pairs = zip(plan.table.definition.columns, group.naming, strict=True)
    by_id = {now.column_id: (now, then) for now, then in pairs if now.column_id in wanted}
    return [by_id[column.column_id] for column in columns]


@dataclass(frozen=True, slots=True)
class _Source:
    """A file to read, with its number in the plan and the positions of its deleted rows."""

    number: int
    file: ScanFile
    deleted: Positions
    pairs: Sequence[_Pair]
    row_ids: RowIdSource


def _sources(work: Work, plan: ScanPlan, group: FileGroup, columns: Sequence[Column]) -> Iterator[_Source]:
    pairs, row_ids = _pairs(plan, group, columns), row_id_source(work.tx, plan)
    deleted = deleted_positions(work, plan.table, [file for _, file in group.files])
    for (number, file), positions in zip(group.files, deleted, strict=True):
        yield _Source(number, file, positions, pairs, row_ids(file))


def _is_readable(now: Column, then: Column | PathColumn | None) -> bool:
    if isinstance(then, PathColumn):
        return False
    if then is None:
        return now.type.name in _SAME_IN_FILES | _SHOWN_AS_TEXT
    if "." in then.name:
        # Arrow would take it for the path of a nested field.
        return False
    if now.type.name in _SHOWN_AS_TEXT:
        return now.type == then.type
    if now.type.is_nested:
        return now.type == then.type and all(map(_is_same_field, now.children, then.children))
    return now.type.name in _SAME_IN_FILES and (now.type == then.type or _is_widened(now.type.name, then.type.name))


def _is_same_field(now: Column, then: Column) -> bool:
    # The fields of a value are cast together, by a cast that shows none of them as text.
    is_same = now.column_id == then.column_id and now.type == then.type
    return is_same and now.type.name not in _SHOWN_AS_TEXT and _is_readable(now, then)


def _is_widened(now: str, then: str) -> bool:
    if now in _SIGNED and then in _SIGNED:
        return _SIGNED.index(now) > _SIGNED.index(then)
    return (now, then) == ("float64", "float32")


def _read_file(
    work: Work, plan: ScanPlan, schema: pa.Schema, wanted: FileFilter, with_dictionaries: bool, source: _Source
) -> pa.Table:
    data = source.file.data
    path = work.storage.path(data.path, is_relative=data.path_is_relative)
    which = f"The file {path} of table '{plan.table.name}' at version {plan.snapshot_id}"
    names = [then.name for _, then in source.pairs if isinstance(then, Column)]
    if ROW_ID in schema.names and source.row_ids == "file":
        names.append(ROW_ID)
    columns = [then for _, then in source.pairs if isinstance(then, Column)]
    try:
        with work.storage.files.open_input_file(path) as opened:
            metadata = pq.read_metadata(opened)
            groups = row_groups_that_may_match(opened, metadata, wanted, columns, data.begin_snapshot)
            repeating = repeating_strings(metadata, groups, columns) if with_dictionaries else []
            parquet = pq.ParquetFile(
                opened,
                metadata=metadata,
                pre_buffer=True,
                page_checksum_verification=True,
                read_dictionary=repeating,
            )
            rows = parquet.read_row_groups(groups, columns=names)
    except (OSError, pa.ArrowException, KeyError) as error:
        reason = "does not exist" if isinstance(error, FileNotFoundError) else "cannot be read"
        raise DamagedFile(f"{which} {reason}.") from error
    count = metadata.num_rows
    if count != data.record_count or not set(names) <= set(rows.column_names):
        raise DamagedFile(f"{which} was replaced by another: it has {count} rows of {rows.column_names}.")
    positions = _positions(metadata, groups)
    arrays = [_shown_array(rows, now, then, len(positions)) for now, then in source.pairs]
    arrays += [_virtual_array(name, source, rows, positions) for name in schema.names[len(arrays) :]]
    table = pa.Table.from_arrays(arrays, names=schema.names)
    if not len(source.deleted):
        return table
    live = np.ones(count, bool)
    live[source.deleted] = False
    return table.filter(mask(live[positions]))


def _positions(metadata: pq.FileMetaData, groups: Sequence[int]) -> np.ndarray:
    """The positions in the file of the rows of these row groups."""
    counts = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    starts = np.cumsum([0, *counts])
    return np.concatenate([np.arange(0), *(np.arange(starts[group], starts[group + 1]) for group in groups)])


def _virtual_array(name: str, source: _Source, rows: pa.Table, positions: np.ndarray) -> pa.Array | pa.ChunkedArray:
    if name == ADDRESS:
        return pa.array((source.number << POSITION_BITS) + positions)
    if name == SNAPSHOT_ID:
        begin = source.file.data.begin_snapshot
        return pa.repeat(python_scalar(None if begin == UNCOMMITTED else begin, pa.int64()), len(positions))
    match source.row_ids:
        case "counted":
            return pa.array((source.file.data.row_id_start or 0) + positions)
        case "file":
            return rows[ROW_ID].cast(pa.int64())
    return pa.nulls(len(positions), pa.int64())


def _shown_array(rows: pa.Table, now: Column, then: Column | PathColumn | None, count: int) -> pa.ChunkedArray:
    shown = shown_type(now.type)
    if not isinstance(then, Column):
        return pa.chunked_array([default_array(now, count)], shown)
    column = rows[then.name]
    if now.type.name in _SHOWN_AS_TEXT:
        return pa.chunked_array([as_text(chunk) for chunk in column.chunks], shown)
    return column if pa.types.is_dictionary(column.type) else column.cast(shown)
