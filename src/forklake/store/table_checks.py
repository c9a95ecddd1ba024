"""Unvalidated rows of a table: everything that could be visible in any snapshot of the scope."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from forklake.model.checked_rows import BatchRow, DeleteRow, FileRow
from forklake.model.ids import SnapshotId, TableId
from forklake.model.lineage import Scope
from forklake.store.catalog_checks import EndMarker
from forklake.store.connection import Row, Statement, Store
from forklake.store.dialect import StoreDialect
from forklake.store.row_kinds import RowKind


class InlinedDeletes(NamedTuple):
    """The number of rows of a batch deleted in a snapshot, and the largest position among them."""

    batch_id: int
    begin: SnapshotId
    deleted: int
    largest: int


class StatsRow(NamedTuple):
    begin: SnapshotId
    record_count: int
    next_row_id: int
    file_size_bytes: int


@dataclass(frozen=True, slots=True)
class TableRows:
    """All metadata of a table, except the payloads of inlined batches and the statistics of its files."""

    files: list[FileRow]
    deletes: list[DeleteRow]
    batches: list[BatchRow]
    inlined_deletes: list[InlinedDeletes]
    stats: list[StatsRow]
    """Oldest first."""
    mappings: dict[int, Any]
    versions: dict[SnapshotId, Any]
    """The documents by begin snapshot."""
    markers: list[EndMarker]


_FILE = (
    "l.top, r.catalog_id, r.{0}, r.begin_snapshot, r.end_snapshot, r.path, r.path_is_relative, r.file_size_bytes,"
    " r.{1}, r.encryption_key, r.partial_max, r.footer_size"
)
_BEGUN = "r.begin_snapshot <= l.top"


def table_rows(store: Store, scope: Scope, narrowed: Scope, table_id: TableId) -> TableRows:
    """Reads all rows in one round trip; `narrowed` has the levels owning files, batches or statistics of the table."""
    dialect = store.dialect
    batch_columns = "l.top, r.catalog_id, r.batch_id, r.begin_snapshot, r.end_snapshot"
    asked = (
        (
            narrowed,
            "lake_data_file",
            f"{_FILE.format('data_file_id', 'record_count')}, r.row_id_start, r.mapping_id, r.table_version",
        ),
        (narrowed, "lake_delete_file", f"{_FILE.format('delete_file_id', 'delete_count')}, r.data_file_id"),
        (narrowed, "lake_inlined_batch", f"{batch_columns}, r.row_count, r.row_id_start, r.table_version"),
        (narrowed, "lake_table_stats", "r.begin_snapshot, r.record_count, r.next_row_id, r.file_size_bytes"),
        (scope, "lake_column_mapping", "r.mapping_id, r.mapping"),
    )
    statements = [_table_statement(dialect, of, table_id, columns, table) for of, table, columns in asked]
    statements += [
        _table_statement(
            dialect,
            narrowed,
            table_id,
            "r.batch_id, r.begin_snapshot, count(*), max(r.position)",
            "lake_inlined_delete",
            " GROUP BY r.batch_id, r.begin_snapshot",
        ),
        _versions_statement(dialect, scope, table_id),
        _markers_statement(dialect, scope, table_id),
    ]
    files, deletes, batches, stats, mappings, inlined, versions, markers = store.fetch_all(statements)
    return TableRows(
        files=[FileRow._make(row) for row in files],
        deletes=[DeleteRow._make(row) for row in deletes],
        batches=[BatchRow._make(row) for row in batches],
        inlined_deletes=[InlinedDeletes._make(row) for row in inlined],
        stats=sorted(StatsRow._make(row) for row in stats),
        mappings=dict(_pairs(mappings)),
        versions=dict(_pairs(versions)),
        markers=[EndMarker._make(row) for row in markers],
    )


def files_by_statistics(store: Store, scope: Scope, table_id: TableId, columns: Collection[int]) -> dict[int, int]:
    """By data file, the number of the columns with statistics. May include files that nothing can see."""
    dialect = store.dialect
    rows = store.fetch(
        f"SELECT s.data_file_id, count(*) FROM {dialect.levels} JOIN lake_file_column_stats s"
        f" ON s.catalog_id = l.catalog_id AND s.table_id = :table_id AND {dialect.any_of('s.column_id', 'columns')}"
        " GROUP BY s.data_file_id",
        {"table_id": table_id, "columns": list(columns), **dialect.level_params(scope.levels)},
    )
    return dict(_pairs(rows))


def batch_payloads(store: Store, scope: Scope, table_id: TableId, batch_ids: Collection[int]) -> dict[int, bytes]:
    """The payloads of some inlined batches."""
    dialect = store.dialect
    rows = store.fetch(
        f"SELECT b.batch_id, b.payload FROM {dialect.levels} JOIN lake_inlined_batch b"
        f" ON b.catalog_id = l.catalog_id AND b.table_id = :table_id WHERE {dialect.any_of('b.batch_id', 'ids')}",
        {"table_id": table_id, "ids": list(batch_ids), **dialect.level_params(scope.levels)},
    )
    return {batch_id: bytes(payload) for batch_id, payload in rows}


def _table_statement(
    dialect: StoreDialect, scope: Scope, table_id: TableId, columns: str, table: str, grouped: str = ""
) -> Statement:
    return Statement(
        f"SELECT {columns} FROM {dialect.levels} JOIN {table} r"
        f" ON r.catalog_id = l.catalog_id AND r.table_id = :table_id WHERE {_BEGUN}{grouped}",
        {"table_id": table_id, **dialect.level_params(scope.levels)},
    )


def _versions_statement(dialect: StoreDialect, scope: Scope, table_id: TableId) -> Statement:
    return Statement(
        f"SELECT r.begin_snapshot, r.definition FROM {dialect.levels} JOIN lake_object r"
        f" ON r.catalog_id = l.catalog_id AND r.object_id = :table_id AND r.kind = 'table' WHERE {_BEGUN}",
        {"table_id": table_id, **dialect.level_params(scope.levels)},
    )


def _markers_statement(dialect: StoreDialect, scope: Scope, table_id: TableId) -> Statement:
    kinds = (RowKind.TABLE_CONTENTS, RowKind.DATA_FILE, RowKind.DELETE_FILE, RowKind.INLINED_BATCH)
    among = ", ".join(str(int(kind)) for kind in kinds)
    return Statement(
        "SELECT e.catalog_id, e.kind, e.scope_id, e.object_id, e.begin_snapshot, e.end_snapshot"
        f" FROM {dialect.levels} JOIN lake_row_end e ON e.catalog_id = l.catalog_id AND e.kind IN ({among})"
        " AND e.scope_id = :table_id WHERE e.end_snapshot <= l.top",
        {"table_id": table_id, **dialect.level_params(scope.levels)},
    )


def _pairs(rows: list[Row]) -> list[tuple[Any, Any]]:
    return [(row[0], row[1]) for row in rows]
