"""The number and total size of the files of a catalog's tables."""

from dataclasses import dataclass

from forklake.model.ids import TableId
from forklake.model.lineage import Scope
from forklake.store.connection import Row, Statement, Store
from forklake.store.dialect import StoreDialect
from forklake.store.row_kinds import RowKind
from forklake.store.scope import fetch_at_snapshot, visible_condition


@dataclass(frozen=True, slots=True)
class TableSize:
    """The data and delete files of a table, without inlined rows."""

    file_count: int = 0
    file_size_bytes: int = 0
    delete_file_count: int = 0
    delete_file_size_bytes: int = 0


def table_sizes(store: Store, scope: Scope) -> dict[TableId, TableSize]:
    """The sizes of tables at a snapshot, in one round trip. Tables without files are omitted."""
    data = _size_statements(store.dialect, scope, "lake_data_file", "data_file_id", RowKind.DATA_FILE)
    deletes = _size_statements(store.dialect, scope, "lake_delete_file", "delete_file_id", RowKind.DELETE_FILE)
    answers = fetch_at_snapshot(store, scope, [*data, *deletes])
    files, delete_files = _sum_by_table(answers[: len(data)]), _sum_by_table(answers[len(data) :])
    return {
        TableId(table_id): TableSize(*files.get(table_id, (0, 0)), *delete_files.get(table_id, (0, 0)))
        for table_id in files.keys() | delete_files.keys()
    }


def _size_statements(dialect: StoreDialect, scope: Scope, table: str, key: str, kind: RowKind) -> list[Statement]:
    """Select visible files, and those of them that forks have ended, which does not apply to a root."""
    params = {"kind": int(kind), **dialect.level_params(scope.levels)}
    seen = f"""
        SELECT f.table_id, count(*), sum(f.file_size_bytes)
        FROM {dialect.levels}
        JOIN {table} f ON f.catalog_id = l.catalog_id
        WHERE {visible_condition("f")}
        GROUP BY f.table_id"""
    ended = f"""
        WITH level AS (SELECT l.catalog_id, l.top FROM {dialect.levels})
        SELECT f.table_id, -count(*), -sum(f.file_size_bytes)
        FROM level k
        JOIN lake_row_end e ON e.catalog_id = k.catalog_id AND e.kind = :kind AND e.end_snapshot <= k.top
        CROSS JOIN level l
        JOIN {table} f ON f.catalog_id = l.catalog_id AND f.table_id = e.scope_id AND f.{key} = e.object_id
        WHERE {visible_condition("f")}
        GROUP BY f.table_id"""
    return [Statement(seen, params)] if scope.is_root else [Statement(seen, params), Statement(ended, params)]


def _sum_by_table(answers: list[list[Row]]) -> dict[int, tuple[int, int]]:
    totals: dict[int, tuple[int, int]] = {}
    for answer in answers:
        for table_id, count, size in answer:
            before = totals.get(table_id, (0, 0))
            totals[table_id] = (before[0] + count, before[1] + int(size))
    return totals
