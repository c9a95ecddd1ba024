"""A table of very many files that exist in metadata only, each with the range of its ids; on PostgreSQL."""

from contextlib import closing
from itertools import count

from benchmarks.databases import Place, Sql
from benchmarks.metadata.tables import FILE_BYTES, ROWS_PER_FILE
from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from forklake.model.entities import Table
from forklake.model.files import DataFile, NewDataFile
from forklake.model.ids import DataFileId
from forklake.model.statistics import ColumnStats

TABLE = "events"
COLUMNS = {"id": "bigint", "amount": "double"}
_CHUNK = 200_000
_later = count(1_000_000_000)

_FILES = """
    INSERT INTO lake_data_file
    SELECT f.catalog_id, f.table_id, {file_id} + s.n, f.begin_snapshot, NULL,
        replace(f.path, f.data_file_id || '.parquet', ({file_id} + s.n) || '.parquet'), f.path_is_relative,
        f.file_format, f.record_count, f.file_size_bytes, f.footer_size, f.record_count * s.n, NULL, NULL, NULL, NULL,
        f.table_version
    FROM generate_series({first}, {last}) AS s(n) CROSS JOIN lake_data_file f
    WHERE f.row_id_start = 0"""
_STATS = """
    INSERT INTO lake_file_column_stats
    SELECT t.catalog_id, t.table_id, t.column_id, {file_id} + s.n, t.min_key + m.shift, t.max_key + m.shift,
        t.value_count, t.null_count,
        CASE WHEN m.shift = 0 THEN t.min_value ELSE (t.min_key + m.shift)::bigint::text END,
        CASE WHEN m.shift = 0 THEN t.max_value ELSE (t.max_key + m.shift)::bigint::text END,
        t.contains_nan, t.column_size_bytes, t.extra_stats
    FROM generate_series({first}, {last}) AS s(n) CROSS JOIN lake_file_column_stats t
    JOIN lake_data_file f ON f.data_file_id = t.data_file_id AND f.row_id_start = 0
    CROSS JOIN LATERAL (SELECT CASE WHEN t.column_id = 1 THEN f.record_count * s.n ELSE 0 END) AS m(shift)"""
_TOTALS = """
    UPDATE lake_table_stats
    SET record_count = {rows}, next_row_id = {rows}, file_size_bytes = {rows} / record_count * file_size_bytes"""


def make_files(place: Place, name: str, files: int) -> None:
    """A new catalog with the table and files of consecutive ids, from 0 on.

    The first and the last are committed; those between are the rows that as many commits would have written.
    """
    with closing(place.open()) as lake:
        catalog = create_catalog(lake, name)
        tx = begin(catalog)
        create_table(tx, "main", TABLE, [ColumnSpec(column, parse_type(text)) for column, text in COLUMNS.items()])
        commit(tx)
        _append(catalog, 0)
    if files > 2:
        with place.sql() as sql:
            _make_between(sql, files)
    # A lake that was opened before does not know of what was done without it.
    with closing(place.open()) as lake:
        _append(find_catalog(lake, name), max(1, files - 1))
    place.settle()


def append_file(catalog: Catalog) -> None:
    """Commit one more file, with ids that no other has."""
    _append(catalog, next(_later))


def _make_between(sql: Sql, files: int) -> None:
    file_id = int(sql.value("SELECT nextval('lake_file_seq')"))
    sql.value(f"SELECT setval('lake_file_seq', {file_id + files})")
    for first in range(1, files - 1, _CHUNK):
        for statement in (_FILES, _STATS):
            sql.run(statement.format(file_id=file_id, first=first, last=min(first + _CHUNK, files - 1) - 1))
    sql.run(_TOTALS.format(rows=(files - 1) * ROWS_PER_FILE))


def _append(catalog: Catalog, number: int) -> None:
    tx = begin(catalog)
    table = get_table(tx, "main", TABLE)
    tx.append_files(table, [_new_file(tx, table, number)])
    commit(tx)


def _new_file(tx: Transaction, table: Table, number: int) -> NewDataFile:
    identifier, amount = (column.column_id for column in table.definition.columns)
    [file_id] = tx.new_ids("file")
    path = f"{tx.catalog.path}/main/{table.name}/{file_id}.parquet"
    low, high = number * ROWS_PER_FILE, (number + 1) * ROWS_PER_FILE - 1
    stats = (
        ColumnStats(identifier, ROWS_PER_FILE, 0, str(low), str(high), column_size_bytes=4_000),
        ColumnStats(amount, ROWS_PER_FILE, 0, "0.5", "977.5", column_size_bytes=4_000),
    )
    return NewDataFile(DataFile(DataFileId(file_id), path, ROWS_PER_FILE, FILE_BYTES), stats)
