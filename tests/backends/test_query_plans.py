"""On PostgreSQL, nothing that runs for a user's statement reads a whole table, however many catalogs there are."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from forklake.catalog.lakes.catalogs import create_catalog, drop_catalog, find_catalog, list_catalogs
from forklake.catalog.lakes.forks import catalog_tree, fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.planning.aggregates import exact_bounds
from forklake.catalog.planning.scan_planning import plan_delete, plan_scan
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.table_history import table_history
from forklake.catalog.reading.view import view_at, view_at_head
from forklake.catalog.retention.dropped import collect_dropped, dropped_catalogs, forget_dropped
from forklake.catalog.retention.due_files import delete_due, list_due
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.retention.file_holders import catalog_storage, drop_report, file_holders, known_paths
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import alter_table, drop_table
from forklake.catalog.transaction.names import get_table, list_tables
from forklake.catalog.transaction.options import effective_option, set_option
from forklake.catalog.transaction.transaction import begin
from forklake.model.alterations import ColumnSpec, add_column
from forklake.model.column_types import parse_type
from forklake.model.ids import SnapshotId, TableId
from forklake.model.predicates import And, Comparison, In, Or
from forklake.store.connection import Row, RowsToInsert, Statement
from forklake.store.postgres import PostgresStore, PostgresTransaction, native_sql
from tests.lakes import append, delete_rows, inline_rows, make_table

NEIGHBOURS = 20_000
"""Catalogs beside the one under test, each with some rows of every kind."""

# A row per setting of the whole lake, all of which are wanted; and a sequence, which is one row.
SMALL = {"lake_info", "lake_instance_option", "lake_snapshot_seq"}

FILL = """
    INSERT INTO lake_catalog SELECT n, gen_random_uuid(), 'n' || n, 'n' || n, 0, 1, 1, n, NULL, n, now(), 0 FROM g;
    INSERT INTO lake_catalog_ancestor SELECT n, 0, n, 9223372036854775807 FROM g;
    INSERT INTO lake_catalog_ancestor SELECT n, 1, 0, 1 FROM g;
    INSERT INTO lake_snapshot SELECT n, n + s, n + s - 1, now() + s * interval '1 s', 0, NULL
        FROM g, generate_series(0, 2) s;
    INSERT INTO lake_object SELECT n, n + o, n, NULL, 'table', 1, 't' || o, 't' || o, gen_random_uuid(), '',
        '{"columns": []}'
        FROM g, generate_series(0, 2) o;
    INSERT INTO lake_row_end SELECT n, k, n, 0, 0, n FROM g, generate_series(0, 5) k;
    INSERT INTO lake_data_file SELECT n, n, n + f, n, NULL, 'p' || n + f, true, 'parquet', 1, 1
        FROM g, generate_series(0, 2) f;
    INSERT INTO lake_delete_file SELECT n, n, n, n, NULL, n, 'd' || n, true, 'parquet', 1, 1 FROM g;
    INSERT INTO lake_file_column_stats SELECT n, n, 1, n + f, f, f FROM g, generate_series(0, 2) f;
    INSERT INTO lake_file_partition_value SELECT n, n, n, 0, 'v' FROM g;
    INSERT INTO lake_table_stats SELECT n, n, n, 1, 1, 1, '{}' FROM g;
    INSERT INTO lake_inlined_batch SELECT n, n, n, n, NULL, n, 0, 1, '' FROM g;
    INSERT INTO lake_inlined_delete SELECT n, n, n, 0, n FROM g;
    INSERT INTO lake_column_mapping SELECT n, n, n, n, '{}' FROM g;
    INSERT INTO lake_scheduled_file SELECT n, n, 'w' || n, true, now(), 1 FROM g;
    INSERT INTO lake_option SELECT n, n, n, NULL, 'catalog', 0, 'k', 'v' FROM g;
"""


class Recorder:
    """Keeps every statement that a store runs, with its parameters."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.statements: dict[str, Statement] = {}
        read, write, end = PostgresStore.fetch_all, PostgresStore.writing, PostgresTransaction.commit

        def fetch_all(store: PostgresStore, statements: Sequence[Statement]) -> list[list[Row]]:
            self._keep(statements)
            return read(store, statements)

        @contextmanager
        def writing(store: PostgresStore, first: Sequence[Statement]) -> Iterator[object]:
            self._keep(first)
            with write(store, first) as opened:
                yield opened

        def commit_steps(transaction: PostgresTransaction, steps: Sequence[Statement | RowsToInsert]) -> None:
            self._keep([step for step in steps if isinstance(step, Statement)])
            end(transaction, steps)

        monkeypatch.setattr(PostgresStore, "fetch_all", fetch_all)
        monkeypatch.setattr(PostgresStore, "writing", writing)
        monkeypatch.setattr(PostgresTransaction, "commit", commit_steps)

    def _keep(self, statements: Sequence[Statement]) -> None:
        self.statements.update({statement.sql: statement for statement in statements})


@pytest.fixture(scope="module")
def crowded(shared_database: str) -> Iterator[tuple[Lake, str]]:
    """A lake with many catalogs beside the one that is used."""
    lake = open_lake(f"postgres:{shared_database}", metadata_schema="crowded", create=True, data_path="data")
    create_catalog(lake, "main")
    with psycopg.connect(shared_database, autocommit=True) as connection:
        connection.execute("SET search_path TO crowded")
        connection.execute(
            f"CREATE TEMP TABLE g AS SELECT n FROM generate_series(1000, {1000 + NEIGHBOURS * 10}, 10) n"
        )
        for statement in FILL.strip().split(";\n"):
            connection.execute(statement)
        for sequence in ("entity", "snapshot", "file"):
            connection.execute(f"SELECT setval('lake_{sequence}_seq', 10000000)")
        connection.execute("ANALYZE")
    yield lake, shared_database
    lake.close()


def _use_everything(lake: Lake) -> None:
    """Whatever runs for statements of users: attach, look up, plan, read, write, travel, fork, expire, drop."""
    main = find_catalog(lake, "main")
    make_table(main, "t", [("id", "bigint"), ("region", "varchar")])
    append(main, 3)
    first = get_table(begin(main), "main", "t")
    exact_bounds(begin(main), first, ("id",))
    fork, _ = fork_catalog(lake, "main", "fork")
    for catalog in (main, fork):
        _change(catalog)
        _read(catalog)
        list_snapshots(catalog)
        view_at_head(catalog).table_versions(TableId(first.object_id), [first.begin_snapshot])
        view_at(catalog, version=begin(catalog).base)
    tx, other = begin(fork), begin(fork)
    for competing in (tx, other):
        table = get_table(competing, "main", "t")
        delete_rows(competing, table, competing.files(TableId(table.object_id))[-1 if competing is tx else 0], 3)
    commit(tx)
    commit(other)
    tx = begin(fork)
    drop_table(tx, "main", "t")
    commit(tx)
    catalog_tree(lake, "fork")
    next(iter(list_catalogs(lake)))
    next(iter(list_catalogs(lake, parent=main)))
    _maintain(lake, main, fork)


def _maintain(lake: Lake, main: Catalog, fork: Catalog) -> None:
    drop_report(lake, "fork")
    file_holders(lake, "p1000")
    known_paths(lake, ["p1000"])
    for catalog in (main, fork):
        catalog_storage(catalog)
        expire_snapshots(catalog, older_than=datetime(2100, 1, 1, tzinfo=UTC))
        list_due(lake, catalog.catalog_id, datetime.now(UTC))
        list(delete_due(lake, catalog.catalog_id, None, list))
    drop_catalog(lake, "fork")
    for info in dropped_catalogs(lake):
        collect_dropped(lake, info)
        forget_dropped(lake, info)


def _change(catalog: Catalog) -> None:
    append(catalog, 3)
    tx = begin(catalog)
    table = get_table(tx, "main", "t")
    files = tx.files(TableId(table.object_id))
    tx.end_files(table, files[:1])
    delete_rows(tx, table, files[1], 2)
    inline_rows(tx, table, 3)
    set_option(tx, "target_file_size", "1GB", table="t")
    commit(tx)
    tx = begin(catalog)
    batches = tx.batches(TableId(table.object_id))
    tx.delete_inlined(table, [(batches[0].batch_id, 0)])
    tx.end_batches(table, batches[1:])
    set_option(tx, "target_file_size", "2GB", table="t")
    commit(tx)
    tx = begin(catalog)
    spec = ColumnSpec(f"c{catalog.catalog_id}", parse_type("int"))
    alter_table(tx, "main", "t", lambda d: add_column(d, spec, tx.new_column_ids(1)))
    commit(tx)


def _read(catalog: Catalog) -> None:
    tx = begin(catalog)
    table = get_table(tx, "main", "t")
    list_tables(tx, "main")
    effective_option(tx, "target_file_size", table)
    tx.view.stats(TableId(table.object_id))
    plan_scan(tx, table)
    plan_scan(tx, table, And((Comparison(("id",), "=", 5), In(("region",), ("a", "b")))))
    added = f"c{catalog.catalog_id}"
    plan_scan(tx, table, Comparison((added,), "=", 5))
    plan_delete(tx, table, Or((Comparison((added,), "=", 5), Comparison(("id",), ">", 5))))
    table_history(tx.view, TableId(table.object_id), SnapshotId(1), tx.base)


def _scans(plan: dict[str, object]) -> Iterator[str]:
    if plan["Node Type"] == "Seq Scan":
        yield str(plan["Relation Name"])
    children = plan.get("Plans", [])
    assert isinstance(children, list)
    for child in children:
        yield from _scans(child)


def test_no_statement_reads_a_whole_table(crowded: tuple[Lake, str], monkeypatch: pytest.MonkeyPatch) -> None:
    lake, conninfo = crowded
    recorder = Recorder(monkeypatch)
    _use_everything(lake)
    store = lake.store
    assert isinstance(store, PostgresStore)
    explained = 0
    with psycopg.connect(conninfo) as connection:
        connection.execute(f"SET search_path TO {store.schema}")
        for sql, statement in recorder.statements.items():
            if not sql.lstrip().upper().startswith(("SELECT", "WITH", "UPDATE", "DELETE", "INSERT")):
                continue
            [[plan]] = _explain(connection, statement)
            scanned = set(_scans(plan["Plan"])) - SMALL
            assert not {name for name in scanned if name.startswith("lake_")}, f"{scanned} in {sql}"
            explained += 1
        connection.rollback()
    assert explained > 40


def test_a_query_without_an_index_is_noticed(crowded: tuple[Lake, str]) -> None:
    lake, conninfo = crowded
    store = lake.store
    assert isinstance(store, PostgresStore)
    with psycopg.connect(conninfo) as connection:
        connection.execute(f"SET search_path TO {store.schema}")
        statement = Statement("SELECT * FROM lake_data_file WHERE file_format = :text", {"text": "p1"})
        [[plan]] = _explain(connection, statement)
    assert set(_scans(plan["Plan"])) == {"lake_data_file"}


def _explain(
    connection: psycopg.Connection[tuple[Any, ...]], statement: Statement
) -> list[list[dict[str, dict[str, object]]]]:
    rows = connection.execute(f"EXPLAIN (FORMAT JSON) {native_sql(statement.sql)}", statement.params).fetchall()
    found = rows[0][0]
    return [json.loads(found) if isinstance(found, str) else found]
