"""The two contestants: Forklake in a process without Spark, and DuckDB's own DuckLake."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pyarrow as pa

import forklake
from benchmarks.databases import Place
from forklake.api.session import Session
from tests.ducklake_oracle import connect_oracle

Rows = list[tuple[Any, ...]]


class Engine(Protocol):
    """A lake with tables, and statements on them."""

    def load(self, table: str, rows: pa.Table) -> None:
        """A new table with these rows in one file."""
        ...

    def run(self, statement: str) -> Rows: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Forklake:
    """A session that raises an error where it would need Spark."""

    session: Session

    def load(self, table: str, rows: pa.Table) -> None:
        columns = {field.name: _TYPES[field.type] for field in rows.schema}
        made = self.session.catalog("lake").create_table(table, columns)
        made.append(rows)

    def run(self, statement: str) -> Rows:
        return self.session.sql(statement).fetchall()

    def close(self) -> None:
        assert not self.session._state.provider.is_running, "Spark was started"
        self.session.close()


_TYPES = {pa.int64(): "bigint", pa.int32(): "int", pa.string(): "varchar", pa.float64(): "double", pa.date32(): "date"}


@dataclass(frozen=True, slots=True)
class DuckLake:
    """DuckLake, in a process of DuckDB."""

    connection: duckdb.DuckDBPyConnection

    def load(self, table: str, rows: pa.Table) -> None:
        self.connection.register("given", rows)
        self.connection.execute(f"CREATE TABLE {table} AS SELECT * FROM given")
        self.connection.unregister("given")

    def run(self, statement: str) -> Rows:
        return self.connection.execute(statement).fetchall()

    def close(self) -> None:
        self.connection.close()


INLINED = 10
"""Rows of an insert that go into the metadata database: what DuckLake does unless it is told otherwise."""


def open_forklake(place: Place, folder: Path, inlined: int = INLINED, catalog: str = "main") -> Forklake:
    session = forklake.connect()
    session.attach(
        place.url,
        "lake",
        catalog=catalog,
        data_path=str(folder),
        create_if_not_exists=True,
        data_inlining_row_limit=inlined,
    )
    for setting in ("forklake_small_queries = 'driver'", "forklake_small_query_bytes = 100000000"):
        session.sql(f"SET {setting}")
    session.sql("USE lake")
    return Forklake(session)


def open_ducklake(place: Place, folder: Path, inlined: int = INLINED, catalog: str = "main") -> DuckLake:
    """On PostgreSQL, each of its lakes is a schema, which takes the place of a catalog."""
    connection = connect_oracle("sqlite_scanner")
    options = f"DATA_PATH '{folder}', DATA_INLINING_ROW_LIMIT {inlined}"
    if place.backend == "postgres" and catalog != "main":
        options += f", METADATA_SCHEMA '{catalog}'"
    connection.execute(f"ATTACH 'ducklake:{place.backend}:{place.address}' AS lake ({options})")
    connection.execute("USE lake")
    return DuckLake(connection)


OPEN: dict[str, Callable[..., Engine]] = {"Forklake": open_forklake, "DuckLake": open_ducklake}
PREFIXES = {
    ("Forklake", "sqlite"): "lake",
    ("Forklake", "postgres"): "lake",
    ("DuckLake", "sqlite"): "ducklake",
    ("DuckLake", "postgres"): "public.ducklake",
}
"""Beginnings of the names of metadata tables."""
