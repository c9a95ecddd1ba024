"""What users of DuckLake with many catalogs write every day runs as they write it, and gives what they expect."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.api.session import Session
from forklake.errors import ForklakeError, InvalidInput, ReadOnly
from tests.conftest import Place


@pytest.fixture(params=["spark", "duckdb"])
def session(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> Iterator[Session]:
    monkeypatch.chdir(tmp_path)
    with forklake.connect(dialect=request.param, spark=spark) as opened:
        yield opened


def rows(session: Session, text: str) -> list[tuple[Any, ...]]:
    return session.sql(text).fetchall()


def test_the_first_minutes(session: Session) -> None:
    session.sql(
        """
        INSTALL ducklake; LOAD ducklake;

        -- a catalog has to be named
        ATTACH 'ducklake:my_catalog.ducklake' AS my_lake (
            DATA_PATH 'files/',
            CATALOG 'my-catalog',
            CREATE_IF_NOT_EXISTS true
        );

        USE my_lake;
        CREATE TABLE test(id INTEGER, name VARCHAR);
        INSERT INTO test VALUES (1, 'hello');
        """
    )
    assert rows(session, "SELECT * FROM test") == [(1, "hello")]
    assert rows(session, "SELECT * FROM my_lake.main.test WHERE id = 1") == [(1, "hello")]
    assert list(Path("files/my-catalog").rglob("*.parquet"))
    with pytest.raises(InvalidInput, match="CATALOG is required"):
        session.sql("ATTACH 'ducklake:my_catalog.ducklake' AS other")
    with pytest.raises(ForklakeError, match="Catalog 'nobody' does not exist"):
        session.sql("ATTACH 'ducklake:my_catalog.ducklake' AS other (CATALOG 'nobody')")


def test_rows_and_columns_change(session: Session) -> None:
    open_lake(session)
    session.sql("CREATE TABLE orders (id BIGINT NOT NULL, item VARCHAR, amount INTEGER)")
    session.sql("INSERT INTO orders (id, item) VALUES (1, 'pen'), (2, 'ink')")
    session.sql("INSERT INTO orders SELECT id + 10, item, 5 FROM orders")
    assert rows(session, "UPDATE orders SET amount = 7 WHERE id = 1") == [(1,)]
    assert rows(session, "DELETE FROM orders WHERE id = 2") == [(1,)]
    session.sql("ALTER TABLE orders ADD COLUMN note VARCHAR DEFAULT 'none'")
    session.sql("ALTER TABLE orders RENAME COLUMN item TO article")
    session.sql("ALTER TABLE orders ALTER COLUMN amount SET DATA TYPE BIGINT")
    assert rows(session, "SELECT id, article, amount, note FROM lake.main.orders ORDER BY id") == [
        (1, "pen", 7, "none"),
        (11, "pen", 5, "none"),
        (12, "ink", 5, "none"),
    ]
    session.sql("ALTER TABLE orders DROP COLUMN note")
    assert rows(session, "TRUNCATE TABLE orders") == [(3,)]
    session.sql("DROP TABLE orders; DROP TABLE IF EXISTS orders")
    assert rows(session, "SHOW TABLES") == []


def test_the_past_can_be_read(session: Session) -> None:
    open_lake(session)
    session.sql("CREATE TABLE t (id INTEGER)")
    session.sql("INSERT INTO t VALUES (1)")
    [(then,)] = rows(session, "SELECT id FROM lake.current_snapshot()")
    session.sql("INSERT INTO t VALUES (2)")
    assert rows(session, "SELECT * FROM t ORDER BY id") == [(1,), (2,)]
    for point in (f"AT SNAPSHOT {then}", f"AT (VERSION => {then})"):
        assert rows(session, f"SELECT * FROM t {point}") == [(1,)]
    for point in ("AT TIMESTAMP '2999-01-01'", "AT (TIMESTAMP => '2999-01-01')", "AT (TIMESTAMP => now())"):
        assert rows(session, f"SELECT count(*) FROM t {point}") == [(2,)]
    session.sql(f"ATTACH 'ducklake:lake.db' AS old (CATALOG 'main', SNAPSHOT_VERSION {then})")
    session.sql("ATTACH 'ducklake:lake.db' AS late (CATALOG 'main', SNAPSHOT_TIME '2999-01-01 12:00:00')")
    assert rows(session, "SELECT count(*) FROM old.t") == [(1,)]
    assert rows(session, "SELECT count(*) FROM late.t") == [(2,)]


def test_statements_are_snapshots_unless_a_transaction_holds_them_together(session: Session) -> None:
    open_lake(session)
    session.sql("CREATE TABLE t (id INTEGER)")
    start = snapshots(session)
    session.sql("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); INSERT INTO t VALUES (3)")
    assert snapshots(session) == start + 3
    session.sql("BEGIN; INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); INSERT INTO t VALUES (3); COMMIT;")
    assert snapshots(session) == start + 4
    assert rows(session, "SELECT count(*) FROM t") == [(6,)]


def test_a_fork_is_made_at_once_and_goes_its_own_way(session: Session) -> None:
    open_lake(session, "shared_data", "parent")
    session.sql("CREATE TABLE big_table AS SELECT 1 AS id, 'parent' AS v")
    session.sql("CREATE TABLE results (id INTEGER)")
    session.sql("SELECT ducklake_fork_catalog('parent', 'agent_workspace')")
    session.sql("ATTACH 'ducklake:lake.db' AS workspace (CATALOG 'agent_workspace', DATA_PATH 'data/')")
    assert rows(session, "SELECT * FROM workspace.main.big_table") == [(1, "parent")]
    session.sql("INSERT INTO workspace.main.results VALUES (42)")
    assert rows(session, "SELECT * FROM workspace.main.results") == [(42,)]
    assert rows(session, "SELECT * FROM parent.main.results") == []
    assert list(Path("data/agent_workspace").rglob("*.parquet"))
    assert rows(session, "CALL ducklake_fork_catalog('parent', 'agent_workspace', if_not_exists => true)")[0][1:] == (
        "agent_workspace",
        False,
    )
    with pytest.raises(ForklakeError, match=r"already exists\. Use if_not_exists"):
        session.sql("CALL ducklake_fork_catalog('parent', 'agent_workspace')")
    catalogs = rows(session, "SELECT catalog_name, parent_catalog_id IS NULL FROM ducklake_catalogs('parent')")
    assert catalogs == [("shared_data", True), ("agent_workspace", False)]


def test_a_workbook_and_its_workspace_side_by_side(session: Session) -> None:
    session.sql("ATTACH 'ducklake:lake.db' AS ws (CATALOG 'ws_123', CREATE_IF_NOT_EXISTS true)")
    session.sql("CREATE SCHEMA ws.datasets; CREATE TABLE ws.datasets.customers AS SELECT 7 AS id, 'Ann' AS name")
    session.sql("DETACH ws")
    session.sql("ATTACH 'ducklake:lake.db' AS workbook (CATALOG 'wb_abc', CREATE_IF_NOT_EXISTS true)")
    session.sql("ATTACH 'ducklake:lake.db' AS workspace (CATALOG 'ws_123', READ_ONLY)")
    session.sql("USE workbook; CREATE SCHEMA history")
    session.sql("CREATE TABLE history.my_results AS SELECT 1 AS id, 7 AS customer")
    assert rows(session, "SELECT * FROM history.my_results") == [(1, 7)]
    assert rows(session, "SELECT * FROM workspace.datasets.customers") == [(7, "Ann")]
    joined = "FROM history.my_results r JOIN workspace.datasets.customers c ON r.customer = c.id"
    assert rows(session, f"SELECT r.id, c.name {joined}") == [(1, "Ann")]
    session.sql(f"CREATE TABLE history.named AS SELECT c.name {joined}")
    with pytest.raises(ReadOnly):
        session.sql("INSERT INTO workspace.datasets.customers VALUES (8, 'Bob')")
    assert rows(session, "SHOW TABLES FROM workbook.history") == [("my_results",), ("named",)]
    assert rows(session, "SHOW TABLES FROM workspace.datasets") == [("customers",)]


def test_two_lakes_in_one_session(session: Session) -> None:
    for letter in ("a", "b"):
        session.sql(
            f"ATTACH 'ducklake:catalog_{letter}.ducklake' AS workbook_{letter}"
            f" (CATALOG 'main', DATA_PATH 'workbook_{letter}/', CREATE_IF_NOT_EXISTS true)"
        )
        session.sql(f"USE workbook_{letter}; CREATE SCHEMA history")
        session.sql(f"CREATE TABLE history.mine AS SELECT 1 AS id, 'from {letter}' AS data")
    assert rows(session, "SELECT data FROM history.mine") == [("from b",)]
    both = "SELECT data FROM workbook_a.history.mine UNION ALL SELECT data FROM workbook_b.history.mine ORDER BY data"
    assert rows(session, both) == [("from a",), ("from b",)]


def test_a_secret_holds_the_place_of_a_lake(session: Session) -> None:
    open_lake(session)
    session.sql("CREATE TABLE t (id INTEGER)")
    session.sql(
        """CREATE SECRET my_ducklake (
            TYPE ducklake,
            metadata_path 'lake.db',
            data_path 'data/',
            catalog 'main'
        )"""
    )
    session.sql("ATTACH 'ducklake:my_ducklake' AS again")
    assert rows(session, "SHOW TABLES FROM again") == [("t",)]


def test_schemas_of_postgres_hold_lakes_of_their_own(session: Session, postgres_place: Place) -> None:
    for number in (1, 2):
        session.sql(
            f"ATTACH 'ducklake:{postgres_place.url}' AS ducklake_{number} (METADATA_SCHEMA"
            f" '{postgres_place.metadata_schema}_{number}', CATALOG 'cat{number}', DATA_PATH 'data{number}/',"
            " CREATE_IF_NOT_EXISTS true)"
        )
    session.sql("CREATE TABLE ducklake_1.t (id INTEGER)")
    assert rows(session, "SHOW TABLES FROM ducklake_1") == [("t",)]
    assert rows(session, "SHOW TABLES FROM ducklake_2") == []


def test_functions_tell_what_happened(session: Session) -> None:
    open_lake(session, "main", "ducklake")
    session.sql("CREATE TABLE orders (id INTEGER, item VARCHAR)")
    session.sql("INSERT INTO orders VALUES (1, 'pen'), (2, 'ink')")
    session.sql("UPDATE orders SET item = 'cup' WHERE id = 2")
    found = rows(session, "SELECT snapshot_id, snapshot_time, changes FROM ducklake.snapshots()")
    assert [row[0] for row in found] == [1, 2, 3, 4]
    assert dict(found[1][2]) == {"tables_created": ["main.orders"]}
    changes = "SELECT snapshot_id, change_type, id, item FROM ducklake.table_changes('orders', 3, 4)"
    assert rows(session, f"{changes} ORDER BY snapshot_id, id, change_type DESC") == [
        (3, "insert", 1, "pen"),
        (3, "insert", 2, "ink"),
        (4, "update_preimage", 2, "ink"),
        (4, "update_postimage", 2, "cup"),
    ]
    assert rows(session, "SELECT table_name, file_count FROM ducklake.table_info()")[0][0] == "orders"
    assert rows(session, "SELECT count(*) FROM ducklake_list_files('ducklake', 'orders')")[0][0] >= 1


def test_options_are_set_for_a_catalog_or_a_schema(session: Session) -> None:
    open_lake(session)
    session.sql("CREATE SCHEMA analytics")
    session.sql("CALL lake.set_option('parquet_compression', 'zstd', schema => 'analytics')")
    session.sql("CALL lake.set_option('target_file_size', '512MB')")
    session.sql("CALL lake.set_option('parquet_row_group_size_bytes', '128MB')")
    session.sql("CALL ducklake_set_option('lake', 'data_inlining_row_limit', 1000)")
    options = {row[0]: row[1:] for row in rows(session, "SELECT option_name, value, scope FROM lake.options()")}
    assert options["parquet_compression"] == ("zstd", "SCHEMA")
    assert options["target_file_size"] == ("512000000", "GLOBAL")
    assert options["parquet_row_group_size_bytes"] == ("128000000", "GLOBAL")
    assert options["data_inlining_row_limit"] == ("1000", "GLOBAL")


def test_a_table_is_partitioned_by_parts_of_a_date(session: Session) -> None:
    open_lake(session)
    session.sql(
        """CREATE TABLE events (
            event_date DATE,
            event_type VARCHAR,
            data VARCHAR
        ) PARTITION BY (year(event_date), month(event_date))"""
    )
    session.sql("INSERT INTO events VALUES ('2026-01-31', 'a', 'x'), ('2026-02-01', 'b', NULL)")
    assert rows(session, "SELECT file_count FROM lake.table_info()") == [(2,)]
    found = rows(session, "SELECT event_date, event_type FROM events WHERE event_date >= DATE '2026-02-01'")
    assert found == [(date(2026, 2, 1), "b")]


def test_the_metadata_is_there_to_be_asked(session: Session) -> None:
    open_lake(session)
    session.sql("CREATE TABLE t (id INTEGER)")
    session.sql("CREATE TABLE gone (id INTEGER); DROP TABLE gone")
    meta = "__ducklake_metadata_lake"
    live = f"SELECT t.table_name, s.schema_name FROM {meta}.ducklake_table t JOIN {meta}.ducklake_schema s"
    assert rows(
        session,
        f"{live} ON t.catalog_id = s.catalog_id AND t.schema_id = s.schema_id"
        " WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL",
    ) == [("t", "main")]
    catalogs = f"SELECT catalog_name FROM {meta}.ducklake_catalog WHERE end_snapshot IS NULL"
    assert rows(session, catalogs) == [("main",)]


def test_encryption_is_refused(session: Session) -> None:
    with pytest.raises(InvalidInput, match="encryption is not implemented"):
        session.sql("ATTACH 'ducklake:x.db' AS lake (CATALOG 'x', ENCRYPTED true, CREATE_IF_NOT_EXISTS true)")
    assert not Path("x.db").exists()


@pytest.mark.parametrize(
    "call",
    [
        "CALL ducklake_expire_snapshots('lake', older_than => now() - INTERVAL '30 days')",
        "CALL ducklake_cleanup_old_files('lake')",
        "CALL lake.merge_adjacent_files()",
        "CALL ducklake_merge_adjacent_files('lake', 't')",
        "CALL ducklake_rewrite_data_files('lake')",
        "CALL ducklake_delete_orphaned_files('lake', dry_run => true)",
        "CALL ducklake_add_data_files('lake', 't', 'my_file.parquet')",
        "CHECKPOINT lake",
    ],
)
def test_maintenance_works(session: Session, call: str) -> None:
    open_lake(session)
    session.sql("CREATE TABLE t (col1 INTEGER, col2 VARCHAR)")
    session.sql("COPY (SELECT 200 AS col1, 'world' AS col2) TO 'my_file.parquet'")
    rows(session, call)


def open_lake(session: Session, catalog: str = "main", name: str = "lake") -> None:
    session.sql(
        f"ATTACH 'ducklake:lake.db' AS {name} (CATALOG '{catalog}', DATA_PATH 'data/', CREATE_IF_NOT_EXISTS true)"
    )
    session.sql(f"USE {name}")


def snapshots(session: Session) -> int:
    [(count,)] = rows(session, "SELECT count(*) FROM lake.snapshots()")
    return int(count)
