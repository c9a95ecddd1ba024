"""The SQL of the pages about PostgreSQL runs, and the rights they grant are enough for what they say."""

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime

import psycopg
import pytest

from forklake.catalog.lakes.catalogs import create_catalog, drop_catalog, find_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.reading.view import view_at
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.options import set_instance_option
from forklake.errors import ReadOnly
from tests.docs.test_documents import ROOT
from tests.lakes import append, file_ids, make_table
from tests.postgres_server import TestPostgres

ROLES = ("lake_owner", "lake_writer", "lake_reader")
BLOCK = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sql_of(page: str) -> list[str]:
    return BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))


@pytest.fixture
def database(postgres: TestPostgres) -> Iterator[str]:
    """A database of its own, because the pages say `ducklake`."""
    url = postgres.create_database()
    yield url
    with psycopg.connect(url, autocommit=True) as session:
        for role in ROLES:
            session.execute(f"DROP OWNED BY {role} CASCADE; DROP ROLE {role}".encode())


def opened(database: str, role: str, *, create: bool = False, read_only: bool = False) -> Lake:
    url = f"postgres:{database.replace('//postgres@', f'//{role}@')}"
    return open_lake(url, create=create, read_only=read_only, data_path="data" if create else None)


def test_the_roles_of_the_page_can_do_what_it_says(database: str) -> None:
    roles, grants = sql_of("postgresql.md")
    with psycopg.connect(database, autocommit=True) as superuser:
        superuser.execute(roles.encode())
        with closing(opened(database, "lake_owner", create=True)) as lake:
            make_table(create_catalog(lake, "main"))
        superuser.execute(grants.encode())
        check_writer(database)
        check_reader(database)
        for block in sql_of("operations.md"):
            superuser.execute(block.encode())


def check_writer(database: str) -> None:
    with closing(opened(database, "lake_writer")) as lake:
        main = find_catalog(lake, "main")
        for _ in range(2):  # The first time one is committed the long way, and then the short one.
            append(main)
        append(main, 300)
        fork, _ = fork_catalog(lake, "main", "fork")
        append(fork)
        create_catalog(lake, "other")
        set_instance_option(lake, "parquet_compression", "zstd")
        assert expire_snapshots(main, older_than=datetime.now(UTC))
        drop_catalog(lake, "fork")
        assert len(file_ids(find_catalog(lake, "main"))) == 302


def check_reader(database: str) -> None:
    with closing(opened(database, "lake_reader", read_only=True)) as lake:
        main = find_catalog(lake, "main", read_only=True)
        assert len(file_ids(main)) == 302
        assert view_at(main, version=view_at(main, timestamp=datetime.now(UTC)).snapshot_id)
    with closing(opened(database, "lake_reader")) as lake, pytest.raises(ReadOnly):
        fork_catalog(lake, "main", "mine")
