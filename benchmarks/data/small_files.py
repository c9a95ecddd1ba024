"""Many small files, written and registered without Spark."""

import shutil
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
from pyarrow import fs

from benchmarks.data.rows import arrow_rows
from benchmarks.databases import Place
from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.model.entities import Table
from forklake.model.files import DataFile, NewDataFile
from forklake.model.ids import DataFileId
from forklake.spark.tasks.statistics.file_stats import FooterFacts, read_many_facts

CATALOG, TABLE = "main", "orders"
_CHUNK_ROWS = 1_000_000
_COMMIT_FILES = 10_000


def write_files(folder: Path, files: int, rows: int) -> None:
    """Files with consecutive ids from 0 on, named in their order."""
    folder.mkdir(parents=True)
    made = max(1, _CHUNK_ROWS // rows)
    for first in range(0, files, made):
        chunk = arrow_rows(first * rows, min(made, files - first) * rows)
        for at in range(0, chunk.num_rows, rows):
            pq.write_table(chunk.slice(at, rows), folder / f"{first + at // rows:08d}.parquet")


def copy_file(folder: Path, files: int, rows: int) -> None:
    """One file under many names, for those who list the folder and read nothing."""
    write_files(folder, 1, rows)
    [original] = folder.iterdir()
    for number in range(1, files):
        shutil.copyfile(original, folder / f"{number:08d}.parquet")


def add_files(place: Place, data: Path, folder: Path, *, alike: bool = False) -> None:
    """Append all files of a folder to its table, with the statistics of their footers.

    The folder is below the data path. `alike` looks at one file for all.
    """
    paths = sorted(str(path) for path in folder.iterdir())
    with closing(open_lake(place.url)) as lake:
        catalog = find_catalog(lake, CATALOG)
        for first in range(0, len(paths), _COMMIT_FILES):
            tx = begin(catalog)
            table = get_table(tx, "main", TABLE)
            chosen, columns = paths[first : first + _COMMIT_FILES], table.definition.columns
            read = chosen[:1] if alike else chosen
            facts = read_many_facts(fs.LocalFileSystem(), read, columns) * (len(chosen) if alike else 1)
            ids = tx.new_ids("file", len(chosen))
            names = [Path(path).relative_to(data).as_posix() for path in chosen]
            tx.append_files(table, [_new_file(table, *file) for file in zip(ids, names, facts, strict=True)])
            commit(tx)


def _new_file(table: Table, file_id: int, path: str, facts: FooterFacts) -> NewDataFile:
    file = DataFile(DataFileId(file_id), path, facts.record_count, facts.file_size_bytes, facts.footer_size)
    return NewDataFile(file._replace(table_version=table.begin_snapshot), facts.column_stats)
