"""Implementation of commands on rows: change feed, import and export."""

import os
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter

from forklake.api.table import TableHandle
from forklake.cli.attaching import announced_spark, attached_catalog
from forklake.cli.output import OutputRows
from forklake.cli.results import rows_of_result
from forklake.cli.target import LakeTarget
from forklake.errors import AlreadyExists, InvalidInput
from forklake.maintenance.progress import Progress
from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.reading.import_rows import import_named
from forklake.spark.session.failures import translate_query_errors
from forklake.spark.storage.exports import check_place
from forklake.spark.storage.storage import user_place
from forklake.spark.writing.export_rows import export_rows

_ENDINGS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
_COMPRESSED = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd"}


def changes(
    target: LakeTarget,
    progress: Progress,
    *,
    table: str,
    since: int | datetime,
    until: int | datetime | None,
    limit: int | None,
    shortcuts: bool,
) -> OutputRows:
    began = perf_counter()
    with attached_catalog(target, progress, shortcuts=shortcuts) as lake, translate_query_errors():
        return rows_of_result(lake.table(table).changes(since, until), limit, began)


def import_files(
    target: LakeTarget,
    progress: Progress,
    *,
    table: str,
    files: Sequence[str],
    create: bool | None,
    file_format: str | None,
    delimiter: str,
    shortcuts: bool,
) -> OutputRows:
    """Import files into a table; if `create` is None, the table is created if it does not exist."""
    provider = announced_spark(progress)
    chosen = file_format or _common_format(files)
    with attached_catalog(target, progress, provider, shortcuts=shortcuts) as lake, translate_query_errors():
        is_there = lake.has_table(table)
        if create and is_there:
            raise AlreadyExists(f"Table '{table}' already exists; use --append to add rows to it.")
        is_new = not is_there and create is not False
        existing = lake.table(table)
        columns = None if is_new else [_typed_column(name, text) for name, text in existing.columns.items()]
        given = {"sep": delimiter} if chosen == "csv" else {}
        frame = import_named(provider.get(), [user_place(file) for file in files], chosen, columns, given)
        count = lake.create_table_as(table, frame).count() if is_new else existing.append(frame)
    return OutputRows(("table_name", "rows_imported", "created"), [(table, count, is_new)])


def _common_format(files: Sequence[str]) -> str:
    """The format indicated by the file suffixes, which must agree."""
    found = {_format_by_suffix(file) for file in files}
    if len(found) != 1 or None in found:
        raise InvalidInput("The format cannot be determined from the file names; use --format csv, json or parquet.")
    return str(found.pop())


def _format_by_suffix(file: str) -> str | None:
    path = Path(file)
    return _ENDINGS.get(Path(path.stem).suffix if path.suffix in _COMPRESSED else path.suffix)


def _typed_column(name: str, text: str) -> Column:
    return Column(ColumnId(0), name, parse_type(text))


def export(
    target: LakeTarget,
    progress: Progress,
    *,
    table: str,
    place: str,
    file_format: str | None,
    version: int | None,
    overwrite: bool,
    shortcuts: bool,
) -> OutputRows:
    """Export the rows of a table as one file or a folder of files, which the lake does not track."""
    path = user_place(place)
    is_file = path.startswith("/") and _format_by_suffix(place) is not None and not os.path.isdir(place)
    if is_file and os.path.exists(path) and not overwrite:
        raise AlreadyExists(f"{place} already exists; use --overwrite to replace it.")
    chosen = file_format or _format_by_suffix(place) or "parquet"
    with attached_catalog(target, progress, shortcuts=shortcuts) as lake, translate_query_errors():
        rows = lake.table(table)
        count = rows.count(version=version)
        write = _write_file if is_file else _write_folder
        write(rows, version, path, chosen, overwrite)
    return OutputRows(("table_name", "rows_exported", "path"), [(table, count, path)])


def _write_folder(rows: TableHandle, version: int | None, path: str, file_format: str, overwrite: bool) -> None:
    export_rows(rows.to_spark(version=version), file_format, path, {}, overwrite=overwrite)


def _write_file(rows: TableHandle, version: int | None, path: str, file_format: str, overwrite: bool) -> None:
    """Write one file atomically: Spark writes folders, so the file is moved out of a temporary one."""
    check_place(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    folder = mkdtemp(prefix=".forklake-", dir=os.path.dirname(path))
    try:
        compression = _COMPRESSED.get(Path(path).suffix)
        if compression is not None and file_format == "parquet":
            raise InvalidInput(
                "Parquet files are compressed internally: name the file .parquet, or export csv or json."
            )
        frame = rows.to_spark(version=version).coalesce(1)
        given = {} if compression is None else {"compression": compression}
        export_rows(frame, file_format, folder, given, overwrite=True)
        [written] = Path(folder).glob("part-*")
        os.replace(written, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
