"""The views for direct SQL show what each catalog sees: a root, its fork, and a fork of the fork."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from forklake.model.lineage import NO_LIMIT
from forklake.store.connection import Row, RowsToInsert, Store
from forklake.store.metadata_tables import TABLES
from forklake.store.open import open_store
from forklake.store.postgres import PostgresStore
from tests.backends.direct_sql_rows import (
    CUSTOMERS,
    DROPPED,
    FORK,
    GRANDCHILD,
    ONE_COLUMN,
    ORDERS,
    ROOT,
    SCRATCH,
    STATS,
    WRITTEN,
    data_file,
    delete_file,
    file_stats,
    lake_object,
    snapshot,
    time,
    uuid,
)
from tests.conftest import Place

GUIDE = Path(__file__).parents[2] / "docs" / "direct-sql.md"


def write(store: Store, written: Mapping[str, list[Row]]) -> None:
    """Rows give the first columns of their table; the rest is NULL."""
    with store.writing([]) as (transaction, _):
        transaction.commit(
            [
                RowsToInsert(table, [row + (None,) * (len(TABLES[table].columns) - len(row)) for row in rows])
                for table, rows in written.items()
            ]
        )


@contextmanager
def lake(place: Place) -> Iterator[Store]:
    """A lake with the rows above."""
    store = open_store(place.url, metadata_schema=place.metadata_schema, create=True)
    try:
        write(store, WRITTEN)
        yield store
    finally:
        store.close()


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    with lake(place) as opened:
        yield opened


def ask(store: Store, sql: str, **params: object) -> list[Row]:
    return [tuple(str(v) if type(v).__name__ == "UUID" else v for v in row) for row in store.fetch(sql, params)]


def ends(store: Store, view: str, key: str, catalog_id: int) -> dict[int, tuple[int, int | None]]:
    rows = ask(
        store, f"SELECT {key}, begin_snapshot, end_snapshot FROM {view} WHERE catalog_id = :catalog", catalog=catalog_id
    )
    assert len({row[0] for row in rows}) == len(rows), "seen twice"
    return {row[0]: (row[1], row[2]) for row in rows}


def test_catalogs_are_listed_with_their_parents_and_dropped_ones_have_an_end(store: Store) -> None:
    rows = ask(
        store,
        "SELECT catalog_id, catalog_uuid, catalog_name, parent_catalog_id, begin_snapshot, end_snapshot, path,"
        " fork_snapshot, head_snapshot, schema_version FROM ducklake_catalog ORDER BY catalog_id",
    )
    assert rows == [
        (ROOT, uuid(ROOT), "main", None, 1, None, "main", None, 10, 1),
        (FORK, uuid(FORK), "agent", ROOT, 5, None, "agent", 4, 8, 1),
        (GRANDCHILD, uuid(GRANDCHILD), "sub", FORK, 11, None, "sub", 7, 11, 1),
        (DROPPED, uuid(DROPPED), "gone", ROOT, 12, 13, "gone", 4, 12, 1),
    ]


def test_files_end_where_the_catalog_that_looks_sees_them_end(store: Store) -> None:
    """Also: the root's drop of `orders` at 9 ends its files there, and nowhere else."""
    assert ends(store, "ducklake_data_file", "data_file_id", ROOT) == {
        99: (2, 3), 100: (3, 9), 101: (3, 9), 102: (3, None), 103: (3, None), 120: (10, None),
    }  # fmt: skip
    assert ends(store, "ducklake_data_file", "data_file_id", FORK) == {
        99: (2, 3), 100: (3, 6), 101: (3, None), 102: (3, None), 103: (3, 7), 110: (6, None),
    }  # fmt: skip
    assert ends(store, "ducklake_data_file", "data_file_id", GRANDCHILD) == {
        99: (2, 3), 100: (3, 6), 101: (3, None), 102: (3, None), 103: (3, 7), 110: (6, None),
    }  # fmt: skip


def test_delete_files_end_where_the_catalog_that_looks_sees_them_end(store: Store) -> None:
    assert ends(store, "ducklake_delete_file", "delete_file_id", ROOT) == {200: (4, 9)}
    assert ends(store, "ducklake_delete_file", "delete_file_id", FORK) == {200: (4, 6), 210: (6, None)}
    assert ends(store, "ducklake_delete_file", "delete_file_id", GRANDCHILD) == {200: (4, 6), 210: (6, None)}


@pytest.mark.parametrize(
    ("catalog_id", "tables"),
    [
        (ROOT, [("customers", 2, None), ("orders", 2, 9), ("scratch", 2, None)]),
        (FORK, [("clients", 8, None), ("customers", 2, 8), ("orders", 2, None), ("scratch", 2, 7)]),
        (GRANDCHILD, [("customers", 2, None), ("orders", 2, None), ("scratch", 2, 7)]),
        (DROPPED, []),
    ],
)
def test_tables_are_renamed_and_dropped_for_those_who_see_it(store: Store, catalog_id: int, tables: list[Row]) -> None:
    sql = """SELECT table_name, begin_snapshot, end_snapshot FROM ducklake_table
        WHERE catalog_id = :catalog ORDER BY table_name, begin_snapshot"""
    assert ask(store, sql, catalog=catalog_id) == tables


def test_paths_lead_into_the_folder_of_the_catalog_that_looks(store: Store) -> None:
    schemas = ask(store, "SELECT catalog_id, schema_id, path FROM ducklake_schema ORDER BY catalog_id")
    assert schemas == [(ROOT, 1, "main/main/"), (FORK, 1, "agent/main/"), (GRANDCHILD, 1, "sub/main/")]
    sql = """SELECT path, path_is_relative FROM ducklake_table
        WHERE catalog_id = :catalog AND table_id = 3 AND end_snapshot IS NULL"""
    assert ask(store, sql, catalog=FORK) == [("agent/main/customers/", True)]


def test_a_past_snapshot_is_read_with_begin_and_end(store: Store) -> None:
    sql = """SELECT data_file_id FROM ducklake_data_file WHERE catalog_id = :catalog AND table_id = 2
        AND begin_snapshot <= :at AND (end_snapshot > :at OR end_snapshot IS NULL) ORDER BY 1"""
    seen = {at: [row[0] for row in ask(store, sql, catalog=FORK, at=at)] for at in (2, 4, 6)}
    assert seen == {2: [99], 4: [100, 101], 6: [101, 110]}


def test_columns_are_listed_depth_first_with_their_parents(store: Store) -> None:
    sql = """SELECT column_id, column_order, column_name, column_type, parent_column, nulls_allowed, default_value,
            default_value_type, default_value_dialect, initial_default
        FROM ducklake_column WHERE catalog_id = :catalog AND table_id = 2 AND end_snapshot IS NULL
        ORDER BY column_order"""
    assert ask(store, sql, catalog=FORK) == [
        (1, 1, "id", "int64", None, False, None, None, None, None),
        (2, 2, "lines", "list", None, True, None, None, None, None),
        (3, 3, "element", "struct", 2, True, None, None, None, None),
        (4, 4, "sku", "varchar", 3, True, None, None, None, None),
        (5, 5, "n", "int32", 3, True, None, None, None, None),
        (6, 6, "day", "date", None, True, "today()", "expression", "spark", None),
    ]
    assert ask(store, sql, catalog=ROOT) == []


def test_tags_partitions_and_sort_orders_follow_the_table(store: Store) -> None:
    answers = [
        ask(store, f"SELECT * FROM {view} WHERE catalog_id = :catalog ORDER BY 2, 3, 4", catalog=FORK)
        for view in (
            "ducklake_tag", "ducklake_column_tag", "ducklake_partition_info", "ducklake_partition_column",
            "ducklake_sort_info", "ducklake_sort_expression",
        )
    ]  # fmt: skip
    assert answers == [
        [(FORK, 2, 2, None, "comment", "all orders"), (FORK, 6, 3, None, "comment", "sum")],
        [(FORK, 2, 1, 2, None, "comment", "the key")],
        [(FORK, 50, 2, 2, None)],
        [(FORK, 50, 2, 0, 6, "identity")],
        [(FORK, 51, 2, 3, None)],
        [(FORK, 51, 2, 0, "id", "spark", "DESC", "NULLS_LAST")],
    ]
    assert ask(store, "SELECT * FROM ducklake_partition_info WHERE catalog_id = 0") == [(ROOT, 50, 2, 2, 9)]


def test_views_and_macros_are_taken_apart(store: Store) -> None:
    view = "SELECT view_id, view_name, dialect, sql, column_aliases FROM ducklake_view WHERE catalog_id = :catalog"
    assert ask(store, view, catalog=GRANDCHILD) == [(5, "recent", "spark", "SELECT 1, 2", '"a","b""c"')]
    macros = "SELECT * FROM ducklake_macro WHERE catalog_id = :catalog AND end_snapshot IS NULL ORDER BY macro_id"
    assert ask(store, macros, catalog=FORK) == [(FORK, 1, 6, "add_up", 2, None), (FORK, 1, 7, "pairs", 2, None)]
    implementations = "SELECT * FROM ducklake_macro_impl WHERE catalog_id = :catalog ORDER BY macro_id"
    assert ask(store, implementations, catalog=FORK) == [
        (FORK, 6, 0, "spark", "x + y", "scalar"),
        (FORK, 7, 0, "duckdb", "SELECT 1", "table"),
    ]
    parameters = "SELECT * FROM ducklake_macro_parameters WHERE catalog_id = :catalog ORDER BY column_id"
    assert ask(store, parameters, catalog=FORK) == [
        (FORK, 6, 0, 0, "x", "unknown", None, None),
        (FORK, 6, 0, 1, "y", "int32", "2", "int32"),
    ]


def test_facts_about_a_file_show_only_to_those_who_see_the_file(store: Store) -> None:
    for view in ("ducklake_file_column_stats", "ducklake_file_partition_value"):
        seen = ask(store, f"SELECT catalog_id, data_file_id FROM {view} ORDER BY 1, 2")
        assert seen == [(ROOT, 100), (ROOT, 120), (FORK, 100), (FORK, 110), (GRANDCHILD, 100), (GRANDCHILD, 110)]


def test_statistics_are_the_newest_that_the_catalog_sees_of_its_live_tables(store: Store) -> None:
    assert ask(store, "SELECT * FROM ducklake_table_stats ORDER BY catalog_id, table_id") == [
        (ROOT, CUSTOMERS, 30, 30, 3000),
        (FORK, ORDERS, 25, 30, 2500),
        (FORK, CUSTOMERS, 10, 10, 1000),
        (GRANDCHILD, ORDERS, 25, 30, 2500),
        (GRANDCHILD, CUSTOMERS, 10, 10, 1000),
    ]
    columns = "SELECT * FROM ducklake_table_column_stats WHERE catalog_id = :catalog ORDER BY column_id"
    assert ask(store, columns, catalog=FORK) == [
        (FORK, ORDERS, 1, False, None, "0", "9", None),
        (FORK, ORDERS, 6, True, True, None, None, None),
    ]


def test_options_are_those_in_force_and_none_that_the_parent_set_later(store: Store) -> None:
    sql = "SELECT * FROM ducklake_metadata WHERE catalog_id = :catalog ORDER BY key"
    assert ask(store, sql, catalog=ROOT) == [
        ("later", "1", None, None, ROOT),
        ("sort_on_insert", "false", "table", ORDERS, ROOT),
        ("target_file_size", "1000", None, None, ROOT),
    ]
    assert ask(store, sql, catalog=FORK) == [
        ("sort_on_insert", "false", "table", ORDERS, FORK),
        ("target_file_size", "2000", None, None, FORK),
    ]
    instance: dict[str, str] = dict(ask(store, "SELECT key, value FROM ducklake_metadata WHERE catalog_id IS NULL"))
    assert instance["encrypted"] == "false"
    assert "format_version" in instance


def test_mappings_and_inlined_rows_are_inherited_up_to_the_fork(store: Store) -> None:
    mappings = "SELECT catalog_id, mapping_id, table_id, type FROM ducklake_column_mapping WHERE catalog_id = :catalog"
    assert ask(store, mappings, catalog=FORK) == [(FORK, 500, ORDERS, "map_by_name")]
    names = "SELECT * FROM ducklake_name_mapping WHERE catalog_id = :catalog ORDER BY column_id"
    assert ask(store, names, catalog=FORK) == [
        (FORK, 500, 0, "lines", 2, None, False, ORDERS),
        (FORK, 500, 1, "element", 3, 0, False, ORDERS),
    ]
    inlined = ask(store, "SELECT * FROM ducklake_inlined_data_tables ORDER BY catalog_id")
    assert inlined == [(ROOT, CUSTOMERS, "lake_inlined_batch", 1), (GRANDCHILD, CUSTOMERS, "lake_inlined_batch", 1)]


def test_history_is_global_once_and_per_catalog_as_it_sees_it(store: Store) -> None:
    everything = ask(store, "SELECT snapshot_id, catalog_id FROM ducklake_snapshot ORDER BY 1")
    assert [row[0] for row in everything] == list(range(1, 12))
    changes = """SELECT snapshot_id, changes_made, made_by_catalog_id FROM ducklake_snapshot_changes
        WHERE catalog_id = :catalog ORDER BY 1"""
    assert [row[0] for row in ask(store, changes, catalog=GRANDCHILD)] == [1, 2, 3, 4, 5, 6, 7, 11]
    assert ask(store, changes, catalog=FORK)[3:5] == [(4, "deleted_from_table:2", ROOT), (5, "forked_from:0", FORK)]
    lineage = "SELECT * FROM ducklake_snapshot_lineage WHERE catalog_id = :catalog ORDER BY snapshot_id"
    assert ask(store, lineage, catalog=FORK) == [(FORK, 4, 5), (FORK, 5, 6), (FORK, 6, 7), (FORK, 7, 8)]
    versions = "SELECT * FROM ducklake_schema_versions WHERE catalog_id = :catalog ORDER BY begin_snapshot"
    assert ask(store, versions, catalog=FORK) == [(FORK, 1, 0), (FORK, 2, 1), (FORK, 3, 2), (FORK, 7, 3), (FORK, 8, 4)]
    assert ask(store, "SELECT catalog_id, data_file_id FROM ducklake_files_scheduled_for_deletion") == [(ROOT, 98)]


LIST_TABLES = """
    SELECT t.table_name, t.table_uuid, s.schema_name
    FROM ducklake_table t
    JOIN ducklake_schema s ON t.catalog_id = s.catalog_id AND t.schema_id = s.schema_id
    WHERE t.catalog_id = :catalog AND t.end_snapshot IS NULL AND s.end_snapshot IS NULL
    ORDER BY t.table_name"""
LIST_TABLES_BY_NAME = """
    SELECT t.table_name, t.table_uuid, s.schema_name
    FROM ducklake_table t
    JOIN ducklake_schema s ON t.catalog_id = s.catalog_id AND t.schema_id = s.schema_id
    JOIN ducklake_catalog c ON t.catalog_id = c.catalog_id
    WHERE c.catalog_name = :name AND c.end_snapshot IS NULL AND t.end_snapshot IS NULL AND s.end_snapshot IS NULL
    ORDER BY t.table_name"""
QUERIES = [
    LIST_TABLES,
    LIST_TABLES_BY_NAME,
    "SELECT * FROM ducklake_column WHERE catalog_id = :catalog AND table_id = :table AND end_snapshot IS NULL",
    "SELECT * FROM ducklake_data_file WHERE catalog_id = :catalog AND table_id = :table AND end_snapshot IS NULL",
    "SELECT * FROM ducklake_data_file WHERE catalog_id = :catalog AND data_file_id = :table",
    """SELECT f.path, d.path FROM ducklake_data_file f
        LEFT JOIN ducklake_delete_file d ON d.catalog_id = :catalog AND d.table_id = :table
        AND d.data_file_id = f.data_file_id AND d.end_snapshot IS NULL
        WHERE f.catalog_id = :catalog AND f.table_id = :table AND f.end_snapshot IS NULL""",
    """SELECT f.path FROM ducklake_data_file f
        JOIN ducklake_table t ON t.catalog_id = f.catalog_id AND t.table_id = f.table_id
        WHERE t.catalog_id = :catalog AND t.table_name = :name AND t.end_snapshot IS NULL AND f.end_snapshot IS NULL""",
    "SELECT * FROM ducklake_file_column_stats WHERE catalog_id = :catalog AND table_id = :table",
    "SELECT * FROM ducklake_table_stats WHERE catalog_id = :catalog",
    "SELECT * FROM ducklake_metadata WHERE catalog_id = :catalog",
    "SELECT * FROM ducklake_snapshot_changes WHERE catalog_id = :catalog ORDER BY snapshot_id DESC LIMIT 20",
]


def test_the_tables_of_a_root_and_of_a_fork_are_listed_by_the_same_query(store: Store) -> None:
    root = [("customers", uuid(CUSTOMERS), "main"), ("scratch", uuid(SCRATCH), "main")]
    fork = [("clients", uuid(CUSTOMERS), "main"), ("orders", uuid(ORDERS), "main")]
    assert ask(store, LIST_TABLES, catalog=ROOT) == ask(store, LIST_TABLES_BY_NAME, name="main") == root
    assert ask(store, LIST_TABLES, catalog=FORK) == ask(store, LIST_TABLES_BY_NAME, name="agent") == fork
    assert ask(store, LIST_TABLES_BY_NAME, name="gone") == []


def many_forks(count: int) -> dict[str, list[Row]]:
    """Forks of the root with a file and an end marker each, and as many roots with a table."""
    forks, roots = range(1000, 1000 + count), range(100_000, 100_000 + count)
    stats = json.dumps(STATS)
    return {
        "lake_catalog": [
            (i, uuid(i), f"c{i}", f"c{i}", None, None, 0, 12, None, 12, time(12), 1) for i in (*forks, *roots)
        ],
        "lake_catalog_ancestor": [(i, 0, i, NO_LIMIT) for i in (*forks, *roots)] + [(i, 1, ROOT, 4) for i in forks],
        "lake_snapshot": [snapshot(i, 12, 4, 1, "") for i in (*forks, *roots)],
        "lake_object": [lake_object(i, i, 12, None, "table", "t", "main/t/", ONE_COLUMN) for i in roots]
        + [lake_object(i, i + count, 12, None, "schema", "main", "main/", {}) for i in roots],
        "lake_data_file": [data_file(i, ORDERS, i, 12, None) for i in forks]
        + [data_file(i, i, i, 12, None) for i in roots],
        "lake_delete_file": [delete_file(i, ORDERS, i, 12, None, i) for i in forks],
        "lake_row_end": [(i, 1, ORDERS, 100, 3, 12) for i in forks] + [(i, 3, 0, SCRATCH, 2, 12) for i in forks],
        "lake_file_column_stats": [file_stats(i, ORDERS, i) for i in forks],
        "lake_table_stats": [(i, ORDERS, 12, 10, 10, 1000, stats) for i in forks],
        "lake_option": [(i, i, 12, None, "catalog", 0, "target_file_size", "1") for i in forks],
    }  # fmt: skip


def test_a_catalog_is_found_by_index_among_thousands(store: Store) -> None:
    write(store, many_forks(3000))
    if isinstance(store, PostgresStore):
        store.fetch("ANALYZE", {})
    full_scans = scans_on_postgres if isinstance(store, PostgresStore) else scans_on_sqlite
    for catalog_id in (ROOT, 1500, 100_500):
        params = {"catalog": catalog_id, "table": ORDERS, "name": f"c{catalog_id}"}
        assert [(sql, scan) for sql in QUERIES for scan in full_scans(store, sql, params)] == []


def scans_on_sqlite(store: Store, sql: str, params: Mapping[str, object]) -> list[str]:
    """Tables read from end to end: in the views, tables have names of one letter."""
    plan = [row[3] for row in store.fetch(f"EXPLAIN QUERY PLAN {sql}", params)]
    return [step for step in plan if re.match(r"SCAN [a-z]\b", step)]


def scans_on_postgres(store: Store, sql: str, params: Mapping[str, object]) -> list[str]:
    """Tables read from end to end, unless they are a single page."""
    pages: dict[str, int] = dict(
        store.fetch("SELECT relname, relpages FROM pg_class WHERE pg_table_is_visible(oid)", {})
    )
    assert pages["lake_object"] > 1
    plan = "\n".join(row[0] for row in store.fetch(f"EXPLAIN {sql}", params))
    return [name for name in re.findall(r"Seq Scan on (\w+)", plan) if pages[name] > 1]


@pytest.fixture
def guide(postgres_place: Place) -> Iterator[tuple[psycopg.Connection[Row], list[str]]]:
    """A lake on PostgreSQL, and the SQL of the guide written for its schema; everything is undone after the test."""
    schema = postgres_place.metadata_schema
    with lake(postgres_place):
        pass
    text = GUIDE.read_text(encoding="utf-8").replace("ducklake.ducklake_", f"{schema}.ducklake_")
    text = text.replace("SCHEMA ducklake", f"SCHEMA {schema}").replace("TO ducklake,", f"TO {schema},")
    with psycopg.connect(postgres_place.url.removeprefix("postgres:")) as connection:
        for sequence in ("entity", "snapshot"):
            connection.execute("SELECT setval(%s::regclass, 1000)", [f"{schema}.lake_{sequence}_seq"])
        yield connection, re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
        connection.rollback()


def test_the_sql_of_the_guide_runs_and_its_roles_can_read_views_but_no_table(
    guide: tuple[psycopg.Connection[Row], list[str]],
) -> None:
    connection, blocks = guide
    assert len(blocks) > 10
    for block in blocks:
        connection.execute(block)
    connection.execute("INSERT INTO app.tenant VALUES (session_user, 10)")
    connection.execute("SET ROLE tenant_7")
    assert {row[0] for row in connection.execute("SELECT catalog_id FROM app.tables")} == {FORK}
    connection.execute("SET ROLE web")
    assert len(connection.execute("SELECT * FROM ducklake_table WHERE catalog_id = 10").fetchall()) == 4
    assert connection.execute("SELECT app.new_workspace('mine')").fetchone() is not None
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("SELECT * FROM lake_object")
