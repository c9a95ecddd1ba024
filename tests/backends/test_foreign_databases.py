"""A database that holds something else is never made a lake, whatever is asked for."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

import forklake
from forklake.catalog.lakes.catalogs import create_catalog, list_catalogs
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import NotALake
from tests.backends.conftest import Commands
from tests.conftest import Place
from tests.ducklake_oracle import connect_oracle

ASKED: list[dict[str, Any]] = [{}, {"create": True}, {"read_only": True}, {"create": True, "read_only": True}]


def run(place: Place, *statements: str) -> None:
    """What another application does in the database."""
    if place.backend == "sqlite":
        with closing(sqlite3.connect(place.url.removeprefix("sqlite:"))) as connection, connection:
            for statement in statements:
                connection.execute(statement)
        return
    with psycopg.connect(place.url.removeprefix("postgres:")) as server:
        server.execute(f"CREATE SCHEMA IF NOT EXISTS {place.metadata_schema}")
        server.execute(f"SET search_path TO {place.metadata_schema}")
        for statement in statements:
            server.execute(statement)


def relations(place: Place) -> list[tuple[str, str]]:
    """Every table, view and index there is, with its definition where the database keeps it."""
    if place.backend == "sqlite":
        with closing(sqlite3.connect(place.url.removeprefix("sqlite:"))) as connection:
            return connection.execute("SELECT name, coalesce(sql, '') FROM sqlite_master ORDER BY name").fetchall()
    with psycopg.connect(place.url.removeprefix("postgres:")) as server:
        return server.execute(
            "SELECT relname, relkind::text FROM pg_class WHERE relnamespace = to_regnamespace(%s) ORDER BY 1",
            [place.metadata_schema],
        ).fetchall()


def refusals(place: Place) -> list[str]:
    """What is said for every way to ask; nothing has changed by it."""
    before, said = relations(place), []
    for asked in ASKED:
        with pytest.raises(NotALake) as refused:
            open_lake(place.url, metadata_schema=place.metadata_schema, data_path="data", **asked)
        said.append(str(refused.value))
    assert relations(place) == before
    return said


@pytest.fixture
def ducklake(place: Place, tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckLake at the place, with a table of rows in files."""
    run(place)
    with connect_oracle() as oracle:
        metadata, schema = str(tmp_path / "meta.ducklake"), ""
        if place.backend == "postgres":
            metadata, schema = place.url, f", METADATA_SCHEMA '{place.metadata_schema}'"
        data = f"DATA_PATH '{tmp_path / 'data'}', DATA_INLINING_ROW_LIMIT 0"
        oracle.execute(f"ATTACH 'ducklake:{metadata}' AS lake ({data}{schema})")
        oracle.execute("CREATE TABLE lake.orders AS SELECT 1 AS id")
        if place.backend == "sqlite":
            copy_metadata(oracle, place)
        yield oracle


def copy_metadata(oracle: duckdb.DuckDBPyConnection, place: Place) -> None:
    """The tables of a DuckLake as they are in SQLite, where the oracle cannot put them by itself."""
    tables = ("metadata", "snapshot", "snapshot_changes", "schema", "table", "column", "data_file")
    with closing(sqlite3.connect(place.url.removeprefix("sqlite:"))) as connection, connection:
        for table in [f"ducklake_{name}" for name in tables]:
            found = oracle.execute(f"FROM __ducklake_metadata_lake.{table}")
            names = [column[0] for column in found.description or ()]
            connection.execute(f"CREATE TABLE {table} ({', '.join(names)})")
            rows = [[None if value is None else str(value) for value in row] for row in found.fetchall()]
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", rows)


def test_a_ducklake_is_named_with_its_version_and_how_its_rows_come_along(
    place: Place, ducklake: duckdb.DuckDBPyConnection
) -> None:
    for message in refusals(place):
        assert "is the catalog of a DuckLake of version 1.0" in message
        assert "add_data_files" in message
        assert "CREATE_IF_NOT_EXISTS" not in message
    assert ducklake.execute("SELECT id FROM lake.orders").fetchall() == [(1,)]


def test_attach_and_the_command_line_leave_a_ducklake_alone(
    place: Place, ducklake: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    schema = f", METADATA_SCHEMA '{place.metadata_schema}'" if place.metadata_schema else ""
    before = relations(place)
    with forklake.connect() as session:
        for options in ("CREATE_IF_NOT_EXISTS true", "READ_ONLY", f"DATA_PATH '{tmp_path / 'data'}'"):
            with pytest.raises(NotALake, match="is the catalog of a DuckLake"):
                session.sql(f"ATTACH 'ducklake:{place.url}' AS lake (CATALOG 'main', {options}{schema})")
    shell = Commands(place, tmp_path)
    for command in (["init", "--catalog", "main"], ["catalogs"], ["tables", "--catalog", "main"]):
        done = shell.run(*command)
        assert done.exit_code == 1, done.output
        assert "DuckLake" in done.output
    assert relations(place) == before
    assert ducklake.execute("SELECT id FROM lake.orders").fetchall() == [(1,)]


def test_tables_of_another_application_are_left_alone(place: Place) -> None:
    run(place, "CREATE TABLE users (id INTEGER)", "CREATE VIEW lake_view AS SELECT * FROM users")
    for message in refusals(place):
        assert "tables of another application, for example 'users'" in message
        assert ("METADATA_SCHEMA" if place.backend == "postgres" else "a file of its own") in message
        assert "CREATE_IF_NOT_EXISTS" not in message


@pytest.mark.parametrize("columns", ["depth INTEGER", "key TEXT, value TEXT"])
def test_a_table_with_the_name_of_ours_does_not_make_it_a_lake(place: Place, columns: str) -> None:
    run(place, f"CREATE TABLE lake_info ({columns})", "CREATE TABLE fish (id INTEGER)")
    assert all("another application, for example 'fish'" in message for message in refusals(place))


def test_tables_about_real_lakes_are_another_application(place: Place) -> None:
    run(place, "CREATE TABLE lake_levels (metres INTEGER)")
    assert all("another application, for example 'lake_levels'" in message for message in refusals(place))


def test_a_lake_that_was_created_in_part_is_not_completed_by_guessing(place: Place) -> None:
    run(place, "CREATE TABLE lake_info (key TEXT, value TEXT)", "CREATE TABLE lake_catalog (catalog_id BIGINT)")
    assert all("its creation was interrupted" in message for message in refusals(place))


def test_a_lake_opens_although_others_put_tables_beside_it_later(place: Place) -> None:
    lake = open_lake(place.url, metadata_schema=place.metadata_schema, create=True, data_path="data")
    create_catalog(lake, "main")
    lake.close()
    run(place, "CREATE TABLE users (id INTEGER)")
    for asked in ASKED:
        again = open_lake(place.url, metadata_schema=place.metadata_schema, **asked)
        assert [info.name for info in list_catalogs(again)] == ["main"]
        again.close()


def test_what_belongs_to_an_extension_of_the_database_is_nobodys_application(postgres_place: Place) -> None:
    schema = postgres_place.metadata_schema
    run(postgres_place, "CREATE TABLE helper (id INTEGER)")
    with psycopg.connect(postgres_place.url.removeprefix("postgres:")) as connection:
        # As an extension's script would leave it, without the files of one.
        connection.execute(
            "INSERT INTO pg_depend SELECT 'pg_class'::regclass, to_regclass(%s), 0, 'pg_extension'::regclass, oid, 0,"
            " 'e' FROM pg_extension WHERE extname = 'plpgsql'",
            [f"{schema}.helper"],
        )
    open_lake(postgres_place.url, metadata_schema=schema, create=True).close()


def test_a_lake_that_was_once_put_into_a_ducklake_can_only_be_read(
    place: Place, ducklake: duckdb.DuckDBPyConnection
) -> None:
    rows = "('format_version', '2'), ('lake_uuid', 'x')"
    run(place, "CREATE TABLE lake_info (key TEXT, value TEXT)", f"INSERT INTO lake_info VALUES {rows}")
    for create in (False, True):
        with pytest.raises(NotALake, match=r"into which an earlier release has put a lake.*READ_ONLY"):
            open_lake(place.url, metadata_schema=place.metadata_schema, create=create)


@pytest.mark.parametrize("asked", ASKED)
def test_a_duckdb_file_is_named_as_one(sqlite_place: Place, asked: dict[str, Any]) -> None:
    path = sqlite_place.url.removeprefix("sqlite:")
    duckdb.connect(path).close()
    before = Path(path).read_bytes()
    with pytest.raises(NotALake, match=r"is a DuckDB database.*add_data_files"):
        open_lake(sqlite_place.url, **asked)
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize("content", [b"x", b"PAR1" * 8, b"SQLite format 2\0" * 64, b"SQLite format 3"])
@pytest.mark.parametrize("asked", ASKED)
def test_a_file_of_another_kind_is_refused_and_kept(sqlite_place: Place, content: bytes, asked: dict[str, Any]) -> None:
    path = Path(sqlite_place.url.removeprefix("sqlite:"))
    path.write_bytes(content)
    with pytest.raises(NotALake, match="is not a SQLite database") as refused:
        open_lake(sqlite_place.url, **asked)
    assert "CREATE_IF_NOT_EXISTS" not in str(refused.value)
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_lake_only_when_that_is_asked_for(sqlite_place: Place) -> None:
    path = Path(sqlite_place.url.removeprefix("sqlite:"))
    path.touch()
    with pytest.raises(NotALake, match="holds no lake"):
        open_lake(sqlite_place.url)
    assert path.stat().st_size == 0
    open_lake(sqlite_place.url, create=True).close()
