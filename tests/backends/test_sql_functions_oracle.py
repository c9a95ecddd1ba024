"""Our functions beside those of DuckDB's DuckLake: the same columns, types and answers."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from forklake.catalog.transaction.ddl import create_schema, create_table, create_view
from forklake.catalog.transaction.names import get_table
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from forklake.model.entities import ViewDefinition
from forklake.model.ids import TableId
from forklake.sql.session.state import SessionState
from tests.conftest import Place
from tests.ducklake_oracle import connect_oracle
from tests.lakes import append, delete_rows, make_table, transaction
from tests.sql_states import call, open_state

OURS = {"tables_created", "views_created", "schemas_created", "tables_inserted_into", "tables_deleted_from"}


@pytest.fixture
def state(place: Place, tmp_path: Path) -> Iterator[SessionState]:
    """A schema, a view, and a table with a file from which rows are deleted."""
    opened = open_state(place, tmp_path)
    catalog = opened.attachments.get("lake").catalog
    make_table(catalog)
    append(catalog)
    with transaction(catalog) as tx:
        create_schema(tx, "s2")
    with transaction(catalog) as tx:
        create_table(tx, "s2", "u", [ColumnSpec("i", parse_type("int"))])
    with transaction(catalog) as tx:
        create_view(tx, "s2", "a view", ViewDefinition("SELECT 1 AS one"))
    with transaction(catalog) as tx:
        table = get_table(tx, "main", "t")
        delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 2)
    call(opened, "lake.set_option", "target_file_size", "10MB", schema="s2")
    call(opened, "lake.set_option", "parquet_compression", "ZSTD", table_name="u", schema="s2")
    yield opened
    opened.attachments.close()


@pytest.fixture
def oracle(tmp_path: Path) -> duckdb.DuckDBPyConnection:
    """The same by DuckLake."""
    connection = connect_oracle()
    connection.execute(
        f"ATTACH 'ducklake:{tmp_path}/oracle.db' AS lake (DATA_PATH '{tmp_path}/oracle', DATA_INLINING_ROW_LIMIT 0)"
    )
    for statement in (
        "CREATE TABLE lake.t (id BIGINT)",
        "INSERT INTO lake.t SELECT range FROM range(10)",
        "CREATE SCHEMA lake.s2",
        "CREATE TABLE lake.s2.u (i INTEGER)",
        'CREATE VIEW lake.s2."a view" AS SELECT 1 AS one',
        "DELETE FROM lake.main.t WHERE id < 2",
        "CALL lake.set_option('target_file_size', '10MB', schema => 's2')",
        "CALL lake.set_option('parquet_compression', 'ZSTD', schema => 's2', table_name => 'u')",
    ):
        connection.execute(statement)
    return connection


def comparable(schema: pa.Schema) -> list[tuple[str, str]]:
    """Names and types; what the items of lists are called, and how UTC is spelled, does not count."""
    return [(field.name, str(field.type).replace("Etc/UTC", "UTC").replace("l:", "item:")) for field in schema]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("snapshots", ()),
        ("current_snapshot", ()),
        ("last_committed_snapshot", ()),
        ("table_info", ()),
        ("list_files", ("t",)),
        ("options", ()),
        ("settings", ()),
        ("set_option", ("auto_compact", True)),
        ("set_commit_message", ("a", "b")),
    ],
)
def test_columns_and_types_are_those_of_ducklake(
    state: SessionState, oracle: duckdb.DuckDBPyConnection, function: str, arguments: tuple[object, ...]
) -> None:
    mine = call(state, f"ducklake_{function}", "lake", *arguments)
    marks = ", ".join("?" * len(arguments))
    text = f"CALL ducklake_{function}('lake'{', ' if arguments else ''}{marks})"
    theirs = oracle.execute(text, arguments).to_arrow_table()
    assert comparable(mine.schema) == comparable(theirs.schema)


def changes(rows: pa.Table, tables: dict[str, str]) -> list[dict[str, list[str]]]:
    """What snapshots did, tables by name; without what only one of the two records."""
    found = []
    for row in rows.to_pylist():
        kept = {key: [tables.get(item, item) for item in items] for key, items in row["changes"] if key in OURS}
        found.append(kept)
    return [kept for kept in found if kept]


def names_by_id(info: pa.Table) -> dict[str, str]:
    return {str(row["table_id"]): row["table_name"] for row in info.to_pylist()}


def test_snapshots_tell_what_ducklake_tells(state: SessionState, oracle: duckdb.DuckDBPyConnection) -> None:
    theirs, info = (oracle.execute(f"FROM lake.{name}()").to_arrow_table() for name in ("snapshots", "table_info"))
    mine = changes(call(state, "lake.snapshots"), names_by_id(call(state, "lake.table_info")))
    assert mine == changes(theirs, names_by_id(info))


def test_table_info_and_list_files_count_what_ducklake_counts(
    state: SessionState, oracle: duckdb.DuckDBPyConnection
) -> None:
    counted = ["table_name", "file_count", "delete_file_count"]
    info = oracle.execute("FROM lake.table_info()").to_arrow_table()
    assert call(state, "lake.table_info").select(counted).to_pylist() == info.select(counted).to_pylist()
    files = oracle.execute("FROM ducklake_list_files('lake', 't')").to_arrow_table()
    mine = call(state, "ducklake_list_files", "lake", "t")
    # The footers of the files that stand for ours are not known.
    known = [name for name in files.column_names if "footer" not in name]
    assert present(mine.select(known)) == present(files.select(known))


def present(rows: pa.Table) -> list[list[bool]]:
    return [[value is not None for value in row.values()] for row in rows.to_pylist()]


def test_options_are_those_of_ducklake(state: SessionState, oracle: duckdb.DuckDBPyConnection) -> None:
    shown = ["option_name", "value", "scope", "scope_entry"]
    facts = {"created_by", "data_path", "version"}
    theirs = oracle.execute("FROM lake.options()").to_arrow_table().select(shown).to_pylist()
    mine = call(state, "lake.options").select(shown).to_pylist()
    assert [row["option_name"] for row in mine] == [row["option_name"] for row in theirs]
    assert [row for row in mine if row["option_name"] not in facts] == [
        row for row in theirs if row["option_name"] not in facts
    ]
