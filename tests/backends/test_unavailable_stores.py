"""Databases that are not there, not ours or not for us are refused, and no message shows a password."""

import os
import pwd
import socket
import sqlite3
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import psycopg
import pytest

from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import ForklakeError, InvalidInput, NotALake, ReadOnly, StoreUnavailable
from tests.postgres_server import TestPostgres


def refusal(url: str, error: type[ForklakeError], *, create: bool = True) -> str:
    """The message with which a place is refused; nowhere in the whole report is the password."""
    with pytest.raises(error) as refused:
        open_lake(url, create=create, data_path="data")
    assert "geheim" not in "".join(traceback.format_exception(refused.value))
    return str(refused.value)


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_no_server_behind_an_address_is_said_to_be_unavailable(tmp_path: Path) -> None:
    port = closed_port()
    message = refusal(f"postgres:postgresql://anna:geheim@127.0.0.1:{port}/lakes", StoreUnavailable)
    assert f"127.0.0.1:{port}/lakes" in message
    message = refusal(f"postgres:host={tmp_path / 'nowhere'} dbname=lakes user=anna password=geheim", StoreUnavailable)
    assert "nowhere" in message


def test_an_unknown_database_or_role_is_said_to_be_unavailable(shared_database: str) -> None:
    host = shared_database.partition("?")[2]
    assert '"nowhere" does not exist' in refusal(
        f"postgres:postgresql://postgres:geheim@/nowhere?{host}", StoreUnavailable
    )
    assert '"anna" does not exist' in refusal(f"postgres:postgresql://anna:geheim@/postgres?{host}", StoreUnavailable)


@pytest.mark.parametrize("url", ["postgresql://anna:geheim%@db/lakes", "nosuchsetting=geheim", "geheim"])
def test_a_connection_string_without_sense_is_refused_without_being_repeated(url: str) -> None:
    assert "not a PostgreSQL connection string" in refusal(f"postgres:{url}", InvalidInput)


@pytest.mark.parametrize("schema", ["a\0b", "\ud800", "x" * 64, "é" * 32], ids=ascii)
def test_a_metadata_schema_that_postgresql_cannot_name_is_refused(shared_database: str, schema: str) -> None:
    with pytest.raises(InvalidInput):
        open_lake(f"postgres:{shared_database}", metadata_schema=schema, create=True)


@pytest.mark.parametrize("url", ["", "sqlite:", "a\0b", "duckdb:lake.db", "mysql:db=lakes"])
def test_a_location_that_means_nothing_is_refused(url: str) -> None:
    refusal(url, InvalidInput)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(b"Dear Anna, " * 1000)
    assert "is not a SQLite database" in refusal(f"sqlite:{path}", NotALake)
    assert path.read_bytes() == b"Dear Anna, " * 1000
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("create", [False, True])
def test_somebody_elses_database_is_not_touched(tmp_path: Path, create: bool) -> None:
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE letters (a)")
    theirs.close()
    before = path.read_bytes()
    assert "holds tables of another application" in refusal(f"sqlite:{path}", NotALake, create=create)
    assert path.read_bytes() == before


@pytest.mark.parametrize("place", ["nowhere/lake.db", "", "file.txt/lake.db"])
def test_a_place_where_no_file_can_be_is_unavailable(tmp_path: Path, place: str) -> None:
    (tmp_path / "file.txt").touch()
    assert str(tmp_path) in refusal(f"sqlite:{tmp_path / place}", StoreUnavailable)
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


def test_a_wrong_password_is_refused_and_not_repeated() -> None:
    with TestPostgres() as server:
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute("CREATE ROLE anna LOGIN PASSWORD 'right'")
            [[rules]] = connection.execute("SHOW hba_file").fetchall()
            Path(rules).write_text("local all anna scram-sha-256\nlocal all postgres trust\n")
            [loaded] = connection.execute("SELECT pg_conf_load_time() FROM pg_reload_conf()").fetchall()
            # The server reads its rules when it comes to it.
            while connection.execute("SELECT pg_conf_load_time()").fetchall() == [loaded]:
                sleep(0.01)
        url = server.url().replace("postgres@", "anna:{}@")
        message = refusal(f"postgres:{url.format('geheim')}", StoreUnavailable)
        assert 'password authentication failed for user "anna"' in message
        # Known, but not allowed to create anything here.
        assert "permission denied" in refusal(f"postgres:{url.format('right')}", ReadOnly)


@contextmanager
def as_ordinary_user(folder: Path) -> Iterator[None]:
    """Root may write anywhere: be somebody else for a while, who owns the folder."""
    if os.geteuid() != 0:
        yield
        return
    nobody = pwd.getpwnam("nobody").pw_uid
    for path in (folder, *folder.iterdir()):
        os.chown(path, nobody, -1)
    os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_place_that_cannot_be_written_gives_one_clear_error() -> None:
    with tempfile.TemporaryDirectory(prefix="forklake-") as name:
        folder = Path(name)
        path = folder / "lake.db"
        with as_ordinary_user(folder):
            folder.chmod(0o500)
            assert "permissions" in refusal(f"sqlite:{path}", StoreUnavailable)
            folder.chmod(0o700)
            lake = open_lake(f"sqlite:{path}", create=True, data_path="data")
            create_catalog(lake, "main")
            lake.close()
            path.chmod(0o400)
            before = path.read_bytes()
            lake = open_lake(f"sqlite:{path}")
            with pytest.raises(ReadOnly, match="cannot be written"):
                create_catalog(lake, "other")
            lake.close()
            reader = open_lake(f"sqlite:{path}", read_only=True)
            assert find_catalog(reader, "main").name == "main"
            reader.close()
            assert path.read_bytes() == before
