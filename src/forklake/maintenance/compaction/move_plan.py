"""Planning how the rows of a group of files are moved: copied unchanged, or converted and sorted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from forklake.maintenance.compaction.compaction_choice import CompactionGroup
from forklake.model.entities import Column, Table
from forklake.model.files import ScanFile
from forklake.spark.reading.file_groups import Naming, group_by_naming
from forklake.spark.tasks.files.copy_rows import SourceFile
from forklake.spark.tasks.files.write_order import WriteOrder
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID
from forklake.spark.work import Work
from forklake.spark.writing.write_files import write_order

_ONE_FILE = 2**62
"""A target size that no file reaches."""


@dataclass(frozen=True, slots=True)
class Move:
    """The plan for one group."""

    group: CompactionGroup
    order: WriteOrder
    sources: tuple[SourceFile, ...] | None
    """The files to copy; None if rows have to be converted or sorted."""
    row_id_start: int | None
    """The id of the first row, if the ids are consecutive; None if row ids are written to the file."""


def plan_move(work: Work, table: Table, group: CompactionGroup) -> Move:
    """Plan how a group of files of the table is compacted into one file."""
    sources = _copy_sources(work, table, group)
    start = None if sources is None else _first_consecutive_id(group)
    reserved = [ROW_ID, SNAPSHOT_ID] if start is None else [SNAPSHOT_ID]
    order = write_order(work, table, reserved)
    # The folder names of older partition specs are not kept.
    folder = order.folder
    if order.partition is not None and order.hive and order.partition.partition_id == group.partition_id:
        folder = f"{folder.rstrip('/')}/{order.partition.folder(group.partition_values)}"
    return Move(group, replace(order, folder=folder, partition=None, target_bytes=_ONE_FILE), sources, start)


def _copy_sources(work: Work, table: Table, group: CompactionGroup) -> tuple[SourceFile, ...] | None:
    definition = table.definition
    # Spark shreds variants as it sees fit, and only Spark can reassemble them.
    has_variants = any(field.type.name == "variant" for field in definition.fields())
    if definition.sort is not None or has_variants or not all(map(_is_ours, group.files)):
        return None
    sources: dict[int, SourceFile] = {}
    for alike in group_by_naming(work.tx, table, list(enumerate(group.files))):
        if not _has_same_types(definition.columns, alike.naming):
            return None
        names = tuple(then.name if isinstance(then, Column) else None for then in alike.naming)
        sources |= {at: _copy_source(work, file, names) for at, file in alike.files}
    # A file without live rows need not be read.
    return tuple(sources[at] for at, file in enumerate(group.files) if file.live_rows)


def _is_ours(file: ScanFile) -> bool:
    """Whether the file was written by us: foreign files may represent the same values differently."""
    return file.data.mapping_id is None and file.data.path_is_relative


def _has_same_types(columns: Sequence[Column], naming: Naming) -> bool:
    """Whether files have the columns in their current types, under any name, or not at all."""
    return all(
        then is None or (isinstance(then, Column) and then.type == now.type and _field_ids(then) == _field_ids(now))
        for now, then in zip(columns, naming, strict=True)
    )


def _field_ids(column: Column) -> list[int]:
    return [field.column_id for field in column.walk()]


def _copy_source(work: Work, file: ScanFile, names: tuple[str | None, ...]) -> SourceFile:
    data, delete, storage = file.data, file.delete, work.storage
    return SourceFile(
        path=storage.path(data.path),
        record_count=data.record_count,
        file_size_bytes=data.file_size_bytes,
        names=names,
        row_id_start=data.row_id_start,
        snapshot_id=data.begin_snapshot if data.partial_max is None else None,
        delete_path=None if delete is None else storage.path(delete.path, is_relative=delete.path_is_relative),
    )


def _first_consecutive_id(group: CompactionGroup) -> int | None:
    """The first row id, if the files have consecutive ids and no deleted rows."""
    first = following = group.files[0].data.row_id_start
    for file in group.files:
        if following is None or file.data.row_id_start != following or file.delete is not None:
            return None
        following += file.data.record_count
    return first
