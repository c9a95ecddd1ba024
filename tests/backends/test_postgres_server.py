"""The throwaway server keeps its promises, whoever runs it."""

import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

from tests.postgres_server import DURABLE, TestPostgres


def test_each_created_database_is_new_and_empty(postgres: TestPostgres) -> None:
    first, second = postgres.create_database(), postgres.create_database()
    with psycopg.connect(first) as connection:
        connection.execute("CREATE TABLE here (a INTEGER)")
    with psycopg.connect(second) as connection:
        assert connection.execute("SELECT to_regclass('here')").fetchone() == (None,)


def test_another_process_can_connect(postgres: TestPostgres) -> None:
    ask = "import psycopg, sys; print(psycopg.connect(sys.argv[1]).execute('SELECT 42').fetchone()[0])"
    answer = subprocess.check_output([sys.executable, "-c", ask, postgres.url()], text=True)
    assert answer.strip() == "42"


def test_a_server_takes_its_settings_and_leaves_nothing_behind() -> None:
    with tempfile.TemporaryDirectory(prefix="forklake-") as parent:
        Path(parent).chmod(0o755)
        folder = Path(parent) / "server"
        with TestPostgres(folder, DURABLE) as server, psycopg.connect(server.url()) as connection:
            assert connection.execute("SHOW fsync").fetchone() == ("on",)
        assert not folder.exists()


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    with pytest.raises(ValueError, match="not empty"):
        TestPostgres(tmp_path).start()
    assert (tmp_path / "precious").exists()


def test_a_server_that_was_killed_comes_back_with_what_was_committed() -> None:
    with TestPostgres(settings=DURABLE) as server:
        url = server.create_database()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE TABLE here (a INTEGER)")
            server.kill()
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(url)
        server.restart()
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT to_regclass('here')").fetchone() == ("here",)
