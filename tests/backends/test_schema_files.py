"""The SQL files of the metadata tables are up to date, and prepare a database for a lake by themselves."""

import sqlite3
from pathlib import Path

import psycopg
import pytest

from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.open_lake import open_lake
from forklake.store.ddl import schema_file
from forklake.store.options import lake_info
from tests.lakes import append, file_ids, make_table
from tests.postgres_server import TestPostgres

FOLDER = Path(__file__).parents[2] / "schema"


@pytest.mark.parametrize("database", ["postgresql", "sqlite"])
def test_the_schema_file_is_what_the_tables_say(database: str) -> None:
    written = (FOLDER / f"{database}.sql").read_text(encoding="utf-8")
    assert written == schema_file(database), "run `make schema`"


def prepared_sqlite(folder: Path) -> str:
    path = folder / "lake.db"
    connection = sqlite3.connect(path)
    connection.executescript((FOLDER / "sqlite.sql").read_text(encoding="utf-8"))
    connection.close()
    return f"sqlite:{path}"


def prepared_postgres(url: str) -> str:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute((FOLDER / "postgresql.sql").read_bytes())
    return f"postgres:{url}"


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_a_database_prepared_with_the_file_is_a_lake(postgres: TestPostgres, tmp_path: Path, backend: str) -> None:
    url = prepared_sqlite(tmp_path) if backend == "sqlite" else prepared_postgres(postgres.create_database())
    lake = open_lake(url, data_path="data")
    make_table(create_catalog(lake, "main"))
    fork, _ = fork_catalog(lake, "main", "fork")
    append(fork)
    assert len(file_ids(fork)) == 1
    lake.close()


def test_the_file_may_be_run_again_over_a_lake_without_harm(postgres: TestPostgres, tmp_path: Path) -> None:
    database = postgres.create_database()
    for url, again in (
        (prepared_sqlite(tmp_path), lambda: prepared_sqlite(tmp_path)),
        (prepared_postgres(database), lambda: prepared_postgres(database)),
    ):
        lake = open_lake(url, data_path="data")
        main = create_catalog(lake, "main")
        make_table(main)
        append(main)
        before = (lake_info(lake.store), file_ids(main))
        again()
        assert (lake_info(lake.store), file_ids(main)) == before
        append(main)
        lake.close()
