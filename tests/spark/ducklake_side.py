"""A real DuckLake beside a lakehouse, and files that go from one to the other."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import fs

from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.files import DataFile, DeleteFile, NewDataFile, ScanFile
from forklake.model.ids import DataFileId, DeleteFileId, MappingId, TableId
from forklake.model.mappings import MappedColumn, NameMapping
from forklake.spark.tasks.statistics.file_stats import read_facts
from forklake.spark.tasks.types.arrow_types import shown_schema
from tests.ducklake_oracle import connect_oracle
from tests.spark.conftest import Lakehouse
from tests.spark.metadata import catalog_of

METADATA = "__ducklake_metadata_lake"


@contextmanager
def ducklake(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A new DuckLake that keeps all rows in files."""
    with connect_oracle() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(
            f"ATTACH 'ducklake:{folder}/meta.db' AS lake (DATA_PATH '{folder}/theirs/', DATA_INLINING_ROW_LIMIT 0)"
        )
        connection.execute("USE lake")
        yield connection


def create(theirs: duckdb.DuckDBPyConnection, types: Mapping[str, str]) -> None:
    """A table `t` with these columns."""
    listed = ", ".join(f"{name} {parse_type(text).sql()}" for name, text in types.items())
    theirs.execute(f"CREATE TABLE t ({listed})")


def insert(theirs: duckdb.DuckDBPyConnection, columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> None:
    """Rows in the form in which we show them, cast by DuckDB to what they are."""
    schema = shown_schema(columns)
    given = pa.table(
        [pa.array(list(of), kind) for of, kind in zip(zip(*rows, strict=True), schema.types, strict=True)],
        schema=schema,
    )
    theirs.register("given", given)
    theirs.execute(f"INSERT INTO t SELECT {', '.join(map(_cast, columns))} FROM given")
    theirs.unregister("given")


def _cast(column: Column) -> str:
    if column.type.name == "timestamp_ns":
        return f"make_timestamp_ns({column.name})"
    return f"CAST({column.name} AS {column.type.sql()})"


def their_files(theirs: duckdb.DuckDBPyConnection, folder: Path) -> list[tuple[int, Path, Path | None]]:
    """The live data files of `t` by id, each with its delete file if it has one."""
    found = theirs.execute(
        f"""SELECT data.data_file_id, data.path, deleted.path FROM {METADATA}.ducklake_data_file AS data
        LEFT JOIN {METADATA}.ducklake_delete_file AS deleted
        ON deleted.data_file_id = data.data_file_id AND deleted.end_snapshot IS NULL
        WHERE data.end_snapshot IS NULL ORDER BY data.data_file_id"""
    ).fetchall()
    own = folder / "theirs" / "main" / "t"
    return [(file_id, own / path, None if deleted is None else own / deleted) for file_id, path, deleted in found]


def take(
    lakehouse: Lakehouse,
    files: Sequence[tuple[Path, Path | None]],
    *,
    partition_values: Sequence[tuple[str | None, ...]] = (),
    source_types: Mapping[str, str] | None = None,
    embeds_row_ids: bool = False,
) -> None:
    """Make files of theirs, each with its delete file if there is one, files of our table `t`.

    Where columns have another type there, a mapping says which.
    """
    with catalog_of(lakehouse) as catalog:
        tx = begin(catalog)
        table = get_table(tx, "main", "t")
        columns, partition = table.definition.columns, table.definition.partition
        mapping_id = None
        if source_types is not None:
            mapping_id = MappingId(tx.new_ids("entity")[0])
            mapped = [
                MappedColumn(at, column.name, column.column_id, source_type=source_types.get(column.name))
                for at, column in enumerate(columns)
            ]
            tx.add_mapping(table, mapping_id, NameMapping(tuple(mapped)))
        new = []
        for at, (path, _) in enumerate(files):
            facts = read_facts(fs.LocalFileSystem(), str(path), columns)
            file = DataFile(
                DataFileId(tx.new_ids("file")[0]),
                str(path),
                facts.record_count,
                facts.file_size_bytes,
                facts.footer_size,
                path_is_relative=False,
                partition_id=None if partition is None else partition.partition_id,
                mapping_id=mapping_id,
                table_version=table.begin_snapshot,
            )
            values = partition_values[at] if partition_values else ()
            new.append(NewDataFile(file, facts.column_stats, values, embeds_row_ids))
        tx.append_files(table, new)
        commit(tx)
        _take_deletes(lakehouse, {str(path): deleted for path, deleted in files if deleted is not None})


def _take_deletes(lakehouse: Lakehouse, deletes: Mapping[str, Path]) -> None:
    with catalog_of(lakehouse) as catalog:
        tx = begin(catalog)
        table = get_table(tx, "main", "t")
        for file in tx.files(TableId(table.object_id)):
            if file.data.path in deletes:
                tx.delete_from_files(table, [(file, _delete_file(tx.new_ids("file")[0], file, deletes))])
        commit(tx)


def _delete_file(file_id: int, file: ScanFile, deletes: Mapping[str, Path]) -> DeleteFile:
    path = deletes[file.data.path]
    facts = read_facts(fs.LocalFileSystem(), str(path), ())
    return DeleteFile(
        DeleteFileId(file_id),
        file.data.data_file_id,
        str(path),
        facts.record_count,
        facts.file_size_bytes,
        facts.footer_size,
        path_is_relative=False,
    )


def our_files(lakehouse: Lakehouse) -> list[ScanFile]:
    """The files of our table `t`, oldest first."""
    with catalog_of(lakehouse) as catalog:
        tx = begin(catalog)
        found = tx.files(TableId(get_table(tx, "main", "t").object_id))
    return sorted(found, key=lambda file: file.data.data_file_id)


def give(theirs: duckdb.DuckDBPyConnection, lakehouse: Lakehouse) -> None:
    """Write the files of our table `t`, with their delete files, into the metadata of their table `t`.

    No mapping of names: DuckLake finds the columns by the ids that the files give them.
    """
    [(table_id, begin_snapshot)] = theirs.execute(
        f"SELECT table_id, begin_snapshot FROM {METADATA}.ducklake_table WHERE table_name = 't'"
    ).fetchall()
    for number, (data, delete) in enumerate(our_files(lakehouse), 1000):
        theirs.execute(
            f"INSERT INTO {METADATA}.ducklake_data_file BY NAME SELECT ? AS data_file_id, ? AS table_id,"
            " ? AS begin_snapshot, ? AS path, false AS path_is_relative, 'parquet' AS file_format, ? AS record_count,"
            " ? AS file_size_bytes, ? AS footer_size, ? AS row_id_start",
            [number, table_id, begin_snapshot, str(lakehouse.data / data.path), *_facts(data)],
        )
        if delete is not None:
            theirs.execute(
                f"INSERT INTO {METADATA}.ducklake_delete_file BY NAME SELECT ? AS delete_file_id, ? AS table_id,"
                " ? AS begin_snapshot, ? AS data_file_id, ? AS path, false AS path_is_relative, 'parquet' AS format,"
                " ? AS delete_count, ? AS file_size_bytes, ? AS footer_size",
                [number + 1000, table_id, begin_snapshot, number, str(lakehouse.data / delete.path), *_facts(delete)],
            )


def _facts(file: DataFile | DeleteFile) -> list[int | None]:
    if isinstance(file, DeleteFile):
        return [file.delete_count, file.file_size_bytes, file.footer_size]
    return [file.record_count, file.file_size_bytes, file.footer_size, file.row_id_start]
