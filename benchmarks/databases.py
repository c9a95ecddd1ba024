"""Databases for measurements: SQLite files, and one PostgreSQL that makes commits durable."""

import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import psycopg

from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import open_lake
from tests.postgres_server import DURABLE, TestPostgres

Backend = Literal["sqlite", "postgres"]

SERVER_SETTINGS: Mapping[str, str] = {**DURABLE, "jit": "off", "shared_buffers": "512MB", "max_wal_size": "4GB"}
SCHEMA = "ducklake"

_POSTGRES_SIZE = (
    "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
    f" WHERE relnamespace = '{SCHEMA}'::regnamespace AND relkind = 'r'"
)


class Sql:
    """Plain SQL on a database, beside the library. Every statement commits by itself unless BEGIN was said."""

    def __init__(self, connection: "psycopg.Connection[Any] | sqlite3.Connection") -> None:
        self._connection = connection

    def run(self, statement: str) -> None:
        self._connection.execute(statement)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement).fetchall()

    def value(self, statement: str) -> Any:
        [[value]] = self.rows(statement)
        return value

    def columns(self, table: str) -> list[str]:
        """The names of the columns of a table, in order."""
        described = self._connection.execute(f"SELECT * FROM {table} WHERE FALSE").description
        return [each[0] for each in described or ()]

    def insert(self, table: str, row: tuple[Any, ...]) -> None:
        mark = "?" if isinstance(self._connection, sqlite3.Connection) else "%s"
        self._connection.execute(f"INSERT INTO {table} VALUES ({', '.join([mark] * len(row))})", row)


@dataclass(frozen=True, slots=True)
class Place:
    """A database for one lake. It travels to other processes."""

    backend: Backend
    address: str
    """The path of a SQLite file, or a libpq URL."""

    @property
    def url(self) -> str:
        return f"{self.backend}:{self.address}"

    def open(self) -> Lake:
        """The lake in it, created by whoever comes first."""
        return open_lake(self.url, create=True, data_path="data")

    @contextmanager
    def sql(self) -> Iterator[Sql]:
        if self.backend == "sqlite":
            file = sqlite3.connect(self.address, isolation_level=None)
            file.execute("PRAGMA synchronous = FULL")
            try:
                yield Sql(file)
            finally:
                file.close()
        else:
            with psycopg.connect(self.address, autocommit=True) as connection:
                connection.execute(f"SET search_path TO {SCHEMA}")
                yield Sql(connection)

    def size(self) -> int:
        """Bytes that the metadata takes, indexes included."""
        with self.sql() as sql:
            if self.backend == "postgres":
                return int(sql.value(_POSTGRES_SIZE))
            sql.run("PRAGMA wal_checkpoint(TRUNCATE)")
            return int(sql.value("PRAGMA page_count")) * int(sql.value("PRAGMA page_size"))

    def settle(self) -> None:
        """After a bulk load: leave nothing behind that would be done during a measurement."""
        with self.sql() as sql:
            if self.backend == "postgres":
                sql.run("VACUUM (ANALYZE)")
                sql.run("CHECKPOINT")
            else:
                sql.run("PRAGMA wal_checkpoint(TRUNCATE)")


class Databases:
    """Hands out empty databases, and removes all of them at the end. PostgreSQL starts when first asked for."""

    def __init__(self, above: Path | None = None, *, keep: bool = False) -> None:
        """Put files into a new folder, in the one `above` or where temporary files go; `keep` leaves them there."""
        self._above = above
        self._keep = keep
        self._stack = ExitStack()
        self._numbers = count(1)

    def new_place(self, backend: Backend) -> Place:
        if backend == "postgres":
            return Place(backend, self.server.create_database())
        return Place(backend, str(self.folder / f"lake-{next(self._numbers)}.db"))

    def new_folder(self) -> Path:
        folder = self.folder / f"data-{next(self._numbers)}"
        folder.mkdir()
        return folder

    @cached_property
    def server(self) -> TestPostgres:
        return self._stack.enter_context(TestPostgres(settings=SERVER_SETTINGS))

    @cached_property
    def folder(self) -> Path:
        prefix = "forklake-benchmarks-"
        if self._keep:
            return Path(tempfile.mkdtemp(prefix=prefix, dir=self._above))
        return Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix=prefix, dir=self._above)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()
