"""Commands about rows: the change feed, and files that come in and go out."""

import os
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType

from forklake.api.table import TableHandle
from forklake.cli.attaching import attached, quiet_spark
from forklake.cli.output import Rows
from forklake.cli.results import rows_of_result
from forklake.cli.target import Target
from forklake.errors import AlreadyExists, InvalidInput
from forklake.maintenance.progress import Progress
from forklake.model.column_types import parse_type
from forklake.model.names import fold
from forklake.spark.failures import querying
from forklake.spark.quoting import named
from forklake.spark.type_mapping import shown_type

_ENDINGS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
_COMPRESSED = {".gz", ".bz2", ".zst"}
_WRITING = {"csv": {"header": "true"}, "json": {"ignoreNullFields": "false"}, "parquet": {}}


def changes(
    target: Target,
    progress: Progress,
    *,
    table: str,
    since: int | datetime,
    until: int | datetime | None,
    limit: int | None,
    shortcuts: bool,
) -> Rows:
    began = perf_counter()
    with attached(target, progress, shortcuts=shortcuts) as lake, querying():
        return rows_of_result(lake.table(table).changes(since, until), limit, began)


def import_files(
    target: Target,
    progress: Progress,
    *,
    table: str,
    files: Sequence[str],
    create: bool | None,
    file_format: str | None,
    delimiter: str,
    shortcuts: bool,
) -> Rows:
    """Rows of files into a table; without `create` saying so, it is created if it is not there."""
    holder = quiet_spark(progress)
    chosen = file_format or _format_of(files)
    with attached(target, progress, holder, shortcuts=shortcuts) as lake, querying():
        is_there = lake.has_table(table)
        if create and is_there:
            raise AlreadyExists(f"Table '{table}' already exists; --append adds to it.")
        is_new = not is_there and create is not False
        existing = lake.table(table)
        fields = {} if is_new else existing.columns
        frame = _read(holder.get(), files, chosen, delimiter, infer=is_new)
        count = lake.create_table_as(table, frame).count() if is_new else existing.append(_parsed(frame, fields))
    return Rows(("table_name", "rows_imported", "created"), [(table, count, is_new)])


def _format_of(files: Sequence[str]) -> str:
    """What the names of the files say; they must agree."""
    found = {_ending(file) for file in files}
    if len(found) != 1 or None in found:
        raise InvalidInput(
            "The names of the files do not say what they are; say it with --format csv, json or parquet."
        )
    return str(found.pop())


def _ending(file: str) -> str | None:
    path = Path(file)
    return _ENDINGS.get(Path(path.stem).suffix if path.suffix in _COMPRESSED else path.suffix)


def _read(spark: SparkSession, files: Sequence[str], file_format: str, delimiter: str, *, infer: bool) -> DataFrame:
    # Spark would look for them in the folder in which it was started.
    paths = [file if "://" in file else os.path.abspath(file) for file in files]
    match file_format:
        case "csv":
            given = {"header": "true", "sep": delimiter, "inferSchema": str(infer).lower(), "mode": "FAILFAST"}
            return spark.read.options(**given).csv(paths)
        case "json":
            whole = any(_is_array(Path(path)) for path in paths)
            return spark.read.options(mode="FAILFAST", multiLine=str(whole).lower()).json(paths)
    return spark.read.parquet(*paths)


def _is_array(path: Path) -> bool:
    """Whether a local file is one JSON array, over however many lines, and not an object in each."""
    if not path.is_file() or path.suffix in _COMPRESSED:
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(100).lstrip().startswith("[")


def _parsed(frame: DataFrame, fields: dict[str, str]) -> DataFrame:
    """The rows with texts as values of the columns they are for; a text that is none fails."""
    types = {fold(name): shown_type(parse_type(text)) for name, text in fields.items()}
    return frame.select(
        *(
            named(field.name).cast(types.get(fold(field.name), StringType())).alias(field.name)
            if isinstance(field.dataType, StringType)
            else named(field.name)
            for field in frame.schema.fields
        )
    )


def export(
    target: Target,
    progress: Progress,
    *,
    table: str,
    place: str,
    file_format: str | None,
    version: int | None,
    overwrite: bool,
    shortcuts: bool,
) -> Rows:
    """Rows of a table as one file, or as a folder of files, that nobody but the user knows."""
    is_file = "://" not in place and _ending(place) is not None and not os.path.isdir(place)
    path = place if "://" in place else os.path.abspath(place)
    if is_file and os.path.exists(path) and not overwrite:
        raise AlreadyExists(f"{place} is there already; --overwrite replaces it.")
    chosen = file_format or _ending(place) or "parquet"
    with attached(target, progress, shortcuts=shortcuts) as lake, querying():
        rows = lake.table(table)
        count = rows.count(version=version)
        write = _write_file if is_file else _write_folder
        write(rows, version, path, chosen, overwrite)
    return Rows(("table_name", "rows_exported", "path"), [(table, count, path)])


def _write_folder(rows: TableHandle, version: int | None, path: str, file_format: str, overwrite: bool) -> None:
    writer = rows.to_spark(version=version).write.options(**_WRITING[file_format])
    writer.mode("overwrite" if overwrite else "error").format(file_format).save(path)


def _write_file(rows: TableHandle, version: int | None, path: str, file_format: str, overwrite: bool) -> None:
    """One file, which is there when it is whole: Spark writes folders, so it is moved out of one."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    folder = mkdtemp(prefix=".forklake-", dir=os.path.dirname(path))
    try:
        frame = rows.to_spark(version=version).coalesce(1)
        writer = frame.write.options(**_WRITING[file_format]).mode("overwrite")
        writer.format(file_format).save(folder)
        [written] = Path(folder).glob("part-*")
        os.replace(written, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
