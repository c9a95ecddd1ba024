"""Writing of rows to files: by Spark's own writer if it can write them exactly, otherwise by PyArrow.

Files are written with their final names, in the folder of the catalog. They are unknown until a commit; those left by
failed or killed jobs are orphans.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import pyarrow as pa
from pyarrow import fs
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as sf
from pyspark.sql import types as st

from forklake.errors import FolderNotShared
from forklake.model.entities import Table
from forklake.model.files import DataFile, NewDataFile
from forklake.model.ids import DataFileId, SnapshotId
from forklake.spark.session.failures import translate_storage_errors, translate_write_errors
from forklake.spark.session.job_settings import WRITE_SETTINGS, spark_settings
from forklake.spark.session.shared_folders import SHARE_FOLDERS
from forklake.spark.storage.remove_files import remove_files
from forklake.spark.tasks.files.file_names import uuid7
from forklake.spark.tasks.files.write_file import WriteOrder, WrittenFile, from_table, to_batch, write_rows
from forklake.spark.tasks.partitions.partitioning import partitioning_of
from forklake.spark.tasks.statistics.file_stats import read_many_facts
from forklake.spark.tasks.types.reserved_columns import FIELD_IDS
from forklake.spark.values.quoting import column_named, rename_by_position
from forklake.spark.values.type_mapping import FIELD_ID, spark_can_write, written_field
from forklake.spark.work import Work
from forklake.spark.writing.ordering import clustered_frame, ordered_frame, ordered_rows
from forklake.spark.writing.write_options import write_options

_ROWS = "rows"


def write_arrow(work: Work, table: Table, rows: pa.Table, reserved: Sequence[str] = ()) -> list[WrittenFile]:
    """Write rows on the driver; reserved columns follow those of the table."""
    order = write_order(work, table, reserved)
    return list(write_rows(order, ordered_rows(work, table, rows).to_batches()))


def write_frame(work: Work, table: Table, frame: DataFrame, reserved: Sequence[str] = ()) -> list[WrittenFile]:
    """Execute a DataFrame once and write its rows; reserved columns follow those of the table."""
    with translate_write_errors(table):
        if spark_can_write_rows(table):
            return _write_by_spark(work, table, frame, reserved)
        return _write_by_arrow(work, table, frame, reserved)


def spark_can_write_rows(table: Table) -> bool:
    """Whether Spark's own writer can write rows of the table exactly."""
    return table.definition.partition is None and all(map(spark_can_write, table.definition.columns))


def new_data_files(
    work: Work, table: Table, written: Sequence[WrittenFile], *, embeds_row_ids: bool = False
) -> list[NewDataFile]:
    """Converts written files to files that can be staged."""
    partition = table.definition.partition
    ids = work.tx.new_ids("file", len(written)) if written else []
    return [
        NewDataFile(
            DataFile(
                DataFileId(file_id),
                file.path,
                file.record_count,
                file.file_size_bytes,
                file.footer_size,
                partition_id=None if partition is None else partition.partition_id,
                partial_max=None if file.max_snapshot_id is None else SnapshotId(file.max_snapshot_id),
                table_version=work.tx.version_of(table),
            ),
            file.column_stats,
            file.partition_values,
            embeds_row_ids,
        )
        for file_id, file in zip(ids, written, strict=True)
    ]


def write_order(work: Work, table: Table, reserved: Sequence[str] = ()) -> WriteOrder:
    """The settings for PyArrow to write rows of a table on the driver."""
    options, spec = write_options(work, table), table.definition.partition
    return WriteOrder(
        root=work.storage.root,
        folder=work.folder(table),
        columns=table.definition.columns,
        partition=None if spec is None else partitioning_of(spec, table.definition.columns),
        hive=options.hive,
        target_bytes=options.target_bytes,
        compression=options.compression,
        compression_level=options.compression_level,
        row_group_rows=options.row_group_rows,
        row_group_bytes=options.row_group_bytes,
        version=options.version,
        reserved=tuple(reserved),
        begun=work.tx.written.paths.add,
    )


def job_order(work: Work, order: WriteOrder) -> WriteOrder:
    """The same for a Spark job, in a folder of its own.

    Tasks do not report files to the driver before they are done. If the job fails, only this folder is searched for
    them: listing a whole table can take minutes.
    """
    folder = f"{order.folder.rstrip('/')}/{uuid7()}/"
    work.tx.written.jobs.add(folder)
    return replace(order, folder=folder, begun=None)


def finish_job(work: Work, order: WriteOrder, files: list[WrittenFile]) -> list[WrittenFile]:
    """The files of a finished job. Raises FolderNotShared if this process does not see them."""
    if work.storage.is_local:
        found = work.storage.files.get_file_info([work.storage.path(file.path) for file in files])
        unseen = [file.path for file, info in zip(files, found, strict=True) if info.size != file.file_size_bytes]
        if unseen:
            raise FolderNotShared(
                f"Executors have written {len(files)} files below '{work.storage.root}', but this process does not see"
                f" {len(unseen)} of them, for example '{unseen[0]}'. {SHARE_FOLDERS}"
            )
    work.tx.written.end_job(order.folder, [file.path for file in files])
    return files


def _write_by_arrow(work: Work, table: Table, frame: DataFrame, reserved: Sequence[str]) -> list[WrittenFile]:
    order = job_order(work, write_order(work, table, reserved))

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield to_batch(write_rows(order, batches))

    clustered = rename_by_position(clustered_frame(work, table, frame), len(order.columns))
    return finish_job(work, order, from_table(clustered.mapInArrow(write, "file string").toArrow()))


def _write_by_spark(work: Work, table: Table, frame: DataFrame, reserved: Sequence[str]) -> list[WrittenFile]:
    options = write_options(work, table)
    folder = f"{work.folder(table)}{uuid7()}"
    work.tx.written.jobs.add(f"{folder}/")
    schema = st.StructType([written_field(column) for column in table.definition.columns])
    for name in reserved:
        schema = schema.add(st.StructField(name, st.LongType(), True, {FIELD_ID: FIELD_IDS[name]}))
    given = ordered_frame(work, table, frame)
    types = {field.name: field.dataType for field in given.schema}
    rows = given.select(*(_with_field_ids(work, field, types[field.name]) for field in schema))
    counted = Observation()
    rows = rows.observe(counted, sf.count(sf.lit(1)).alias(_ROWS))
    writer = rows.write.options(**options.for_spark(table, work.tx))
    try:
        with spark_settings(work.spark, WRITE_SETTINGS), translate_storage_errors(work.storage.path(folder), table):
            writer.parquet(work.storage.folder(folder))
        files = _collect_written_files(work, table, folder)
        _check_row_count(work, files, counted.get[_ROWS])
        work.tx.written.end_job(f"{folder}/", [])
        return files
    except BaseException:
        # Successful tasks leave their files there.
        with suppress(OSError):
            work.storage.files.delete_dir(work.storage.path(folder))
        raise


def _check_row_count(work: Work, files: Sequence[WrittenFile], expected: int) -> None:
    """Check that the files contain all rows that the tasks of a job were given."""
    found = sum(file.record_count for file in files)
    if found != expected:
        raise FolderNotShared(
            f"Executors have written {expected} rows below '{work.storage.root}', but the files that this process sees"
            f" there contain {found}. {SHARE_FOLDERS}"
        )


def _with_field_ids(work: Work, field: st.StructField, given: st.DataType) -> Column:
    """The column to write, with its field id, or ids if it is nested.

    Cached, because each takes dozens of JVM calls. `DataFrame.to` would take a single one for all columns, but its ids
    are lost when Spark optimises the query.
    """
    key = (field.json(), given == field.dataType)
    known = work.provider.cache.columns.get(key)
    if known is None:
        value = column_named(field.name)
        # The cast adds the ids of nested fields.
        typed = value if given == field.dataType else value.cast(field.dataType)
        known = typed.alias(field.name, metadata=field.metadata)
        work.provider.cache.columns.put(key, known)
    return known


def _collect_written_files(work: Work, table: Table, folder: str) -> list[WrittenFile]:
    """The files written by Spark in a folder, with statistics from their footers."""
    storage = work.storage
    found = storage.files.get_file_info(fs.FileSelector(storage.path(folder), recursive=True, allow_not_found=True))
    paths = sorted(info.path for info in found if info.is_file and info.base_name.startswith("part-"))
    work.tx.written.paths.update(path.removeprefix(storage.prefix) for path in paths)
    facts = read_many_facts(storage.files, paths, table.definition.columns)
    written = [
        WrittenFile(
            path=path.removeprefix(storage.prefix),
            file_size_bytes=of_file.file_size_bytes,
            footer_size=of_file.footer_size,
            record_count=of_file.record_count,
            column_stats=of_file.column_stats,
        )
        for path, of_file in zip(paths, facts, strict=True)
    ]
    # Spark writes a file even if there are no rows.
    gone = remove_files(storage, [file.path for file in written if not file.record_count])
    work.tx.written.paths.difference_update(gone)
    return [file for file in written if file.record_count]
