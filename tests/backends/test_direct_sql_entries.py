"""The views for direct SQL have as many rows as the tables of DuckLake: a new one when what it shows has changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import duckdb
import pytest

import forklake
from forklake.api.session import Session
from forklake.store.connection import Statement, Store
from forklake.store.open import open_store
from tests.conftest import Place
from tests.ducklake_oracle import connect_oracle

SCRIPT = [
    "CREATE TABLE t (id INT, s VARCHAR, st STRUCT(a INT, b INT))",
    "INSERT INTO t VALUES (1, 'a', {'a': 1, 'b': 2})",
    "COMMENT ON TABLE t IS 'x'",
    "COMMENT ON TABLE t IS 'y'",
    "COMMENT ON COLUMN t.s IS 'c'",
    "ALTER TABLE t ADD COLUMN n INT DEFAULT 3",
    "COMMENT ON COLUMN t.id IS 'key'",
    "ALTER TABLE t RENAME COLUMN s TO s2",
    "ALTER TABLE t DROP COLUMN n",
    "ALTER TABLE t ALTER id TYPE BIGINT",
    "ALTER TABLE t ADD COLUMN st.c INT",
    "ALTER TABLE t ALTER id SET NOT NULL",
    "ALTER TABLE t ALTER id SET DEFAULT 5",
    "COMMENT ON COLUMN t.s2 IS 'd'",
    "ALTER TABLE t RENAME TO u",
    "ALTER TABLE u SET PARTITIONED BY (id)",
    "ALTER TABLE u SET SORTED BY (id)",
    "INSERT INTO u VALUES (2, 'b', {'a': 1, 'b': 2, 'c': 3})",
    "CREATE TABLE other (id INT)",
    "COMMENT ON TABLE other IS 'o'",
    "DROP TABLE other",
    "CREATE VIEW v AS SELECT 1 AS a",
    "COMMENT ON VIEW v IS 'w'",
    "CREATE SCHEMA more",
]
"""In the words of DuckDB, for both."""
COUNTED = ("table", "column", "schema", "view", "tag", "column_tag", "partition_info", "partition_column", "sort_info")

# What web applications ask, word for word but for the schema in front.
LIST_TABLES = """
    SELECT t.table_name, t.table_uuid, s.schema_name
    FROM ducklake_table t
    JOIN ducklake_schema s ON t.schema_id = s.schema_id
    WHERE t.catalog_id = '{id}' AND t.end_snapshot IS NULL AND s.catalog_id = '{id}' AND s.end_snapshot IS NULL"""
LIST_COLUMNS = """
    SELECT c.column_name, c.column_type, c.nulls_allowed
    FROM ducklake_column c
    JOIN ducklake_table t ON c.table_id = t.table_id
    WHERE t.catalog_id = '{id}' AND t.table_name = 'u' AND c.catalog_id = '{id}' AND c.end_snapshot IS NULL"""
DATA_FILES = """
    SELECT df.path, df.path_is_relative, df.record_count
    FROM ducklake_data_file df
    JOIN ducklake_table t ON df.catalog_id = t.catalog_id AND df.table_id = t.table_id
    JOIN ducklake_schema s ON t.catalog_id = s.catalog_id AND t.schema_id = s.schema_id
    WHERE df.catalog_id = '{id}' AND t.table_name = 'u' AND s.schema_name = 'main' AND df.end_snapshot IS NULL"""
DATA_FILES_BY_TABLE_ID = """
    SELECT df.path, df.path_is_relative, df.record_count
    FROM ducklake_data_file df
    JOIN ducklake_table t ON df.table_id = t.table_id
    JOIN ducklake_schema s ON t.schema_id = s.schema_id
    WHERE df.catalog_id = '{id}' AND t.table_name = 'u' AND s.schema_name = 'main' AND df.end_snapshot IS NULL"""
BY_NAME = """
    SELECT t.table_name, t.table_uuid, s.schema_name
    FROM ducklake_table t
    JOIN ducklake_schema s ON t.catalog_id = s.catalog_id AND t.schema_id = s.schema_id
    JOIN ducklake_catalog c ON t.catalog_id = c.catalog_id
    WHERE c.catalog_name = '{name}' AND c.end_snapshot IS NULL AND t.end_snapshot IS NULL AND s.end_snapshot IS NULL"""


@dataclass(frozen=True, slots=True)
class Altered:
    """A lake whose tables went through the script, and its metadata."""

    session: Session
    store: Store

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        return self.store.fetch(sql, {})

    def catalog_id(self, name: str) -> int:
        [(found,)] = self.ask(f"SELECT catalog_id FROM ducklake_catalog WHERE catalog_name = '{name}'")
        assert isinstance(found, int)
        return found


@pytest.fixture
def altered(place: Place, tmp_path: object) -> Iterator[Altered]:
    schema = f", METADATA_SCHEMA '{place.metadata_schema}'" if place.metadata_schema else ""
    options = f"CATALOG 'main', DATA_PATH '{tmp_path}/data', CREATE_IF_NOT_EXISTS true{schema}"
    with forklake.connect(dialect="duckdb") as session:
        session.sql(f"ATTACH 'ducklake:{place.url}' AS lake ({options}, DATA_INLINING_ROW_LIMIT 10)")
        for statement in SCRIPT:
            session.sql(statement)
        store = open_store(place.url, metadata_schema=place.metadata_schema)
        yield Altered(session, store)
        store.close()


@pytest.fixture
def oracle(tmp_path: object) -> Iterator[duckdb.DuckDBPyConnection]:
    with connect_oracle() as connection:
        connection.execute(f"ATTACH 'ducklake:{tmp_path}/oracle.ducklake' AS lake (DATA_PATH '{tmp_path}/oracle')")
        connection.execute("USE lake")
        for statement in SCRIPT:
            connection.execute(statement)
        yield connection


def once(rows: Sequence[tuple[object, ...]]) -> list[tuple[object, ...]]:
    assert len(rows) == len(set(rows)), "seen twice"
    return sorted(rows, key=repr)


def test_every_view_has_as_many_rows_as_the_table_of_ducklake(
    altered: Altered, oracle: duckdb.DuckDBPyConnection
) -> None:
    root = altered.catalog_id("main")
    ours = {
        name: altered.ask(f"SELECT count(*) FROM ducklake_{name} WHERE catalog_id = {root}")[0][0] for name in COUNTED
    }
    theirs = {
        name: (oracle.execute(f"SELECT count(*) FROM __ducklake_metadata_lake.ducklake_{name}").fetchone() or [None])[0]
        for name in COUNTED
    }
    assert ours == theirs


def test_periods_are_those_of_ducklake(altered: Altered, oracle: duckdb.DuckDBPyConnection) -> None:
    """As positions in the history of each, whose numbers differ."""
    root = altered.catalog_id("main")
    asked = {
        "table": "table_name", "view": "view_name", "schema": "schema_name", "tag": "value", "column_tag": "value",
        "column": "column_name, column_type, default_value",
    }  # fmt: skip
    snapshots = f"SELECT snapshot_id FROM ducklake_snapshot WHERE catalog_id = {root} ORDER BY 1"
    our_places = {number: at for at, (number,) in enumerate(altered.ask(snapshots))}
    for name, columns in asked.items():
        sql = f"SELECT begin_snapshot, end_snapshot, {columns} FROM {{0}}ducklake_{name}"
        ours = altered.ask(f"{sql.format('')} WHERE catalog_id = {root}")
        theirs = oracle.execute(sql.format("__ducklake_metadata_lake.")).fetchall()
        assert shown(ours, our_places) == shown(theirs, None), name


def shown(rows: Sequence[tuple[object, ...]], places: dict[object, int] | None) -> list[tuple[object, ...]]:
    """Rows to compare: a snapshot as its place in history, no default as DuckLake writes it, flags as flags."""

    def place(number: object) -> object:
        return number if places is None or number is None else places[number]

    def value(found: object) -> object:
        return None if found in (None, "NULL") else str(found).replace("True", "1").replace("False", "0")

    return sorted(((place(row[0]), place(row[1]), *map(value, row[2:])) for row in rows), key=repr)


def test_queries_of_web_applications_give_each_column_and_file_once(altered: Altered) -> None:
    """Ids may be given as text."""
    altered.session.sql("CALL lake.flush_inlined_data()")
    root = altered.catalog_id("main")
    files = once(altered.ask(DATA_FILES_BY_TABLE_ID.format(id=root)))
    assert len(files) == 2
    altered.session.sql("FORK CATALOG lake AS agent")
    altered.session.sql("CALL lake.merge_adjacent_files()")
    fork = altered.catalog_id("agent")
    columns = {"id", "s2", "st", "a", "b", "c"}
    for catalog_id, name in ((root, "main"), (fork, "agent")):
        assert [row[0] for row in once(altered.ask(LIST_TABLES.format(id=catalog_id)))] == ["u"]
        assert [row[0] for row in once(altered.ask(BY_NAME.format(name=name)))] == ["u"]
        assert {row[0] for row in once(altered.ask(LIST_COLUMNS.format(id=catalog_id)))} == columns
    assert once(altered.ask(DATA_FILES.format(id=fork))) == files
    assert sum(int(str(row[2])) for row in once(altered.ask(DATA_FILES.format(id=root)))) == 2


def test_a_fork_that_alters_and_renames_an_inherited_table_begins_what_has_changed(
    altered: Altered, place: Place
) -> None:
    altered.session.sql("FORK CATALOG lake AS agent")
    schema = f", METADATA_SCHEMA '{place.metadata_schema}'" if place.metadata_schema else ""
    altered.session.sql(f"ATTACH 'ducklake:{place.url}' AS fork (CATALOG 'agent'{schema})")
    root, fork = altered.catalog_id("main"), altered.catalog_id("agent")
    tables = "SELECT table_name, begin_snapshot, end_snapshot FROM ducklake_table WHERE catalog_id = {0} ORDER BY 2, 1"
    columns = "SELECT count(*) FROM ducklake_column WHERE catalog_id = {0}"
    before = altered.ask(tables.format(root))
    assert altered.ask(tables.format(fork)) == before
    [(counted,)] = altered.ask(columns.format(root))
    altered.session.sql("ALTER TABLE fork.main.u ADD COLUMN z INT")
    altered.session.sql("COMMENT ON TABLE fork.main.u IS 'mine'")
    assert altered.ask(tables.format(fork)) == before
    assert altered.ask(columns.format(fork)) == [(int(str(counted)) + 1,)]
    altered.session.sql("ALTER TABLE fork.main.u RENAME TO mine")
    assert len(altered.ask(tables.format(fork))) == len(before) + 1
    assert altered.ask(tables.format(root)) == before


def test_stock_ducklake_refuses_a_lake_of_ours_and_lives_on(postgres_place: Place, tmp_path: object) -> None:
    open_store(postgres_place.url, metadata_schema=postgres_place.metadata_schema, create=True).close()
    with connect_oracle() as connection:
        for options in ("", ", READ_ONLY", ", CREATE_IF_NOT_EXISTS false"):
            with pytest.raises(duckdb.Error, match="Forklake"):
                connection.execute(
                    f"ATTACH 'ducklake:{postgres_place.url}' AS lake (METADATA_SCHEMA"
                    f" '{postgres_place.metadata_schema}', DATA_PATH '{tmp_path}'{options})"
                )
        assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_migrated_lakes_get_the_new_views(place: Place) -> None:
    store = open_store(place.url, metadata_schema=place.metadata_schema, create=True)
    with store.writing([]) as (transaction, _):
        old = "SELECT catalog_id, object_id AS table_id, object_uuid AS table_uuid, begin_snapshot, end_snapshot,"
        steps = [
            "DROP VIEW ducklake_table",
            f"CREATE VIEW ducklake_table AS {old} schema_id, name AS table_name, path, true AS path_is_relative"
            " FROM lake_seen_object WHERE kind = 'table'",
            "UPDATE lake_info SET value = '2' WHERE key = 'format_version'",
        ]
        transaction.commit([Statement(sql, {}) for sql in steps])
    store.close()
    again = open_store(place.url, metadata_schema=place.metadata_schema)
    found = (
        "SELECT pg_get_viewdef('ducklake_table'::regclass)"
        if again.dialect.is_postgres
        else "SELECT sql FROM sqlite_master WHERE name = 'ducklake_table'"
    )
    assert "lake_seen_entry" in str(again.fetch(found, {}))
    again.close()
